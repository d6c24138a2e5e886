//! An item as all of its events leave it.

use std::str::FromStr;

use gavel_domain::{Role, RunId, Speaker, Timestamp};
use gavel_rules::memory::{Course, Life, Stale, Standing, Status, staleness};
use gavel_workspace::RepoPath;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::id::{ItemId, Kind, UnknownWord};
use crate::marks::Marks;

/// How much of a text serves as a title.
const LABEL_CHARS: usize = 80;

/// One thing worth remembering.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// Which one.
    pub id: ItemId,
    /// What it is; its id says the same.
    pub kind: Kind,
    /// What people call it, where somebody gave it a title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
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
    /// Where it is on its way; see [`Item::status_at`] for what time does to it.
    pub status: Status,
    /// When its time is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// The item that took its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<ItemId>,
    /// How it proved.
    pub marks: Marks,
    /// Where it comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
    /// Who wrote it first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<Speaker>,
    /// Who gave it the words that it has, where that was later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed_by: Option<Speaker>,
    /// When it was written first.
    pub created_at: Timestamp,
    /// When it was changed last.
    pub updated_at: Timestamp,
}

impl Item {
    /// True when it still holds and nobody refused it.
    pub fn is_live(&self, now: Timestamp) -> bool {
        self.holds(now) && self.acceptance != Acceptance::Rejected
    }

    /// True when it may reach a prompt: it holds, and somebody vouches for it.
    pub fn is_trusted(&self, now: Timestamp) -> bool {
        self.holds(now) && self.acceptance == Acceptance::Accepted
    }

    /// True when it waits for somebody to vouch for it.
    pub fn is_proposed(&self, now: Timestamp) -> bool {
        self.holds(now) && self.acceptance == Acceptance::Proposed
    }

    fn holds(&self, now: Timestamp) -> bool {
        self.state == State::Live && self.superseded_by.is_none() && !self.status_at(now).is_over()
    }

    /// Its status at a moment: what has run out is expired, whatever else was said of it.
    pub fn status_at(&self, now: Timestamp) -> Status {
        let ran_out = self.expires_at.is_some_and(|at| at <= now);
        if ran_out && !self.status.is_over() {
            Status::Expired
        } else {
            self.status
        }
    }

    /// What people call it: its title, or the beginning of what it says.
    pub fn label(&self) -> String {
        if let Some(title) = &self.title {
            return title.clone();
        }
        let line = self.text.lines().next().unwrap_or_default();
        let mut label: String = line.chars().take(LABEL_CHARS).collect();
        if label.len() < line.len() {
            label.push('…');
        }
        label
    }

    /// Where it comes from, in words: `a person`, `run 9a8057cc`. Nothing when nobody said.
    pub fn source(&self, ids: Ids) -> Option<String> {
        let from = self.provenance.as_ref()?;
        Some(match (from, ids) {
            (Provenance::Person, _) => "a person".to_owned(),
            (Provenance::Run { run, .. }, Ids::Short) => format!("run {}", run.short()),
            (Provenance::Run { run, .. }, Ids::Whole) => format!("run {run}"),
            (Provenance::Loop { id, .. }, Ids::Short) => format!("loop {}", id.short()),
            (Provenance::Loop { id, .. }, Ids::Whole) => format!("loop {id}"),
            (Provenance::Agent { name }, _) => format!("agent {name}"),
            (Provenance::Item { item }, Ids::Short) => format!("item {}", item.short()),
            (Provenance::Item { item }, Ids::Whole) => format!("item {item}"),
        })
    }

    /// What is known about its life, for how much it weighs.
    pub fn life(&self) -> Life {
        Life {
            half_life_days: self.kind.half_life_days(),
            created_at: self.created_at,
            confirmed_at: self.marks.confirmed.last,
            contradicted_at: self.marks.contradicted.last,
            saved: self.marks.saved_me.count,
            misled: self.marks.misled_me.count,
        }
    }

