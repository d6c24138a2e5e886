//! The inbox: how everybody but the driver speaks to a run.

use gavel_domain::{AnswerReply, Cap, InboxId, Key, RunId, Seq, Speaker, Timestamp};
use serde::{Deserialize, Serialize};

/// What somebody wants of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "want", rename_all = "snake_case")]
pub enum InboxKind {
    /// Answers a question.
    Answer {
        /// The question's id.
        question: Key,
        /// The answer.
        reply: AnswerReply,
    },
    /// Interjects.
    Say {
        /// The text.
        text: String,
    },
    /// Stops after the current step.
    Pause,
    /// Gives the run up.
    Abort {
        /// Why, if somebody says so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// Asks for the last gate.
    Ship,
    /// Changes a cap.
    SetCap {
        /// The cap as it should be.
        cap: Cap,
    },
}

impl InboxKind {
    /// The slot that only one untaken or accepted row may hold: the question it answers.
    pub fn slot(&self) -> Option<&Key> {
        match self {
            Self::Answer { question, .. } => Some(question),
            Self::Say { .. }
            | Self::Pause
            | Self::Abort { .. }
            | Self::Ship
            | Self::SetCap { .. } => None,
        }
    }
}

/// A row to post.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxPost {
    /// Chosen by the poster: posting it twice is posting it once.
    pub id: InboxId,
    /// The run.
    pub run: RunId,
    /// Who posts, as their door knows them.
    pub by: Speaker,
    /// When.
    pub at: Timestamp,
    /// What.
    pub kind: InboxKind,
}

/// A row as it is stored.
pub type InboxRow = InboxPost;

/// What posting came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Posted {
    /// The row is durable.
    New,
    /// The same id was posted before; nothing changed.
    Again,
}

/// What became of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InboxFate {
    /// No driver has taken it.
    Pending,
    /// It became a fact in the commit that ended with this record.
    Taken {
        /// The last record of that commit.
        seq: Seq,
        /// True when it was refused.
        refused: bool,
    },
}

#[cfg(test)]
mod tests {
    use gavel_domain::{AnswerReply, Cap, CapScope, Key};

    use super::InboxKind;

    /// Rows outlive the program that posted them: words are added, never changed.
    #[test]
    fn the_stored_texts_are_frozen() {
        let answer = |reply| InboxKind::Answer {
            question: Key::new("council-1/approve").unwrap(),
            reply,
        };
        let (id, text, limit) = ("yes".to_owned(), "hm".to_owned(), 7);
        let scope = CapScope::RunTokens;
        for (kind, stored) in [
            (
                answer(AnswerReply::Option { id }),
                r#"{"want":"answer","question":"council-1/approve","reply":{"answer":"option","id":"yes"}}"#,
            ),
            (
                answer(AnswerReply::Text { text: text.clone() }),
                r#"{"want":"answer","question":"council-1/approve","reply":{"answer":"text","text":"hm"}}"#,
            ),
            (
                answer(AnswerReply::Limit { limit }),
                r#"{"want":"answer","question":"council-1/approve","reply":{"answer":"limit","limit":7}}"#,
            ),
            (
                answer(AnswerReply::Decide),
                r#"{"want":"answer","question":"council-1/approve","reply":{"answer":"decide"}}"#,
            ),
            (InboxKind::Say { text }, r#"{"want":"say","text":"hm"}"#),
            (InboxKind::Pause, r#"{"want":"pause"}"#),
            (InboxKind::Abort { reason: None }, r#"{"want":"abort"}"#),
            (
                InboxKind::Abort {
                    reason: Some("late".to_owned()),
                },
                r#"{"want":"abort","reason":"late"}"#,
            ),
            (InboxKind::Ship, r#"{"want":"ship"}"#),
            (
                InboxKind::SetCap {
                    cap: Cap { scope, limit },
                },
                r#"{"want":"set_cap","cap":{"scope":"run_tokens","limit":7}}"#,
            ),
        ] {
            assert_eq!(serde_json::to_string(&kind).unwrap(), stored);
            let read: InboxKind = serde_json::from_str(stored).unwrap();
            assert_eq!(read, kind);
        }
    }
}
