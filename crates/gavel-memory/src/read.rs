//! Reading one line, with tolerance for what later versions write.

use gavel_domain::Timestamp;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::event::{Change, Event, EventId, Fields};
use crate::id::ItemId;
use crate::problem::Trouble;

/// Reads a line. Troubles that do not lose the event come beside it.
pub(crate) fn read_line(line: &str) -> Result<(Event, Vec<Trouble>), Trouble> {
    let object: Map<String, Value> = serde_json::from_str(line).map_err(|error| damaged(&error))?;
    let mut reader = Reader {
        object,
        troubles: Vec::new(),
    };
    let word: String = reader.need("event")?;
    let id = EventId(reader.need::<Uuid>("id")?);
    let at: Timestamp = reader.need("at")?;
    let by = reader.take("by");
    let change = match word.as_str() {
        "added" => {
            let fields = reader.fields();
            if fields.text.is_none() {
                return Err(lacking("text"));
            }
            Change::Added(Box::new(fields))
        }
        "changed" => Change::Changed(Box::new(reader.fields())),
        "marked" => match reader.take("mark") {
            Some(mark) => Change::Marked(mark),
            None => return Err(Trouble::UnknownMark),
        },
        "retired" => Change::Retired,
        "redacted" => Change::Redacted,
        _ => {
            return Err(Trouble::UnknownEvent {
                event: shown(&word),
            });
        }
    };
    let item: ItemId = reader.need("item")?;
    let event = Event {
        id,
        at,
        by,
        item,
        change,
    };
    Ok((event, reader.finish()))
}

struct Reader {
    object: Map<String, Value>,
    troubles: Vec<Trouble>,
}

impl Reader {
    /// A field without which there is no event.
    fn need<T: DeserializeOwned>(&mut self, field: &'static str) -> Result<T, Trouble> {
        let value = self.object.remove(field).ok_or_else(|| lacking(field))?;
        serde_json::from_value(value).map_err(|error| Trouble::Damaged {
            reason: format!("`{field}`: {error}"),
        })
    }

    /// A field that may be missing, or hold what a later version thought of.
    fn take<T: DeserializeOwned>(&mut self, field: &'static str) -> Option<T> {
        let value = self.object.remove(field)?;
        let read = serde_json::from_value(value).ok();
        if read.is_none() {
            self.troubles.push(Trouble::UnknownValue { field });
        }
        read
    }

    fn fields(&mut self) -> Fields {
        Fields {
            title: self.take("title"),
            text: self.take("text"),
            tags: self.take("tags"),
            paths: self.take("paths"),
            severity: self.take("severity"),
            status: self.take("status"),
            expires_at: self.take("expires_at"),
            superseded_by: self.take("superseded_by"),
            acceptance: self.take("acceptance"),
            visibility: self.take("visibility"),
            provenance: self.take("provenance"),
        }
    }

    /// Whatever is left was written by a later version.
    fn finish(self) -> Vec<Trouble> {
        let mut troubles = self.troubles;
        let left = self.object.into_iter().map(|(field, _)| field);
        troubles.extend(left.map(|field| Trouble::UnknownField {
            field: shown(&field),
        }));
        troubles
    }
}

fn damaged(error: &serde_json::Error) -> Trouble {
    Trouble::Damaged {
        reason: error.to_string(),
    }
}

fn lacking(field: &str) -> Trouble {
    Trouble::Damaged {
        reason: format!("`{field}` is missing"),
    }
}

/// A word of a file, safe to print.
fn shown(word: &str) -> String {
    word.chars()
        .take(40)
        .collect::<String>()
        .escape_debug()
        .to_string()
}
