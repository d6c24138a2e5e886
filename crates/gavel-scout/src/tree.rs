//! The files that are looked at: on the disk, or in memory.

use std::path::Path;

use gavel_workspace::{FileError, FileStamp, RepoPath, StampedFile, StampedFiles, TreeRoot};

/// A tree of files that can be read.
///
/// Implementors guarantee that `files` is sorted by path and that a file which may hold credentials is
/// answered with [`Content::Credential`].
pub trait SourceTree: Sync {
    /// The files, with what tells whether they changed.
    fn files(&self) -> &StampedFiles;
    /// The text of a file.
    fn read(&self, path: &RepoPath, most_bytes: usize) -> Content;
    /// True when something lies there, also where no list names it.
    fn exists(&self, path: &RepoPath) -> bool;
}

/// What reading a file brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Its text.
    Text(String),
    /// It is no text.
    Binary,
    /// It is longer than was asked for.
    TooLarge,
    /// It is made to hold credentials.
    Credential,
    /// It cannot be read.
    Unreadable,
}

/// A folder on the disk.
#[derive(Debug)]
pub struct DiskTree {
    root: TreeRoot,
    files: StampedFiles,
}

impl DiskTree {
    /// Lists a folder: everything that its `.gitignore` files do not exclude, at most so many files.
    pub fn open(folder: &Path, most_files: usize) -> Result<Self, FileError> {
        let root = TreeRoot::open(folder)?;
        let files = root.stamped_files(most_files);
        Ok(Self { root, files })
    }
}

impl SourceTree for DiskTree {
    fn files(&self) -> &StampedFiles {
        &self.files
    }

    fn read(&self, path: &RepoPath, most_bytes: usize) -> Content {
        match self.root.read(path, most_bytes) {
            Ok(content) if content.left_out() > 0 => Content::TooLarge,
            Ok(content) if content.is_binary() => Content::Binary,
            // Old sources are written in other encodings; their ASCII says what is looked for.
            Ok(content) => Content::Text(match String::from_utf8(content.bytes) {
                Ok(text) => text,
                Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
            }),
            Err(FileError::Credential { .. }) => Content::Credential,
            Err(_) => Content::Unreadable,
        }
    }

    fn exists(&self, path: &RepoPath) -> bool {
        self.root
            .path()
            .join(path.as_path())
            .symlink_metadata()
            .is_ok()
    }
}

/// Files in memory.
#[derive(Debug, Clone, Default)]
pub struct MemoryTree {
    files: StampedFiles,
    texts: std::collections::BTreeMap<RepoPath, String>,
}

impl MemoryTree {
    /// A tree of these files; a name that is no path inside a tree is left out and counted.
    pub fn of<P: Into<String>, T: Into<String>>(files: impl IntoIterator<Item = (P, T)>) -> Self {
        let mut tree = Self::default();
        for (path, text) in files {
            match RepoPath::new(path) {
                Ok(path) => drop(tree.texts.insert(path, text.into())),
                Err(_) => tree.files.unaddressable += 1,
            }
        }
        tree.files.files = tree.texts.iter().map(stamped).collect();
        tree
    }
}

/// In memory nothing has a time: the content's length stands for it.
fn stamped((path, text): (&RepoPath, &String)) -> StampedFile {
    StampedFile {
        path: path.clone(),
        stamp: FileStamp {
            bytes: u64::try_from(text.len()).unwrap_or(u64::MAX),
            ..FileStamp::default()
        },
    }
}

impl SourceTree for MemoryTree {
    fn files(&self) -> &StampedFiles {
        &self.files
    }

    fn read(&self, path: &RepoPath, most_bytes: usize) -> Content {
        match self.texts.get(path) {
            _ if gavel_workspace::is_credential_file(path) => Content::Credential,
            Some(text) if text.len() > most_bytes => Content::TooLarge,
            Some(text) if text.contains('\0') => Content::Binary,
            Some(text) => Content::Text(text.clone()),
            None => Content::Unreadable,
        }
    }

    fn exists(&self, path: &RepoPath) -> bool {
        self.texts.contains_key(path)
    }
}
