//! Settings: which keys exist, what they may hold, and which layer wins.
//!
//! Layers come in as plain values; this module merges them and remembers where each value came
//! from. Flags win over the environment, that over `gavel.toml`, that over the user's file, that
//! over what is built in. A project's file comes with whatever somebody cloned, so it may make the
//! money guards tighter and never wider.

use std::collections::BTreeMap;
use std::fmt;

use gavel_domain::{Caps, MicroUsd, Settings, Tokens};
use serde::Serialize;
use serde_json::Value;

/// Where a value came from, weakest first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(tag = "from", content = "where", rename_all = "snake_case")]
pub enum Origin {
    /// The program itself.
    BuiltIn,
    /// The user's configuration file.
    User(String),
    /// The project's `gavel.toml`.
    Project(String),
    /// An environment variable.
    Environment(String),
    /// A flag.
    Flag(String),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn => f.write_str("built in"),
            Self::User(place) | Self::Project(place) => f.write_str(place),
            Self::Environment(name) => write!(f, "environment {name}"),
            Self::Flag(flag) => write!(f, "flag {flag}"),
        }
    }
}

/// Values of one origin, by their dotted keys.
#[derive(Debug, Clone, PartialEq)]
pub struct Layer {
    /// Where they came from.
    pub origin: Origin,
    /// The values; text from the environment and from flags is read by the key's own kind.
    pub values: BTreeMap<String, Value>,
}

/// What a key may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Dollars, as text or a number; `none` lifts the cap.
    Dollars,
    /// A whole number; `none` lifts the cap where that makes sense.
    OptionalCount,
    /// A whole number within bounds.
    Count { min: u64, max: u64 },
    /// A share between two bounds, in thousandths.
    Share { min: u32, max: u32 },
    /// One of these words.
    Word(&'static [&'static str]),
    /// A model, `provider/model` or `offline`; `none` leaves it open.
    Model,
    /// Models, as a list or with commas between them; `none` leaves it open.
    Models,
    /// Public seal keys, as a list or with commas between them.
    SealKeys,
}

/// What a project's file may do to a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ProjectMay {
    /// Set it.
    Set,
    /// Set it to no more than the weaker layers allow.
    Lower,
    /// Nothing: it is a person's own decision.
    Nothing,
}

struct KnownKey {
    name: &'static str,
    kind: Kind,
    built_in: &'static str,
    project_may: ProjectMay,
}

const fn known(name: &'static str, kind: Kind, built_in: &'static str) -> KnownKey {
    KnownKey {
        name,
        kind,
        built_in,
        project_may: ProjectMay::Set,
    }
}

impl KnownKey {
    const fn project_may(self, project_may: ProjectMay) -> Self {
        Self {
            project_may,
            ..self
        }
    }
}

const KEYS: &[KnownKey] = &[
    known("caps.month_usd", Kind::Dollars, "50").project_may(ProjectMay::Lower),
    known("caps.run_tokens", Kind::OptionalCount, "none").project_may(ProjectMay::Lower),
    known("caps.run_usd", Kind::Dollars, "5").project_may(ProjectMay::Lower),
    known(
        "models.max_input",
        Kind::Count {
            min: 1_000,
            max: 10_000_000,
        },
        "80000",
    ),
    known("models.paid", Kind::Word(&["ask", "agreed"]), "ask").project_may(ProjectMay::Nothing),
    known("models.slots.auditor", Kind::Model, "none").project_may(ProjectMay::Nothing),
    known("models.slots.coder", Kind::Model, "none").project_may(ProjectMay::Nothing),
    known("models.slots.judge", Kind::Model, "none").project_may(ProjectMay::Nothing),
    known("models.slots.leader", Kind::Model, "none").project_may(ProjectMay::Nothing),
    known("models.slots.stances", Kind::Models, "none").project_may(ProjectMay::Nothing),
    known("memory.auto_accept", Kind::Word(&["off", "on"]), "off").project_may(ProjectMay::Nothing),
    known("recipes.bias", Kind::Word(&["on", "off"]), "on"),
    known(
        "run.done_threshold",
        Kind::Share {
            min: 700,
            max: 1000,
        },
        "0.9",
    ),
    known("run.max_hours", Kind::Count { min: 1, max: 720 }, "24").project_may(ProjectMay::Lower),
    known("run.max_sprints", Kind::Count { min: 1, max: 20 }, "8").project_may(ProjectMay::Lower),
    known(
        "run.recommender",
        Kind::Word(&["auto", "leader", "council"]),
        "auto",
    ),
    // In a project's file they count too, but only in that of the default branch: whoever checks a
    // seal reads them there, and no layer of this module ever gets them.
    known("seal.keys", Kind::SealKeys, "").project_may(ProjectMay::Nothing),
    known(
        "usage.retention_days",
        Kind::Count { min: 1, max: 3_650 },
        "14",
    )
    .project_may(ProjectMay::Nothing),
];

/// One effective value.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Effective {
    /// The key.
    pub key: &'static str,
    /// The value, in its plain form.
    pub value: Value,
    /// Where it came from.
    pub origin: Origin,
}

