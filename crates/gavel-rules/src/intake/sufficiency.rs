//! Sufficiency: whether one can tell what is to be changed, how far, and to what end.

use serde::{Deserialize, Serialize};

use super::prompt::Prompt;

const CONCRETE_VERBS: [&str; 14] = [
    "fix", "rename", "delete", "remove", "add", "move", "extract", "inline", "format", "lint",
    "update", "upgrade", "bump", "revert",
];
const SCOPE_NOUNS: [&str; 12] = [
    "function",
    "class",
    "method",
    "file",
    "test",
    "endpoint",
    "component",
    "module",
    "package",
    "hook",
    "schema",
    "migration",
];
const VAGUE_NOUNS: [&str; 11] = [
    "app",
    "application",
    "site",
    "service",
    "product",
    "system",
    "platform",
    "tool",
    "website",
    "dashboard",
    "portal",
];

/// Below this length a vague noun says nothing of the scope.
const SCOPED_FROM: usize = 80;
/// Below this length a prompt without any handle says nothing of the intent.
const TELLING_FROM: usize = 30;

/// Something that a prompt leaves open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Gap {
    /// What is to be changed.
    Target,
    /// How far it goes.
    Scope,
    /// To what end.
    Intent,
}

impl Gap {
    /// The stored word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Target => "target",
            Self::Scope => "scope",
            Self::Intent => "intent",
        }
    }
}

pub(super) fn has_concrete_verb(prompt: &Prompt<'_>) -> bool {
    prompt.has(&CONCRETE_VERBS)
}

pub(super) fn gaps(prompt: &Prompt<'_>) -> Vec<Gap> {
    if prompt.text().is_empty() {
        return vec![Gap::Target, Gap::Scope, Gap::Intent];
    }
    let handle = prompt.names_a_file() || has_concrete_verb(prompt);
    let target = !handle;
    let scope = prompt.has(&VAGUE_NOUNS) && prompt.length() < SCOPED_FROM;
    let intent = !handle && !prompt.has(&SCOPE_NOUNS) && prompt.length() < TELLING_FROM;
    [
        (target, Gap::Target),
        (scope, Gap::Scope),
        (intent, Gap::Intent),
    ]
    .into_iter()
    .filter_map(|(missing, gap)| missing.then_some(gap))
    .collect()
}
