//! Settings: which keys exist, what they may hold, and which layer wins.
//!
//! Layers come in as plain values; this module merges them and remembers where each value came
//! from. Flags win over the environment, that over `gavel.toml`, that over the user's file, that
//! over what is built in. A project's file comes with whatever somebody cloned, so it may make the
//! money guards and the done gate tighter and never wider.

mod keys;
mod values;

use std::collections::BTreeMap;
use std::fmt;

use gavel_domain::{Caps, MicroUsd, Settings, Tokens};
use serde::Serialize;
use serde_json::Value;

pub use self::keys::distance;
use self::keys::{KEYS, KnownKey, ProjectMay, nearest};
use self::values::read;
pub(crate) use self::values::share;

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
    /// A project's file asks for less proof.
    #[error(
        "`{key}` cannot be {given} ({origin}): a project may only raise it, and without the project it is {least}; {REMEDY}"
    )]
    Lowered {
        /// The key.
        key: &'static str,
        /// What was written.
        given: String,
        /// Where.
        origin: Origin,
        /// What the weaker layers ask for.
        least: String,
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
    let may = match origin {
        Origin::Project(_) => key.project_may,
        Origin::BuiltIn | Origin::User(_) | Origin::Environment(_) | Origin::Flag(_) => {
            ProjectMay::Set
        }
    };
    let (given, origin) = (given.to_string(), origin.clone());
    match may {
        ProjectMay::Nothing => Err(SettingProblem::NotTheProjects {
            key: key.name,
            origin,
        }),
        ProjectMay::Lower if !lowers(&value, before) => Err(SettingProblem::Raised {
            key: key.name,
            given,
            origin,
            limit: plain(before),
        }),
        ProjectMay::Raise if !raises(&value, before) => Err(SettingProblem::Lowered {
            key: key.name,
            given,
            origin,
            least: plain(before),
        }),
        ProjectMay::Set | ProjectMay::Lower | ProjectMay::Raise => Ok(value),
    }
}

/// A value for people.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(
        || value.as_u64().map_or("none".to_owned(), |n| n.to_string()),
        str::to_owned,
    )
}

/// A value as a number that compares. Dollars and shares are decimals alike.
fn amount(value: &Value) -> Option<u64> {
    match value.as_str() {
        Some(decimal) => MicroUsd::parse_dollars(decimal).map(|usd| usd.0),
        None => value.as_u64(),
    }
}

/// True when a cap is at most another; no cap is above every cap, and not even equal to none.
fn lowers(cap: &Value, before: &Value) -> bool {
    match (amount(cap), amount(before)) {
        (Some(cap), Some(before)) => cap <= before,
        (Some(_), None) => true,
        (None, _) => false,
    }
}

/// True when a floor is at least another.
fn raises(floor: &Value, before: &Value) -> bool {
    match (amount(floor), amount(before)) {
        (Some(floor), Some(before)) => floor >= before,
        (Some(_), None) => true,
        (None, _) => false,
    }
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

#[cfg(test)]
#[path = "settings_tests.rs"]
mod tests;
