//! Where the git dir of a folder is, and whether it is one: a repository comes with its `.git`, and git
//! opens and writes whatever stands in the place of its files.
//!
//! Looked at before the first call of git. A link that leads out would have objects and references of
//! ours written elsewhere; a pipe keeps whoever opens it waiting. What links inside is left alone, and
//! so are work trees and submodules, whose `.git` is a file that names a git dir elsewhere.

use std::fs::{self, FileType, Metadata};
use std::io;
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};

use super::repository::{Layout, RepositoryError};

/// Files of git's that its calls of ours read or write, where they are there.
const FILES: [&str; 9] = [
    "HEAD",
    "commondir",
    "config",
    "config.worktree",
    "gitdir",
    "index",
    "logs/HEAD",
    "packed-refs",
    "shallow",
];
/// Folders of git's whose entries, at any depth, are files and folders and nothing else.
const FOLDERS: [&str; 4] = ["info", "logs", "objects", "refs"];
/// So many entries are looked at: those of any repository that somebody still works with.
const MOST_ENTRIES: usize = 2_000_000;
/// No file of this kind is longer: it names one folder.
const LONGEST_NAME: u64 = 64 * 1024;

/// Something else stands in the place of a file or folder of git's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} {kind}: Gavel runs no git on such a repository; look at it, then remove it", .path.display())]
pub struct Unsound {
    /// What was found.
    pub path: PathBuf,
    /// What it is.
    pub kind: UnsoundKind,
}

/// What stands in the place of a file or folder of git's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum UnsoundKind {
    /// A link that leads out of the git dir.
    #[error("is a link that leads out of the git dir")]
    LeadsOut,
    /// A link to what is not there: writing through it makes a file at its end.
    #[error("is a link to what is not there")]
    LeadsNowhere,
    /// A pipe.
    #[error("is a pipe")]
    Pipe,
    /// A socket.
    #[error("is a socket")]
    Socket,
    /// A device.
    #[error("is a device")]
    Device,
    /// A folder in the place of a file.
    #[error("is a folder where git has a file")]
    Folder,
    /// A file in the place of a folder.
    #[error("is a file where git has a folder")]
    File,
    /// It cannot be looked at.
    #[error("cannot be looked at")]
    Unreadable,
}

/// The git dir of a folder.
#[derive(Debug)]
pub(super) struct GitDir {
    pub(super) git_dir: PathBuf,
    /// What all work trees share.
    pub(super) common_dir: PathBuf,
    pub(super) layout: Layout,
}

impl GitDir {
    /// Finds and checks the git dir of exactly this folder.
    pub(super) fn find(folder: &Path) -> Result<Self, RepositoryError> {
        let missing = || RepositoryError::NotARepository {
            folder: folder.to_owned(),
        };
        let folder = folder.canonicalize().map_err(|_error| missing())?;
        let inner = folder.join(".git");
        let Some(kind) = kind_of(&inner) else {
            return match looks_like_git_dir(&folder) {
                true => Self::checked(folder, Layout::Bare),
                false => Err(missing()),
            };
        };
        if kind.is_dir() {
            return match looks_like_git_dir(&inner) {
                true => Self::checked(inner, Layout::Checkout),
                false => Err(missing()),
            };
        }
        // A link would lead our writes into a git dir of another folder.
        if !kind.is_file() {
            return Err(unsound(&inner, odd(kind).unwrap_or(UnsoundKind::LeadsOut)).into());
        }
        let broken = || RepositoryError::BrokenLink {
            file: inner.clone(),
        };
        let text = read_name(&inner).map_err(|_error| broken())?;
        let target = text.strip_prefix("gitdir: ").ok_or_else(broken)?;
        let git_dir = folder
            .join(target)
            .canonicalize()
            .map_err(|_error| broken())?;
        if git_dir.ends_with(".git") && git_dir.parent() != Some(&folder) {
            let file = inner.clone();
            return Err(RepositoryError::Foreign { file, git_dir });
        }
        // A linked work tree names the git dir that it belongs to; a submodule's does not.
        match kind_of(&git_dir.join("commondir")).is_some() {
            true => Self::checked(git_dir, Layout::LinkedWorkTree),
            false if looks_like_git_dir(&git_dir) => Self::checked(git_dir, Layout::Checkout),
            false => Err(broken()),
        }
    }

    fn checked(git_dir: PathBuf, layout: Layout) -> Result<Self, RepositoryError> {
        check_files(&git_dir, &git_dir)?;
        let common_dir = common_dir(&git_dir)?;
        check_git_dir(&git_dir, &common_dir)?;
        Ok(Self {
            git_dir,
            common_dir,
            layout,
        })
    }
}

/// What all work trees of the repository at a folder share; none where there is no repository, or
/// where the folder merely names a git dir that knows nothing of it: whoever made the folder can write
/// any name.
pub fn own_git_dir(folder: &Path) -> Option<PathBuf> {
    let folder = folder.canonicalize().ok()?;
    let inner = folder.join(".git");
    let kind = kind_of(&inner);
    if kind.is_none_or(|kind| kind.is_dir()) {
        let git_dir = if kind.is_some() { inner } else { folder };
        let is_whole = kind_of(&git_dir.join("commondir")).is_none();
        return (is_whole && looks_like_git_dir(&git_dir)).then_some(git_dir);
    }
    let text = read_name(&inner).ok()?;
    let git_dir = folder.join(text.strip_prefix("gitdir: ")?);
    let git_dir = git_dir.canonicalize().ok()?;
    let named = read_name(&git_dir.join("gitdir")).ok()?;
    if git_dir.join(named).canonicalize().ok()? != inner {
        return None;
    }
    let common = common_dir(&git_dir).ok()?;
    (git_dir.parent() == Some(&common.join("worktrees"))).then_some(common)
}

