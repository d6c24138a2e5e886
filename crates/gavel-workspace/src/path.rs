//! Paths inside a tree, parsed into types that cannot leave it.
//!
//! A [`RepoPath`] is only text: whether a symlink on the disk leads elsewhere is checked when it is
//! opened, by [`TreeRoot`](crate::TreeRoot).

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, de};

const MAX_PATH_BYTES: usize = 4096;
const MAX_SEGMENT_BYTES: usize = 255;
const SHOWN_CHARS: usize = 120;

/// Why a text is no path inside a tree.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// Nothing was named.
    #[error("the path is empty: name a file relative to the root of the tree")]
    Empty,
    /// The path starts at the root of the machine.
    #[error("`{shown}` is absolute: name it relative to the root of the tree")]
    Absolute {
        /// The path, shortened.
        shown: String,
    },
    /// The path climbs.
    #[error("`{shown}` contains `..`: a path cannot leave the tree, name it from its root")]
    Parent {
        /// The path, shortened.
        shown: String,
    },
    /// The path has a `.` segment.
    #[error("`{shown}` contains a `.` segment: leave it out")]
    Dot {
        /// The path, shortened.
        shown: String,
    },
    /// The path has `//`, or a `/` at its end.
    #[error("`{shown}` contains an empty segment: use single slashes, none at the end")]
    EmptySegment {
        /// The path, shortened.
        shown: String,
    },
    /// The path has a backslash.
    #[error("`{shown}` contains a backslash: separate segments by `/`")]
    Backslash {
        /// The path, shortened.
        shown: String,
    },
    /// The path has a NUL, a newline or another control character.
    #[error(
        "`{shown}` contains a control character (U+{code:04X}): such a name cannot be addressed"
    )]
    Control {
        /// The path, shortened and escaped.
        shown: String,
        /// The character.
        code: u32,
    },
    /// The path is longer than any system takes.
    #[error("the path is {bytes} bytes long: at most 4096, and 255 for each segment")]
    TooLong {
        /// The length of the path or of its longest segment.
        bytes: usize,
    },
    /// A segment is `.git`, or something that some file system takes for it.
    #[error("`{shown}` names git's own folder, which no tool reads or writes")]
    GitFolder {
        /// The path, shortened.
        shown: String,
    },
    /// The name is not UTF-8.
    #[error("`{shown}` is not UTF-8: such a name is listed, but cannot be addressed")]
    NotUtf8 {
        /// The path with replacement characters.
        shown: String,
    },
}

/// A file's path relative to the root of a tree, `/`-separated.
///
/// Whatever parses, joined to a root, stays below it: no absolute path, `..`, `.`, empty segment,
/// control character or backslash, nothing overlong, and no segment that any file system takes for
/// `.git`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct RepoPath(String);

impl RepoPath {
    /// Parses a path.
    pub fn new(text: impl Into<String>) -> Result<Self, PathError> {
        let text = text.into();
        check(&text)?;
        Ok(Self(text))
    }

    /// Parses a path as the system names it.
    pub fn from_path(path: &Path) -> Result<Self, PathError> {
        match path.to_str() {
            Some(text) => Self::new(text),
            None => Err(PathError::NotUtf8 {
                shown: shown(&path.to_string_lossy()),
            }),
        }
    }

    /// The text form.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The path for file functions; relative.
    pub fn as_path(&self) -> &Path {
        Path::new(&self.0)
    }

    /// The last segment.
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// The segments, first to last.
    pub fn segments(&self) -> impl Iterator<Item = &str> {
        self.0.split('/')
    }

    /// The folder that holds it.
    pub fn folder(&self) -> RepoDir {
        match self.0.rsplit_once('/') {
            Some((folder, _)) => RepoDir(Some(Self(folder.to_owned()))),
            None => RepoDir::ROOT,
        }
    }
}

impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for RepoPath {
    type Err = PathError;

    fn from_str(text: &str) -> Result<Self, PathError> {
        Self::new(text)
    }
}

