//! What fits into a model: a request and its reply share one context.

use gavel_domain::Tokens;
use gavel_models::{Message, ModelInfo, Part, Tokenizer};

/// Source code has about three bytes to a token, prose four; the smaller count is the safe one.
const BYTES_PER_TOKEN: u64 = 3;
/// What vendors and chat templates put around a request.
const FRAMING: u64 = 256;
/// No reply is cut shorter than this for want of room; whether the request fits at all, the engine
/// and the provider say.
const LEAST_REPLY: u64 = 512;

/// How many tokens a text has, about; rather too many than too few.
pub(crate) fn count(tokenizer: Tokenizer, text: &str) -> Tokens {
    tokenizer
        .count(text)
        .unwrap_or_else(|| Tokens((text.len() as u64).div_ceil(BYTES_PER_TOKEN)))
}

/// How many tokens messages have, about.
pub(crate) fn count_messages(tokenizer: Tokenizer, messages: &[Message]) -> Tokens {
    let parts = messages.iter().flat_map(|message| &message.parts);
    let sizes = parts.map(|part| match part {
        Part::Text { text } | Part::ToolResult { text, .. } => count(tokenizer, text),
        Part::ToolCall {
            name, arguments, ..
        } => count(tokenizer, name) + count(tokenizer, arguments),
    });
    sizes.fold(Tokens(0), |sum, size| sum + size)
}

/// True when an input of that size leaves room for a reply that is worth asking for.
pub(crate) const fn leaves_room(model: &ModelInfo, input: Tokens) -> bool {
    left(model, input) >= LEAST_REPLY
}

/// The longest reply to ask for: what is wanted, or what the input leaves of the context.
pub(crate) fn longest_reply(model: &ModelInfo, input: Tokens, wanted: Tokens) -> Tokens {
    Tokens(wanted.0.min(left(model, input).max(LEAST_REPLY)))
}

const fn left(model: &ModelInfo, input: Tokens) -> u64 {
    let taken = input.0.saturating_add(FRAMING);
    model.context.0.saturating_sub(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_gets_what_the_input_leaves() {
        let small = ModelInfo::unlisted("local/small".parse().unwrap());
        assert_eq!(small.context, Tokens(8_192));
        for (input, wanted, expected) in [
            (0, 4_096, 4_096),
            (3_840, 4_096, 4_096),
            (3_841, 4_096, 4_095),
            (7_000, 4_096, 936),
            (7_000, 100, 100),
            (8_000, 4_096, 512),
            (u64::MAX, 4_096, 512),
        ] {
            let reply = longest_reply(&small, Tokens(input), Tokens(wanted));
            assert_eq!(reply, Tokens(expected), "{input} {wanted}");
        }
        assert!(leaves_room(&small, Tokens(7_424)));
        assert!(!leaves_room(&small, Tokens(7_425)));
    }
}
