//! What lies in the memory folder, and what of it changed. Everything here blocks.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use gavel_store::IndexLine;
use gavel_workspace::{EntryKind, FileError, RepoDir, RepoPath, Scrubber, TreeName, TreeRoot};

use crate::event::Event;
use crate::log::Log;
use crate::memory::{ENDING, MAX_FILE_BYTES, MEMORY_FOLDER};

const MAX_ENTRIES: usize = 200_000;
/// A folder that changed so short before it was listed may change again without another time.
const UNSETTLED: Duration = Duration::from_millis(100);
/// The same where times have whole seconds.
const UNSETTLED_COARSE: Duration = Duration::from_secs(2);
const NANOS: i64 = 1_000_000_000;

/// When each folder of memory files changed; an unsettled one has no time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Folders {
    /// The folder of the months; `None` too when there is none.
    outer: Option<String>,
    /// The months.
    pub(super) months: BTreeMap<String, Option<String>>,
}

/// The files of a month by their names from the memory folder, with their stamps.
pub(super) type Files = BTreeMap<String, String>;

/// Some files, read.
#[derive(Debug, Default)]
pub(super) struct Pages {
    pub(super) lines: Vec<IndexLine>,
    pub(super) events: Vec<Event>,
}

impl Folders {
    /// Looks at the folders of months, not into them.
    pub(super) fn look(root: &Path) -> Result<Self, FileError> {
        let tree = TreeRoot::open(root)?;
        let outer = settled(&root.join(MEMORY_FOLDER));
        let mut found = Self {
            outer,
            months: BTreeMap::new(),
        };
        let months = match tree.list(&folder(MEMORY_FOLDER)?, MAX_ENTRIES) {
            Ok(listing) => listing.entries,
            Err(FileError::NotFound { .. }) => return Ok(found),
            Err(error) => return Err(error),
        };
        for month in months {
            if let (EntryKind::Folder, TreeName::Path(path)) = (month.kind, month.name)
                && is_month(path.name())
            {
                let stamp = settled(&root.join(path.as_str()));
                found.months.insert(path.name().to_owned(), stamp);
            }
        }
        Ok(found)
    }

    /// True when all folders are as they were, and were settled then: a glance at each is enough.
    pub(super) fn are_unchanged(&self, root: &Path) -> bool {
        let outer = root.join(MEMORY_FOLDER);
        let same = |path: &Path, known: &Option<String>| known.is_some() && settled(path) == *known;
        let mut months = self.months.iter();
        same(&outer, &self.outer) && months.all(|(month, known)| same(&outer.join(month), known))
    }
}

/// Lists the files of a month.
pub(super) fn files(root: &Path, month: &str) -> Result<Files, FileError> {
    let tree = TreeRoot::open(root)?;
    let listing = match tree.list(&folder(&format!("{MEMORY_FOLDER}/{month}"))?, MAX_ENTRIES) {
        Ok(listing) => listing,
        Err(FileError::NotFound { .. }) => return Ok(Files::new()),
        Err(error) => return Err(error),
    };
    let mut found = Files::new();
    for entry in listing.entries {
        let (EntryKind::File { .. }, TreeName::Path(path)) = (entry.kind, entry.name) else {
            continue;
        };
        if !path.name().ends_with(ENDING) {
            continue;
        }
        match std::fs::symlink_metadata(root.join(path.as_str())) {
            Ok(metadata) => {
                found.insert(format!("{month}/{}", path.name()), stamp(&metadata));
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(source) => {
                let path = path.to_string();
                return Err(FileError::Io { path, source });
            }
        }
    }
    Ok(found)
}

/// Reads files. What is damaged, or holds a secret, is left out, as memory itself does; whoever
/// lists or audits memory is told.
pub(super) fn read<'a>(
    root: &Path,
    files: impl Iterator<Item = &'a String>,
    scrubber: &Scrubber,
) -> Result<Pages, FileError> {
    let tree = TreeRoot::open(root)?;
    let mut pages = Pages::default();
    for file in files {
        let Ok(path) = RepoPath::new(format!("{MEMORY_FOLDER}/{file}")) else {
            continue;
        };
        let content = match tree.read(&path, MAX_FILE_BYTES) {
            Ok(content) if content.left_out() == 0 => content,
            Ok(_too_large) => continue,
            Err(FileError::NotFound { .. }) => continue,
            Err(error) => return Err(error),
        };
        let lines = content.bytes.split(|byte| *byte == b'\n');
        let lines = lines.filter_map(|line| std::str::from_utf8(line).ok());
        let lines = lines.map(str::trim).filter(|line| !line.is_empty());
        let lines: Vec<String> = lines.map(str::to_owned).collect();
        pages.take(file, &lines, scrubber);
    }
    Ok(pages)
}

impl Pages {
    /// Takes in the lines of one source.
    pub(super) fn take(&mut self, source: &str, lines: &[String], scrubber: &Scrubber) {
        let mut log = Log::default();
        log.take_held(lines, scrubber);
        for kept in log.kept() {
            self.events.push(kept.event.clone());
            self.lines.push(IndexLine {
                source: source.to_owned(),
                subject: kept.event.item.to_string(),
                text: kept.line.clone(),
            });
        }
    }
}

/// When a folder changed; `None` when there is none, or when that is too short ago to tell the next
/// change from this one.
fn settled(folder: &Path) -> Option<String> {
    let metadata = std::fs::symlink_metadata(folder).ok()?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    let seconds = u64::try_from(metadata.mtime()).ok()?;
    let nanos = u32::try_from(metadata.mtime_nsec()).ok()?;
    let wait = if nanos == 0 {
        UNSETTLED_COARSE
    } else {
        UNSETTLED
    };
    let settled = Duration::new(seconds, nanos).checked_add(wait)? < now;
    settled.then(|| stamp(&metadata))
}

/// What changes whenever a file or folder does.
fn stamp(metadata: &Metadata) -> String {
    let at = metadata
        .mtime()
        .saturating_mul(NANOS)
        .saturating_add(metadata.mtime_nsec());
    format!("{at}-{}-{}", metadata.size(), metadata.ino())
}

fn folder(path: &str) -> Result<RepoDir, FileError> {
    RepoDir::new(path).map_err(|_never| FileError::WrongKind {
        path: path.to_owned(),
        wanted: "a folder of the checkout",
    })
}

/// True for `2026-11`.
fn is_month(name: &str) -> bool {
    let form = |(place, byte): (usize, u8)| match place {
        4 => byte == b'-',
        _ => byte.is_ascii_digit(),
    };
    name.len() == 7 && name.bytes().enumerate().all(form)
}
