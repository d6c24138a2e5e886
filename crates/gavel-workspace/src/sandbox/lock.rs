//! The lock that a supervisor holds as long as anything of its command is alive.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

/// How often a held lock is tried again.
const AGAIN: Duration = Duration::from_millis(20);

/// Waiting for an earlier command did not succeed.
#[derive(Debug, thiserror::Error)]
pub enum OrphanError {
    /// Processes of an earlier command are still alive; wait longer or look at them.
    #[error("processes of an earlier command still hold {lock}; wait, or end them by hand")]
    StillAlive {
        /// The lock file.
        lock: PathBuf,
    },
    /// The lock file cannot be used.
    #[error("the lock file {lock} cannot be used")]
    Unusable {
        /// The lock file.
        lock: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}

/// Waits until nothing of the command that was started with this lock is alive.
///
/// After a crash of Gavel its supervisor kills the command at once; resume waits here before it
/// touches the work tree. Without a lock file there was no command.
pub async fn wait_for_orphans(lock: &Path, deadline: Duration) -> Result<(), OrphanError> {
    let until = Instant::now() + deadline;
    let unusable = |source| OrphanError::Unusable {
        lock: lock.to_owned(),
        source,
    };
    let file = match File::open(lock) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(unusable(error)),
    };
    loop {
        match file.try_lock_shared() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(unusable(error)),
            Err(TryLockError::WouldBlock) if Instant::now() >= until => {
                return Err(OrphanError::StillAlive { lock: lock.into() });
            }
            Err(TryLockError::WouldBlock) => sleep_until(until.min(Instant::now() + AGAIN)).await,
        }
    }
}

/// The lock file in two hands: one to give to a supervisor, one to read its report with.
#[derive(Debug)]
pub(crate) struct Held {
    /// Carries the lock. Every copy must be gone before the lock is free.
    pub(crate) lock: File,
    /// Does not carry it.
    pub(crate) report: File,
}

impl Held {
    /// Takes the lock, emptying the file.
    pub(crate) fn take(path: &Path) -> Result<Self, OrphanError> {
        let unusable = |source| OrphanError::Unusable {
            lock: path.to_owned(),
            source,
        };
        let lock = OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .map_err(unusable)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::Error(error)) => return Err(unusable(error)),
            Err(TryLockError::WouldBlock) => {
                return Err(OrphanError::StillAlive { lock: path.into() });
            }
        }
        lock.set_len(0).map_err(unusable)?;
        let report = File::open(path).map_err(unusable)?;
        Ok(Self { lock, report })
    }
}
