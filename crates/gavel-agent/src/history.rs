//! The conversation of one task: only appended to, except when its old part is folded.

use std::ops::Range;

use gavel_domain::Tokens;
use gavel_models::{Message, MessageRole, ModelInfo, Part, Reply, Tokenizer, ToolSpec};
use gavel_rules::{MessageKind, MessageSize};

use crate::room;

/// Messages with their sizes. What was sent once is sent again as it was, so caches survive.
#[derive(Debug)]
pub(crate) struct History {
    tokenizer: Tokenizer,
    messages: Vec<Message>,
    sizes: Vec<MessageSize>,
}

/// The answer to one tool call, as the model sees it.
#[derive(Debug, Clone)]
pub(crate) struct CallResult {
    pub(crate) id: String,
    pub(crate) ok: bool,
    pub(crate) text: String,
}

impl History {
    /// Begins with the rules and the task. The tools count as part of the rules.
    pub(crate) fn new(model: &ModelInfo, system: &str, tools: &[ToolSpec], task: &str) -> Self {
        let mut history = Self {
            tokenizer: model.tokenizer,
            messages: Vec::new(),
            sizes: Vec::new(),
        };
        let rules = Message::text(MessageRole::System, system);
        history.push(MessageKind::System, rules);
        let tools = serde_json::to_string(tools).unwrap_or_default();
        let tools = history.count(&tools);
        if let Some(size) = history.sizes.first_mut() {
            size.tokens = size.tokens + tools;
        }
        history.words(task);
        history
    }

    /// Appends words to the model.
    pub(crate) fn words(&mut self, text: &str) {
        self.push(MessageKind::Words, Message::text(MessageRole::User, text));
    }

    /// Appends a reply exactly as it came.
    pub(crate) fn reply(&mut self, reply: &Reply) {
        let text = (!reply.text.is_empty()).then(|| Part::Text {
            text: reply.text.clone(),
        });
        let calls = reply.tool_calls.iter().map(|call| Part::ToolCall {
            id: call.id.clone(),
            name: call.name.clone(),
            arguments: call.arguments.clone(),
        });
        let message = Message {
            role: MessageRole::Assistant,
            parts: text.into_iter().chain(calls).collect(),
            cache_here: false,
        };
        self.push(MessageKind::Reply, message);
    }

    /// Appends the results of the last reply's calls, in the order of the calls.
    pub(crate) fn results(&mut self, results: Vec<CallResult>) {
        let parts = results.into_iter().map(|result| Part::ToolResult {
            id: result.id,
            ok: result.ok,
            text: result.text,
        });
        let message = Message {
            role: MessageRole::User,
            parts: parts.collect(),
            cache_here: false,
        };
        self.push(MessageKind::Results, message);
    }

    /// The messages to send now; the last one is marked, as everything up to it is sent again.
    ///
    /// The mark stays, so that a message never changes after it was sent.
    pub(crate) fn sent(&mut self) -> Vec<Message> {
        if let Some(last) = self.messages.last_mut() {
            last.cache_here = true;
        }
        self.messages.clone()
    }

    /// The sizes, for the decision about compaction.
    pub(crate) fn sizes(&self) -> &[MessageSize] {
        &self.sizes
    }

    /// How long the conversation is, with the tools.
    pub(crate) fn total(&self) -> Tokens {
        let sizes = self.sizes.iter().map(|size| size.tokens);
        sizes.fold(Tokens(0), |sum, size| sum + size)
    }

    /// A part of the messages.
    pub(crate) fn part(&self, range: Range<usize>) -> &[Message] {
        self.messages.get(range).unwrap_or_default()
    }

    /// Replaces a part by words.
    pub(crate) fn fold(&mut self, range: Range<usize>, summary: &str) {
        if range.start > range.end || range.end > self.messages.len() {
            return;
        }
        let size = MessageSize {
            kind: MessageKind::Words,
            tokens: self.count(summary),
        };
        let message = Message::text(MessageRole::User, summary);
        self.messages.splice(range.clone(), [message]);
        self.sizes.splice(range, [size]);
    }

    fn push(&mut self, kind: MessageKind, message: Message) {
        let tokens = room::count_messages(self.tokenizer, std::slice::from_ref(&message));
        self.sizes.push(MessageSize { kind, tokens });
        self.messages.push(message);
    }

    fn count(&self, text: &str) -> Tokens {
        room::count(self.tokenizer, text)
    }
}
