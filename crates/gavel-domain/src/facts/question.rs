//! Questions and their answers.

use serde::{Deserialize, Serialize};

use crate::fact::fact_group;
use crate::{
    AnswerShape, AnswerValue, Audience, BlobRef, InboxId, OnTimeout, Purpose, Speaker, Timestamp,
};

fact_group!(
    /// A question and its answer.
    QuestionFact {
        /// It was asked.
        QuestionAsked = "question_asked",
        /// It was answered.
        QuestionAnswered = "question_answered",
    }
);

/// A question; its id is the key under which the answer will stand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuestionAsked {
    /// What it is about.
    pub purpose: Purpose,
    /// The card, a [`crate::QuestionCard`] as JSON.
    pub card: BlobRef,
    /// The form of a valid answer.
    pub shape: AnswerShape,
    /// The recommended option.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recommended: Option<String>,
    /// Who may answer.
    pub audience: Audience,
    /// When the clock answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_at: Option<Timestamp>,
    /// What the clock answers.
    pub on_timeout: OnTimeout,
}

/// The first valid answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuestionAnswered {
    /// What was answered.
    #[serde(flatten)]
    pub value: AnswerValue,
    /// Who answered; the engine for the clock and for `--yes`.
    pub by: Speaker,
    /// The inbox row it came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inbox: Option<InboxId>,
    /// True when the deadline answered.
    #[serde(default)]
    pub timed_out: bool,
    /// True when `--yes` took the recommended answer.
    #[serde(default)]
    pub assumed: bool,
}
