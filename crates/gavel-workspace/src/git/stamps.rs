//! What the file system says about every file of a checkout, so that a later look finds all changes.
//!
//! A program can set the time of change of a file's content back, and never the time of change of its
//! inode, which the kernel sets at every write, rename, link and change of mode. So a file whose inode,
//! size and that time are as they were holds what it held. Folders change that time with every entry;
//! of them, mode, owner and inode must be as they were, and they carry no rules of their own.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long the clock of a file system may take to pass the newest stamp: a few ticks.
const PATIENCE: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(2);

/// Everything in a folder, by the bytes of its path from there.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Stamps {
    root: Stamp,
    entries: HashMap<Vec<u8>, Stamp>,
    files: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    mode: u32,
    owner: u32,
    group: u32,
    device: u64,
    inode: u64,
    /// Size and time of change; none for a folder.
    content: Option<(u64, Moment)>,
}

/// Seconds and nanoseconds.
type Moment = (i64, i64);

impl Stamp {
    fn of(found: &Metadata) -> Self {
        Self {
            mode: found.mode(),
            owner: found.uid(),
            group: found.gid(),
            device: found.dev(),
            inode: found.ino(),
            content: (!found.is_dir()).then(|| (found.size(), changed_at(found))),
        }
    }
}

/// What became of a folder since it was stamped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cleared {
    /// What is left is as it was; what had changed or come is removed.
    Unchanged,
    /// A folder has another mode, owner or rules: nothing can be said of what is in it.
    Unsure,
}

impl Stamps {
    /// Looks at everything in a folder, and returns when no later change can carry a stamp of now.
    ///
    /// `None` when the clock of the file system does not move on.
    pub(super) fn take(folder: &Path) -> io::Result<Option<Self>> {
        let mut stamps = Self {
            root: Stamp::of(&folder.symlink_metadata()?),
            entries: HashMap::new(),
            files: 0,
        };
        let mut newest = (i64::MIN, 0);
        let mut folders = vec![PathBuf::new()];
        while let Some(below) = folders.pop() {
            for entry in fs::read_dir(folder.join(&below))? {
                let entry = entry?;
                let found = entry.metadata()?;
                let path = below.join(entry.file_name());
                newest = newest.max(changed_at(&found));
                stamps.files += usize::from(!found.is_dir());
                let name = path.as_os_str().as_bytes().to_owned();
                stamps.entries.insert(name, Stamp::of(&found));
                if found.is_dir() {
                    folders.push(path);
                }
            }
        }
        let moved_on = clock_passes(folder, newest)?;
        Ok(moved_on.then_some(stamps))
    }

    /// The files and links that are not as they were when the stamps were taken, or not there.
    pub(super) fn changed(&self, folder: &Path) -> Vec<Vec<u8>> {
        let files = self.entries.iter().filter(|(_, was)| was.content.is_some());
        let other = |name: &[u8], was: &Stamp| {
            let found = folder.join(OsStr::from_bytes(name)).symlink_metadata();
            found.map_or(true, |found| Stamp::of(&found) != *was)
        };
        let mut changed: Vec<Vec<u8>> = files
            .filter(|(name, was)| other(name, was))
            .map(|(name, _)| name.clone())
            .collect();
        changed.sort();
        changed
    }

    /// Removes what is not as it was when the stamps were taken.
    pub(super) fn clear(&self, folder: &Path) -> io::Result<Cleared> {
        if Stamp::of(&folder.symlink_metadata()?) != self.root || has_rules(folder)? {
            return Ok(Cleared::Unsure);
        }
        let mut folders = vec![PathBuf::new()];
        while let Some(below) = folders.pop() {
            for entry in fs::read_dir(folder.join(&below))? {
                let entry = entry?;
                let found = entry.metadata()?;
                let path = below.join(entry.file_name());
                let known = self.entries.get(path.as_os_str().as_bytes());
                let same = known == Some(&Stamp::of(&found));
                match (found.is_dir(), same) {
                    (false, true) => {}
                    (false, false) => fs::remove_file(entry.path())?,
                    (true, true) if has_rules(&entry.path())? => return Ok(Cleared::Unsure),
                    (true, true) => folders.push(path),
                    (true, false) if known.is_none_or(|known| known.content.is_some()) => {
                        crate::remove_tree(&entry.path())?;
                    }
                    (true, false) => return Ok(Cleared::Unsure),
                }
            }
        }
        Ok(Cleared::Unchanged)
    }

    /// True when the files and links are exactly those of a list of names that end in NUL.
    pub(super) fn are_exactly(&self, names: &[u8]) -> bool {
        let mut count = 0;
        let all_there = names
            .split(|byte| *byte == 0)
            .filter(|name| !name.is_empty())
            .all(|name| {
                count += 1;
                let found = self.entries.get(name);
                found.is_some_and(|stamp| stamp.content.is_some())
            });
        all_there && count == self.files
    }
}

fn changed_at(found: &Metadata) -> Moment {
    (found.ctime(), found.ctime_nsec())
}

/// Waits until a new file beside the folder gets a later stamp than the newest in it: the file
/// system's own clock counts, which on a network is another machine's.
fn clock_passes(folder: &Path, newest: Moment) -> io::Result<bool> {
    let beside = folder.parent().unwrap_or(folder);
    let started = Instant::now();
    while started.elapsed() < PATIENCE {
        let probe = tempfile::Builder::new()
            .prefix(".clock-")
            .tempfile_in(beside)?;
        if changed_at(&probe.as_file().metadata()?) > newest {
            return Ok(true);
        }
        std::thread::sleep(PAUSE);
    }
    Ok(false)
}

/// True when a folder has access rules or notes that its mode does not show; the kernel hands some
/// of them down to new files.
fn has_rules(folder: &Path) -> io::Result<bool> {
    let mut names = Vec::with_capacity(4096);
    let listed = rustix::fs::llistxattr(folder, rustix::buffer::spare_capacity(&mut names));
    match listed {
        Ok(_) => {}
        Err(rustix::io::Errno::OPNOTSUPP) => return Ok(false),
        // More names than fit: somebody put them there.
        Err(rustix::io::Errno::RANGE) => return Ok(true),
        Err(error) => return Err(error.into()),
    }
    let put_there = |name: &[u8]| {
        let name = OsStr::from_bytes(name).as_encoded_bytes();
        name.starts_with(b"user.") || name.starts_with(b"system.")
    };
    Ok(names.split(|byte| *byte == 0).any(put_there))
}

#[cfg(test)]
#[path = "stamps_tests.rs"]
mod tests;
