//! Turns: one git at a time works on a tree, also across a killed and restarted Gavel.
//!
//! The lock file is git's standard input, so a git that outlives us keeps the lock until it ends,
//! and whoever resumes waits for it. It also carries the input: a list of paths to add.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::call::GitError;

const POLL: Duration = Duration::from_millis(5);
const PATIENCE: Duration = Duration::from_secs(130);

/// The right to run git on one index and work tree, until dropped.
#[derive(Debug)]
pub(super) struct Turn {
    file: File,
    path: PathBuf,
}

impl Turn {
    /// Waits for the lock. An index lock that a killed git left behind is removed: whoever holds
    /// the turn knows that no other git works on this index.
    pub(super) async fn take(path: &Path, index: &Path) -> Result<Self, GitError> {
        let io = |source| GitError::Io {
            path: path.to_owned(),
            source,
        };
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let file = options.open(path).map_err(io)?;
        let locked = tokio::time::timeout(PATIENCE, async {
            loop {
                match file.try_lock() {
                    Ok(()) => return Ok(()),
                    Err(TryLockError::WouldBlock) => tokio::time::sleep(POLL).await,
                    Err(TryLockError::Error(source)) => return Err(source),
                }
            }
        });
        match locked.await {
            Ok(locked) => locked.map_err(io)?,
            Err(_elapsed) => {
                return Err(GitError::Busy {
                    lock: path.to_owned(),
                });
            }
        }
        remove_if_there(&with_suffix(index, ".lock"))?;
        Ok(Self {
            file,
            path: path.to_owned(),
        })
    }

    /// Writes the input of the next call.
    pub(super) fn write_input(&self, bytes: &[u8]) -> Result<(), GitError> {
        let mut file = &self.file;
        let written = file
            .set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| file.write_all(bytes))
            .and_then(|()| file.rewind());
        written.map_err(|source| GitError::Io {
            path: self.path.clone(),
            source,
        })
    }

    /// The locked file for a child; it shares the lock and the reading position.
    pub(super) fn share(&self) -> Result<File, GitError> {
        self.file.try_clone().map_err(|source| GitError::Io {
            path: self.path.clone(),
            source,
        })
    }
}

pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

pub(super) fn remove_if_there(path: &Path) -> Result<(), GitError> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(GitError::Io {
            path: path.to_owned(),
            source: error,
        }),
        _ => Ok(()),
    }
}
