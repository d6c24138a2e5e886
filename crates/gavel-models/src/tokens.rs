//! How many tokens a request may be billed for, at most.
//!
//! A ceiling, not an estimate: a reservation built on it must never be broken. So each way of
//! counting adds what the vendor's own framing can add.

use gavel_domain::Tokens;

use crate::anthropic::Purpose;
use crate::{
    AnswerMode, MaxTokensField, ModelInfo, OpenAiFlavour, Part, Request, Tokenizer, anthropic,
    openai,
};

/// What a message costs beyond its text. OpenAI documents 4; the rest is room for changes.
const PER_MESSAGE: u64 = 8;

/// What a part, a call or a tool costs beyond its text.
const PER_PART: u64 = 16;

/// What vendors may put around a request.
const PER_REQUEST: u64 = 64;

/// What vendors put into the prompt once tools or an answer schema are in play: Anthropic documents up
/// to 530 tokens, and chat templates of open models stay below it.
const TOOL_PREAMBLE: u64 = 1024;

/// What a provider's own count may be off, per message.
const COUNT_SLACK: u64 = 64;

/// The ceiling of a request's input: by the exact tokenizer where it is public, else the provider's
/// count + 2 % + 64 per message, else the bytes of the request as sent, since no token is shorter than
/// one byte.
pub fn input_ceiling(request: &Request, info: &ModelInfo, counted: Option<Tokens>) -> Tokens {
    if let Some(exact) = exact(request, info.tokenizer) {
        return exact;
    }
    let messages = request.messages.len() as u64;
    match counted {
        Some(Tokens(counted)) => Tokens(
            counted
                .saturating_add(counted.div_ceil(50))
                .saturating_add(COUNT_SLACK.saturating_mul(messages)),
        ),
        None => Tokens(
            sent_bytes(request)
                .saturating_add(PER_REQUEST)
                .saturating_add(PER_MESSAGE.saturating_mul(messages))
                .saturating_add(preamble(request)),
        ),
    }
}

const fn preamble(request: &Request) -> u64 {
    if request.tools.is_empty() && request.answer.is_none() {
        0
    } else {
        TOOL_PREAMBLE
    }
}

/// Counts every text of a request, with room for the framing; `None` without a public vocabulary.
fn exact(request: &Request, tokenizer: Tokenizer) -> Option<Tokens> {
    let mut sum = PER_REQUEST.saturating_add(preamble(request));
    let mut add = |text: &str, framing: u64| {
        let counted = tokenizer.count(text)?;
        sum = sum.saturating_add(counted.0).saturating_add(framing);
        Some(())
    };
    for message in &request.messages {
        add("", PER_MESSAGE)?;
        for part in &message.parts {
            match part {
                Part::Text { text } => add(text, PER_PART)?,
                Part::ToolResult { id, text, .. } => {
                    add(id, 0)?;
                    add(text, PER_PART)?;
                }
                Part::ToolCall {
                    id,
                    name,
                    arguments,
                } => {
                    add(id, 0)?;
                    add(name, 0)?;
                    add(arguments, PER_PART)?;
                }
            }
        }
    }
    // Vendors render schemas more tightly than JSON; the JSON is the ceiling.
    for tool in &request.tools {
        add(&tool.name, PER_PART)?;
        add(&tool.description, 0)?;
        add(&tool.schema.to_string(), 0)?;
    }
    if let Some(answer) = &request.answer {
        add(&answer.name, PER_PART)?;
        add(&answer.schema.to_string(), 0)?;
    }
    Some(Tokens(sum))
}

/// The bytes of the larger of the two wires; where a schema can travel in several ways, the longest.
fn sent_bytes(request: &Request) -> u64 {
    let modes: &[AnswerMode] = if request.answer.is_some() {
        &[AnswerMode::Native, AnswerMode::Tool, AnswerMode::Fenced]
    } else {
        &[AnswerMode::Native]
    };
    let bodies = modes.iter().flat_map(|mode| {
        let flavour = OpenAiFlavour {
            answers: *mode,
            max_tokens: MaxTokensField::MaxCompletionTokens,
        };
        [
            anthropic::body(request, *mode, Purpose::Reply),
            openai::body(request, flavour),
        ]
    });
    // A request that no wire can carry is refused before it is sent, and costs nothing.
    let longest = bodies.flatten().map(|body| body.len() as u64).max();
    longest.unwrap_or(0)
}

#[cfg(test)]
#[path = "tokens_tests.rs"]
mod tests;
