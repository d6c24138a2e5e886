//! The catalogue: what is known about models without asking anybody.

use gavel_domain::{Price, Tokens};
use serde::{Deserialize, Serialize};

use crate::{ModelId, Tokenizer};

/// How capable and how dear a model is among its kin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// Quick and cheap.
    Fast,
    /// The usual choice.
    Balanced,
    /// The most capable.
    Premium,
}

/// What is known about a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelInfo {
    /// Its id.
    pub id: ModelId,
    /// Its tier.
    pub tier: Tier,
    /// The most tokens of a request and its reply together.
    pub context: Tokens,
    /// The most tokens of a reply.
    pub max_output: Tokens,
    /// Its price; `None` when it is unknown, which is not the same as free.
    pub price: Option<Price>,
    /// How its text is cut into tokens, where that is public.
    pub tokenizer: Tokenizer,
}
