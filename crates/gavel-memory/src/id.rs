//! Kinds of items, and ids that carry them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use uuid::Uuid;

/// What an item is. It has this kind from birth; its id says which.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Something that was decided.
    Decision,
    /// Something that must hold.
    Constraint,
    /// Something that went wrong and will again.
    Trap,
    /// Something that is to be done.
    Plan,
    /// What a person said about the work.
    Feedback,
    /// An observation while something ran.
    RuntimeNote,
    /// What the next one needs to know to go on.
    Handoff,
    /// What the project is for.
    Vision,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 8] = [
        Self::Decision,
        Self::Constraint,
        Self::Trap,
        Self::Plan,
        Self::Feedback,
        Self::RuntimeNote,
        Self::Handoff,
        Self::Vision,
    ];

    /// The stored word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Decision => "decision",
            Self::Constraint => "constraint",
            Self::Trap => "trap",
            Self::Plan => "plan",
            Self::Feedback => "feedback",
            Self::RuntimeNote => "runtime_note",
            Self::Handoff => "handoff",
            Self::Vision => "vision",
        }
    }

    /// What its ids begin with.
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Decision => "dec",
            Self::Constraint => "cst",
            Self::Trap => "trp",
            Self::Plan => "pln",
            Self::Feedback => "fb",
            Self::RuntimeNote => "rtn",
            Self::Handoff => "hnd",
            Self::Vision => "vsn",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A word that is none of a list.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{word}` is no {what}: one of {}", known.join(", "))]
pub struct UnknownWord {
    what: &'static str,
    word: String,
    known: Vec<&'static str>,
}

impl UnknownWord {
    pub(crate) fn new(what: &'static str, word: &str, known: &[&'static str]) -> Self {
        Self {
            what,
            word: word.chars().take(40).collect(),
            known: known.to_vec(),
        }
    }
}

impl FromStr for Kind {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, UnknownWord> {
        let known = Self::ALL.into_iter().find(|kind| kind.word() == word);
        known.ok_or_else(|| UnknownWord::new("kind of item", word, &Self::ALL.map(Self::word)))
    }
}

/// An item: its kind, and a UUIDv7. Written `trp_01890a5d-ac96-774b-bcce-b302099a8057`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ItemId {
    kind: Kind,
    uuid: Uuid,
}

/// A text that is no item's id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is not the id of a memory item, such as dec_01890a5d-ac96-774b-bcce-b302099a8057"
)]
pub struct ItemIdError {
    text: String,
}

impl ItemId {
    /// Puts an id together; the UUID was drawn elsewhere.
    pub const fn new(kind: Kind, uuid: Uuid) -> Self {
        Self { kind, uuid }
    }

    /// What kind of item it is.
    pub const fn kind(self) -> Kind {
        self.kind
    }

    /// Enough for people to tell a few apart: the prefix and the last eight digits.
    pub fn short(self) -> String {
        let digits: String = self.uuid.simple().to_string().chars().skip(24).collect();
        format!("{}_{digits}", self.kind.prefix())
    }

    /// True when a person who typed this may mean it: the whole id, the short one, or the end.
    pub(crate) fn answers_to(self, name: &str) -> bool {
        !name.is_empty() && (self.to_string().ends_with(name) || self.short() == name)
    }
}

impl fmt::Display for ItemId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}_{}", self.kind.prefix(), self.uuid.hyphenated())
    }
}

impl fmt::Debug for ItemId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for ItemId {
    type Err = ItemIdError;

    fn from_str(text: &str) -> Result<Self, ItemIdError> {
        let parsed = text.split_once('_').and_then(|(prefix, uuid)| {
            let kind = Kind::ALL.into_iter().find(|kind| kind.prefix() == prefix)?;
            Some(Self::new(kind, Uuid::try_parse(uuid).ok()?))
        });
        parsed.ok_or_else(|| ItemIdError {
            text: text.chars().take(80).collect(),
        })
    }
}

impl Serialize for ItemId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ItemId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}
