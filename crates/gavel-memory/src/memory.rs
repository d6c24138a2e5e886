//! The memory of one checkout.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use gavel_workspace::{FileError, Scrubber, ScrubberError, TreeRoot};

use crate::event::{Change, Event, EventId};
use crate::fold::fold;
use crate::id::{ItemId, Kind};
use crate::item::{Item, State};
use crate::log::Log;
use crate::new_item::{AddError, NewItem};
use crate::problem::{Problem, Trouble};
use crate::search::{Recalled, Wanted, rank};
use crate::stamp::Stamp;
use crate::write::{WriteError, write_file};

/// Where the files lie, from the root of a checkout.
pub const MEMORY_FOLDER: &str = ".gavel/memory";

pub(crate) const ENDING: &str = ".jsonl";
/// Nothing larger is read, so nothing larger is written.
pub(crate) const MAX_FILE_BYTES: usize = 64 << 20;

/// The items of a checkout, folded from its files.
#[derive(Debug)]
pub struct Memory {
    root: PathBuf,
    scrubber: Scrubber,
    log: Log,
    items: BTreeMap<ItemId, Item>,
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Added {
    /// The new items, in the order given.
    pub ids: Vec<ItemId>,
    /// Their file, from the root of the checkout.
    pub file: PathBuf,
}

/// Why memory could not be read at all.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The folder could not be read.
    #[error("the project's memory could not be read")]
    Folder(#[from] FileError),
    /// The scanner for secrets is broken.
    #[error("no memory is read without a look for secrets")]
    Scanner(#[from] ScrubberError),
}

/// Why no item was found.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FindError {
    /// Nothing is called so.
    #[error("there is no memory item `{name}`")]
    None {
        /// What was asked for.
        name: String,
    },
    /// Several are.
    #[error("{count} memory items end in `{name}`: give more of the id")]
    Several {
        /// What was asked for.
        name: String,
        /// How many.
        count: usize,
    },
}

/// Why an item was not retired.
#[derive(Debug, thiserror::Error)]
pub enum RetireError {
    /// There is no such item.
    #[error("there is no memory item {id}")]
    NoItem {
        /// Which.
        id: ItemId,
    },
    /// The file could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl Memory {
    /// Reads the memory of a checkout; one without any is empty. Trouble with single files and
    /// lines is told by [`Memory::problems`].
    pub fn open(checkout: &Path) -> Result<Self, OpenError> {
        let scrubber = Scrubber::new([])?;
        let root = TreeRoot::open(checkout)?;
        let mut memory = Self {
            root: root.path().to_owned(),
            log: Log::read(&root, &scrubber)?,
            scrubber,
            items: BTreeMap::new(),
        };
        for item in memory.refold() {
            let trouble = Trouble::Incomplete { item };
            memory.log.note(MEMORY_FOLDER, None, trouble);
        }
        Ok(memory)
    }

    /// Every item that was ever written, retired ones included, by kind and age.
    pub fn items(&self) -> impl Iterator<Item = &Item> {
        self.items.values()
    }

    /// What was wrong with the files.
    pub fn problems(&self) -> &[Problem] {
        &self.log.problems
    }

    /// Finds an item by its id, its short id or the end of it.
    pub fn item(&self, name: &str) -> Result<&Item, FindError> {
        if let Some(item) = name.parse().ok().and_then(|id: ItemId| self.items.get(&id)) {
            return Ok(item);
        }
        let named = || self.items.values().filter(|item| item.id.answers_to(name));
        let (name, count) = (name.chars().take(80).collect(), named().count());
        match (named().next(), count) {
            (Some(item), 1) => Ok(item),
            (Some(_), _) => Err(FindError::Several { name, count }),
            (None, _) => Err(FindError::None { name }),
        }
    }

    /// Writes an item into a new file.
    pub fn add(&mut self, new: NewItem, stamp: &mut Stamp<'_>) -> Result<Added, AddError> {
        self.add_all(vec![new], stamp)
    }

    /// Writes items of one command or run into one new file; all of them, or none.
    pub fn add_all(&mut self, new: Vec<NewItem>, stamp: &mut Stamp<'_>) -> Result<Added, AddError> {
        if new.is_empty() {
            return Err(AddError::Empty);
        }
        let mut events = Vec::new();
        for new in new {
            let item = ItemId::new(new.kind, stamp.draw());
            let fields = new.check(&self.scrubber)?;
            events.push(event(item, Change::Added(Box::new(fields)), stamp));
        }
        let ids = events.iter().map(|event| event.item).collect();
        let file = self.record(events, stamp)?;
        Ok(Added { ids, file })
    }

    /// Says that an item holds no longer; one that was retired before stays as it is.
    pub fn retire(&mut self, id: ItemId, stamp: &mut Stamp<'_>) -> Result<(), RetireError> {
        let item = self.items.get(&id).ok_or(RetireError::NoItem { id })?;
        match item.state {
            State::Retired | State::Redacted => Ok(()),
            State::Live => {
                self.record(vec![event(id, Change::Retired, stamp)], stamp)?;
                Ok(())
            }
        }
    }

    /// True when anything was ever written about an item, even that nobody wants it.
    pub fn knows(&self, id: ItemId) -> bool {
        self.log.events().any(|event| event.item == id)
    }

    /// Says that nobody wants an item that was proposed and never written: without its words, and for
    /// good. One that is known stays as it is.
    pub fn refuse(&mut self, id: ItemId, stamp: &mut Stamp<'_>) -> Result<(), WriteError> {
        if !self.knows(id) {
            self.record(vec![event(id, Change::Retired, stamp)], stamp)?;
        }
        Ok(())
    }

    /// What a person looks for: everything that holds, proposals included, the best first. No
    /// kinds means all.
    pub fn search(&self, query: &str, kinds: &[Kind], limit: usize) -> Vec<Recalled> {
        let live = self.items().filter(|item| item.is_live());
        rank(live, query, Wanted { kinds, limit })
    }

    /// What a prompt may be given: only what holds and somebody vouches for, the best first. No
    /// kinds means all.
    pub fn recall(&self, query: &str, kinds: &[Kind], limit: usize) -> Vec<Recalled> {
        let trusted = self.items().filter(|item| item.is_trusted());
        rank(trusted, query, Wanted { kinds, limit })
    }

    /// Writes events into one new file, then folds them in.
    fn record(&mut self, events: Vec<Event>, stamp: &mut Stamp<'_>) -> Result<PathBuf, WriteError> {
        let lines = events.iter().map(Event::to_line);
        let lines: Vec<String> = lines.collect::<Result<_, _>>().map_err(WriteError::Form)?;
        let file = write_file(&self.root, &lines, stamp)?;
        for (event, line) in events.into_iter().zip(lines) {
            self.log.insert(event, line);
        }
        self.refold();
        Ok(file)
    }

    /// Folds again; gives the items that are incomplete.
    fn refold(&mut self) -> Vec<ItemId> {
        let folded = fold(self.log.events());
        self.items = folded.items;
        folded.incomplete.into_iter().collect()
    }
}

fn event(item: ItemId, change: Change, stamp: &mut Stamp<'_>) -> Event {
    Event {
        id: EventId(stamp.draw()),
        at: stamp.at(),
        by: Some(stamp.by()),
        item,
        change,
    }
}

#[cfg(test)]
#[path = "memory_tests.rs"]
mod tests;
