//! Project memory: what people and runs learned, as files in the repository; proposals, private items
//! and those of one machine as lines of the same form in the store.
//!
//! `.gavel/memory/<yyyy-mm>/<uuid7>.jsonl`: each file is written by one command or run, made
//! exclusively and never touched again, so branches merge without a conflict on any forge. Every
//! line is an event; items are a fold over the set of all events, the same in any order. This
//! crate calls no model and reads no clock: time and ids come in as a [`Stamp`].

mod audit;
mod change;
mod compact;
#[cfg(test)]
mod desk;
mod event;
mod exchange;
mod fold;
mod hints;
mod hold;
mod id;
mod index;
mod item;
mod keep;
mod lesson;
mod log;
mod marks;
mod memory;
mod new_item;
mod problem;
mod read;
mod redact;
mod search;
mod shelf;
mod stamp;
mod terms;
mod uses;
mod write;
mod written;

pub use audit::{Audit, Uses};
pub use change::{ChangeError, Patch};
pub use compact::{CompactError, CompactedMonth, Compaction};
pub use exchange::{ImportError, Imported};
pub use hints::Hints;
pub use hold::HoldError;
pub use id::{ItemId, ItemIdError, Kind, UnknownWord};
pub use item::{Acceptance, Expiry, Ids, Item, Provenance, Severity, State, Visibility};
pub use keep::{keep_written, project_key};
pub use lesson::LessonOrigin;
pub use marks::{Mark, Marks, Tally};
pub use memory::{FindError, MEMORY_FOLDER, Memory, OpenError};
pub use new_item::{AddError, MAX_TAGS, MAX_TEXT_BYTES, MAX_TITLE_CHARS, NewItem};
pub use problem::{Problem, Trouble};
pub use redact::{RedactError, Redaction};
pub use search::{Field, Found, Query, Recalled, Standing, Why, WordFound};
pub use shelf::{Named, NamedQuery, Shelf, ShelfError, ShelfItemError, ShelfPage, ShelfPlace};
pub use stamp::Stamp;
pub use uses::{count_uses, runs_given};
pub use write::{WriteError, make_memory_folder};
pub use written::Written;