/// Checks a git dir, and the one that it shares with other work trees.
pub(super) fn check_git_dir(git_dir: &Path, common_dir: &Path) -> Result<(), Unsound> {
    let mut left = MOST_ENTRIES;
    check_files(git_dir, common_dir)?;
    if git_dir != common_dir {
        check_files(common_dir, common_dir)?;
        check_folders(git_dir, common_dir, &mut left)?;
    }
    check_folders(common_dir, common_dir, &mut left)
}

fn check_files(git_dir: &Path, within: &Path) -> Result<(), Unsound> {
    for name in FILES {
        let path = git_dir.join(name);
        if let Some(metadata) = resolved(&path, within)?
            && metadata.is_dir()
        {
            return Err(unsound(&path, UnsoundKind::Folder));
        }
    }
    Ok(())
}

fn check_folders(git_dir: &Path, within: &Path, left: &mut usize) -> Result<(), Unsound> {
    for name in FOLDERS {
        let path = git_dir.join(name);
        match resolved(&path, within)? {
            Some(metadata) if metadata.is_dir() => check_below(path, within, left)?,
            Some(_) => return Err(unsound(&path, UnsoundKind::File)),
            None => {}
        }
    }
    Ok(())
}

/// Looks at everything below a folder; what links inside is looked at where it is.
fn check_below(folder: PathBuf, within: &Path, left: &mut usize) -> Result<(), Unsound> {
    let mut folders = vec![folder];
    while let Some(folder) = folders.pop() {
        let unreadable = |_error: io::Error| unsound(&folder, UnsoundKind::Unreadable);
        for entry in fs::read_dir(&folder).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let kind = entry.file_type().map_err(unreadable)?;
            if kind.is_dir() {
                folders.push(entry.path());
            } else if !kind.is_file() {
                resolved(&entry.path(), within)?;
            }
            *left = left.saturating_sub(1);
            if *left == 0 {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// What is at a path, links followed as far as they stay inside; nothing where there is nothing.
fn resolved(path: &Path, within: &Path) -> Result<Option<Metadata>, Unsound> {
    let unreadable = |_error: io::Error| unsound(path, UnsoundKind::Unreadable);
    let found = match path.symlink_metadata() {
        Ok(found) => found,
        Err(error) if is_missing(&error) => return Ok(None),
        Err(error) => return Err(unreadable(error)),
    };
    let found = if found.is_symlink() {
        let target = match path.canonicalize() {
            Ok(target) => target,
            Err(error) if is_missing(&error) => {
                return Err(unsound(path, UnsoundKind::LeadsNowhere));
            }
            Err(error) => return Err(unreadable(error)),
        };
        let within = within.canonicalize().map_err(unreadable)?;
        if !target.starts_with(within) {
            return Err(unsound(path, UnsoundKind::LeadsOut));
        }
        target.symlink_metadata().map_err(unreadable)?
    } else {
        found
    };
    match odd(found.file_type()) {
        Some(kind) => Err(unsound(path, kind)),
        None => Ok(Some(found)),
    }
}

fn is_missing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// What is neither file, folder nor link.
fn odd(kind: FileType) -> Option<UnsoundKind> {
    if kind.is_fifo() {
        Some(UnsoundKind::Pipe)
    } else if kind.is_socket() {
        Some(UnsoundKind::Socket)
    } else if kind.is_block_device() || kind.is_char_device() {
        Some(UnsoundKind::Device)
    } else {
        None
    }
}

fn unsound(path: &Path, kind: UnsoundKind) -> Unsound {
    let path = path.to_owned();
    Unsound { path, kind }
}

/// The kind of what is at a path, itself and not what it links to.
fn kind_of(path: &Path) -> Option<FileType> {
    let found = path.symlink_metadata().ok()?;
    Some(found.file_type())
}

fn looks_like_git_dir(folder: &Path) -> bool {
    let is_there = |name: &str| kind_of(&folder.join(name)).is_some();
    is_there("HEAD") && is_there("objects") && is_there("refs")
}

fn common_dir(git_dir: &Path) -> Result<PathBuf, RepositoryError> {
    let file = git_dir.join("commondir");
    let io = |source| RepositoryError::Io {
        path: file.clone(),
        source,
    };
    if kind_of(&file).is_none() {
        return Ok(git_dir.to_owned());
    }
    let target = read_name(&file).map_err(io)?;
    git_dir.join(target).canonicalize().map_err(io)
}

/// Reads a file that names a folder. Anything but a small file is not opened: a pipe would keep us.
fn read_name(path: &Path) -> io::Result<String> {
    let found = path.symlink_metadata()?;
    if !found.is_file() || found.len() > LONGEST_NAME {
        return Err(io::Error::other("no file that names a folder"));
    }
    Ok(fs::read_to_string(path)?.trim_end().to_owned())
}

#[cfg(test)]
#[path = "git_dir_tests.rs"]
mod tests;
