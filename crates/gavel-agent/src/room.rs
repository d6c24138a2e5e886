//! What fits into a model: a request and its reply share one context, and both take time.

use std::time::Duration;

use gavel_domain::{Price, Tokens};
use gavel_models::{Deadlines, Limits, Message, ModelInfo, Part, Tokenizer};

/// Source code has about three bytes to a token, prose four; the smaller count is the safe one.
const BYTES_PER_TOKEN: u64 = 3;
/// What vendors and chat templates put around a request.
const FRAMING: u64 = 256;
/// No reply is cut shorter than this for want of room; whether the request fits at all, the engine
/// and the provider say.
const LEAST_REPLY: u64 = 512;

/// How long a machine of one's own may take to read a token, and to write one.
const OWN_READING: Duration = Duration::from_millis(80);
const OWN_WRITING: Duration = Duration::from_millis(400);

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

/// The limits of a reply: as long as is wanted, or as the input leaves room for.
pub(crate) fn limits(model: &ModelInfo, input: Tokens, wanted: Tokens) -> Limits {
    let max_output = Tokens(wanted.0.min(left(model, input).max(LEAST_REPLY)));
    Limits {
        max_output,
        deadlines: deadlines(model, input, max_output),
    }
}

/// A model that costs nothing runs on a machine of one's own, which may be slow: it reads the whole
/// input before its first byte. Silence between two bytes means the same everywhere.
fn deadlines(model: &ModelInfo, input: Tokens, output: Tokens) -> Deadlines {
    let usual = Deadlines::default();
    if model.price != Some(Price::FREE) {
        return usual;
    }
    let times = |one: Duration, tokens: Tokens| {
        let tokens = tokens.0.min(model.context.0);
        one.saturating_mul(u32::try_from(tokens).unwrap_or(u32::MAX))
    };
    let first_byte = usual.first_byte.saturating_add(times(OWN_READING, input));
    let all = first_byte.saturating_add(times(OWN_WRITING, output));
    Deadlines {
        first_byte,
        total: usual.total.max(all),
        ..usual
    }
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
            let limits = limits(&small, Tokens(input), Tokens(wanted));
            assert_eq!(limits.max_output, Tokens(expected), "{input} {wanted}");
        }
        assert!(leaves_room(&small, Tokens(7_424)));
        assert!(!leaves_room(&small, Tokens(7_425)));
    }

    #[test]
    fn only_a_machine_of_ones_own_gets_more_time_for_more_text() {
        let metered = ModelInfo::unlisted("local/small".parse().unwrap());
        let asked =
            |model: &ModelInfo, input| limits(model, Tokens(input), Tokens(2_000)).deadlines;
        assert_eq!(asked(&metered, 5_000), Deadlines::default());
        let own = ModelInfo {
            price: Some(Price::FREE),
            ..metered
        };
        let seconds = |input| {
            let deadlines = asked(&own, input);
            assert_eq!(deadlines.idle, Deadlines::default().idle);
            (deadlines.first_byte.as_secs(), deadlines.total.as_secs())
        };
        assert_eq!(seconds(0), (120, 920));
        assert_eq!(seconds(5_000), (520, 1_320));
        // Never more than a full context takes, whatever was counted.
        assert_eq!(seconds(u64::MAX), (775, 980));
    }
}
