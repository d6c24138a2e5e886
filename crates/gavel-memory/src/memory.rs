//! The memory of one checkout.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use gavel_domain::Timestamp;
use gavel_workspace::{FileError, Scrubber, ScrubberError, TreeRoot};

use crate::fold::fold;
use crate::id::{ItemId, Kind};
use crate::item::Item;
use crate::log::{Home, Log};
use crate::problem::{Problem, Trouble};
use crate::search::{Recalled, Wanted, rank};

/// Where the files lie, from the root of a checkout.
pub const MEMORY_FOLDER: &str = ".gavel/memory";

pub(crate) const ENDING: &str = ".jsonl";
/// Nothing larger is read, so nothing larger is written.
pub(crate) const MAX_FILE_BYTES: usize = 64 << 20;

/// The items of a checkout, folded from its files and from what the store holds for it.
#[derive(Debug)]
pub struct Memory {
    pub(crate) root: PathBuf,
    pub(crate) scrubber: Scrubber,
    pub(crate) log: Log,
    pub(crate) items: BTreeMap<ItemId, Item>,
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

impl Memory {
    /// Reads the memory files of a checkout; one without any is empty. Trouble with single files and
    /// lines is told by [`Memory::problems`].
    pub fn open(checkout: &Path) -> Result<Self, OpenError> {
        Self::open_with(checkout, &[])
    }

    /// The same, together with the lines that the store holds for the project.
    pub fn open_with(checkout: &Path, lines: &[String]) -> Result<Self, OpenError> {
        let scrubber = Scrubber::new([])?;
        let root = TreeRoot::open(checkout)?;
        let mut memory = Self {
            root: root.path().to_owned(),
            log: Log::read(&root, &scrubber)?,
            scrubber,
            items: BTreeMap::new(),
        };
        memory.log.take_held(lines, &memory.scrubber);
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

    /// True when anything was ever written about an item, even that nobody wants it.
    pub fn knows(&self, id: ItemId) -> bool {
        self.log.of(id).any(|kept| kept.home != Home::Offered)
    }

    /// True when an item lies in a file of the repository.
    pub fn is_tracked(&self, id: ItemId) -> bool {
        self.log.of(id).any(|kept| kept.home == Home::Tracked)
    }

    /// What a person looks for: everything that holds, proposals included, the best first. No
    /// kinds means all.
    pub fn search(
        &self,
        query: &str,
        kinds: &[Kind],
        limit: usize,
        now: Timestamp,
    ) -> Vec<Recalled> {
        let live = self.items().filter(|item| item.is_live(now));
        rank(live, query, Wanted { kinds, limit })
    }

    /// What a prompt may be given: only what holds and somebody vouches for, the best first. No
    /// kinds means all.
    pub fn recall(
        &self,
        query: &str,
        kinds: &[Kind],
        limit: usize,
        now: Timestamp,
    ) -> Vec<Recalled> {
        let trusted = self.items().filter(|item| item.is_trusted(now));
        rank(trusted, query, Wanted { kinds, limit })
    }

    /// Folds again; gives the items that are incomplete.
    pub(crate) fn refold(&mut self) -> Vec<ItemId> {
        let folded = fold(self.log.events());
        self.items = folded.items;
        folded.incomplete.into_iter().collect()
    }
}

#[cfg(test)]
#[path = "memory_tests.rs"]
mod tests;