impl<'de> Deserialize<'de> for RepoPath {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(String::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

/// A name as it stands in a tree: an address, or only something to show.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TreeName {
    /// Tools may use it.
    Path(RepoPath),
    /// Not UTF-8, or with characters that no tool takes: shown with replacements, never touched.
    Unaddressable(String),
}

impl TreeName {
    /// Reads a name as the system or git gives it.
    pub(crate) fn from_bytes(name: &[u8]) -> Self {
        let shown = String::from_utf8_lossy(name);
        match RepoPath::new(shown.as_ref()) {
            Ok(path) if matches!(shown, std::borrow::Cow::Borrowed(_)) => Self::Path(path),
            _ => Self::Unaddressable(shown.escape_debug().to_string()),
        }
    }
}

impl fmt::Display for TreeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => path.fmt(f),
            Self::Unaddressable(shown) => f.write_str(shown),
        }
    }
}

/// A folder of a tree: its root, or one below.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepoDir(Option<RepoPath>);

impl RepoDir {
    /// The root of the tree.
    pub const ROOT: Self = Self(None);

    /// Parses a folder: the empty text and `.` are the root, one `/` at the end is tolerated.
    pub fn new(text: &str) -> Result<Self, PathError> {
        match text {
            "" | "." | "./" => Ok(Self::ROOT),
            _ => RepoPath::new(text.strip_suffix('/').unwrap_or(text)).map(|path| Self(Some(path))),
        }
    }

    /// The path, or `None` for the root.
    pub const fn path(&self) -> Option<&RepoPath> {
        self.0.as_ref()
    }

    /// The path of something in this folder.
    pub fn join(&self, name: &str) -> Result<RepoPath, PathError> {
        match &self.0 {
            Some(folder) => RepoPath::new(format!("{folder}/{name}")),
            None => RepoPath::new(name),
        }
    }
}

impl From<RepoPath> for RepoDir {
    fn from(path: RepoPath) -> Self {
        Self(Some(path))
    }
}

impl fmt::Display for RepoDir {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_ref().map_or(".", RepoPath::as_str))
    }
}

fn check(text: &str) -> Result<(), PathError> {
    if text.is_empty() {
        return Err(PathError::Empty);
    }
    if text.len() > MAX_PATH_BYTES {
        return Err(PathError::TooLong { bytes: text.len() });
    }
    if let Some(control) = text.chars().find(|c| c.is_control()) {
        return Err(PathError::Control {
            shown: shown(&text.escape_debug().to_string()),
            code: u32::from(control),
        });
    }
    let shown = || shown(text);
    if text.starts_with('/') {
        return Err(PathError::Absolute { shown: shown() });
    }
    if text.contains('\\') {
        return Err(PathError::Backslash { shown: shown() });
    }
    for segment in text.split('/') {
        match segment {
            "" => return Err(PathError::EmptySegment { shown: shown() }),
            "." => return Err(PathError::Dot { shown: shown() }),
            ".." => return Err(PathError::Parent { shown: shown() }),
            _ if segment.len() > MAX_SEGMENT_BYTES => {
                let bytes = segment.len();
                return Err(PathError::TooLong { bytes });
            }
            _ if is_git_name(segment) => return Err(PathError::GitFolder { shown: shown() }),
            _ => {}
        }
    }
    Ok(())
}

/// True for `.git` and for every name that a file system may fold into it.
///
/// Case is ignored (macOS, Windows), code points that HFS+ ignores are dropped, and Windows drops
/// dots and spaces at the end, reads `:` as the start of a stream, and knows `.git` as `git~1`.
pub(crate) fn is_git_name(segment: &str) -> bool {
    let visible: String = segment.chars().filter(|c| !hfs_ignores(*c)).collect();
    let stem = visible.split(':').next().unwrap_or_default();
    let stem = stem.trim_end_matches(['.', ' ']);
    stem.eq_ignore_ascii_case(".git") || stem.eq_ignore_ascii_case("git~1")
}

const fn hfs_ignores(c: char) -> bool {
    matches!(
        c,
        '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}'
    )
}

fn shown(text: &str) -> String {
    text.chars().take(SHOWN_CHARS).collect()
}

#[cfg(test)]
#[path = "path_tests.rs"]
mod tests;