/// Why settings cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingProblem {
    /// No such key.
    #[error("unknown setting `{key}` ({origin}){}", suggestion(nearest))]
    Unknown {
        /// What was written.
        key: String,
        /// Where.
        origin: Origin,
        /// What may have been meant.
        nearest: Option<&'static str>,
    },
    /// The value does not fit its key.
    #[error("`{key}` cannot be {given} ({origin}): expected {expected}")]
    Unfit {
        /// The key.
        key: &'static str,
        /// What was written.
        given: String,
        /// Where.
        origin: Origin,
        /// What fits.
        expected: String,
    },
    /// A project's file decides what only a person may.
    #[error("`{key}` cannot be set by a project ({origin}): {REMEDY}")]
    NotTheProjects {
        /// The key.
        key: &'static str,
        /// Where.
        origin: Origin,
    },
    /// A project's file lifts a cap.
    #[error(
        "`{key}` cannot be {given} ({origin}): a project may only lower it, and without the project it is {limit}; {REMEDY}"
    )]
    Raised {
        /// The key.
        key: &'static str,
        /// What was written.
        given: String,
        /// Where.
        origin: Origin,
        /// What the weaker layers allow.
        limit: String,
    },
}

/// Where a person says what a project may not.
const REMEDY: &str = "set it in your own config.toml, in the environment or with -c";

fn suggestion(nearest: &Option<&'static str>) -> String {
    nearest.map_or_else(
        || "; `gavel config show` lists all".to_owned(),
        |name| format!("; did you mean `{name}`?"),
    )
}

/// Merges layers; every problem is collected, not only the first.
pub fn resolve(mut layers: Vec<Layer>) -> Result<Vec<Effective>, Vec<SettingProblem>> {
    layers.sort_by(|left, right| left.origin.cmp(&right.origin));
    let mut found: BTreeMap<&'static str, Effective> = KEYS
        .iter()
        .filter_map(|key| {
            let value = read(key, &Value::String(key.built_in.to_owned())).ok()?;
            Some((
                key.name,
                Effective {
                    key: key.name,
                    value,
                    origin: Origin::BuiltIn,
                },
            ))
        })
        .collect();
    let mut problems = Vec::new();
    for layer in layers {
        for (name, given) in &layer.values {
            let Some(key) = KEYS.iter().find(|key| key.name == name) else {
                problems.push(SettingProblem::Unknown {
                    key: name.clone(),
                    origin: layer.origin.clone(),
                    nearest: nearest(name),
                });
                continue;
            };
            let before = found.get(key.name).map_or(&Value::Null, |e| &e.value);
            match accept(key, given, &layer.origin, before) {
                Ok(value) => {
                    let origin = layer.origin.clone();
                    found.insert(
                        key.name,
                        Effective {
                            key: key.name,
                            value,
                            origin,
                        },
                    );
                }
                Err(problem) => problems.push(problem),
            }
        }
    }
    if problems.is_empty() {
        Ok(found.into_values().collect())
    } else {
        Err(problems)
    }
}

/// Reads a value and decides whether its layer may give it; `before` is what the weaker layers gave.
fn accept(
    key: &KnownKey,
    given: &Value,
    origin: &Origin,
    before: &Value,
) -> Result<Value, SettingProblem> {
    let value = read(key, given).map_err(|expected| SettingProblem::Unfit {
        key: key.name,
        given: given.to_string(),
        origin: origin.clone(),
        expected,
    })?;
    let project = matches!(origin, Origin::Project(_));
    match key.project_may {
        ProjectMay::Nothing if project => Err(SettingProblem::NotTheProjects {
            key: key.name,
            origin: origin.clone(),
        }),
        ProjectMay::Lower if project && !lowers(&value, before) => Err(SettingProblem::Raised {
            key: key.name,
            given: given.to_string(),
            origin: origin.clone(),
            limit: before.as_str().map_or_else(
                || before.as_u64().map_or("none".to_owned(), |n| n.to_string()),
                str::to_owned,
            ),
        }),
        ProjectMay::Set | ProjectMay::Lower | ProjectMay::Nothing => Ok(value),
    }
}

/// True when a cap is at most another; no cap is above every cap, and not even equal to none.
fn lowers(cap: &Value, before: &Value) -> bool {
    let amount = |value: &Value| match value.as_str() {
        Some(dollars) => MicroUsd::parse_dollars(dollars).map(|usd| usd.0),
        None => value.as_u64(),
    };
    match (amount(cap), amount(before)) {
        (Some(cap), Some(before)) => cap <= before,
        (Some(_), None) => true,
        (None, _) => false,
    }
}

/// A share such as `0.9`, in thousandths.
pub(crate) fn share(text: &str) -> Option<u32> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || whole.len() > 3 || part.len() > 3 || !digits(whole) || !digits(part) {
        return None;
    }
    let part: u32 = format!("{part:0<3}").parse().ok()?;
    Some(whole.parse::<u32>().ok()? * 1000 + part)
}

