//! Whether a setting became looser, by what its key and its values are called.

use std::collections::BTreeSet;

use super::super::files::SettingValue;

/// Which way a setting went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Same,
    Stricter,
    Looser,
    /// Another value of which nothing is known.
    Unclear,
}

/// Parts of keys whose values take something out of what is checked: more of it is looser.
const TAKES_OUT: [&str; 13] = [
    "ignore",
    "exclude",
    "omit",
    "skip",
    "disable",
    "allow",
    "per-file",
    "suppress",
    "exempt",
    "permit",
    "extend-ignore",
    "noqa",
    "unfixable",
];
/// Parts of keys whose numbers are an upper limit.
const UPPER: [&str; 4] = ["max", "threshold", "complexity", "limit"];
/// Parts of keys whose numbers are a lower limit.
const LOWER: [&str; 5] = [
    "fail_under",
    "fail-under",
    "coverageThreshold",
    "thresholds",
    "target",
];
/// Whole last parts of keys whose numbers are a lower limit.
const LOWER_NAMES: [&str; 4] = ["lines", "branches", "functions", "statements"];

/// Which way a setting went; `None` is one that is not there.
pub(super) fn direction(
    key: &str,
    was: Option<&SettingValue>,
    is: Option<&SettingValue>,
) -> Direction {
    match (was, is) {
        (None, None) => Direction::Same,
        (Some(was), Some(is)) if was == is => Direction::Same,
        (None, Some(new)) => added(key, new),
        (Some(old), None) => match added(key, old) {
            // Without a rule that let something through there is one more.
            Direction::Looser => Direction::Stricter,
            Direction::Same | Direction::Stricter | Direction::Unclear => Direction::Looser,
        },
        (Some(SettingValue::List(old)), Some(SettingValue::List(new))) => lists(key, old, new),
        (Some(SettingValue::One(old)), Some(SettingValue::One(new))) => values(key, old, new),
        (Some(_), Some(_)) => Direction::Unclear,
    }
}

fn added(key: &str, new: &SettingValue) -> Direction {
    match new {
        SettingValue::List(all) if takes_out(key) && !all.is_empty() => Direction::Looser,
        SettingValue::List(_) => Direction::Stricter,
        SettingValue::One(text) if level(text) == Some(0) => {
            // `allow_x = false` and `ignore_x = off` let nothing through.
            if takes_out(key) {
                Direction::Stricter
            } else {
                Direction::Looser
            }
        }
        SettingValue::One(_) if takes_out(key) => Direction::Looser,
        SettingValue::One(_) => Direction::Stricter,
    }
}

fn lists(key: &str, old: &[String], new: &[String]) -> Direction {
    let (old, new): (BTreeSet<_>, BTreeSet<_>) = (old.iter().collect(), new.iter().collect());
    let (fewer, more) = (old.is_subset(&new), new.is_subset(&old));
    match (takes_out(key), fewer, more) {
        (_, true, true) => Direction::Same,
        (true, _, true) | (false, true, _) => Direction::Stricter,
        (true, ..) | (false, ..) => Direction::Looser,
    }
}

fn values(key: &str, old: &str, new: &str) -> Direction {
    let last = key.rsplit('.').next().unwrap_or(key);
    let is_lower = is_among(key, &LOWER) || LOWER_NAMES.contains(&last) || last.starts_with("min");
    if let (Ok(old), Ok(new)) = (old.parse::<f64>(), new.parse::<f64>())
        && (is_lower || is_among(key, &UPPER))
    {
        return match (is_lower, new > old) {
            (true, true) | (false, false) => Direction::Stricter,
            (true, false) | (false, true) => Direction::Looser,
        };
    }
    match (level(old), level(new)) {
        (Some(old), Some(new)) if old == new => Direction::Same,
        (Some(old), Some(new)) => {
            if (new > old) == takes_out(key) {
                Direction::Looser
            } else {
                Direction::Stricter
            }
        }
        _ => Direction::Unclear,
    }
}

fn is_among(key: &str, parts: &[&str]) -> bool {
    parts.iter().any(|part| key.contains(part))
}

fn takes_out(key: &str) -> bool {
    let key = key.to_lowercase();
    // `disallow_any` and `no_implicit_reexport` say the opposite of what is in them.
    let last = key.rsplit('.').next().unwrap_or(&key);
    let refuses = ["disallow", "no_", "no-", "deny", "warn_"];
    let is_rule = refuses.iter().any(|start| last.starts_with(start));
    let is_level = key.contains("lints.") || key.contains("rules.");
    !is_rule && !is_level && TAKES_OUT.iter().any(|part| key.contains(part))
}

/// How strict a level is, where the word is one.
fn level(word: &str) -> Option<u8> {
    match word.to_lowercase().as_str() {
        "allow" | "off" | "0" | "false" | "none" | "no" => Some(0),
        "warn" | "warning" | "1" | "info" | "basic" => Some(1),
        "deny" | "error" | "2" | "true" | "yes" | "on" | "standard" => Some(2),
        "forbid" | "strict" => Some(3),
        _ => None,
    }
}
