//! The rules as a model: a request in, one reply out, everything taken from the request alone.

use futures_util::stream;
use gavel_domain::{Billed, Price, StopReason, TokenUsage, Tokens};
use gavel_models::{
    CallError, CallErrorKind, Delta, Model, ModelIdError, ModelInfo, Part, Reply, ReplyStream,
    Request, Tier, Tokenizer,
};

use crate::wire::{self, Said};

/// The rules cut nothing into tokens. A public vocabulary counts for them, so that figures compare
/// with those of other models and no ceiling is built on bytes.
const TOKENIZER: Tokenizer = Tokenizer::O200k;
/// Code has three bytes to a token or more; two leave room.
pub(crate) const BYTES_PER_TOKEN: usize = 2;

/// The rule-based model. It remembers nothing: what it knows stands in the conversation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Offline;

/// What is known about the rule-based model.
pub fn info() -> Result<ModelInfo, ModelIdError> {
    Ok(ModelInfo {
        id: "offline".parse()?,
        tier: Tier::Fast,
        context: Tokens(200_000),
        max_output: Tokens(32_000),
        price: Some(Price::FREE),
        tokenizer: TOKENIZER,
    })
}

impl Model for Offline {
    fn stream(&self, request: Request) -> ReplyStream {
        let said = wire::answer(&request).map_err(|problem| problem.to_string());
        let deltas = match said.and_then(|said| reply(&request, said)) {
            Ok(reply) => deltas(reply),
            Err(why) => vec![Err(refused(&why))],
        };
        Box::pin(stream::iter(deltas))
    }
}

fn reply(request: &Request, said: Said) -> Result<Reply, String> {
    let calls = said.calls.iter();
    let calls = calls.flat_map(|call| [call.name.as_str(), &call.arguments]);
    let usage = TokenUsage {
        input: counted(asked(request)),
        output: counted(calls.chain([said.text.as_str()])),
        ..TokenUsage::default()
    };
    let (needed, most) = (usage.output.0, request.limits.max_output.0);
    if needed > most {
        return Err(format!(
            "the reply needs about {needed} tokens and may have {most}: allow longer replies"
        ));
    }
    let silent = said.calls.is_empty();
    Ok(Reply {
        text: said.text,
        tool_calls: said.calls,
        stop: if silent {
            StopReason::End
        } else {
            StopReason::ToolUse
        },
        usage,
    })
}

fn deltas(reply: Reply) -> Vec<Result<Delta, CallError>> {
    let text = (!reply.text.is_empty()).then(|| Delta::Text(reply.text.clone()));
    let started = |name: &String| Delta::ToolStarted { name: name.clone() };
    let calls: Vec<Delta> = reply
        .tool_calls
        .iter()
        .map(|call| started(&call.name))
        .collect();
    let deltas = text
        .into_iter()
        .chain(calls)
        .chain([Delta::Finished(reply)]);
    deltas.map(Ok).collect()
}

/// Asking again would get the same answer, so no other kind fits.
fn refused(why: &str) -> CallError {
    // A reason that says whose it is needs no introduction.
    let message = if why.starts_with("the offline rules") {
        why.to_owned()
    } else {
        format!("the offline rules cannot do this: {why}")
    };
    CallError::new(CallErrorKind::Refused, Billed::No, &message)
}

/// Every text of a request.
fn asked(request: &Request) -> impl Iterator<Item = &str> {
    let parts = request.messages.iter().flat_map(|message| &message.parts);
    let said = parts.flat_map(|part| match part {
        Part::Text { text } | Part::ToolResult { text, .. } => [text.as_str(), ""],
        Part::ToolCall {
            name, arguments, ..
        } => [name.as_str(), arguments],
    });
    let tools = request.tools.iter();
    said.chain(tools.flat_map(|tool| [tool.name.as_str(), &tool.description]))
}

fn counted<'a>(texts: impl Iterator<Item = &'a str>) -> Tokens {
    Tokens(
        texts
            .filter_map(|text| TOKENIZER.count(text))
            .map(|tokens| tokens.0)
            .sum(),
    )
}
