//! What people were asked, answered and said.

use gavel_domain::{
    AnswerShape, Audience, InboxId, Purpose, QuestionCard, Speaker, Stage, Timestamp,
};
use serde::Serialize;

use crate::Text;

/// A question with its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct QuestionTold {
    /// Its id.
    pub id: String,
    /// In which stage it was asked.
    pub stage: Option<Stage>,
    /// What it is about.
    pub purpose: Purpose,
    /// Who may answer.
    pub audience: Audience,
    /// What a person saw.
    pub card: Text<QuestionCard>,
    /// The form of a valid answer.
    pub shape: AnswerShape,
    /// The recommended option.
    pub recommended: Option<String>,
    /// When it was asked.
    pub asked_at: Timestamp,
    /// What was answered; none while it is open.
    pub answer: Option<AnswerTold>,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AnswerTold {
    /// What was answered: an option's label, a text, a limit.
    pub text: Text,
    /// The id of the option that was taken; none when it was said in other words.
    pub option: Option<String>,
    /// Who.
    pub by: Speaker,
    /// True when the deadline answered.
    pub timed_out: bool,
    /// True when `--yes` took the recommended answer.
    pub assumed: bool,
    /// When.
    pub at: Timestamp,
}

impl AnswerTold {
    /// Who answered, in words.
    pub const fn who(&self) -> &'static str {
        if self.timed_out {
            "the clock"
        } else if self.assumed {
            "--yes"
        } else {
            speaker_words(self.by)
        }
    }
}

/// What somebody said, and where it was heard.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Interjection {
    /// Its inbox row.
    pub id: InboxId,
    /// Who.
    pub by: Speaker,
    /// What.
    pub text: Text,
    /// When.
    pub at: Timestamp,
    /// Where it reached a model turn; none when it has not.
    pub heard: Option<HeardAt>,
}

/// Where an interjection reached a model turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HeardAt {
    /// The step.
    pub key: String,
    /// In which stage.
    pub stage: Option<Stage>,
    /// In which sprint.
    pub sprint: Option<u32>,
    /// When.
    pub at: Timestamp,
}

/// Somebody, in words.
pub const fn speaker_words(speaker: Speaker) -> &'static str {
    use gavel_domain::{Door, Role};
    match (speaker.role, speaker.door) {
        (Role::Engine, _) => "Gavel",
        (Role::Person, Door::Bridge) => "a person, through their notify program",
        (Role::Person, _) => "a person",
        (_, Door::Mcp) => "an MCP client",
        (_, Door::Acp) => "an agent over ACP",
        (_, Door::Http) => "somebody over HTTP",
        (_, Door::Engine | Door::Cli | Door::Bridge) => "an agent",
    }
}
