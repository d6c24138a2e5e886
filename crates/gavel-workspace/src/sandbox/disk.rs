//! How much a command has on the disk, looked at while it runs.
//!
//! The folders that it may write are walked at intervals that grow with what a walk takes. Between
//! two walks the free space of their file systems is looked at: it cannot be attributed to anybody,
//! and says only that it is time to walk. What is written between two looks is not prevented.

use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::descendants::Descendants;
use super::policy::Policy;

const LEAST_PAUSE: Duration = Duration::from_millis(250);
const MOST_PAUSE: Duration = Duration::from_secs(10);
const LOOK: Duration = Duration::from_millis(50);
/// Walks take at most this share of the time.
const SHARE: u32 = 10;
/// A walk follows at once when free space went down by this part of what is allowed.
const PART: u64 = 8;

/// The watch over one command; dropping it ends the watch.
#[derive(Debug)]
pub(crate) struct DiskWatch {
    broken: Arc<AtomicBool>,
    over: Arc<AtomicBool>,
}

impl DiskWatch {
    /// Begins right after the command has started: what it wrote before the first walk was through
    /// counts for its build alone.
    pub(crate) fn begin(policy: &Policy) -> Self {
        let broken = Arc::new(AtomicBool::new(false));
        let over = Arc::new(AtomicBool::new(false));
        let walker = Walker {
            folders: policy.read_write.clone(),
            command: policy.limits.disk_bytes,
            build: policy.limits.disk_total,
            over: Arc::clone(&over),
        };
        let tell = Arc::clone(&broken);
        thread::spawn(move || walker.watch(&tell));
        Self { broken, over }
    }

    /// True once more was written than is allowed.
    pub(crate) fn is_broken(&self) -> bool {
        self.broken.load(Ordering::Relaxed)
    }
}

impl Drop for DiskWatch {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
    }
}

struct Walker {
    folders: Vec<PathBuf>,
    command: u64,
    build: u64,
    over: Arc<AtomicBool>,
}

impl Walker {
    fn watch(&self, broken: &AtomicBool) {
        let mut first = None;
        while !self.is_over() {
            let free = self.free();
            let begun = Instant::now();
            let Some(now) = self.walk() else { return };
            let before = *first.get_or_insert(now);
            if now > self.build || now.saturating_sub(before) > self.command {
                broken.store(true, Ordering::Relaxed);
                return;
            }
            let pause = (begun.elapsed() * SHARE).clamp(LEAST_PAUSE, MOST_PAUSE);
            self.wait(pause, free);
        }
    }

    /// Waits, but not while the disk fills.
    fn wait(&self, pause: Duration, free: u64) {
        let until = Instant::now() + pause;
        while Instant::now() < until && !self.is_over() {
            thread::sleep(LOOK);
            if free.saturating_sub(self.free()) > self.command / PART {
                return;
            }
        }
    }

    /// Bytes below the folders, and in files that are only open; `None` when the command is over.
    ///
    /// What vanishes while it is looked at, or cannot be read, does not count.
    fn walk(&self) -> Option<u64> {
        let mut linked = HashSet::new();
        let mut bytes = Descendants::of_self().map_or(0, |found| found.open_files().unlinked);
        let mut folders = self.folders.clone();
        while let Some(folder) = folders.pop() {
            let Ok(entries) = fs::read_dir(folder) else {
                continue;
            };
            for entry in entries.filter_map(Result::ok) {
                if self.is_over() {
                    return None;
                }
                let Ok(found) = entry.metadata() else {
                    continue;
                };
                if found.is_dir() {
                    folders.push(entry.path());
                }
                let counted = found.nlink() == 1
                    || found.is_dir()
                    || linked.insert((found.dev(), found.ino()));
                if counted {
                    bytes += found.blocks() * 512;
                }
            }
        }
        Some(bytes)
    }

    fn free(&self) -> u64 {
        let free = |folder: &PathBuf| {
            let found = rustix::fs::statvfs(folder).ok()?;
            Some(found.f_bfree.saturating_mul(found.f_frsize))
        };
        self.folders.iter().filter_map(free).min().unwrap_or(0)
    }

    fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }
}
