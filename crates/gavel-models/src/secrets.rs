//! The secret values that the program holds, taken out of whatever comes from outside.
//!
//! A reply can hold a key as it is, or in a form that anybody turns back: base64, hex, percent or
//! JSON escapes. Each form is a list of letters, and each letter may stand plain or escaped, so that
//! mixed spellings are found too, and so that a text under way tells whether its end may become one.

mod form;
mod json;

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use secrecy::{ExposeSecret, SecretString};

use self::form::Form;
use crate::{CallError, Reply, ToolCall};

/// What stands in place of a secret.
const HIDDEN: &str = "***";

/// Shorter values are left alone: they would take ordinary words out, and no provider gives such keys.
const MIN_BYTES: usize = 12;

/// So much of a secret's beginning, at the very end of a text that was cut, is hidden too.
const MIN_CUT_BYTES: usize = 6;

/// Values that nothing stored or shown may hold. `Debug` never prints them.
#[derive(Clone, Default)]
pub struct KnownSecrets {
    forms: Arc<[Form]>,
}

impl KnownSecrets {
    /// All forms of these values. Blanks around a value are not part of it, and values of less than
    /// twelve bytes are passed over.
    pub fn new<'a>(values: impl IntoIterator<Item = &'a SecretString>) -> Self {
        let mut values: Vec<&str> = values
            .into_iter()
            .map(|value| value.expose_secret().trim())
            .filter(|value| value.len() >= MIN_BYTES)
            .collect();
        values.sort_unstable();
        values.dedup();
        Self {
            forms: values.into_iter().flat_map(Form::all_of).collect(),
        }
    }

    /// The text without its secrets; a text that holds none comes back as it is.
    pub fn scrub(&self, text: &str) -> String {
        replaced(text, &self.look(text).spans)
    }

    /// A text that somebody cut: the beginning of a secret at its very end is hidden too.
    pub fn scrub_cut(&self, text: &str) -> String {
        let mut filter = self.follow();
        let shown = filter.push(text);
        if filter.held.len() < MIN_CUT_BYTES {
            return shown + &filter.finish();
        }
        shown + HIDDEN
    }

    /// The reply as it may be kept: texts, arguments and ids of its tool calls.
    pub fn scrub_reply(&self, reply: Reply) -> Reply {
        let tool_calls = reply.tool_calls.into_iter();
        Reply {
            text: self.scrub_document(reply.text),
            tool_calls: tool_calls
                .map(|call| ToolCall {
                    id: self.scrub(&call.id),
                    name: self.scrub(&call.name),
                    arguments: self.scrub_document(call.arguments),
                })
                .collect(),
            stop: reply.stop,
            usage: reply.usage,
        }
    }

    /// The error as it may be kept. Its message is a beginning, so it may end within a secret.
    pub fn scrub_error(&self, error: CallError) -> CallError {
        CallError {
            message: self.scrub_cut(&error.message),
            ..error
        }
    }

    /// Follows a text that comes in pieces.
    pub fn follow(&self) -> SecretFilter {
        SecretFilter {
            secrets: self.clone(),
            held: String::new(),
        }
    }

    /// A text that may be JSON: what its strings mean is looked at as well, and it stays JSON.
    fn scrub_document(&self, text: String) -> String {
        if self.forms.is_empty() {
            return text;
        }
        json::scrub(self, &text).unwrap_or_else(|| self.scrub(&text))
    }

    fn look(&self, text: &str) -> Sight {
        let bytes = text.as_bytes();
        let mut sight = Sight {
            spans: Vec::new(),
            open: bytes.len(),
        };
        for at in 0..bytes.len() {
            for form in self.forms.iter() {
                let reach = form.reach(bytes, at);
                if reach.open {
                    sight.open = sight.open.min(at);
                }
                if let Some(end) = reach.whole {
                    add(&mut sight.spans, at..end);
                }
            }
        }
        sight
    }
}

impl fmt::Debug for KnownSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KnownSecrets({} forms)", self.forms.len())
    }
}

/// What was seen in a text.
struct Sight {
    /// The secrets, in order, none touching the next.
    spans: Vec<Range<usize>>,
    /// From here on the text may be the beginning of a secret.
    open: usize,
}

/// Spans come in the order of their beginnings; what overlaps is one.
fn add(spans: &mut Vec<Range<usize>>, span: Range<usize>) {
    match spans.last_mut() {
        Some(last) if span.start < last.end => last.end = last.end.max(span.end),
        Some(_) | None => spans.push(span),
    }
}

fn replaced(text: &str, spans: &[Range<usize>]) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut from = 0;
    for span in spans {
        clean.push_str(text.get(from..span.start).unwrap_or_default());
        clean.push_str(HIDDEN);
        from = span.end;
    }
    clean.push_str(text.get(from..).unwrap_or_default());
    clean
}

/// Takes secrets out of a text that comes in pieces: an end that may become a secret is held back.
/// All that it gives out is, joined, what [`KnownSecrets::scrub`] makes of the whole.
#[derive(Debug)]
pub struct SecretFilter {
    secrets: KnownSecrets,
    held: String,
}

impl SecretFilter {
    /// Takes a piece and gives out what can be shown of all so far.
    pub fn push(&mut self, piece: &str) -> String {
        self.held.push_str(piece);
        let Sight { mut spans, open } = self.secrets.look(&self.held);
        let crossing = spans.iter().find(|span| span.end > open);
        let safe = crossing.map_or(open, |span| span.start.min(open));
        let rest = self.held.split_off(safe);
        let shown = std::mem::replace(&mut self.held, rest);
        spans.retain(|span| span.end <= safe);
        replaced(&shown, &spans)
    }

    /// The rest, once the text is whole.
    pub fn finish(&mut self) -> String {
        self.secrets.scrub(&std::mem::take(&mut self.held))
    }
}

#[cfg(test)]
#[path = "secrets_tests.rs"]
mod tests;
