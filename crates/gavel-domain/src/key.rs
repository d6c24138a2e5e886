//! Keys: the addresses of facts inside a run.
//!
//! A driver names its facts with [`Key`]s, usually made by a [`Scope`]. The engine keeps further
//! records beside a key (failed attempts, reservations, the asking of a question); their address is
//! a [`RecordKey`], `key[@attempt][:part]`, which a driver cannot spell.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, de};

const MAX_KEY_BYTES: usize = 200;
const ENGINE_ROOMS: [&str; 3] = ["run", "inbox", "money"];

/// Why a text is no key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// The text does not follow the grammar.
    #[error("`{0}` is not a key: segments of [a-z0-9-] joined by /, at most 200 bytes")]
    Malformed(String),
    /// The first segment belongs to the engine.
    #[error("the key `{0}` starts with a segment that only the engine may use")]
    Engine(String),
}

/// The address of a fact: `[a-z0-9-]+(/[a-z0-9-]+)*`, at most 200 bytes, no text of people or models.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Key(String);

impl Key {
    /// Parses a driver's key; the first segments `run`, `inbox` and `money` are the engine's.
    pub fn new(text: impl Into<String>) -> Result<Self, KeyError> {
        let key = Self::parse(text.into())?;
        if key.room().is_some_and(|room| ENGINE_ROOMS.contains(&room)) {
            return Err(KeyError::Engine(key.0));
        }
        Ok(key)
    }

    /// Parses a key of the engine's own rooms; for `gavel-run` alone.
    pub fn engine(text: impl Into<String>) -> Result<Self, KeyError> {
        Self::parse(text.into())
    }

    fn parse(text: String) -> Result<Self, KeyError> {
        let well_formed = text.len() <= MAX_KEY_BYTES && text.split('/').all(is_segment);
        if well_formed {
            Ok(Self(text))
        } else {
            Err(KeyError::Malformed(
                text.chars().take(MAX_KEY_BYTES).collect(),
            ))
        }
    }

    fn room(&self) -> Option<&str> {
        self.0.split('/').next()
    }

    /// The text form.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The record that holds this key's outcome.
    pub fn outcome(&self) -> RecordKey {
        RecordKey(self.0.clone())
    }

    /// The record of a failed attempt, counted from 1.
    pub fn attempt(&self, number: u32) -> RecordKey {
        RecordKey(format!("{}@{number}", self.0))
    }

    /// A record that the engine keeps beside the outcome.
    pub fn part(&self, part: &'static str) -> RecordKey {
        RecordKey(format!("{}:{part}", self.0))
    }

    /// A record that the engine keeps beside one attempt.
    pub fn attempt_part(&self, number: u32, part: &'static str) -> RecordKey {
        RecordKey(format!("{}@{number}:{part}", self.0))
    }
}

fn is_segment(segment: &str) -> bool {
    !segment.is_empty()
        && segment
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Key {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        Self::parse(text.to_owned())
    }
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(String::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

/// The address of any record: `key[@attempt][:part]`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct RecordKey(String);

impl RecordKey {
    /// The text form, as stored.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// True for the record that holds a driver's or the engine's outcome, without attempt and part.
    pub fn is_outcome(&self) -> bool {
        !self.0.contains(['@', ':'])
    }

    /// The key that this record belongs to.
    pub fn key(&self) -> Key {
        Key(self
            .0
            .split(['@', ':'])
            .next()
            .unwrap_or_default()
            .to_owned())
    }

    /// The attempt that this record belongs to.
    pub fn attempt(&self) -> Option<u32> {
        let (_, rest) = self.0.split_once('@')?;
        rest.split(':').next()?.parse().ok()
    }

    /// The engine's part name.
    pub fn part(&self) -> Option<&str> {
        self.0.split_once(':').map(|(_, part)| part)
    }
}

impl fmt::Display for RecordKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for RecordKey {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        let refuse = || KeyError::Malformed(text.chars().take(MAX_KEY_BYTES).collect());
        let (rest, part) = match text.split_once(':') {
            Some((rest, part)) => (rest, Some(part)),
            None => (text, None),
        };
        let (key, attempt) = match rest.split_once('@') {
            Some((key, attempt)) => (key, Some(attempt)),
            None => (rest, None),
        };
        if part.is_some_and(|part| !is_segment(part)) {
            return Err(refuse());
        }
        if attempt.is_some_and(|n| n.parse::<u32>().map_or(true, |n| n == 0)) {
            return Err(refuse());
        }
        Key::parse(key.to_owned())?;
        Ok(Self(text.to_owned()))
    }
}

impl<'de> Deserialize<'de> for RecordKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(de::Error::custom)
    }
}

/// A named, numbered room of keys: `council-2`, or `build-1/phase-0`.
///
/// The number is counted from facts, never from a local, so a resumed driver makes the same keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope(Key);

impl Scope {
    /// Opens the `n`-th scope of that name.
    pub fn new(name: &str, n: u32) -> Result<Self, KeyError> {
        Key::new(format!("{name}-{n}")).map(Self)
    }

    /// Opens a scope inside this one.
    pub fn scope(&self, name: &str, n: u32) -> Result<Self, KeyError> {
        Key::new(format!("{}/{name}-{n}", self.0)).map(Self)
    }

    /// Names a fact in this scope.
    pub fn key(&self, name: &str) -> Result<Key, KeyError> {
        Key::new(format!("{}/{name}", self.0))
    }
}

#[cfg(test)]
#[path = "key_tests.rs"]
mod tests;
