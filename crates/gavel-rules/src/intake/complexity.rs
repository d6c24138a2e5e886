//! Complexity: a sum of signals, in three buckets.

use serde::{Deserialize, Serialize};

use super::prompt::Prompt;
use super::{Circumstances, Task};

const FORCE_LOW: [&str; 7] = [
    "fix typo",
    "rename",
    "delete",
    "format",
    "lint",
    "whitespace",
    "comment only",
];
/// `microservice` in both numbers: the reference meant it and never matched it.
const FORCE_HIGH: [&str; 12] = [
    "architect",
    "architecture",
    "migrate",
    "migration",
    "refactor",
    "design",
    "platform",
    "multi-tenant",
    "microservice",
    "microservices",
    "distributed",
    "scale",
];

const LOW_UP_TO: i32 = 2;
const MEDIUM_UP_TO: i32 = 5;

/// How much thought a prompt needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Complexity {
    /// The bucket.
    pub label: ComplexityLabel,
    /// The sum.
    pub score: i32,
}

/// A bucket of complexity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ComplexityLabel {
    /// A small change.
    Low,
    /// Some thought.
    Medium,
    /// A design.
    High,
}

impl ComplexityLabel {
    /// The stored word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

pub(super) fn score(prompt: &Prompt<'_>, circumstances: &Circumstances) -> Complexity {
    let length = match prompt.length() {
        501.. => 3,
        201.. => 2,
        51.. => 1,
        _ => 0,
    };
    let files = match prompt.files().len() {
        3.. => 2,
        1.. => 1,
        _ => 0,
    };
    let score = length + files - 3 * i32::from(prompt.has(&FORCE_LOW))
        + 3 * i32::from(prompt.has(&FORCE_HIGH))
        - 2 * i32::from(circumstances.max_sprints == Some(1))
        - i32::from(circumstances.principles > 0)
        + i32::from(circumstances.task == Some(Task::Debug));
    let label = if score <= LOW_UP_TO {
        ComplexityLabel::Low
    } else if score <= MEDIUM_UP_TO {
        ComplexityLabel::Medium
    } else {
        ComplexityLabel::High
    };
    Complexity { label, score }
}
