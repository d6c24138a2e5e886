//! Many small files of a month that is over become one. Lines are moved as they are: nothing is
//! summed up and nothing is dropped, so that branches still merge whatever they did meanwhile.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use gavel_domain::{Digest, Timestamp};
use gavel_workspace::{FileError, RepoPath, TreeRoot};
use uuid::Builder;

use crate::event::{Event, EventId};
use crate::fold::{Folded, fold};
use crate::hold::{HoldError, hold};
use crate::log::memory_files;
use crate::memory::{ENDING, MAX_FILE_BYTES, Memory};
use crate::read::read_line;

/// What was done.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Compaction {
    /// The months that have one file now.
    pub months: Vec<CompactedMonth>,
    /// Files that stay as they are, since a line of them cannot be read.
    pub untouched: Vec<RepoPath>,
}

/// A month whose files became one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompactedMonth {
    /// The month, as `2026-11`.
    pub month: String,
    /// The file that holds all of it, from the root of the checkout.
    pub file: PathBuf,
    /// How many files it stands for.
    pub files: usize,
    /// How many events it holds.
    pub events: usize,
}

/// Why files were left as they are.
#[derive(Debug, thiserror::Error)]
pub enum CompactError {
    /// Nobody may rewrite files now.
    #[error(transparent)]
    Held(#[from] HoldError),
    /// The folder could not be read.
    #[error("the project's memory could not be read")]
    Unread(#[from] FileError),
    /// A file could not be written or removed.
    #[error("{path} could not be written or removed")]
    Io {
        /// Which.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The one file does not say what the many said. Nothing was removed.
    #[error("{path} does not hold what its parts held; nothing was removed: please report this")]
    Differs {
        /// The file.
        path: PathBuf,
    },
}

/// The files of a month that can be put together.
#[derive(Default)]
struct Month {
    files: Vec<RepoPath>,
    lines: BTreeMap<EventId, String>,
    events: BTreeMap<EventId, Event>,
}

impl Memory {
    /// Puts the files of each month that is over into one, after a look that it says the same.
    pub fn compact(&self, now: Timestamp) -> Result<Compaction, CompactError> {
        // What is read here must still be there when it is removed.
        let _hold = hold(&self.root)?;
        let current = now.strftime("%Y-%m").to_string();
        let root = TreeRoot::open(&self.root)?;
        let mut months: BTreeMap<String, Month> = BTreeMap::new();
        let mut done = Compaction::default();
        for path in memory_files(&root)? {
            let month = path.as_str().rsplit('/').nth(1).unwrap_or_default();
            if month >= current.as_str() {
                continue;
            }
            let content = root.read(&path, MAX_FILE_BYTES)?;
            let taken = content.left_out() == 0
                && months
                    .entry(month.to_owned())
                    .or_default()
                    .take(&path, &content.bytes);
            if !taken {
                done.untouched.push(path);
            }
        }
        for (name, month) in months {
            if month.files.len() > 1 && month.bytes() <= MAX_FILE_BYTES {
                done.months.push(self.compact_month(name, &month)?);
            }
        }
        Ok(done)
    }

    fn compact_month(&self, name: String, month: &Month) -> Result<CompactedMonth, CompactError> {
        let first = month.files.first().map(RepoPath::as_str);
        let folder = first.and_then(|path| path.rsplit_once('/'));
        let folder = folder.map_or("", |(folder, _)| folder);
        let text: String = month
            .lines
            .values()
            .map(|line| format!("{line}\n"))
            .collect();
        let file = Path::new(folder).join(format!("{}{ENDING}", month.name(&text)));
        let whole = self.root.join(&file);
        write_once(&whole, text.as_bytes())?;
        let written = std::fs::read(&whole).map_err(|source| CompactError::Io {
            path: whole.clone(),
            source,
        })?;
        let mut again = Month::default();
        let path = month.files.first();
        let read = path.is_some_and(|path| again.take(path, &written));
        if !read || again.events != month.events || !same(&again, month) {
            return Err(CompactError::Differs { path: file });
        }
        for old in &month.files {
            let old = self.root.join(old.as_str());
            if old != whole {
                std::fs::remove_file(&old)
                    .map_err(|source| CompactError::Io { path: old, source })?;
            }
        }
        Ok(CompactedMonth {
            month: name,
            file,
            files: month.files.len(),
            events: month.events.len(),
        })
    }
}

impl Month {
    /// Takes in a file; false when a line of it is not understood, or says something else than
    /// another line of the same event.
    fn take(&mut self, path: &RepoPath, bytes: &[u8]) -> bool {
        let Ok(text) = std::str::from_utf8(bytes) else {
            return false;
        };
        let mut new = Vec::new();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let Ok((event, _)) = read_line(line) else {
                return false;
            };
            let known = self.events.get(&event.id);
            if known.is_some_and(|known| *known != event) {
                return false;
            }
            new.push((event, line.to_owned()));
        }
        for (event, line) in new {
            self.lines.entry(event.id).or_insert(line);
            self.events.insert(event.id, event);
        }
        self.files.push(path.clone());
        true
    }

    fn bytes(&self) -> usize {
        self.lines.values().map(|line| line.len() + 1).sum()
    }

    /// A name that follows from the content, so that two branches that do the same make one file.
    fn name(&self, text: &str) -> uuid::fmt::Hyphenated {
        let last = self.events.values().map(|event| event.at).max();
        let last = last.unwrap_or(Timestamp::UNIX_EPOCH).as_millisecond();
        let mut tail = [0; 10];
        for (place, byte) in tail.iter_mut().zip(Digest::of(text).bytes()) {
            *place = *byte;
        }
        let millis = u64::try_from(last).unwrap_or_default();
        Builder::from_unix_timestamp_millis(millis, &tail)
            .into_uuid()
            .hyphenated()
    }

    fn folded(&self) -> Folded {
        fold(self.events.values())
    }
}

fn same(one: &Month, other: &Month) -> bool {
    let (one, other) = (one.folded(), other.folded());
    one.items == other.items && one.incomplete == other.incomplete
}

/// Writes a file whole; one of that name has that content already.
fn write_once(path: &Path, bytes: &[u8]) -> Result<(), CompactError> {
    let io = |source| CompactError::Io {
        path: path.to_owned(),
        source,
    };
    let folder = path.parent().unwrap_or(path);
    let mut file = tempfile::Builder::new()
        .prefix(".")
        .suffix(".tmp")
        .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666))
        .tempfile_in(folder)
        .map_err(io)?;
    file.write_all(bytes).map_err(io)?;
    file.as_file().sync_all().map_err(io)?;
    file.persist(path).map_err(|refused| io(refused.error))?;
    Ok(())
}

#[cfg(test)]
#[path = "compact_tests.rs"]
mod tests;
