//! What people and agents say about how an item proved.

use std::str::FromStr;

use gavel_domain::Timestamp;
use serde::{Deserialize, Serialize};

use crate::id::UnknownWord;

/// How an item proved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// It holds.
    Confirmed,
    /// It does not hold.
    Contradicted,
    /// It kept somebody from harm.
    SavedMe,
    /// It led somebody astray.
    MisledMe,
}

impl Mark {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::Confirmed,
        Self::Contradicted,
        Self::SavedMe,
        Self::MisledMe,
    ];

    /// The stored word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::Contradicted => "contradicted",
            Self::SavedMe => "saved_me",
            Self::MisledMe => "misled_me",
        }
    }
}

impl FromStr for Mark {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, UnknownWord> {
        let plain = word.replace('-', "_");
        let known = Self::ALL.into_iter().find(|mark| mark.word() == plain);
        known.ok_or_else(|| UnknownWord::new("mark", word, &Self::ALL.map(Self::word)))
    }
}

/// All marks of an item.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marks {
    /// How often and when it was said to hold.
    pub confirmed: Tally,
    /// How often and when it was said not to hold.
    pub contradicted: Tally,
    /// How often and when it kept somebody from harm.
    pub saved_me: Tally,
    /// How often and when it led somebody astray.
    pub misled_me: Tally,
}

/// How often something was said, and when last.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// How often.
    pub count: u32,
    /// When last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<Timestamp>,
}

impl Marks {
    /// Counts one more; in any order the sums are the same.
    pub(crate) fn take(&mut self, mark: Mark, at: Timestamp) {
        let tally = match mark {
            Mark::Confirmed => &mut self.confirmed,
            Mark::Contradicted => &mut self.contradicted,
            Mark::SavedMe => &mut self.saved_me,
            Mark::MisledMe => &mut self.misled_me,
        };
        tally.count = tally.count.saturating_add(1);
        tally.last = tally.last.max(Some(at));
    }
}
