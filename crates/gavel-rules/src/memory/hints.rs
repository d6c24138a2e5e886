//! Hints for whoever writes an item: which ones look alike, and which seem to say the opposite. They
//! rest on words alone, so they never stop anybody.

use std::collections::BTreeSet;

use serde::Serialize;

/// How many items are named as alike.
const MOST_ALIKE: usize = 3;
/// The least share of terms that two have in common.
const LEAST_ALIKE: f64 = 0.5;
/// Two statements that share neither a path nor a tag are about the same only with so many terms.
const LEAST_SHARED_TERMS: usize = 2;
const MEDIUM: u32 = 7;
const HIGH: u32 = 10;

/// Phrases that say the opposite of each other.
const OPPOSITES: [(&[&str], &[&str]); 10] = [
    (
        &["must", "have to", "has to"],
        &["must not", "must never", "mustn't"],
    ),
    (&["always"], &["never", "not always"]),
    (
        &["enable", "enabled", "turn on"],
        &["disable", "disabled", "turn off"],
    ),
    (
        &["use", "prefer", "adopt"],
        &["avoid", "do not use", "don't use", "never use"],
    ),
    (
        &["allow", "allowed", "permit"],
        &["deny", "forbid", "disallow", "not allowed"],
    ),
    (
        &["required", "mandatory"],
        &["forbidden", "optional", "not required"],
    ),
    (&["add", "keep"], &["remove", "drop", "delete"]),
    (&["should"], &["should not", "shouldn't", "should never"]),
    (&["can", "may"], &["cannot", "can not", "can't", "may not"]),
    (&["do"], &["do not", "don't"]),
];

/// Something that is said about something.
#[derive(Debug, Clone, Copy)]
pub struct Statement<'a> {
    /// Its words.
    pub text: &'a str,
    /// The terms of its text, as search counts them.
    pub terms: &'a BTreeSet<String>,
    /// Its tags.
    pub tags: &'a [String],
    /// The paths that it is about.
    pub paths: &'a [&'a str],
}

/// How strongly two statements seem to say the opposite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Opposition {
    /// Perhaps.
    Low,
    /// Likely.
    Medium,
    /// Very likely.
    High,
}

impl Opposition {
    /// The stored word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// Two statements that seem to say the opposite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opposed {
    /// How strongly.
    pub how: Opposition,
    /// The two phrases that are opposites.
    pub phrases: (&'static str, &'static str),
}

/// The share of terms that both have, of all terms of both.
pub fn overlap(left: &BTreeSet<String>, right: &BTreeSet<String>) -> f64 {
    let both = count(left.intersection(right).count());
    let all = count(left.union(right).count());
    if all > 0.0 { both / all } else { 0.0 }
}

/// The places of the statements that are most like one, the most alike first, each with its share.
pub fn most_alike<'a>(
    new: &BTreeSet<String>,
    others: impl IntoIterator<Item = &'a BTreeSet<String>>,
) -> Vec<(usize, f64)> {
    let shares = others.into_iter().map(|terms| overlap(new, terms));
    let mut found: Vec<(usize, f64)> = shares
        .enumerate()
        .filter(|(_, share)| *share >= LEAST_ALIKE)
        .collect();
    found.sort_by(|(one, left), (other, right)| right.total_cmp(left).then(one.cmp(other)));
    found.truncate(MOST_ALIKE);
    found
}

/// Whether two statements about the same thing seem to say the opposite.
pub fn opposition(one: &Statement<'_>, other: &Statement<'_>) -> Option<Opposed> {
    let shared = one.terms.intersection(other.terms).count();
    let domain = same_domain(one, other);
    if shared == 0 || (domain == 0 && shared < LEAST_SHARED_TERMS) {
        return None;
    }
    let (left, right) = (plain(one.text), plain(other.text));
    let phrases = OPPOSITES.iter().find_map(|(yes, no)| {
        let straight = opposed(&left, &right, (yes, no));
        let turned = || opposed(&right, &left, (yes, no)).map(|(yes, no)| (no, yes));
        straight.or_else(turned)
    })?;
    let share = overlap(one.terms, other.terms);
    let alike = [0.125, 0.375, 0.625, 0.875];
    let alike = alike.iter().filter(|least| share >= **least).count();
    let points = 5 + shared.min(3) + alike + domain;
    let points = u32::try_from(points).unwrap_or(u32::MAX);
    let how = match points {
        HIGH.. => Opposition::High,
        MEDIUM.. => Opposition::Medium,
        _ => Opposition::Low,
    };
    Some(Opposed { how, phrases })
}

/// A yes in the one and its no in the other, where neither says both.
fn opposed(
    one: &str,
    other: &str,
    (yes, no): (&[&'static str], &[&'static str]),
) -> Option<(&'static str, &'static str)> {
    let says = |text: &str, phrases: &[&'static str]| {
        let found = phrases.iter().find(|phrase| has(text, phrase));
        found.copied()
    };
    match (says(one, yes), says(one, no), says(other, no)) {
        (Some(yes), None, Some(no)) => Some((yes, no)),
        _ => None,
    }
}

/// Points for paths and tags that both have.
fn same_domain(one: &Statement<'_>, other: &Statement<'_>) -> usize {
    let path = one.paths.iter().any(|left| {
        let related = |right: &&str| within(left, right) || within(right, left);
        other.paths.iter().any(related)
    });
    let tag = one.tags.iter().any(|tag| other.tags.contains(tag));
    usize::from(path) * 3 + usize::from(tag) * 2
}

fn within(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Lower case words between single spaces, with one on both ends.
fn plain(text: &str) -> String {
    let lower = text.to_lowercase().replace('\u{2019}', "'");
    let words = lower.split(|c: char| !c.is_alphanumeric() && c != '\'');
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    format!(" {} ", words.join(" "))
}

fn has(text: &str, phrase: &str) -> bool {
    text.contains(&format!(" {phrase} "))
}

fn count(number: usize) -> f64 {
    u32::try_from(number).map_or(f64::from(u32::MAX), f64::from)
}

#[cfg(test)]
#[path = "hints_tests.rs"]
mod tests;
