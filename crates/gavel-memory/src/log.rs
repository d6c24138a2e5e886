//! All memory files of a checkout, and what the store holds for it, read into a set of events.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry as Slot;

use gavel_workspace::{
    Entry, EntryKind, FileError, RepoDir, RepoPath, Scrubber, TreeName, TreeRoot,
};

use crate::event::{Event, EventId};
use crate::id::ItemId;
use crate::memory::{ENDING, MAX_FILE_BYTES, MEMORY_FOLDER};
use crate::problem::{Problem, Trouble};
use crate::read::read_line;

/// More months, or files in one, than a project has.
const MAX_ENTRIES: usize = 200_000;

/// What problems of lines of the store are told with.
const STORE: &str = "the store";

/// Where an event lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Home {
    /// In a file of the repository.
    Tracked,
    /// In the store.
    Held,
    /// Nowhere yet: somebody offers it.
    Offered,
}

/// The store's line of an event that lies in a file of the repository, too: whoever moved it there
/// was cut off before the store dropped its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Leftover {
    /// It says nothing that the repository does not say.
    Droppable,
    /// It says something else, which is told as a problem.
    Differs,
}

/// The set of events, and what was wrong with the files.
#[derive(Debug, Default)]
pub(crate) struct Log {
    events: BTreeMap<EventId, Kept>,
    leftovers: BTreeMap<EventId, Leftover>,
    /// Events with a secret: they reach nobody, but can be redacted.
    secret: BTreeMap<EventId, Kept>,
    pub(crate) problems: Vec<Problem>,
}

/// An event with the line that it was read from.
#[derive(Debug)]
pub(crate) struct Kept {
    pub(crate) event: Event,
    pub(crate) line: String,
    pub(crate) home: Home,
}

impl Log {
    /// Reads everything below the memory folder; a checkout without one has an empty log.
    pub(crate) fn read(root: &TreeRoot, scrubber: &Scrubber) -> Result<Self, FileError> {
        let mut log = Self::default();
        let Some(folder) = folder(MEMORY_FOLDER) else {
            return Ok(log);
        };
        let months = match root.list(&folder, MAX_ENTRIES) {
            Ok(listing) => listing,
            Err(FileError::NotFound { .. }) => return Ok(log),
            Err(error) => return Err(error),
        };
        log.miss(MEMORY_FOLDER, months.left_out);
        for month in months.entries {
            log.read_month(root, month, scrubber);
        }
        Ok(log)
    }

    pub(crate) fn events(&self) -> impl Iterator<Item = &Event> {
        self.events.values().map(|kept| &kept.event)
    }

    /// Every event with its line, in the order of their ids.
    pub(crate) fn kept(&self) -> impl Iterator<Item = &Kept> {
        self.events.values()
    }

    /// The events of one item.
    pub(crate) fn of(&self, item: ItemId) -> impl Iterator<Item = &Kept> {
        self.kept().filter(move |kept| kept.event.item == item)
    }

    pub(crate) fn get(&self, id: EventId) -> Option<&Kept> {
        self.events.get(&id)
    }

    /// Adds an event that was just written, or moves it.
    pub(crate) fn insert(&mut self, event: Event, line: String, home: Home) {
        self.events.insert(event.id, Kept { event, line, home });
    }

    /// Every event of an item, those with a secret too.
    pub(crate) fn all_of(&self, item: ItemId) -> Vec<(Event, Home)> {
        let all = self.events.values().chain(self.secret.values());
        let of_item = all.filter(|kept| kept.event.item == item);
        of_item
            .map(|kept| (kept.event.clone(), kept.home))
            .collect()
    }

    /// True when the store holds a line of this event, wherever else it lies.
    pub(crate) fn is_in_store(&self, id: EventId, home: Home) -> bool {
        home == Home::Held || self.leftovers.contains_key(&id)
    }

