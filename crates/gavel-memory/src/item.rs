//! An item as all of its events leave it.

use std::str::FromStr;

use gavel_domain::{RunId, Speaker, Timestamp};
use gavel_workspace::RepoPath;
use serde::{Deserialize, Serialize};

use crate::id::{ItemId, Kind, UnknownWord};

/// One thing worth remembering.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Item {
    /// Which one.
    pub id: ItemId,
    /// What it is; its id says the same.
    pub kind: Kind,
    /// What it says; empty when it was redacted.
    pub text: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Files and folders that it is about.
    pub paths: Vec<RepoPath>,
    /// How bad it is; traps alone have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
    /// Whether somebody vouches for it.
    pub acceptance: Acceptance,
    /// Who may see it.
    pub visibility: Visibility,
    /// Whether it still holds.
    pub state: State,
    /// Where it comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
    /// Who wrote it first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<Speaker>,
    /// When it was written first.
    pub created_at: Timestamp,
    /// When it was changed last.
    pub updated_at: Timestamp,
}

impl Item {
    /// True when it still holds and nobody refused it.
    pub fn is_live(&self) -> bool {
        self.state == State::Live && self.acceptance != Acceptance::Rejected
    }

    /// True when it may reach a prompt: it holds, and somebody vouches for it.
    pub fn is_trusted(&self) -> bool {
        self.state == State::Live && self.acceptance == Acceptance::Accepted
    }
}

/// How bad a trap is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Costs a moment.
    Low,
    /// Costs an hour.
    Medium,
    /// Costs data, money or a day.
    High,
}

impl Severity {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Low, Self::Medium, Self::High];

    /// The stored word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

impl FromStr for Severity {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, UnknownWord> {
        let known = Self::ALL.into_iter().find(|known| known.word() == word);
        known.ok_or_else(|| UnknownWord::new("severity", word, &Self::ALL.map(Self::word)))
    }
}

/// Whether somebody vouches for an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Acceptance {
    /// Nobody has looked yet.
    Proposed,
    /// A person, or a person's setting, said yes.
    Accepted,
    /// A person said no.
    Rejected,
}

impl Acceptance {
    /// The stored word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Proposed => "proposed",
            Self::Accepted => "accepted",
            Self::Rejected => "rejected",
        }
    }
}

/// Who may see an item. Only `shared` ones are written to files of the repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Visibility {
    /// Everybody who has the repository.
    Shared,
    /// Whoever works on this machine.
    Machine,
    /// Its author.
    Private,
}

/// Whether an item still holds. Nothing leads back: what was withdrawn is written anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It holds.
    Live,
    /// It holds no longer.
    Retired,
    /// Its words were taken out.
    Redacted,
}

impl State {
    /// The stored word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Retired => "retired",
            Self::Redacted => "redacted",
        }
    }
}

/// Where an item comes from.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "from", rename_all = "snake_case")]
pub enum Provenance {
    /// Somebody typed it.
    Person,
    /// A run learned it.
    Run {
        /// Which run.
        run: RunId,
        /// The key of the fact that it rests on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<String>,
    },
}
