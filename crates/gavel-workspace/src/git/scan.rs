//! What differs between a work tree and its private index.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::call::{Answer, Call, Git, GitError, Plumbing};
use super::turn::Turn;
use crate::path::is_git_name;

/// Paths as git names them: bytes.
type Name = Vec<u8>;

/// The differences, ready for `update-index`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Changes {
    /// Gone, or no longer a file or symlink.
    pub(super) removed: BTreeSet<Name>,
    /// New or changed files and symlinks.
    pub(super) added: BTreeSet<Name>,
    /// Folders that hold a repository of their own; git does not look into them by itself.
    pub(super) nested: BTreeSet<Name>,
}

impl Changes {
    pub(super) fn is_empty(&self) -> bool {
        self.removed.is_empty() && self.added.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.removed.len() + self.added.len()
    }
}

/// Compares, without writing anything.
///
/// `git add -A` and `git status` would start a second git inside every nested repository, with
/// that repository's config in force; these two commands start nothing.
pub(super) async fn scan(git: &Git, turn: &Turn, patience: Duration) -> Result<Changes, GitError> {
    let others = Call::new(Plumbing::LsFiles)
        .args(["-z", "--others", "--exclude-standard"])
        .within(patience)
        .in_turn(turn);
    let tracked = Call::new(Plumbing::DiffFiles)
        .args([
            "-z",
            "--name-status",
            "--no-renames",
            "--ignore-submodules=all",
            "--no-ext-diff",
        ])
        .within(patience)
        .in_turn(turn);
    let (others, tracked) = tokio::try_join!(git.run(others), git.run(tracked))?;
    let mut changes = Changes::default();
    read_tracked(&git.work_tree, &tracked, &mut changes)?;
    read_others(&others, &mut changes);
    Ok(changes)
}

/// The files of nested repositories, without their git folders.
///
/// A generator such as `cargo new` makes a repository inside the tree; its files are work like any
/// other. Once one of them is in the index, git looks into the folder by itself.
pub(super) fn files_of_nested(work_tree: &Path, nested: &BTreeSet<Name>) -> BTreeSet<Name> {
    let roots: Vec<_> = nested
        .iter()
        .map(|name| work_tree.join(OsStr::from_bytes(name)))
        .collect();
    crate::walk::plain_walk(work_tree, move |path| {
        roots
            .iter()
            .any(|root| path.starts_with(root) || root.starts_with(path))
    })
    .filter(|entry| {
        entry
            .file_type()
            .is_some_and(|kind| kind.is_file() || kind.is_symlink())
    })
    .filter_map(|entry| Some(entry.path().strip_prefix(work_tree).ok()?.to_owned()))
    .map(|path| path.into_os_string().into_encoded_bytes())
    .filter(|name| !names_git_folder(name) && nested.iter().any(|root| name.starts_with(root)))
    .collect()
}

/// Removes every `.gitignore` that is a pipe or a device, and says how many there were.
///
/// Git would wait for such a pipe without end, so that no tree could ever be restored again.
pub(super) fn remove_endless_rules(folder: &Path) -> usize {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return 0;
    };
    let mut removed = 0;
    for entry in entries.filter_map(Result::ok) {
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        if kind.is_dir() {
            removed += remove_endless_rules(&entry.path());
        } else if entry.file_name() == ".gitignore"
            && !kind.is_file()
            && !kind.is_symlink()
            && std::fs::remove_file(entry.path()).is_ok()
        {
            removed += 1;
        }
    }
    removed
}

/// Files that were changed just now and carry an older time of change, as `cp -p` gives it.
///
/// Git compares whole seconds: another change of equal size within this second, with the same old
/// time set again, would leave everything that git compares as it was.
pub(super) fn suspects<'a>(
    work_tree: &'a Path,
    names: &'a BTreeSet<Name>,
) -> impl Iterator<Item = Name> + 'a {
    let since_epoch = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let now = since_epoch
        .ok()
        .and_then(|since| i64::try_from(since.as_secs()).ok());
    names
        .iter()
        .filter(move |name| {
            let found = work_tree.join(OsStr::from_bytes(name)).symlink_metadata();
            found.is_ok_and(|found| {
                found.mtime() < found.ctime() && now.is_none_or(|now| found.ctime() + 1 >= now)
            })
        })
        .cloned()
}

fn read_tracked(work_tree: &Path, answer: &Answer, changes: &mut Changes) -> Result<(), GitError> {
    let mut fields = answer.stdout.split(|byte| *byte == 0);
    while let Some(letter) = fields.next() {
        if letter.is_empty() {
            break;
        }
        let Some(name) = fields.next() else {
            return Err(answer.garbled());
        };
        let stays = letter != b"D" && is_file_or_link(&work_tree.join(OsStr::from_bytes(name)));
        if stays {
            changes.added.insert(name.to_owned());
        } else {
            changes.removed.insert(name.to_owned());
        }
    }
    Ok(())
}

fn read_others(answer: &Answer, changes: &mut Changes) {
    for name in answer.stdout.split(|byte| *byte == 0) {
        if name.is_empty() || names_git_folder(name) {
            continue;
        }
        if name.ends_with(b"/") {
            changes.nested.insert(name.to_owned());
        } else {
            changes.added.insert(name.to_owned());
        }
    }
}

/// A pipe, a socket or a device under a tracked name: git cannot keep it, and it is not followed.
fn is_file_or_link(path: &Path) -> bool {
    path.symlink_metadata()
        .is_ok_and(|found| found.is_file() || found.is_symlink())
}

/// Git refuses names that some file system takes for `.git`; they are never part of a tree.
fn names_git_folder(name: &[u8]) -> bool {
    name.split(|byte| *byte == b'/')
        .any(|segment| std::str::from_utf8(segment).is_ok_and(is_git_name))
}