    /// What the store holds although it lies in the repository, and may drop.
    pub(crate) fn droppable(&self) -> impl Iterator<Item = EventId> {
        let may_go = |leftover: &Leftover| match leftover {
            Leftover::Droppable => true,
            Leftover::Differs => false,
        };
        let leftovers = self.leftovers.iter();
        leftovers.filter_map(move |(id, leftover)| may_go(leftover).then_some(*id))
    }

    /// Forgets the secrets of an item, which are gone.
    pub(crate) fn forget_secrets(&mut self, item: ItemId) {
        self.secret.retain(|_, kept| kept.event.item != item);
        let gone = |trouble: &Trouble| match trouble {
            Trouble::Secret { item: of, .. } => *of == item,
            Trouble::NotRead(_)
            | Trouble::TooLarge { .. }
            | Trouble::Misplaced
            | Trouble::TooMany { .. }
            | Trouble::Damaged { .. }
            | Trouble::UnknownEvent { .. }
            | Trouble::UnknownField { .. }
            | Trouble::UnknownValue { .. }
            | Trouble::UnknownMark
            | Trouble::Differs
            | Trouble::Incomplete { .. } => false,
        };
        self.problems.retain(|problem| !gone(&problem.trouble));
    }

    /// Forgets what was only offered of an item.
    pub(crate) fn withdraw(&mut self, item: ItemId) {
        self.events
            .retain(|_, kept| kept.home != Home::Offered || kept.event.item != item);
    }

    /// Takes in the lines that the store holds.
    pub(crate) fn take_held(&mut self, lines: &[String], scrubber: &Scrubber) {
        for line in lines {
            let read = self.take_line(line, Home::Held, scrubber);
            for trouble in read.unwrap_or_else(|trouble| vec![trouble]) {
                self.note(STORE, None, trouble);
            }
        }
    }

    fn read_month(&mut self, root: &TreeRoot, entry: Entry, scrubber: &Scrubber) {
        let shown = entry.name.to_string();
        let month = match (entry.kind, entry.name) {
            (EntryKind::Folder, TreeName::Path(path)) if is_month(path.name()) => path,
            (EntryKind::Folder, _) => return self.note(&shown, None, Trouble::Misplaced),
            (EntryKind::File { .. } | EntryKind::Symlink | EntryKind::Special, _) => {
                return self.note_misplaced(&shown);
            }
        };
        let files = match root.list(&RepoDir::from(month), MAX_ENTRIES) {
            Ok(listing) => listing,
            Err(error) => return self.note(&shown, None, Trouble::NotRead(error)),
        };
        self.miss(&shown, files.left_out);
        for file in files.entries {
            let shown = file.name.to_string();
            match (file.kind, file.name) {
                (EntryKind::File { bytes }, TreeName::Path(path)) if shown.ends_with(ENDING) => {
                    self.read_file(root, &path, bytes, scrubber);
                }
                _ => self.note_misplaced(&shown),
            }
        }
    }

    fn read_file(&mut self, root: &TreeRoot, path: &RepoPath, bytes: u64, scrubber: &Scrubber) {
        let content = match root.read(path, MAX_FILE_BYTES) {
            Ok(content) if content.left_out() == 0 => content,
            Ok(_) => return self.note(path.as_str(), None, Trouble::TooLarge { bytes }),
            Err(error) => return self.note(path.as_str(), None, Trouble::NotRead(error)),
        };
        let lines = content.bytes.split(|byte| *byte == b'\n');
        for (line, number) in lines.zip(1..) {
            let read = match std::str::from_utf8(line) {
                Ok(line) if line.trim().is_empty() => continue,
                Ok(line) => self.take_line(line.trim(), Home::Tracked, scrubber),
                Err(error) => Err(Trouble::Damaged {
                    reason: error.to_string(),
                }),
            };
            let troubles = read.unwrap_or_else(|trouble| vec![trouble]);
            for trouble in troubles {
                self.note(path.as_str(), Some(number), trouble);
            }
        }
    }

