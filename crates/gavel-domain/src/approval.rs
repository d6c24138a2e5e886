//! Who agreed that a result is shipped.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Who agreed that a result is shipped. Only a person looked at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Approver {
    /// Somebody who may decide.
    Person,
    /// `--yes`.
    YesFlag,
    /// A deadline passed.
    Clock,
    /// A rule of the person's own settings.
    Policy,
}

impl Approver {
    /// The stored word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::YesFlag => "yes_flag",
            Self::Clock => "clock",
            Self::Policy => "policy",
        }
    }

    /// Who that is, for people.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Person => "a person",
            Self::YesFlag => "--yes",
            Self::Clock => "the clock",
            Self::Policy => "a rule of the person's settings",
        }
    }
}

/// A rule by which a person's own settings let results be shipped that nobody looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalRule {
    /// Gavel executed the example of every criterion, and each of them held.
    EveryCriterionExecuted,
    /// Each criterion was executed, or has a test that was proven to bite.
    EveryCriterionProven,
}

impl ApprovalRule {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::EveryCriterionExecuted, Self::EveryCriterionProven];

    /// The word in settings and in what is stored.
    pub const fn word(self) -> &'static str {
        match self {
            Self::EveryCriterionExecuted => "every_criterion_executed",
            Self::EveryCriterionProven => "every_criterion_proven",
        }
    }

    /// The rule of that word.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|rule| rule.word() == word)
    }
}

impl fmt::Display for ApprovalRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl fmt::Display for Approver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.label())
    }
}
