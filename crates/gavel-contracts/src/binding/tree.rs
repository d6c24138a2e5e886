//! The files of a tree, by path.

use std::collections::BTreeMap;

use gavel_workspace::{TextAt, TreeText};

use super::language::{Language, languages_of};

/// Longer files are not read: no source file that people write is.
const MAX_FILE: usize = 4 * 1024 * 1024;
/// Folders with code of other people, or that a program wrote.
const SET_ASIDE: [&str; 6] = [
    "vendor",
    "third_party",
    "node_modules",
    "dist",
    "generated",
    "docs",
];
const TEST_FOLDERS: [&str; 5] = ["tests", "test", "__tests__", "spec", "specs"];

/// Why the text of a file is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unread {
    /// It is no text.
    Binary,
    /// It is text in another encoding than UTF-8.
    NotUtf8,
    /// It is too large.
    TooLarge,
    /// It is a symlink.
    Link,
    /// It is another repository.
    Submodule,
    /// It is a credential file, which is never read.
    Credential,
}

impl Unread {
    /// What it is, after "it is".
    pub const fn describe(self) -> &'static str {
        match self {
            Self::Binary => "no text",
            Self::NotUtf8 => "not UTF-8 text",
            Self::TooLarge => "too large to be read",
            Self::Link => "a symlink",
            Self::Submodule => "another repository",
            Self::Credential => "a credential file, which is never read",
        }
    }

    /// True when other files may stand behind it.
    pub(super) const fn hides_files(self) -> bool {
        match self {
            Self::Link | Self::Submodule => true,
            Self::Binary | Self::NotUtf8 | Self::TooLarge | Self::Credential => false,
        }
    }
}

/// The text of a file, or why it is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileText<'a> {
    /// The whole text.
    Text(&'a str),
    /// None.
    Unread(Unread),
}

/// A file of the tree that is compared with the contracts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeFile<'a> {
    /// Its path from the root, with `/`.
    pub path: &'a str,
    /// Its text.
    pub text: FileText<'a>,
}

impl<'a> From<&'a TreeText> for TreeFile<'a> {
    fn from(file: &'a TreeText) -> Self {
        let text = match &file.text {
            TextAt::Text(text) => FileText::Text(text),
            TextAt::Binary => FileText::Unread(Unread::Binary),
            TextAt::NotUtf8 => FileText::Unread(Unread::NotUtf8),
            TextAt::TooLarge => FileText::Unread(Unread::TooLarge),
            TextAt::Link => FileText::Unread(Unread::Link),
            TextAt::Submodule => FileText::Unread(Unread::Submodule),
            TextAt::Credential => FileText::Unread(Unread::Credential),
        };
        Self {
            path: &file.path,
            text,
        }
    }
}

/// All files in the order of their paths.
#[derive(Debug)]
pub(super) struct Tree<'a> {
    files: BTreeMap<&'a str, FileText<'a>>,
}

impl<'a> Tree<'a> {
    pub(super) fn new(files: impl IntoIterator<Item = TreeFile<'a>>) -> Self {
        let bounded = |file: TreeFile<'a>| {
            let text = match file.text {
                FileText::Text(text) if text.len() > MAX_FILE => FileText::Unread(Unread::TooLarge),
                FileText::Text(text) if text.contains('\0') => FileText::Unread(Unread::Binary),
                known @ (FileText::Text(_) | FileText::Unread(_)) => known,
            };
            (file.path, text)
        };
        Self {
            files: files.into_iter().map(bounded).collect(),
        }
    }

    pub(super) fn files(&self) -> impl Iterator<Item = TreeFile<'a>> {
        let file = |(path, text): (&&'a str, &FileText<'a>)| TreeFile { path, text: *text };
        self.files.iter().map(file)
    }

    /// The files whose text is known.
    pub(super) fn texts(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.files().filter_map(|file| match file.text {
            FileText::Text(text) => Some((file.path, text)),
            FileText::Unread(_) => None,
        })
    }

    pub(super) fn get(&self, path: &str) -> Option<TreeFile<'a>> {
        let (path, text) = self.files.get_key_value(path)?;
        Some(TreeFile { path, text: *text })
    }

    pub(super) fn has(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }
}

impl TreeFile<'_> {
    /// The programming languages that it may be written in; none for other files.
    pub(super) fn languages(&self) -> Vec<Language> {
        let first = match self.text {
            FileText::Text(text) => text.lines().next().unwrap_or_default(),
            FileText::Unread(_) => "",
        };
        languages_of(self.path, first)
    }
}

/// The last part of a path.
pub(super) fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The folder of a path; empty for the root.
pub(super) fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Joins a path to a folder and takes out `.` and `..`; `None` when it leaves the tree.
pub(super) fn resolve(folder: &str, path: &str) -> Option<String> {
    if path.starts_with(['/', '\\']) || path.contains(':') {
        return None;
    }
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// True below a folder for code of others, generated code or documents; at the root of the tree only,
/// so that nobody sets code aside by making such a folder beside it.
pub(super) fn is_set_aside(path: &str) -> bool {
    let folders = folder_of(path);
    let first = folders.split('/').next().unwrap_or_default();
    SET_ASIDE.contains(&first) || folders.split('/').any(|part| part == "node_modules")
}

/// True for a file that holds tests, by its path.
pub(super) fn is_test(path: &str) -> bool {
    let in_folder = folder_of(path)
        .split('/')
        .any(|part| TEST_FOLDERS.contains(&part));
    let name = name_of(path);
    let (stem, _) = name.rsplit_once('.').unwrap_or((name, ""));
    let ends = [
        "_test", "_tests", ".test", ".spec", "_spec", "Test", "Tests",
    ];
    in_folder
        || stem.starts_with("test_")
        || ends.iter().any(|end| stem.ends_with(end))
        || ["conftest", "tests"].contains(&stem)
}