    fn take_line(
        &mut self,
        line: &str,
        home: Home,
        scrubber: &Scrubber,
    ) -> Result<Vec<Trouble>, Trouble> {
        let (event, mut troubles) = read_line(line)?;
        let fields = event.change.fields();
        let found = fields.and_then(|fields| fields.secret(scrubber));
        let new = Kept {
            event,
            line: line.to_owned(),
            home,
        };
        if let Some((kind, _)) = found {
            let item = new.event.item;
            self.secret.insert(new.event.id, new);
            return Err(Trouble::Secret { kind, item });
        }
        if let Some(known) = self.events.get(&new.event.id)
            && (known.home, home) == (Home::Tracked, Home::Held)
        {
            let same = known.event == new.event || known.event.is_emptied();
            let leftover = if same {
                Leftover::Droppable
            } else {
                Leftover::Differs
            };
            self.leftovers.insert(new.event.id, leftover);
        }
        match self.events.entry(new.event.id) {
            Slot::Vacant(slot) => drop(slot.insert(new)),
            Slot::Occupied(slot) if slot.get().event == new.event => {}
            // The copy whose words were taken out counts, without a word.
            Slot::Occupied(slot) if slot.get().event.is_emptied() => {}
            Slot::Occupied(mut slot) => {
                let emptied = new.event.is_emptied();
                if !emptied {
                    troubles.push(Trouble::Differs);
                }
                // Any rule does that gives the same event in any order of reading.
                if emptied || new.line > slot.get().line {
                    let home = slot.get().home;
                    slot.insert(Kept { home, ..new });
                }
            }
        }
        Ok(troubles)
    }

    /// Files of other kinds may lie around; one that looks like memory must not be overlooked.
    fn note_misplaced(&mut self, file: &str) {
        if file.ends_with(ENDING) {
            self.note(file, None, Trouble::Misplaced);
        }
    }

    fn miss(&mut self, file: &str, count: usize) {
        if count > 0 {
            self.note(file, None, Trouble::TooMany { count });
        }
    }

    pub(crate) fn note(&mut self, file: &str, line: Option<usize>, trouble: Trouble) {
        self.problems.push(Problem {
            file: file.to_owned(),
            line,
            trouble,
        });
    }
}

/// The memory files of a checkout, by month and name.
pub(crate) fn memory_files(root: &TreeRoot) -> Result<Vec<RepoPath>, FileError> {
    let Some(folder) = folder(MEMORY_FOLDER) else {
        return Ok(Vec::new());
    };
    let months = match root.list(&folder, MAX_ENTRIES) {
        Ok(listing) => listing.entries,
        Err(FileError::NotFound { .. }) => Vec::new(),
        Err(error) => return Err(error),
    };
    let mut files = Vec::new();
    for month in months {
        let (EntryKind::Folder, TreeName::Path(path)) = (month.kind, month.name) else {
            continue;
        };
        if !is_month(path.name()) {
            continue;
        }
        for file in root.list(&RepoDir::from(path), MAX_ENTRIES)?.entries {
            match (file.kind, file.name) {
                (EntryKind::File { .. }, TreeName::Path(path))
                    if path.as_str().ends_with(ENDING) =>
                {
                    files.push(path);
                }
                _ => {}
            }
        }
    }
    files.sort_unstable();
    Ok(files)
}

fn folder(text: &str) -> Option<RepoDir> {
    RepoDir::new(text).ok()
}

/// True for `2026-11`.
fn is_month(name: &str) -> bool {
    let form = |(place, byte): (usize, u8)| match place {
        4 => byte == b'-',
        _ => byte.is_ascii_digit(),
    };
    name.len() == 7 && name.bytes().enumerate().all(form)
}

#[cfg(test)]
#[path = "log_tests.rs"]
mod tests;
