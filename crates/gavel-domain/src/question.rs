//! Questions: what a run may ask, who may answer, and what an answer looks like.

use serde::{Deserialize, Serialize};

use crate::BlobRef;

/// What a question is about, for whoever renders it and for the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// An open choice of the work itself.
    Choice,
    /// Somebody must agree before the run goes on.
    Approval,
    /// A cap is reached: raise it or stop.
    Cap,
    /// A spend that nobody meters, or a model that broke its ceiling, needs consent.
    Spend,
    /// A step that must not be repeated may have happened.
    Once,
    /// The work needs a model that is not configured.
    Model,
    /// A model, its provider or the network failed; trying again may help.
    Trouble,
    /// Something on this machine stood in the way: git, a file, a command. Once mended, trying
    /// again helps.
    Machine,
    /// Somebody else moved the branch: a person looks at it before trying again.
    Moved,
    /// A circuit breaker tripped: a person says how to go on.
    Breaker,
}

/// Who may answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Audience {
    /// A person only: approvals, caps, unmetered spend, sandbox, secrets, ship.
    Person,
    /// Anybody who may speak in the run.
    Any,
}

/// What happens when the deadline passes without an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum OnTimeout {
    /// Nothing: the question stays open.
    Wait,
    /// That option is taken, and recorded as taken by the clock.
    Take {
        /// The option's id.
        option: String,
    },
    /// Gavel decides.
    Decide,
}

/// The form of a valid answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "form", rename_all = "snake_case")]
pub enum AnswerShape {
    /// One of the options, by id.
    Choice {
        /// Their ids, in the order of the card.
        options: Vec<String>,
    },
    /// One of the options, or free text.
    ChoiceOrText {
        /// Their ids, in the order of the card.
        options: Vec<String>,
        /// The longest text.
        max_bytes: u32,
    },
    /// Free text, not empty.
    Text {
        /// The longest text.
        max_bytes: u32,
    },
    /// One of the options, or a new limit for the cap, which must be above the old one.
    Limit {
        /// Their ids, in the order of the card.
        options: Vec<String>,
        /// The limit must be above this.
        above: u64,
    },
}

impl AnswerShape {
    /// The option ids that an answer may name.
    pub fn options(&self) -> &[String] {
        match self {
            Self::Choice { options }
            | Self::ChoiceOrText { options, .. }
            | Self::Limit { options, .. } => options,
            Self::Text { .. } => &[],
        }
    }
}

/// What a person sees: kept as a blob, since all of it is text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuestionCard {
    /// The question, one or two sentences.
    pub text: String,
    /// Why it is asked and what hangs on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The options, in order.
    #[serde(default)]
    pub options: Vec<CardOption>,
}

/// One option on a card.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardOption {
    /// Its id, `[a-z0-9-]+`.
    pub id: String,
    /// What a person reads.
    pub label: String,
}

/// An answer as it is typed and posted, before it is recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum AnswerReply {
    /// An option, by id.
    Option {
        /// The option's id.
        id: String,
    },
    /// Free text.
    Text {
        /// The text.
        text: String,
    },
    /// A new limit: micro-dollars or tokens, as the cap counts.
    Limit {
        /// The limit.
        limit: u64,
    },
    /// Let Gavel decide.
    Decide,
}

/// An answer as it is recorded: text is a blob.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum AnswerValue {
    /// An option, by id.
    Option {
        /// The option's id.
        id: String,
    },
    /// Free text.
    Text {
        /// The text.
        text: BlobRef,
    },
    /// A new limit.
    Limit {
        /// The limit.
        limit: u64,
    },
    /// Gavel was to decide.
    Decide,
}

impl QuestionCard {
    /// A card with options given as `(id, label)`.
    pub fn with_options(text: String, why: Option<String>, options: &[(&str, &str)]) -> Self {
        let options = options
            .iter()
            .map(|(id, label)| CardOption {
                id: (*id).to_owned(),
                label: (*label).to_owned(),
            })
            .collect();
        Self { text, why, options }
    }
}
