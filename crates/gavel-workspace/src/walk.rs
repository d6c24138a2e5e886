//! What is in a tree: one folder, or everything that its `.gitignore` files do not exclude.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use ignore::{DirEntry, WalkBuilder, WalkState};
use rustix::fs::{AtFlags, Dir, FileType};
use serde::{Deserialize, Serialize};

use crate::git::{TextAt, TreeText};
use crate::path::{RepoDir, RepoPath, TreeName};
use crate::tree_root::{FileError, TreeRoot};

/// Larger files are not read as texts.
const MAX_TEXT: usize = 4 * 1024 * 1024;
/// The most that is read of all texts together.
const MAX_TEXTS: usize = 128 * 1024 * 1024;

/// What an entry of a folder is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EntryKind {
    /// A regular file.
    File {
        /// Its size.
        bytes: u64,
    },
    /// A folder.
    Folder,
    /// A symlink, wherever it leads.
    Symlink,
    /// A pipe, a socket or a device.
    Special,
}

/// An entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its path from the root of the tree.
    pub name: TreeName,
    /// What it is.
    pub kind: EntryKind,
}

/// The entries of a folder, in the order of names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// At most as many as asked for.
    pub entries: Vec<Entry>,
    /// How many more there are.
    pub left_out: usize,
}

/// The files of a tree, in the order of names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Walked {
    /// At most as many as asked for.
    pub files: Vec<RepoPath>,
    /// How many more there are.
    pub left_out: usize,
    /// Names that no tool can use, for showing.
    pub unaddressable: Vec<String>,
}

/// What tells whether a file changed, without reading it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileStamp {
    /// Its size.
    pub bytes: u64,
    /// When its content was last written, in nanoseconds since 1970.
    pub modified_ns: i64,
    /// When anything about it last changed: no program can set this back.
    pub changed_ns: i64,
}

/// A file and its stamp.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StampedFile {
    /// Its path from the root of the tree.
    pub path: RepoPath,
    /// Its stamp.
    pub stamp: FileStamp,
}

/// The files of a tree with their stamps, in the order of names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StampedFiles {
    /// At most as many as asked for.
    pub files: Vec<StampedFile>,
    /// How many more there are.
    pub left_out: usize,
    /// How many names no tool can use.
    pub unaddressable: usize,
    /// How many symlinks there are; none is followed.
    pub symlinks: usize,
}

impl TreeRoot {
    /// All files that the tree's `.gitignore` files do not exclude, with what tells whether they changed.
    ///
    /// Reads folders with two threads; which files are left out above `max` does not depend on their speed.
    pub fn stamped_files(&self, max: usize) -> StampedFiles {
        let found = Mutex::new(StampedFiles::default());
        let walk = plain_builder(self.path(), |_| true)
            .threads(2)
            .build_parallel();
        walk.run(|| {
            Box::new(|entry| {
                if let Ok(entry) = entry
                    && entry.depth() > 0
                {
                    let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
                    self.add_stamped(&entry, &mut found);
                }
                WalkState::Continue
            })
        });
        let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        found.files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        found.left_out = found.files.len().saturating_sub(max);
        found.files.truncate(max);
        found
    }

    fn add_stamped(&self, entry: &DirEntry, found: &mut StampedFiles) {
        let Some(kind) = entry.file_type() else {
            return;
        };
        if kind.is_symlink() {
            found.symlinks += 1;
        }
        if !kind.is_file() {
            return;
        }
        // Somebody removed it in between: then it is not there.
        let (Ok(metadata), Ok(path)) = (entry.metadata(), entry.path().strip_prefix(self.path()))
        else {
            return;
        };
        let nanos = |seconds: i64, nanos: i64| seconds.saturating_mul(1_000_000_000) + nanos;
        match TreeName::from_bytes(path.as_os_str().as_bytes()) {
            TreeName::Path(path) => found.files.push(StampedFile {
                path,
                stamp: FileStamp {
                    bytes: metadata.len(),
                    modified_ns: nanos(metadata.mtime(), metadata.mtime_nsec()),
                    changed_ns: nanos(metadata.ctime(), metadata.ctime_nsec()),
                },
            }),
            TreeName::Unaddressable(_) => found.unaddressable += 1,
        }
    }

    /// Lists one folder, ignored entries included, git's own folder excluded.
    pub fn list(&self, folder: &RepoDir, max: usize) -> Result<Listing, FileError> {
        let opened = self.open_folder(folder)?;
        let io = |errno: rustix::io::Errno| FileError::Io {
            path: folder.to_string(),
            source: errno.into(),
        };
        let mut names = Vec::new();
        for entry in Dir::read_from(&opened).map_err(io)? {
            let entry = entry.map_err(io)?;
            let name = entry.file_name().to_bytes();
            if !matches!(name, b"." | b".." | b".git") {
                names.push(name.to_owned());
            }
        }
        names.sort_unstable();
        let left_out = names.len().saturating_sub(max);
        let mut entries = Vec::new();
        for name in names.into_iter().take(max) {
            let stat = rustix::fs::statat(&opened, name.as_slice(), AtFlags::SYMLINK_NOFOLLOW);
            // Somebody removed it in between: then it is not there.
            let Ok(stat) = stat else { continue };
            let kind = match FileType::from_raw_mode(stat.st_mode) {
                FileType::RegularFile => EntryKind::File {
                    bytes: u64::try_from(stat.st_size).unwrap_or_default(),
                },
                FileType::Directory => EntryKind::Folder,
                FileType::Symlink => EntryKind::Symlink,
                FileType::Fifo
                | FileType::Socket
                | FileType::CharacterDevice
                | FileType::BlockDevice
                | FileType::Unknown => EntryKind::Special,
            };
            entries.push(Entry {
                name: full_name(folder, &name),
                kind,
            });
        }
        Ok(Listing { entries, left_out })
    }

