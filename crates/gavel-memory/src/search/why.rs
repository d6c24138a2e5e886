//! Why an item was found, for people and programs.

use std::fmt;

use serde::Serialize;

/// Where an item has a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Field {
    /// In its title, or in the first of several lines.
    Title,
    /// In its text.
    Text,
    /// In a tag.
    Tag,
    /// In a path that it is about.
    Path,
}

impl Field {
    /// The stored word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::Text => "text",
            Self::Tag => "tag",
            Self::Path => "path",
        }
    }

    /// A tag says what an item is about; a word of its text only that it occurs.
    pub(super) const fn weight(self) -> f64 {
        match self {
            Self::Title => 1.5,
            Self::Text => 1.0,
            Self::Tag => 2.5,
            Self::Path => 2.0,
        }
    }
}

/// A word of the query that an item has.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WordFound {
    /// The word, without its ending.
    pub word: String,
    /// How many items have it.
    pub items: u64,
    /// How rare it is.
    pub idf: f64,
    /// The same, from 0 to 1.
    pub worth: f64,
    /// How much the item is about it, from 0 to 1.
    pub presence: f64,
    /// Where the item has it.
    pub fields: Vec<Field>,
}

/// Why an item was found, and what its score is made of.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Why {
    /// The words that it has, the rarest first.
    pub words: Vec<WordFound>,
    /// True when it is about a path of the query, or a folder above one.
    pub shares_path: bool,
    /// BM25: presence times rarity of its words.
    pub bm25: f64,
    /// What speaks for it: presence times worth of its words, and the path.
    pub evidence: f64,
    /// How much would be enough.
    pub enough: f64,
    /// How well it fits, from 0 to 1; the floor is compared with this.
    pub fit: f64,
    /// How much it still weighs by its life.
    pub lifecycle: f64,
    /// How much it weighs by its age.
    pub recency: f64,
    /// Words of the query that too many items have to tell anything.
    pub too_common: Vec<String>,
    /// Words of the query that no item has.
    pub unknown: Vec<String>,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "fits {:.2}", self.fit)?;
        let mut between = ": ";
        for found in &self.words {
            let fields: Vec<&str> = found.fields.iter().map(|field| field.word()).collect();
            write!(f, "{between}{} ({})", found.word, fields.join(", "))?;
            between = ", ";
        }
        if self.shares_path {
            write!(f, "{between}the same path")?;
        }
        write!(f, "; life ×{:.2}, age ×{:.2}", self.lifecycle, self.recency)
    }
}
