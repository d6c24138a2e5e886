//! Taking the words of an item out, wherever they lie. This is the one place that rewrites a memory
//! file: line by line, beside it first and then under its name.

use std::collections::BTreeSet;
use std::io::{self, Write as _};
use std::path::PathBuf;

use gavel_workspace::{FileError, RepoPath, TreeRoot};

use crate::event::{Change, Event, Fields};
use crate::hold::{HoldError, hold};
use crate::id::ItemId;
use crate::item::{Provenance, State};
use crate::log::memory_files;
use crate::memory::{MAX_FILE_BYTES, Memory};
use crate::problem::Trouble;
use crate::read::read_line;
use crate::stamp::Stamp;
use crate::write::WriteError;
use crate::written::{Written, event};

/// What was done.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[must_use = "what the store shall hold is lost unless it is handed over"]
pub struct Redaction {
    /// What was written besides.
    pub written: Written,
    /// The files from which words were taken, from the root of the checkout.
    pub files: Vec<RepoPath>,
    /// Lines that name the item and cannot be read, with their numbers: a person has to look.
    pub by_hand: Vec<(RepoPath, usize)>,
    /// Files that are too large to look into: the words may be in them.
    pub too_large: Vec<RepoPath>,
}

/// Why the words are still there.
#[derive(Debug, thiserror::Error)]
pub enum RedactError {
    /// Nothing is known of that item.
    #[error("there is no memory item {id}")]
    NoItem {
        /// Which.
        id: ItemId,
    },
    /// Nobody may rewrite files now.
    #[error(transparent)]
    Held(#[from] HoldError),
    /// A file could not be read.
    #[error("a memory file could not be read")]
    Unread(#[from] FileError),
    /// A file could not be rewritten.
    #[error("{path} could not be rewritten")]
    Io {
        /// Which.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The note about it could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// A file with the words of an item taken out.
struct Cleaned {
    text: Vec<u8>,
    changed: bool,
    named: bool,
    by_hand: Vec<usize>,
}

impl Memory {
    /// Takes the words of an item out of every file and line, and says so for good. Items whose lines
    /// were left out because of a secret are found by their whole id, too.
    pub fn redact(&mut self, id: ItemId, stamp: &mut Stamp<'_>) -> Result<Redaction, RedactError> {
        let _hold = hold(&self.root)?;
        let mut redaction = Redaction::default();
        let mut named = false;
        for path in memory_files(&TreeRoot::open(&self.root)?)? {
            let root = TreeRoot::open(&self.root)?;
            let content = root.read(&path, MAX_FILE_BYTES)?;
            if content.left_out() > 0 {
                redaction.too_large.push(path);
                continue;
            }
            let cleaned = clean(&content.bytes, id);
            named |= cleaned.named;
            let by_hand = cleaned.by_hand.iter();
            redaction
                .by_hand
                .extend(by_hand.map(|line| (path.clone(), *line)));
            if cleaned.changed {
                self.rewrite(&path, &cleaned.text)?;
                redaction.files.push(path);
            }
        }
        let held = self.empty_lines(id)?;
        // In a file that nobody can look into there may be such an item.
        let known = named || !held.is_empty() || self.knows(id);
        if !known && redaction.too_large.is_empty() {
            return Err(RedactError::NoItem { id });
        }
        // What was redacted before and said nowhere since needs no second word.
        let over = self
            .items
            .get(&id)
            .is_some_and(|item| item.state == State::Redacted);
        if over && held.is_empty() && redaction.files.is_empty() {
            return Ok(redaction);
        }
        let homes = if named {
            BTreeSet::from([id])
        } else {
            BTreeSet::new()
        };
        let redacted = event(id, Change::Redacted, stamp);
        redaction.written = self.record_in(vec![redacted], &homes, stamp)?;
        redaction.written.held.extend(held);
        self.log.forget_secrets(id);
        Ok(redaction)
    }

    /// Takes the words out of what was read; gives the lines that the store has to replace.
    fn empty_lines(&mut self, id: ItemId) -> Result<Vec<(uuid::Uuid, String)>, WriteError> {
        let mut held = Vec::new();
        for (event, home) in self.log.all_of(id) {
            let event = emptied(event);
            let line = event.to_line().map_err(WriteError::Form)?;
            if self.log.is_in_store(event.id, home) {
                held.push((event.id.0, line.clone()));
            }
            self.log.insert(event, line, home);
        }
        Ok(held)
    }

    fn rewrite(&self, path: &RepoPath, text: &[u8]) -> Result<(), RedactError> {
        let whole = self.root.join(path.as_str());
        let io = |source| RedactError::Io {
            path: whole.clone(),
            source,
        };
        let folder = whole.parent().unwrap_or(&self.root);
        let mode = std::fs::metadata(&whole).map_err(io)?.permissions();
        let mut file = tempfile::Builder::new()
            .prefix(".")
            .suffix(".tmp")
            .tempfile_in(folder)
            .map_err(io)?;
        file.write_all(text).map_err(io)?;
        file.as_file().set_permissions(mode).map_err(io)?;
        file.as_file().sync_all().map_err(io)?;
        file.persist(&whole).map_err(|refused| io(refused.error))?;
        Ok(())
    }
}

/// Goes through a file; every line of another item stays byte for byte.
fn clean(bytes: &[u8], id: ItemId) -> Cleaned {
    let name = id.to_string();
    let mut cleaned = Cleaned {
        text: Vec::with_capacity(bytes.len()),
        changed: false,
        named: false,
        by_hand: Vec::new(),
    };
    let lines = bytes.split_inclusive(|byte| *byte == b'\n');
    for (line, number) in lines.zip(1..) {
        match without_words(line, id) {
            Some(emptied) => {
                cleaned.named = true;
                let end: &[u8] = if line.ends_with(b"\n") { b"\n" } else { b"" };
                let new = [emptied.as_bytes(), end].concat();
                cleaned.changed |= new != line;
                cleaned.text.extend(new);
            }
            None => {
                let mentions = String::from_utf8_lossy(line).contains(&name);
                let readable =
                    std::str::from_utf8(line).is_ok_and(|line| read_line(line.trim()).is_ok());
                if mentions && !readable {
                    cleaned.by_hand.push(number);
                }
                cleaned.text.extend(line);
            }
        }
    }
    cleaned
}

/// The line without its words, if it is one of the item.
fn without_words(line: &[u8], id: ItemId) -> Option<String> {
    let line = std::str::from_utf8(line).ok()?.trim();
    let (event, troubles) = read_line(line).ok()?;
    if event.item != id {
        return None;
    }
    // Words may lie in fields that only a later version knows: those go as well.
    let known = !troubles
        .iter()
        .any(|trouble| matches!(trouble, Trouble::UnknownField { .. }));
    let emptied = emptied(event.clone());
    if known && emptied == event {
        return Some(line.to_owned());
    }
    emptied.to_line().ok()
}

fn emptied(event: Event) -> Event {
    let fields = |fields: Box<Fields>| {
        Box::new(Fields {
            title: None,
            text: fields.text.map(|_| String::new()),
            tags: None,
            paths: None,
            provenance: fields
                .provenance
                .filter(|from| Provenance::name(from).is_none()),
            ..*fields
        })
    };
    let change = match event.change {
        Change::Added(old) => Change::Added(fields(old)),
        Change::Changed(old) => Change::Changed(fields(old)),
        other @ (Change::Marked(_) | Change::Retired | Change::Redacted) => other,
    };
    Event { change, ..event }
}

#[cfg(test)]
#[path = "redact_tests.rs"]
mod tests;
