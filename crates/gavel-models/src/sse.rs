//! Server-sent events: bytes in, whole events out.
//!
//! Own lines rather than a crate, since three things must be known that the crates at hand hide: a
//! stream that ends inside an event, bytes that are no UTF-8, and an event without end. Lines are
//! split on bytes and decoded whole, so a character cut in two by a chunk border survives.

use crate::BadReply;

/// The longest event taken, in bytes: far above any delta of a provider.
const MAX_EVENT_BYTES: usize = 4 * 1024 * 1024;

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Event {
    /// The value of `event:`, empty when there was none.
    pub(crate) name: String,
    /// The values of `data:`, joined by line feeds.
    pub(crate) data: String,
}

/// Collects bytes into events.
#[derive(Debug, Default)]
pub(crate) struct SseReader {
    /// The line under way.
    line: Vec<u8>,
    /// A carriage return ended the last line; a line feed right after it belongs to it.
    after_return: bool,
    /// False until the first byte came: only there a byte order mark may stand.
    started: bool,
    name: String,
    data: Option<String>,
}

impl SseReader {
    /// Takes the next bytes; events that they complete are appended to `events`.
    pub(crate) fn push(&mut self, bytes: &[u8], events: &mut Vec<Event>) -> Result<(), BadReply> {
        for byte in bytes {
            let ends_line = match byte {
                b'\n' => !std::mem::take(&mut self.after_return),
                b'\r' => {
                    self.after_return = true;
                    true
                }
                _ => {
                    self.after_return = false;
                    self.line.push(*byte);
                    false
                }
            };
            if ends_line {
                self.end_line(events)?;
            }
        }
        if self.line.len() > MAX_EVENT_BYTES {
            return Err(BadReply::Malformed);
        }
        Ok(())
    }

    /// Says whether the stream ended between two events.
    pub(crate) fn finish(&self) -> Result<(), BadReply> {
        if self.line.is_empty() && self.data.is_none() {
            Ok(())
        } else {
            Err(BadReply::Cut)
        }
    }

    fn end_line(&mut self, events: &mut Vec<Event>) -> Result<(), BadReply> {
        let bytes = std::mem::take(&mut self.line);
        let Ok(line) = std::str::from_utf8(&bytes) else {
            return Err(BadReply::NotUtf8);
        };
        let line = if std::mem::replace(&mut self.started, true) {
            line
        } else {
            line.strip_prefix('\u{feff}').unwrap_or(line)
        };
        if line.is_empty() {
            let name = std::mem::take(&mut self.name);
            if let Some(data) = self.data.take() {
                events.push(Event { name, data });
            }
            return Ok(());
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut self.name),
            "data" => self.more_data(value)?,
            // Comments (keep-alives) have an empty field name; `id` and `retry` mean nothing to us.
            _ => {}
        }
        Ok(())
    }

    fn more_data(&mut self, value: &str) -> Result<(), BadReply> {
        let data = match &mut self.data {
            Some(data) => {
                data.push('\n');
                data
            }
            None => self.data.insert(String::new()),
        };
        data.push_str(value);
        if data.len() > MAX_EVENT_BYTES {
            return Err(BadReply::Malformed);
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "sse_tests.rs"]
mod tests;
