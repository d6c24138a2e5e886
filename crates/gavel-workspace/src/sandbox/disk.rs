//! How much a command has on the disk, looked at while it runs.
//!
//! The folders that it may write, and those that hold what is recorded of them, are walked at intervals that grow with what a walk takes. Between
//! two walks the free space of their file systems is looked at: it cannot be attributed to anybody,
//! and says only that it is time to walk. What is written between two looks is not prevented.
//!
//! A walk is made in slices by the supervisor's own loop: a process that gave its children a process
//! namespace can have no threads.

use std::collections::HashSet;
use std::fs::{self, ReadDir};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::descendants::Descendants;
use super::nameless::NamelessFiles;
use super::policy::{Layer, Policy};

const LEAST_PAUSE: Duration = Duration::from_millis(250);
const MOST_PAUSE: Duration = Duration::from_secs(10);
/// How long one slice of a walk may take, and how long while the disk fills.
const SLICE: Duration = Duration::from_millis(10);
const URGENT_SLICE: Duration = Duration::from_millis(500);
/// Walks take at most this share of the time.
const SHARE: u32 = 10;
/// What an entry itself takes: a disk can be filled with empty files.
const ENTRY: u64 = 512;
/// A walk follows at once when free space went down by this part of what is allowed.
const PART: u64 = 8;

/// The watch over one command.
#[derive(Debug)]
pub(crate) struct DiskWatch {
    folders: Vec<PathBuf>,
    /// What counts and is not the command's to write.
    counted: Vec<PathBuf>,
    command: u64,
    build: u64,
    /// What was there when the first walk was through.
    first: Option<u64>,
    /// Free space when the last walk began.
    free: u64,
    next: Instant,
    walk: Option<Walk>,
}

impl DiskWatch {
    /// Begins right after the command has started: what it wrote before the first walk was through
    /// counts for its build alone.
    pub(crate) fn begin(policy: &Policy) -> Self {
        let layers = policy.layers.iter().map(Layer::upper);
        Self {
            folders: policy.read_write.iter().cloned().chain(layers).collect(),
            counted: policy.counted.clone(),
            command: policy.limits.disk_bytes,
            build: policy.limits.disk_total,
            first: None,
            free: 0,
            next: Instant::now(),
            walk: None,
        }
    }

    /// Looks on for a little while; true once more was written than is allowed.
    pub(crate) fn is_broken(&mut self, alive: &Descendants, files: &mut NamelessFiles) -> bool {
        let fills = self.free.saturating_sub(self.free_now()) > self.command / PART;
        if self.walk.is_none() && !fills && Instant::now() < self.next {
            return false;
        }
        let free = self.free_now();
        let walk = self.walk.get_or_insert_with(|| {
            self.free = free;
            let folders = self.folders.iter().chain(&self.counted);
            Walk::begin(folders.cloned().collect(), alive.unlinked(files))
        });
        let slice = if fills { URGENT_SLICE } else { SLICE };
        let Some(bytes) = walk.go_on(slice) else {
            return false;
        };
        let pause = (walk.took * SHARE).clamp(LEAST_PAUSE, MOST_PAUSE);
        self.next = Instant::now() + pause;
        self.walk = None;
        let before = *self.first.get_or_insert(bytes);
        bytes > self.build || bytes.saturating_sub(before) > self.command
    }

    fn free_now(&self) -> u64 {
        let free = |folder: &PathBuf| {
            let found = rustix::fs::statvfs(folder).ok()?;
            Some(found.f_bfree.saturating_mul(found.f_frsize))
        };
        self.folders.iter().filter_map(free).min().unwrap_or(0)
    }
}

/// A walk that is under way.
#[derive(Debug)]
struct Walk {
    folders: Vec<PathBuf>,
    open: Option<ReadDir>,
    linked: HashSet<(u64, u64)>,
    bytes: u64,
    took: Duration,
}

impl Walk {
    fn begin(folders: Vec<PathBuf>, unlinked: u64) -> Self {
        Self {
            folders,
            open: None,
            linked: HashSet::new(),
            bytes: unlinked,
            took: Duration::ZERO,
        }
    }

    /// Bytes below the folders, and in files without a name; `None` until it is through.
    ///
    /// What vanishes while it is looked at, or cannot be read, does not count. What lies too deep for a
    /// path counts as more than is allowed.
    fn go_on(&mut self, slice: Duration) -> Option<u64> {
        let begun = Instant::now();
        let through = self.step_until(begun + slice);
        self.took += begun.elapsed();
        through.then_some(self.bytes)
    }

    /// False when the time was over first.
    fn step_until(&mut self, until: Instant) -> bool {
        loop {
            let Some(open) = &mut self.open else {
                let Some(folder) = self.folders.pop() else {
                    return true;
                };
                match fs::read_dir(folder) {
                    Ok(open) => self.open = Some(open),
                    // Nobody can say how much lies there, so that it counts as too much.
                    Err(error) if error.kind() == io::ErrorKind::InvalidFilename => {
                        self.bytes = u64::MAX;
                        return true;
                    }
                    Err(_) => {}
                }
                continue;
            };
            for entry in open.by_ref().filter_map(Result::ok) {
                if let Ok(found) = entry.metadata() {
                    if found.is_dir() {
                        self.folders.push(entry.path());
                    }
                    let counted = found.nlink() == 1
                        || found.is_dir()
                        || self.linked.insert((found.dev(), found.ino()));
                    if counted {
                        self.bytes = self.bytes.saturating_add(found.blocks() * 512 + ENTRY);
                    }
                }
                if Instant::now() >= until {
                    return false;
                }
            }
            self.open = None;
        }
    }
}
