//! The event stream of the Messages API.

use gavel_domain::{StopReason, TokenUsage, Tokens};
use serde::Deserialize;
use serde_json::Value;

use crate::call::{self, Progress};
use crate::draft::{Draft, refused_midway};
use crate::error::bad_reply;
use crate::sse::Event;
use crate::status::error_in_stream;
use crate::{BadReply, CallError, Delta, Reply, Request};

/// Collects a reply.
pub(crate) struct Decoder {
    draft: Draft,
    /// The blocks in order of their index.
    blocks: Vec<Block>,
    usage: Usage,
}

enum Block {
    Call { index: u64, place: usize },
    Other { index: u64 },
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Incoming {
    MessageStart {
        message: Started,
    },
    ContentBlockStart {
        index: u64,
        content_block: Opened,
    },
    ContentBlockDelta {
        index: u64,
        delta: Piece,
    },
    MessageDelta {
        delta: Ended,
        #[serde(default)]
        usage: Usage,
    },
    MessageStop,
    Error {
        error: Value,
    },
    /// Pings, block ends, and whatever the vendor adds: its versioning rules ask to skip them.
    #[serde(other)]
    Unknown,
}

#[derive(Deserialize)]
struct Started {
    #[serde(default)]
    usage: Usage,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Opened {
    Text {
        #[serde(default)]
        text: String,
    },
    ToolUse {
        #[serde(default)]
        id: String,
        name: String,
        #[serde(default)]
        input: Value,
    },
    #[serde(other)]
    Unknown,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Piece {
    TextDelta {
        text: String,
    },
    InputJsonDelta {
        partial_json: String,
    },
    ThinkingDelta {
        thinking: String,
    },
    #[serde(other)]
    Unknown,
}

#[derive(Deserialize)]
struct Ended {
    stop_reason: Option<String>,
}

/// Counts come twice, some of them only once: the later ones win.
#[derive(Deserialize, Default, Clone, Copy)]
struct Usage {
    input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

impl Usage {
    fn update(&mut self, later: Self) {
        self.input_tokens = later.input_tokens.or(self.input_tokens);
        self.cache_read_input_tokens = later
            .cache_read_input_tokens
            .or(self.cache_read_input_tokens);
        self.cache_creation_input_tokens = later
            .cache_creation_input_tokens
            .or(self.cache_creation_input_tokens);
        self.output_tokens = later.output_tokens.or(self.output_tokens);
    }

    /// The count, once the two figures that every server gives are there.
    fn whole(self) -> Option<TokenUsage> {
        Some(TokenUsage {
            input: Tokens(self.input_tokens?),
            cache_read: Tokens(self.cache_read_input_tokens.unwrap_or(0)),
            cache_write: Tokens(self.cache_creation_input_tokens.unwrap_or(0)),
            output: Tokens(self.output_tokens?),
        })
    }
}

impl Decoder {
    /// Begins a reply.
    pub(crate) fn new(request: Request, answer_tool: Option<String>) -> Self {
        Self {
            draft: Draft::new(request, answer_tool),
            blocks: Vec::new(),
            usage: Usage::default(),
        }
    }

    fn opened(
        &mut self,
        index: u64,
        opened: Opened,
        out: &mut Vec<Delta>,
    ) -> Result<(), CallError> {
        let block = match opened {
            Opened::Text { text } => {
                self.draft.text(&text, out)?;
                Block::Other { index }
            }
            Opened::ToolUse { id, name, input } => {
                let place = self.draft.call(&id, &name, out)?;
                // Some servers send the arguments at once instead of in pieces.
                if input.as_object().is_some_and(|input| !input.is_empty()) {
                    self.draft.arguments(place, &input.to_string(), out)?;
                }
                Block::Call { index, place }
            }
            Opened::Unknown => Block::Other { index },
        };
        self.blocks.push(block);
        Ok(())
    }

    fn piece(&mut self, index: u64, piece: &Piece, out: &mut Vec<Delta>) -> Result<(), CallError> {
        match piece {
            Piece::TextDelta { text } => self.draft.text(text, out),
            Piece::ThinkingDelta { thinking } => self.draft.reasoning(thinking),
            Piece::InputJsonDelta { partial_json } => {
                let place = self.blocks.iter().rev().find_map(|block| match block {
                    Block::Call { index: at, place } if *at == index => Some(Some(*place)),
                    Block::Other { index: at } if *at == index => Some(None),
                    Block::Call { .. } | Block::Other { .. } => None,
                });
                match place {
                    Some(Some(place)) => self.draft.arguments(place, partial_json, out),
                    // Input of a block that we skip, such as a tool that runs at the server.
                    Some(None) => self.draft.reasoning(partial_json),
                    None => Err(bad_reply(BadReply::Malformed, "a delta of no block")),
                }
            }
            Piece::Unknown => Ok(()),
        }
    }

    fn ended(&mut self, ended: &Ended) -> Result<(), CallError> {
        let stop = match ended.stop_reason.as_deref() {
            None => return Ok(()),
            Some("end_turn" | "stop_sequence" | "pause_turn") => StopReason::End,
            Some("tool_use") => StopReason::ToolUse,
            Some("max_tokens" | "model_context_window_exceeded") => StopReason::MaxTokens,
            Some("refusal") => return Err(refused_midway("the model declined to go on")),
            Some(other) => {
                let message = format!("unknown stop reason {other}");
                return Err(bad_reply(BadReply::Malformed, &message));
            }
        };
        self.draft.stop(stop);
        Ok(())
    }

    fn count(&mut self, usage: Usage) {
        self.usage.update(usage);
        if let Some(usage) = self.usage.whole() {
            self.draft.usage(usage);
        }
    }
}

impl call::Decoder for Decoder {
    fn event(&mut self, event: &Event, out: &mut Vec<Delta>) -> Result<Progress, CallError> {
        let incoming: Incoming = serde_json::from_str(&event.data)
            .map_err(|error| bad_reply(BadReply::Malformed, &error.to_string()))?;
        match incoming {
            Incoming::MessageStart { message } => self.count(message.usage),
            Incoming::ContentBlockStart {
                index,
                content_block,
            } => self.opened(index, content_block, out)?,
            Incoming::ContentBlockDelta { index, delta } => self.piece(index, &delta, out)?,
            Incoming::MessageDelta { delta, usage } => {
                self.count(usage);
                self.ended(&delta)?;
            }
            Incoming::MessageStop => return Ok(Progress::Done),
            Incoming::Error { error } => return Err(error_in_stream(&error)),
            Incoming::Unknown => {}
        }
        Ok(Progress::More)
    }

    fn reply(self) -> Result<Reply, CallError> {
        self.draft.seal()
    }
}