/// Thousandths as people write them.
fn shown(share: u32) -> String {
    let text = format!("{}.{:03}", share / 1000, share % 1000);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    text.to_owned()
}

/// Reads a value by the kind of its key, or says what would fit.
fn read(key: &KnownKey, given: &Value) -> Result<Value, String> {
    let text = match given {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        Value::Bool(_) | Value::Null | Value::Array(_) | Value::Object(_) => String::new(),
    };
    let lifted = text == "none";
    let count = text.parse::<u64>().ok();
    match key.kind {
        Kind::Dollars | Kind::OptionalCount | Kind::Model | Kind::Models if lifted => {
            Ok(Value::Null)
        }
        Kind::Dollars => MicroUsd::parse_dollars(&text)
            .map(|usd| Value::String(usd.to_decimal()))
            .ok_or_else(|| "dollars such as 2.5, or none".to_owned()),
        Kind::OptionalCount => count
            .map(Value::from)
            .ok_or_else(|| "a whole number, or none".to_owned()),
        Kind::Count { min, max } => count
            .filter(|count| (min..=max).contains(count))
            .map(Value::from)
            .ok_or_else(|| format!("a whole number from {min} to {max}")),
        Kind::Share { min, max } => share(&text)
            .filter(|share| (min..=max).contains(share))
            .map(|share| Value::String(shown(share)))
            .ok_or_else(|| format!("a share from {} to {}", shown(min), shown(max))),
        Kind::Word(words) => words
            .iter()
            .find(|word| **word == text)
            .map(|word| Value::from(*word))
            .ok_or_else(|| format!("one of {}", words.join(", "))),
        Kind::Model if names_a_model(&text) => Ok(Value::String(text)),
        Kind::Model => Err("a model such as anthropic/claude-sonnet-4-5, or offline".to_owned()),
        Kind::Models => list(given, names_a_model)
            .ok_or_else(|| "a list of models such as anthropic/claude-sonnet-4-5".to_owned()),
        Kind::SealKeys => list(given, looks_like_a_seal_key)
            .ok_or_else(|| "a list of public keys such as ed25519:AAAA…".to_owned()),
    }
}

/// True for `offline` and for `provider/model`.
fn names_a_model(text: &str) -> bool {
    let plain = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_graphic());
    match text.split_once('/') {
        Some((provider, model)) => plain(provider) && plain(model),
        None => text == "offline",
    }
}

/// True for `ed25519:` and the base64 of 32 bytes.
fn looks_like_a_seal_key(text: &str) -> bool {
    let letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/');
    let digits = text.strip_prefix("ed25519:");
    let digits = digits.and_then(|digits| digits.strip_suffix('='));
    digits.is_some_and(|digits| digits.len() == 43 && digits.chars().all(letter))
}

/// Reads a list of texts; an empty list is a list.
fn list(given: &Value, fits: impl Fn(&str) -> bool) -> Option<Value> {
    let names: Vec<&str> = match given {
        Value::Array(items) => items.iter().map(Value::as_str).collect::<Option<_>>()?,
        Value::String(text) if text.trim().is_empty() => Vec::new(),
        Value::String(text) => text.split(',').map(str::trim).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => return None,
    };
    let all = names.iter().all(|name| fits(name));
    all.then(|| Value::from(names))
}

/// The settings that a run records.
pub fn run_settings(effective: &[Effective]) -> Settings {
    let value = |name: &str| effective.iter().find(|e| e.key == name).map(|e| &e.value);
    let dollars = |name: &str| value(name)?.as_str().and_then(MicroUsd::parse_dollars);
    let count = |name: &str| value(name).and_then(Value::as_u64).map(Tokens);
    Settings {
        caps: Caps {
            run_usd: dollars("caps.run_usd"),
            month_usd: dollars("caps.month_usd"),
            run_tokens: count("caps.run_tokens"),
        },
        max_input: count("models.max_input").unwrap_or_else(|| Settings::default().max_input),
        values: effective
            .iter()
            .map(|e| (e.key.to_owned(), e.value.clone()))
            .collect(),
    }
}

/// The environment variable of each key: `GAVEL_CAPS_RUN_USD` for `caps.run_usd`.
pub fn variables() -> impl Iterator<Item = (String, &'static str)> {
    KEYS.iter().map(|key| {
        let name = key.name.replace('.', "_").to_ascii_uppercase();
        (format!("GAVEL_{name}"), key.name)
    })
}

/// The known key that differs least, if it differs little.
fn nearest(name: &str) -> Option<&'static str> {
    KEYS.iter()
        .map(|key| (distance(name, key.name), key.name))
        .min()
        .filter(|(distance, _)| *distance <= 3.max(name.len() / 3))
        .map(|(_, name)| name)
}

/// How many letters must change to make one word of the other.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, l) in left.chars().enumerate() {
        let mut before = i;
        let mut last = i + 1;
        let mut next = vec![last];
        for (r, above) in right.iter().zip(row.iter().skip(1)) {
            let change = before + usize::from(l != *r);
            last = change.min(above + 1).min(last + 1);
            before = *above;
            next.push(last);
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
#[path = "settings_tests.rs"]
mod tests;