    /// Finds the files below a folder that the tree's `.gitignore` files do not exclude.
    ///
    /// Symlinks, folders and special files are no files; symlinks are not followed.
    pub fn walk(&self, folder: &RepoDir, max: usize) -> Result<Walked, FileError> {
        drop(self.open_folder(folder)?);
        let start = match folder.path() {
            Some(path) => self.path().join(path.as_path()),
            None => self.path().to_owned(),
        };
        let inside = start.clone();
        let entries = plain_walk(self.path(), move |path| {
            path.starts_with(&inside) || inside.starts_with(path)
        });
        let mut walked = Walked::default();
        for entry in entries {
            let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
            if !is_file || !entry.path().starts_with(&start) {
                continue;
            }
            let Ok(path) = entry.path().strip_prefix(self.path()) else {
                continue;
            };
            match TreeName::from_bytes(path.as_os_str().as_bytes()) {
                TreeName::Path(path) if walked.files.len() < max => walked.files.push(path),
                TreeName::Path(_) => walked.left_out += 1,
                TreeName::Unaddressable(shown) => walked.unaddressable.push(shown),
            }
        }
        Ok(walked)
    }
}

impl TreeRoot {
    /// The files of the tree with their texts, in the order of names: those that its `.gitignore`
    /// files do not exclude, symlinks among them.
    pub fn texts(&self) -> Vec<TreeText> {
        let mut left = MAX_TEXTS;
        let mut texts = Vec::new();
        for entry in plain_walk(self.path(), |_| true) {
            let kind = entry.file_type();
            let Ok(path) = entry.path().strip_prefix(self.path()) else {
                continue;
            };
            let is_link = kind.is_some_and(|kind| kind.is_symlink());
            let text = match TreeName::from_bytes(path.as_os_str().as_bytes()) {
                _ if is_link => TextAt::Link,
                _ if !kind.is_some_and(|kind| kind.is_file()) => continue,
                TreeName::Path(path) => self.text_at(&path, &mut left),
                TreeName::Unaddressable(_) => TextAt::NotUtf8,
            };
            texts.push(TreeText {
                path: path.to_string_lossy().into_owned(),
                text,
            });
        }
        texts
    }

    fn text_at(&self, path: &RepoPath, left: &mut usize) -> TextAt {
        match self.read(path, MAX_TEXT) {
            Ok(content) if content.left_out() == 0 && content.bytes.len() <= *left => {
                *left -= content.bytes.len();
                TextAt::of(content.bytes)
            }
            Err(FileError::Credential { .. }) => TextAt::Credential,
            // What cannot be read is no text for anybody.
            Ok(_) | Err(_) => TextAt::TooLarge,
        }
    }
}

fn full_name(folder: &RepoDir, name: &[u8]) -> TreeName {
    match folder.path() {
        Some(path) => {
            let full = path.as_path().join(OsStr::from_bytes(name));
            TreeName::from_bytes(full.as_os_str().as_bytes())
        }
        None => TreeName::from_bytes(name),
    }
}

/// Walks below a root in the order of names, following no symlink and entering no git folder.
///
/// Only the tree's own `.gitignore` files count. `wanted` is asked for every path below the root.
pub(crate) fn plain_walk(
    root: &Path,
    wanted: impl Fn(&Path) -> bool + Send + Sync + 'static,
) -> impl Iterator<Item = DirEntry> {
    plain_builder(root, wanted)
        .sort_by_file_name(OsStr::cmp)
        .build()
        .filter_map(Result::ok)
        .filter(|entry| entry.depth() > 0)
}

fn plain_builder(
    root: &Path,
    wanted: impl Fn(&Path) -> bool + Send + Sync + 'static,
) -> WalkBuilder {
    let mut builder = WalkBuilder::new(root);
    builder
        .standard_filters(false)
        .git_ignore(rules_are_readable(root))
        .require_git(false)
        .follow_links(false)
        .filter_entry(move |entry| {
            let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            entry.depth() == 0
                || (entry.file_name() != ".git"
                    && wanted(entry.path())
                    && (!is_folder || rules_are_readable(entry.path())))
        });
    builder
}

/// False when a folder's `.gitignore` is a pipe or a device: reading it would never end.
fn rules_are_readable(folder: &Path) -> bool {
    let rules: PathBuf = folder.join(".gitignore");
    match rules.metadata() {
        Ok(found) => found.is_file(),
        Err(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamped_files_are_sorted_capped_and_change_with_their_content() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("b.rs", "1");
        write("a/x.rs", "1");
        write("out/x.log", "1");
        write(".gitignore", "out/\n");
        std::os::unix::fs::symlink("b.rs", folder.path().join("link")).unwrap();
        let tree = TreeRoot::open(folder.path()).unwrap();
        let names = |found: &StampedFiles| -> Vec<String> {
            found
                .files
                .iter()
                .map(|file| file.path.to_string())
                .collect()
        };
        let all = tree.stamped_files(10);
        assert_eq!(names(&all), [".gitignore", "a/x.rs", "b.rs"]);
        assert_eq!((all.left_out, all.symlinks), (0, 1));
        let some = tree.stamped_files(2);
        assert_eq!(names(&some), [".gitignore", "a/x.rs"]);
        assert_eq!(some.left_out, 1);
        assert_eq!(tree.stamped_files(10), all);
        write("b.rs", "22");
        let again = tree.stamped_files(10);
        assert_ne!(again.files[2].stamp, all.files[2].stamp);
        assert_eq!(again.files[1].stamp, all.files[1].stamp);
    }
}
