//! The event stream of chat completions.

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
    /// Which place in the draft each index of the wire has.
    places: Vec<(u64, usize)>,
}

#[derive(Deserialize)]
struct Chunk {
    #[serde(default)]
    choices: Vec<ChoiceChunk>,
    #[serde(default)]
    usage: Option<Usage>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize)]
struct ChoiceChunk {
    #[serde(default)]
    delta: Option<Piece>,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Piece {
    #[serde(default)]
    content: Option<String>,
    /// Reasoning that some servers show: DeepSeek and llama.cpp by one name, OpenRouter by another.
    #[serde(default)]
    reasoning_content: Option<String>,
    #[serde(default)]
    reasoning: Option<String>,
    #[serde(default)]
    refusal: Option<String>,
    #[serde(default)]
    tool_calls: Option<Vec<CallPiece>>,
}

#[derive(Deserialize)]
struct CallPiece {
    /// Missing on servers that send each call whole.
    #[serde(default)]
    index: Option<u64>,
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    function: Option<FunctionPiece>,
}

#[derive(Deserialize)]
struct FunctionPiece {
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    arguments: Option<String>,
}

#[derive(Deserialize)]
struct Usage {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
    #[serde(default)]
    total_tokens: Option<u64>,
    #[serde(default)]
    prompt_tokens_details: Option<InputDetails>,
    /// DeepSeek's name for cached input.
    #[serde(default)]
    prompt_cache_hit_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct InputDetails {
    #[serde(default)]
    cached_tokens: Option<u64>,
    #[serde(default)]
    cache_write_tokens: Option<u64>,
}

impl Usage {
    fn whole(&self) -> Option<TokenUsage> {
        let prompt = self.prompt_tokens?;
        let completion = self.completion_tokens?;
        let details = self.prompt_tokens_details.as_ref();
        let read = details
            .and_then(|details| details.cached_tokens)
            .or(self.prompt_cache_hit_tokens)
            .unwrap_or(0)
            .min(prompt);
        let written = details
            .and_then(|details| details.cache_write_tokens)
            .unwrap_or(0)
            .min(prompt.saturating_sub(read));
        // Some servers count reasoning into the total only; it is billed as output all the same.
        let beyond_input = self.total_tokens.map_or(0, |t| t.saturating_sub(prompt));
        Some(TokenUsage {
            input: Tokens(prompt.saturating_sub(read).saturating_sub(written)),
            cache_read: Tokens(read),
            cache_write: Tokens(written),
            output: Tokens(completion.max(beyond_input)),
        })
    }
}

impl Decoder {
    /// Begins a reply.
    pub(crate) fn new(request: Request, answer_tool: Option<String>) -> Self {
        Self {
            draft: Draft::new(request, answer_tool),
            places: Vec::new(),
        }
    }

    fn piece(&mut self, piece: &Piece, out: &mut Vec<Delta>) -> Result<(), CallError> {
        if piece
            .refusal
            .as_deref()
            .is_some_and(|words| !words.is_empty())
        {
            return Err(refused_midway(piece.refusal.as_deref().unwrap_or_default()));
        }
        for reasoning in [&piece.reasoning_content, &piece.reasoning]
            .into_iter()
            .flatten()
        {
            self.draft.reasoning(reasoning)?;
        }
        if let Some(content) = &piece.content {
            self.draft.text(content, out)?;
        }
        for call in piece.tool_calls.iter().flatten() {
            self.call_piece(call, out)?;
        }
        Ok(())
    }

    fn call_piece(&mut self, piece: &CallPiece, out: &mut Vec<Delta>) -> Result<(), CallError> {
        let function = piece.function.as_ref();
        let name = function
            .and_then(|function| function.name.as_deref())
            .filter(|name| !name.is_empty());
        let known = match piece.index {
            Some(index) => self.places.iter().find(|(at, _)| *at == index),
            // Without an index a name begins a call, and anything else belongs to the last one.
            None if name.is_some() => None,
            None => self.places.last(),
        };
        let place = match (known, name) {
            (Some((_, place)), _) => *place,
            (None, Some(name)) => {
                let id = piece.id.as_deref().unwrap_or_default();
                let place = self.draft.call(id, name, out)?;
                let index = piece.index.unwrap_or(u64::MAX - place as u64);
                self.places.push((index, place));
                place
            }
            (None, None) => {
                return Err(bad_reply(BadReply::Malformed, "a tool call without a name"));
            }
        };
        match function.and_then(|function| function.arguments.as_deref()) {
            Some(arguments) => self.draft.arguments(place, arguments, out),
            None => Ok(()),
        }
    }

    fn ended(&mut self, reason: &str) -> Result<(), CallError> {
        let stop = match reason {
            "stop" | "eos" | "end_turn" => StopReason::End,
            "tool_calls" | "function_call" => StopReason::ToolUse,
            "length" | "max_tokens" => StopReason::MaxTokens,
            "content_filter" => return Err(refused_midway("stopped by the content filter")),
            other => {
                let message = format!("unknown finish reason {other}");
                return Err(bad_reply(BadReply::Malformed, &message));
            }
        };
        self.draft.stop(stop);
        Ok(())
    }
}

impl call::Decoder for Decoder {
    fn event(&mut self, event: &Event, out: &mut Vec<Delta>) -> Result<Progress, CallError> {
        if event.data.trim() == "[DONE]" {
            return Ok(Progress::Done);
        }
        let chunk: Chunk = serde_json::from_str(&event.data)
            .map_err(|error| bad_reply(BadReply::Malformed, &error.to_string()))?;
        if let Some(error) = &chunk.error {
            return Err(error_in_stream(error));
        }
        // One choice is asked for; more would be somebody else's reply.
        if let Some(choice) = chunk.choices.first() {
            if let Some(piece) = &choice.delta {
                self.piece(piece, out)?;
            }
            if let Some(reason) = &choice.finish_reason {
                self.ended(reason)?;
            }
        }
        if let Some(usage) = chunk.usage.as_ref().and_then(Usage::whole) {
            self.draft.usage(usage);
        }
        Ok(Progress::More)
    }

    fn reply(self) -> Result<Reply, CallError> {
        self.draft.seal()
    }
}
