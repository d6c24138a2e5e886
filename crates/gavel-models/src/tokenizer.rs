//! Public vocabularies.
//!
//! Loading one takes about 70 ms, so it happens on the first count and never at start.

use gavel_domain::Tokens;
use serde::{Deserialize, Serialize};

use crate::ModelId;

/// How a model's text is cut into tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tokenizer {
    /// OpenAI's newer vocabulary.
    O200k,
    /// OpenAI's older vocabulary.
    Cl100k,
    /// Not public, or not known to us.
    #[default]
    Unknown,
}

impl Tokenizer {
    /// The vocabulary of a model, by the vendor's own naming.
    pub fn of(model: &ModelId) -> Self {
        let name = match (model.provider(), model.model()) {
            ("openai", name) => name,
            ("openrouter", name) => match name.strip_prefix("openai/") {
                Some(name) => name,
                None => return Self::Unknown,
            },
            _ => return Self::Unknown,
        };
        // A family is its own name and everything after a dash: `gpt-5-mini`, but not `gpt-5.6`, of
        // which no vocabulary was published, nor `gpt-oss`, whose prompt format is another.
        let of = |families: &[&str]| {
            families.iter().any(|family| {
                name.strip_prefix(family)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
            })
        };
        if of(&[
            "gpt-4o",
            "gpt-4.1",
            "gpt-4.5",
            "gpt-5",
            "chatgpt-4o",
            "o1",
            "o3",
            "o4",
        ]) {
            Self::O200k
        } else if of(&["gpt-4", "gpt-3.5"]) {
            Self::Cl100k
        } else {
            Self::Unknown
        }
    }

    /// Counts a text; `None` when the vocabulary is not known.
    pub fn count(self, text: &str) -> Option<Tokens> {
        let vocabulary = match self {
            Self::O200k => bpe_openai::o200k_base(),
            Self::Cl100k => bpe_openai::cl100k_base(),
            Self::Unknown => return None,
        };
        Some(Tokens(vocabulary.count(text) as u64))
    }
}