    /// Why it should be looked at again.
    pub fn staleness(&self, now: Timestamp) -> Option<Stale> {
        if self.state != State::Live
            || self.superseded_by.is_some()
            || self.acceptance == Acceptance::Rejected
        {
            return None;
        }
        let standing = Standing {
            status: self.status,
            is_note: self.kind == Kind::RuntimeNote,
            is_proposed: self.acceptance == Acceptance::Proposed,
            by_person: self.is_by_person(),
            updated_at: self.updated_at,
            expires_at: self.expires_at,
            life: self.life(),
        };
        staleness(&standing, now)
    }

    /// True when a person wrote it, and not a model or an agent.
    pub fn is_by_person(&self) -> bool {
        let typed = self.by.is_some_and(|by| by.role == Role::Person);
        let told = match &self.provenance {
            Some(Provenance::Person) => true,
            None => typed,
            Some(
                Provenance::Run { .. }
                | Provenance::Loop { .. }
                | Provenance::Agent { .. }
                | Provenance::Item { .. },
            ) => false,
        };
        typed && told
    }
}

impl Kind {
    /// The way that its items take.
    pub const fn course(self) -> Course {
        match self {
            Self::Decision => Course::Decision,
            Self::Plan => Course::Plan,
            Self::Handoff => Course::Handoff,
            Self::Constraint | Self::Trap | Self::Feedback | Self::RuntimeNote | Self::Vision => {
                Course::Standing
            }
        }
    }

    /// After how many days half of its weight is gone; `None` for what does not age.
    pub const fn half_life_days(self) -> Option<f64> {
        match self {
            Self::Trap => Some(90.0),
            Self::Decision | Self::Constraint => Some(60.0),
            Self::RuntimeNote => Some(30.0),
            Self::Plan | Self::Feedback | Self::Handoff | Self::Vision => None,
        }
    }
}

/// How ids are told: people read short ones, programs pass whole ones on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ids {
    /// The last digits.
    Short,
    /// All of it.
    Whole,
}

/// When the time of an item is over. Stored as a moment, or as `never`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Expiry {
    /// It holds until something else ends it.
    Never,
    /// At that moment.
    At(Timestamp),
}

impl Expiry {
    /// The moment, if there is one.
    pub const fn at(self) -> Option<Timestamp> {
        match self {
            Self::Never => None,
            Self::At(at) => Some(at),
        }
    }
}

impl Serialize for Expiry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Never => serializer.serialize_str("never"),
            Self::At(at) => at.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Expiry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text == "never" {
            return Ok(Self::Never);
        }
        text.parse().map(Self::At).map_err(de::Error::custom)
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

impl FromStr for Visibility {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, UnknownWord> {
        let known = Self::ALL.into_iter().find(|known| known.word() == word);
        known.ok_or_else(|| UnknownWord::new("visibility", word, &Self::ALL.map(Self::word)))
    }
}

impl Visibility {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Shared, Self::Machine, Self::Private];

    /// The stored word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Shared => "shared",
            Self::Machine => "machine",
            Self::Private => "private",
        }
    }
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
    /// A deliberation loop came to it.
    Loop {
        /// Which loop.
        #[serde(rename = "loop")]
        id: RunId,
        /// The artifact that it was.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        artifact: Option<String>,
    },
    /// An agent from outside wrote it.
    Agent {
        /// What it calls itself.
        name: String,
    },
    /// It was made of another item.
    Item {
        /// Which one.
        item: ItemId,
    },
}

impl Provenance {
    /// The words in it that somebody else chose.
    pub(crate) fn name(&self) -> Option<&str> {
        match self {
            Self::Person | Self::Item { .. } => None,
            Self::Run { key, .. } => key.as_deref(),
            Self::Loop { artifact, .. } => artifact.as_deref(),
            Self::Agent { name } => Some(name),
        }
    }
}
