//! Files that are too large to be recorded: none of their bytes enters an object folder.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use super::call::{Call, GitError, Plumbing};
use super::scan::Changes;
use super::turn::Turn;
use super::worktree::{WorkTree, WorkTreeError};

/// How much may be recorded at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RecordLimits {
    /// Each new or changed file; one that was recorded larger than this may stay so.
    pub(super) file: u64,
    /// All of them together.
    pub(super) sum: u64,
}

impl Default for RecordLimits {
    fn default() -> Self {
        Self {
            file: 100 << 20,
            sum: 1 << 30,
        }
    }
}

/// A file that is not recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LargeFile {
    /// Its name, for showing.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    raw: Vec<u8>,
}

impl fmt::Display for LargeFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({} MiB)", self.name, self.bytes >> 20)
    }
}

/// What commands left and no tree records.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TakenBack {
    /// Files that are too large.
    pub large: Vec<LargeFile>,
    /// Files that only people and Gavel write: the settings of the project, contracts, memory, seals.
    pub own: Vec<String>,
}

/// True for what a build is held to and does not change, however it is spelled on a file system that
/// does not tell capitals apart.
pub fn is_gavels_own(path: &str) -> bool {
    let first = path.split('/').next().unwrap_or_default();
    first.eq_ignore_ascii_case(".gavel") || path.eq_ignore_ascii_case("gavel.toml")
}

impl WorkTree {
    /// Takes back what a command left and may not be recorded: files that are too large, and what is
    /// Gavel's own. New ones are removed, changed and removed ones become what was recorded last.
    pub async fn take_back_unwanted(&self) -> Result<TakenBack, WorkTreeError> {
        let turn = self.turn().await?;
        if !self.private.index().exists() {
            return Ok(TakenBack::default());
        }
        let mut changes = self.scan(&turn).await?;
        self.take_in_nested(&mut changes);
        let large = self.too_large(&turn, &changes).await?;
        let changed = changes.added.iter().chain(&changes.removed);
        let own: Vec<LargeFile> = changed
            .filter(|name| std::str::from_utf8(name).is_ok_and(is_gavels_own))
            .map(|name| self.sized(name))
            .collect();
        self.take_back(&turn, &large).await?;
        self.take_back(&turn, &own).await?;
        Ok(TakenBack {
            large,
            own: own.into_iter().map(|file| file.name).collect(),
        })
    }

    /// The files among these changes that are not recorded, the largest first.
    pub(super) async fn too_large(
        &self,
        turn: &Turn,
        changes: &Changes,
    ) -> Result<Vec<LargeFile>, GitError> {
        let mut files: Vec<LargeFile> = changes.added.iter().map(|name| self.sized(name)).collect();
        files.sort_by_key(|file| std::cmp::Reverse(file.bytes));
        let mut sum: u64 = files.iter().map(|file| file.bytes).sum();
        let mut large = Vec::new();
        for file in files {
            let over = file.bytes > self.limits.file || sum > self.limits.sum;
            if !over {
                break;
            }
            if self.recorded_size(turn, &file).await? > self.limits.file {
                continue;
            }
            sum -= file.bytes;
            large.push(file);
        }
        Ok(large)
    }

    pub(super) async fn take_back(&self, turn: &Turn, large: &[LargeFile]) -> Result<(), GitError> {
        if large.is_empty() {
            return Ok(());
        }
        for file in large {
            let path = self.folder().join(OsStr::from_bytes(&file.raw));
            super::turn::remove_if_there(&path)?;
        }
        let mut list = Vec::new();
        for file in large {
            list.extend_from_slice(&file.raw);
            list.push(0);
        }
        turn.write_input(&list)?;
        // Names that are not in the index are new; git says so, and writes the others.
        let call = Call::new(Plumbing::CheckoutIndex)
            .args(["--force", "--quiet", "-z", "--stdin"])
            .accept(&[0, 1, 128])
            .in_turn(turn);
        self.inside.run(call).await?;
        Ok(())
    }

    fn sized(&self, name: &[u8]) -> LargeFile {
        let path = self.folder().join(OsStr::from_bytes(name));
        LargeFile {
            name: String::from_utf8_lossy(name).into_owned(),
            bytes: size_of(&path),
            raw: name.to_owned(),
        }
    }

    /// How large the file was when it was recorded last; 0 for a new one.
    async fn recorded_size(&self, turn: &Turn, file: &LargeFile) -> Result<u64, GitError> {
        let mut object = std::ffi::OsString::from(":");
        object.push(OsStr::from_bytes(&file.raw));
        let call = Call::new(Plumbing::CatFile)
            .arg("-s")
            .arg(object)
            .accept(&[0, 1, 128])
            .in_turn(turn);
        let answer = self.inside.run(call).await?;
        if answer.code != 0 {
            return Ok(0);
        }
        answer.id()
    }

    pub(super) fn take_in_nested(&self, changes: &mut Changes) {
        let nested: &BTreeSet<Vec<u8>> = &changes.nested;
        if !nested.is_empty() {
            let files = super::scan::files_of_nested(self.folder(), nested);
            changes.added.extend(files);
        }
    }
}

fn size_of(path: &Path) -> u64 {
    let found = fs::symlink_metadata(path);
    found.map_or(0, |found| if found.is_file() { found.len() } else { 0 })
}
