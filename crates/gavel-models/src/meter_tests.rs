use super::*;
use crate::{Deadlines, Limits, ToolChoice};

fn meter(model: &str, max: u64) -> OutputMeter {
    OutputMeter::new(&Request {
        model: model.parse().unwrap(),
        messages: Vec::new(),
        tools: Vec::new(),
        tool_choice: ToolChoice::Auto,
        answer: None,
        limits: Limits {
            max_output: Tokens(max),
            deadlines: Deadlines::default(),
        },
    })
}

/// How many of 10,000 pieces pass before the meter cuts.
fn passed(mut meter: OutputMeter, piece: &str) -> usize {
    (0..10_000).take_while(|_| meter.add(piece).is_ok()).count()
}

#[test]
fn lets_a_reply_pass_that_keeps_to_the_maximum() {
    // Each of these pieces is at least one token in every vocabulary.
    for piece in [" the", "                ", "字", "----------------", "\n"] {
        for model in [
            "openai/gpt-4o",
            "openai/gpt-4",
            "anthropic/claude-sonnet-4-5",
        ] {
            assert!(passed(meter(model, 100), piece) >= 100, "{model} {piece:?}");
        }
    }
}

#[test]
fn cuts_a_reply_that_does_not_end() {
    // By vocabulary: words are one token each, and the count is repeated every eighth.
    let words = passed(meter("openai/gpt-4o", 1000), " word");
    assert!((1000..1300).contains(&words), "{words}");
    // By bytes: five bytes a piece, at most 16 a token.
    let words = passed(meter("local/llama", 1000), " word");
    assert_eq!(words, (16 * 1000 + 1024) / 5);
}
