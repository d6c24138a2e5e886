//! What a model is shown: our words, and everything else as fenced data within the model's room.

use gavel_agent::{Cap, Excerpt, Keep, ToolContext};
use gavel_domain::Tokens;
use gavel_models::ModelInfo;
use serde_json::{Value, json};

/// What our own words, the schema and the framing of a request take.
const OVERHEAD: u64 = 6_000;
/// Less than this is no room for a thought.
const LEAST: u64 = 2_000;
/// What a token holds at least, over a whole text.
const BYTES_PER_TOKEN: u64 = 3;
const LINES: usize = 600;

/// A task under construction.
#[derive(Debug)]
pub(crate) struct Task<'a> {
    text: String,
    room: usize,
    context: &'a ToolContext,
}

impl<'a> Task<'a> {
    /// Begins with our own words; the data gets shares of what the model and the run allow.
    pub(crate) fn new(
        words: &str,
        model: &ModelInfo,
        (max_input, max_output): (Tokens, Tokens),
        context: &'a ToolContext,
    ) -> Self {
        let by_model = model.context.0.saturating_sub(max_output.0);
        let by_model = by_model.saturating_mul(BYTES_PER_TOKEN);
        // Where a tokenizer is not public, the run counts bytes, and data grows when it is quoted.
        let bytes = by_model.min(max_input.0) / 5 * 4;
        let bytes = bytes.saturating_sub(OVERHEAD).max(LEAST);
        Self {
            text: words.to_owned(),
            room: usize::try_from(bytes).unwrap_or(usize::MAX),
            context,
        }
    }

    /// Adds data that may take so many hundredths of the room.
    pub(crate) fn data(&mut self, source: &str, text: &str, hundredths: usize) {
        let cap = Cap {
            bytes: self.room / 100 * hundredths,
            lines: LINES,
        };
        let text = self.context.scrub(text);
        let excerpt = Excerpt::new(source, &text, cap, Keep::Head);
        self.text.push_str(&format!("\n\n{excerpt}"));
    }

    /// Adds words of our own, or of a person.
    pub(crate) fn words(&mut self, words: &str) {
        if !words.is_empty() {
            self.text.push_str("\n\n");
            self.text.push_str(words);
        }
    }

    pub(crate) fn into_text(self) -> String {
        self.text
    }
}

/// The hundredths of the matter, the answers and memory.
pub(crate) type Shares = (usize, usize, usize);

/// A JSON array with one entry per line, so that a cut leaves whole entries.
pub(crate) fn list(entries: impl IntoIterator<Item = Value>) -> String {
    let entries: Vec<String> = entries.into_iter().map(|entry| entry.to_string()).collect();
    if entries.is_empty() {
        return "[]".to_owned();
    }
    format!("[\n{}\n]", entries.join(",\n"))
}

/// A memory item as models see it, with the mark by which it is not shown twice.
pub(crate) fn note(note: &gavel_domain::MemoryNote) -> Value {
    let mark = gavel_run::mark_of(&note.id, &note.text);
    json!({"id": note.id, "kind": note.kind, "text": note.text, "mark": mark})
}
