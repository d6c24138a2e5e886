//! Folding old turns into a summary: by the model, or mechanically when it cannot.

use gavel_models::{Message, Part};

use crate::excerpt::{Cap, Excerpt, Keep};

/// What the model is asked for.
pub(crate) const ASK: &str = "Your earlier turns will be folded into a summary to save room. Write \
    that summary now, without calling a tool: what was found out (with file names), what was \
    changed and why, what was tried and failed, what is left to do. At most 600 words.";

const CAP: Cap = Cap {
    bytes: 8_000,
    lines: 200,
};
/// Room for what people said in folded turns.
const PEOPLE_BYTES: usize = 16_000;
const SHOWN_ARGUMENTS: usize = 160;
const SHOWN_WORDS: usize = 300;

/// Who wrote a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Author {
    Model,
    Engine,
}

/// What people said: it outlives the turns in which it was said.
#[derive(Debug, Default)]
pub(crate) struct People {
    heard: Vec<String>,
    folded: Vec<String>,
}

impl People {
    /// Remembers words that were put into the conversation.
    pub(crate) fn said(&mut self, words: String) {
        self.heard.push(words);
    }

    /// Takes what was said in messages that are about to go.
    pub(crate) fn fold(&mut self, messages: &[Message]) {
        let goes = |words: &String| {
            let parts = messages.iter().flat_map(|message| &message.parts);
            parts.into_iter().any(|part| match part {
                Part::Text { text } => text == words,
                Part::ToolCall { .. } | Part::ToolResult { .. } => false,
            })
        };
        let (gone, stay) = std::mem::take(&mut self.heard).into_iter().partition(goes);
        self.heard = stay;
        let gone: Vec<String> = gone;
        self.folded.extend(gone);
    }

    /// The latest words of folded turns, as many as there is room for.
    fn kept(&self) -> String {
        let mut room = PEOPLE_BYTES;
        let fits = |words: &&String| {
            let fits = words.len() <= room;
            room = room.saturating_sub(words.len());
            fits
        };
        let mut kept: Vec<&String> = self.folded.iter().rev().take_while(fits).collect();
        if kept.is_empty() {
            return String::new();
        }
        let older = self.folded.len() - kept.len();
        let mut text = "What people said in them still holds:\n".to_owned();
        if older > 0 {
            text.push_str(&format!("({older} older remarks left out)\n"));
        }
        kept.reverse();
        for words in kept {
            text.push_str(words);
            text.push('\n');
        }
        text
    }
}

/// The message that stands for folded turns.
///
/// What people said in them is kept word by word: a summary must not lose an instruction.
pub(crate) fn message(author: Author, summary: &str, people: &People) -> String {
    let source = match author {
        Author::Model => "your own summary of earlier turns",
        Author::Engine => "list of earlier turns",
    };
    let mut text = "Earlier turns of this task were folded to save room.\n".to_owned();
    text.push_str(&people.kept());
    let summary = Excerpt::new(source, summary, CAP, Keep::Ends);
    text.push_str(&format!("{summary}\nGo on with the task."));
    text
}

/// False for nothing, and for a call that was written down instead of words, as small models do:
/// it would stand for everything that is folded.
pub(crate) fn is_one(text: &str) -> bool {
    let fence = |line: &&str| !line.trim_start().starts_with("```");
    let bare: Vec<&str> = text.lines().filter(fence).collect();
    let bare = bare.join("\n");
    let is_json = bare.trim_start().starts_with(['{', '['])
        && serde_json::from_str::<serde::de::IgnoredAny>(bare.trim()).is_ok();
    !bare.trim().is_empty() && !is_json
}

/// What happened, without a model: replies and calls, one line each.
pub(crate) fn mechanical(folded: &[Message]) -> String {
    let mut text = String::new();
    for part in folded.iter().flat_map(|message| &message.parts) {
        match part {
            Part::Text { text: words } => {
                text.push_str(&format!("said: {}\n", start(words, SHOWN_WORDS)));
            }
            Part::ToolCall {
                name, arguments, ..
            } => {
                let arguments = start(arguments, SHOWN_ARGUMENTS);
                text.push_str(&format!("called {name} {arguments}\n"));
            }
            Part::ToolResult { ok: true, .. } => {}
            Part::ToolResult {
                ok: false,
                text: why,
                ..
            } => {
                text.push_str(&format!("refused: {}\n", start(why, SHOWN_ARGUMENTS)));
            }
        }
    }
    text
}

fn start(text: &str, chars: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= chars {
        return line;
    }
    line.chars().take(chars).chain(" …".chars()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_in_words_is_no_summary() {
        for text in [
            "",
            " \n",
            "```\n```",
            "{\"name\": \"read_file\", \"arguments\": {}}",
            "```json\n{\"name\": \"gavel_get_contract\", \"arguments\": {\"kind\": \"ui\"}}\n```",
        ] {
            assert!(!is_one(text), "{text:?}");
        }
        for text in [
            "Read a.rs; nothing changed yet.",
            "{broken",
            "Changed this:\n```json\n{}\n```",
        ] {
            assert!(is_one(text), "{text:?}");
        }
    }
}
