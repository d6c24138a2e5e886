//! Taking memory out of a checkout and into another one: events as lines, with their ids.

use std::collections::BTreeMap;

use crate::event::{Event, EventId};
use crate::id::ItemId;
use crate::log::Home;
use crate::memory::Memory;
use crate::problem::Trouble;
use crate::read::read_line;
use crate::stamp::Stamp;
use crate::write::WriteError;
use crate::written::Written;

/// What came in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[must_use = "what the store shall hold is lost unless it is handed over"]
pub struct Imported {
    /// What was written.
    pub written: Written,
    /// Events that were not known before.
    pub new: usize,
    /// Events that were.
    pub known: usize,
    /// The items that had no event here before.
    pub items: Vec<ItemId>,
}

/// Why nothing was taken in.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// A line does not fit; nothing was written.
    #[error("line {line}: {trouble}; nothing was taken in")]
    Line {
        /// Which, counted from 1.
        line: usize,
        /// What is wrong with it.
        trouble: Trouble,
    },
    /// The file could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl Memory {
    /// The lines of all events of the repository; with `all`, those that the store holds, too.
    pub fn export(&self, all: bool) -> Vec<&str> {
        let wanted = |home| match home {
            Home::Tracked => true,
            Home::Held => all,
            Home::Offered => false,
        };
        let kept = self.log.kept().filter(|kept| wanted(kept.home));
        kept.map(|kept| kept.line.as_str()).collect()
    }

    /// Takes in the lines of an export, each event under its id; all that are new, or nothing.
    pub fn import(&mut self, text: &str, stamp: &mut Stamp<'_>) -> Result<Imported, ImportError> {
        let mut imported = Imported::default();
        let mut new: BTreeMap<EventId, Event> = BTreeMap::new();
        for (line, number) in text.lines().zip(1..) {
            if line.trim().is_empty() {
                continue;
            }
            let fail = |trouble| ImportError::Line {
                line: number,
                trouble,
            };
            let event = self.checked(line.trim()).map_err(fail)?;
            let known = self.log.get(event.id).map(|kept| &kept.event);
            match known.or_else(|| new.get(&event.id)) {
                Some(known) if *known == event => imported.known += 1,
                Some(_) => return Err(fail(Trouble::Differs)),
                None => drop(new.insert(event.id, event)),
            }
        }
        imported.new = new.len();
        let mut items: Vec<ItemId> = new.values().map(|event| event.item).collect();
        items.sort_unstable();
        items.dedup();
        items.retain(|id| !self.knows(*id));
        imported.items = items;
        if !new.is_empty() {
            imported.written = self.record(new.into_values().collect(), stamp)?;
        }
        Ok(imported)
    }

    /// An event of which nothing would be lost, without a secret.
    fn checked(&self, line: &str) -> Result<Event, Trouble> {
        let (event, troubles) = read_line(line)?;
        if let Some(trouble) = troubles.into_iter().next() {
            return Err(trouble);
        }
        let fields = event.change.fields();
        match fields.and_then(|fields| fields.secret(&self.scrubber)) {
            Some((kind, _)) => Err(Trouble::Secret {
                kind,
                item: event.item,
            }),
            None => Ok(event),
        }
    }
}

#[cfg(test)]
#[path = "exchange_tests.rs"]
mod tests;
