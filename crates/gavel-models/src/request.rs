//! What models are asked.

use crate::FieldOrder;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use gavel_domain::Tokens;
use serde::{Deserialize, Serialize};

/// A model's id, `provider/model`; `offline` stands alone.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ModelId(String);

/// A text that is no model id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a model id (expected provider/model, for example anthropic/claude-sonnet-4-5)"
)]
pub struct ModelIdError(String);

impl ModelId {
    /// The provider's name.
    pub fn provider(&self) -> &str {
        self.0
            .split_once('/')
            .map_or(&self.0, |(provider, _)| provider)
    }

    /// The name that the provider knows the model by.
    pub fn model(&self) -> &str {
        self.0.split_once('/').map_or(&self.0, |(_, model)| model)
    }

    /// The text form.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl ModelId {
    /// True for the built-in rules, which are no model of their own mind.
    pub fn is_rules(&self) -> bool {
        self.0 == "offline"
    }
}

impl fmt::Display for ModelId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for ModelId {
    type Err = ModelIdError;

    fn from_str(text: &str) -> Result<Self, ModelIdError> {
        let fine = |part: &str| {
            !part.is_empty()
                && part
                    .chars()
                    .all(|c| c.is_ascii_graphic() && c != '"' && c != '\\')
        };
        let valid = text.len() <= 200
            && match text.split_once('/') {
                Some((provider, model)) => fine(provider) && fine(model),
                None => text == "offline",
            };
        if valid {
            Ok(Self(text.to_owned()))
        } else {
            Err(ModelIdError(text.chars().take(200).collect()))
        }
    }
}

impl TryFrom<String> for ModelId {
    type Error = ModelIdError;

    fn try_from(text: String) -> Result<Self, ModelIdError> {
        text.parse()
    }
}

impl From<ModelId> for String {
    fn from(id: ModelId) -> Self {
        id.0
    }
}

/// One request. History is only appended to, so that prompt caches survive.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// Which model.
    pub model: ModelId,
    /// The conversation, the system message first.
    pub messages: Vec<Message>,
    /// The tools on offer.
    #[serde(default)]
    pub tools: Vec<ToolSpec>,
    /// Whether it must use one.
    #[serde(default)]
    pub tool_choice: ToolChoice,
    /// The schema that the answer must follow.
    #[serde(default)]
    pub answer: Option<AnswerSchema>,
    /// How long and how much.
    pub limits: Limits,
}

impl Request {
    /// True when a reply without a tool call is no reply to this request.
    pub const fn demands_tool(&self) -> bool {
        match self.tool_choice {
            ToolChoice::Required => !self.tools.is_empty(),
            ToolChoice::Named(_) => true,
            ToolChoice::Auto | ToolChoice::None => false,
        }
    }
}

/// One message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Who speaks.
    pub role: MessageRole,
    /// What they say, in order.
    pub parts: Vec<Part>,
    /// True where a prompt cache should end: everything up to here will be sent again.
    #[serde(default)]
    pub cache_here: bool,
}

impl Message {
    /// A message of one text.
    pub fn text(role: MessageRole, text: impl Into<String>) -> Self {
        Self {
            role,
            parts: vec![Part::Text { text: text.into() }],
            cache_here: false,
        }
    }
}

/// Who speaks in a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MessageRole {
    /// The rules; only as the first message.
    System,
    /// Whoever asks, and tool results.
    User,
    /// The model.
    Assistant,
}

/// A piece of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "part", rename_all = "snake_case")]
pub enum Part {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// A tool call that the model made (assistant messages).
    ToolCall {
        /// The provider's id.
        id: String,
        /// The tool.
        name: String,
        /// JSON text, as it came.
        arguments: String,
    },
    /// The result of a tool call (user messages).
    ToolResult {
        /// The id of the call.
        id: String,
        /// False when the tool refused or failed.
        ok: bool,
        /// What the model sees.
        text: String,
    },
}

/// A tool on offer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// Its name.
    pub name: String,
    /// What it is for, one line.
    pub description: String,
    /// The JSON schema of its arguments.
    pub schema: serde_json::Value,
}

/// Whether the model must use a tool.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolChoice {
    /// As it likes.
    #[default]
    Auto,
    /// Some tool.
    Required,
    /// This tool.
    Named(String),
    /// None, although tools are listed.
    None,
}

/// The schema of a structured answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnswerSchema {
    /// A short name, `[a-z0-9_]+`.
    pub name: String,
    /// The JSON schema.
    pub schema: serde_json::Value,
    /// In which order its fields go out.
    #[serde(skip)]
    pub order: FieldOrder,
}

/// How much and how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// The most output tokens; the stream is cut past it.
    pub max_output: Tokens,
    /// The clocks.
    #[serde(default)]
    pub deadlines: Deadlines,
}

/// How long each part of a call may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deadlines {
    /// Until the connection stands.
    pub connect: Duration,
    /// Until the first byte of the reply.
    pub first_byte: Duration,
    /// Between two pieces of the reply.
    pub idle: Duration,
    /// Until the end.
    pub total: Duration,
}

impl Default for Deadlines {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            first_byte: Duration::from_secs(120),
            idle: Duration::from_secs(60),
            total: Duration::from_secs(600),
        }
    }
}
