//! The one text of a tool result: scrubbed, capped, fenced. Model and journal see the same.

use crate::excerpt::{Cap, Excerpt};
use crate::{Data, ToolContext, ToolOutput, ToolRefusal};

/// The most of a tool's own words.
const MAX_WORDS: usize = 2_000;
/// What even the last of many pieces of content gets.
const LEAST: Cap = Cap {
    bytes: 400,
    lines: 10,
};
/// More pieces than this are not shown.
const MAX_PIECES: usize = 16;

pub(crate) struct ToolResult {
    pub(crate) ok: bool,
    pub(crate) text: String,
}

impl ToolResult {
    pub(crate) fn new(context: &ToolContext, outcome: Result<ToolOutput, ToolRefusal>) -> Self {
        let (ok, words, data) = match outcome {
            Ok(output) => (true, output.words, output.data),
            Err(refusal) => (false, refusal.sentence, refusal.data),
        };
        let mut text = capped_words(&context.scrub(&words));
        let mut left = context.cap();
        for Data {
            source,
            text: content,
            keep,
        } in data.iter().take(MAX_PIECES).cloned()
        {
            let cap = Cap {
                bytes: left.bytes.max(LEAST.bytes),
                lines: left.lines.max(LEAST.lines),
            };
            let excerpt =
                Excerpt::new(&context.scrub(&source), &context.scrub(&content), cap, keep)
                    .to_string();
            left.bytes = left.bytes.saturating_sub(excerpt.len());
            left.lines = left.lines.saturating_sub(excerpt.lines().count());
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&excerpt);
        }
        if data.len() > MAX_PIECES {
            text.push_str(&format!(
                "\n({} further pieces left out)",
                data.len() - MAX_PIECES
            ));
        }
        if text.is_empty() {
            text.push_str("(nothing)");
        }
        Self { ok, text }
    }
}

fn capped_words(words: &str) -> String {
    let end = words.floor_char_boundary(MAX_WORDS);
    match words.get(..end) {
        Some(head) if end < words.len() => format!("{head} (cut)"),
        _ => words.to_owned(),
    }
}
