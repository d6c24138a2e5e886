//! Exit codes: promises to scripts.

use std::process::ExitCode;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done.
    Done,
    /// Failed.
    Failed,
    /// Wrong usage.
    Usage,
    /// Waits for an answer.
    Waiting,
    /// Paused at a budget.
    Budget,
    /// Verification or the gate failed.
    Gate,
    /// Refused by policy.
    Refused,
    /// Provider or network trouble.
    Provider,
    /// Somebody else holds or moved it.
    Conflict,
    /// A bug of ours.
    Bug,
    /// Interrupted, cleanly paused.
    Interrupted,
}

impl Exit {
    /// The number.
    pub(crate) const fn number(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Waiting => 3,
            Self::Budget => 4,
            Self::Gate => 5,
            Self::Refused => 6,
            Self::Provider => 7,
            Self::Conflict => 8,
            Self::Bug => 70,
            Self::Interrupted => 130,
        }
    }

    /// The word that `--json` errors carry.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Usage => "usage",
            Self::Waiting => "waiting",
            Self::Budget => "budget",
            Self::Gate => "gate",
            Self::Refused => "refused",
            Self::Provider => "provider",
            Self::Conflict => "conflict",
            Self::Bug => "bug",
            Self::Interrupted => "interrupted",
        }
    }

    pub(crate) fn code(self) -> ExitCode {
        ExitCode::from(self.number())
    }
}
