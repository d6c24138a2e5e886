//! The rules as a model: a request in, one reply out, everything taken from the request alone.

use futures_util::stream;
use gavel_domain::{Billed, Price, StopReason, TokenUsage, Tokens};
use gavel_models::{
    CallError, CallErrorKind, Delta, Model, ModelId, ModelIdError, ModelInfo, Part, Reply,
    ReplyStream, Request, Tier, Tokenizer, ToolCall,
};

use crate::wire::{self, Said};

/// Text and code have about so many bytes to a token.
pub(crate) const BYTES_PER_TOKEN: usize = 4;

/// The rule-based model. It remembers nothing: what it knows stands in the conversation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Offline;

/// What is known about the rule-based model.
pub fn info() -> Result<ModelInfo, ModelIdError> {
    let id: ModelId = "offline".parse()?;
    Ok(ModelInfo {
        id,
        tier: Tier::Fast,
        context: Tokens(200_000),
        max_output: Tokens(32_000),
        price: Some(Price::FREE),
        tokenizer: Tokenizer::Unknown,
    })
}

impl Model for Offline {
    fn stream(&self, request: Request) -> ReplyStream {
        let deltas = match wire::answer(&request) {
            Ok(said) => finished(&request, said),
            Err(cannot) => vec![Err(refused(&cannot.to_string()))],
        };
        Box::pin(stream::iter(deltas))
    }
}

fn finished(request: &Request, said: Said) -> Vec<Result<Delta, CallError>> {
    let output = said.text.len() + said.calls.iter().map(size).sum::<usize>();
    let usage = TokenUsage {
        input: tokens(input_bytes(request)),
        cache_read: Tokens(0),
        cache_write: Tokens(0),
        output: tokens(output),
    };
    if usage.output > request.limits.max_output {
        let (needed, most) = (usage.output.0, request.limits.max_output.0);
        return vec![Err(refused(&format!(
            "the reply needs about {needed} tokens and may have {most}: allow longer replies"
        )))];
    }
    let stop = if said.calls.is_empty() {
        StopReason::End
    } else {
        StopReason::ToolUse
    };
    let mut deltas = Vec::new();
    if !said.text.is_empty() {
        deltas.push(Ok(Delta::Text(said.text.clone())));
    }
    for call in &said.calls {
        let name = call.name.clone();
        deltas.push(Ok(Delta::ToolStarted { name }));
    }
    deltas.push(Ok(Delta::Finished(Reply {
        text: said.text,
        tool_calls: said.calls,
        stop,
        usage,
    })));
    deltas
}

/// Asking again would get the same answer, so no other kind fits.
fn refused(why: &str) -> CallError {
    let message = format!("the offline rules cannot do this: {why}");
    CallError::new(CallErrorKind::Refused, Billed::No, &message)
}

fn size(call: &ToolCall) -> usize {
    call.name.len() + call.arguments.len()
}

fn input_bytes(request: &Request) -> usize {
    let parts = request.messages.iter().flat_map(|message| &message.parts);
    let said = parts.map(|part| match part {
        Part::Text { text } | Part::ToolResult { text, .. } => text.len(),
        Part::ToolCall {
            name, arguments, ..
        } => name.len() + arguments.len(),
    });
    let tools = request
        .tools
        .iter()
        .map(|tool| tool.name.len() + tool.description.len() + tool.schema.to_string().len());
    said.chain(tools).sum()
}

fn tokens(bytes: usize) -> Tokens {
    Tokens(bytes.div_ceil(BYTES_PER_TOKEN) as u64)
}
