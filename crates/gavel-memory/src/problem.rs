//! What was found wrong with memory files. Reading goes on with the rest; nothing is passed over
//! in silence.

use std::fmt;

use gavel_workspace::{FileError, SecretKind};

use crate::id::ItemId;

/// Something that a person should know about a file.
#[derive(Debug)]
pub struct Problem {
    /// The file, from the root of the checkout.
    pub file: String,
    /// The line, counted from 1; `None` for the file as a whole.
    pub line: Option<usize>,
    /// What is wrong.
    pub trouble: Trouble,
}

/// What is wrong with a file or a line of it.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// It could not be read.
    #[error("the file could not be read")]
    NotRead(#[source] FileError),
    /// It is larger than anything that Gavel writes.
    #[error("the file has {bytes} bytes and was not read")]
    TooLarge {
        /// Its size.
        bytes: u64,
    },
    /// It is a symlink, or lies where no memory file lies.
    #[error("memory lies in files in folders of months, such as 2026-11: this was not read")]
    Misplaced,
    /// A folder holds more files than are read.
    #[error("{count} more entries were not read")]
    TooMany {
        /// How many.
        count: usize,
    },
    /// The line is no event.
    #[error("the line is damaged and was left out: {reason}")]
    Damaged {
        /// What a reader says.
        reason: String,
    },
    /// A later version wrote an event of another kind.
    #[error("events of kind `{event}` are not known to this version: left out")]
    UnknownEvent {
        /// The kind.
        event: String,
    },
    /// A later version wrote another field.
    #[error("the field `{field}` is not known to this version: passed over")]
    UnknownField {
        /// The field.
        field: String,
    },
    /// A field holds something that this version does not know.
    #[error("the value of `{field}` is not known to this version: passed over")]
    UnknownValue {
        /// The field.
        field: &'static str,
    },
    /// A later version knows other marks.
    #[error("the mark is not known to this version: left out")]
    UnknownMark,
    /// The line holds a secret; it reaches no list, search or prompt.
    #[error(
        "the line holds a {kind} and was left out: `gavel memory redact {item}` takes it out; \
         replace the secret"
    )]
    Secret {
        /// Which sort.
        kind: SecretKind,
        /// The item.
        item: ItemId,
    },
    /// Two events claim the same id.
    #[error("another line has the same event id and says something else: the greater line counts")]
    Differs,
    /// An item that was changed but never added.
    #[error("{item} was changed, but no file says what it is: is a branch missing?")]
    Incomplete {
        /// The item.
        item: ItemId,
    },
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}", self.trouble)?;
        if let Some(cause) = std::error::Error::source(&self.trouble) {
            write!(f, ": {cause}")?;
        }
        Ok(())
    }
}
