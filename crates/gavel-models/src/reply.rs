//! What models answer.

use gavel_domain::{StopReason, TokenUsage};
use serde::{Deserialize, Serialize};

/// A piece of a reply under way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delta {
    /// More text.
    Text(String),
    /// A tool call began; its arguments follow inside `Finished`.
    ToolStarted {
        /// The tool.
        name: String,
    },
    /// The whole reply; nothing follows.
    Finished(Reply),
}

/// A whole reply. It holds text or a tool call: an empty one is an error before it gets here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    /// All text, joined.
    pub text: String,
    /// The tool calls, in order.
    pub tool_calls: Vec<ToolCall>,
    /// Why it ended.
    pub stop: StopReason,
    /// What the provider counted.
    pub usage: TokenUsage,
}

/// One tool call; the arguments are valid JSON text of an object, kept as they came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The provider's id.
    pub id: String,
    /// The tool.
    pub name: String,
    /// JSON text.
    pub arguments: String,
}
