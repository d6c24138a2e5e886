//! A full-text index: a cache file of its own, apart from the store and never the truth.
//!
//! It keeps documents, the words of each with how much it is about them, and the lines that they
//! were made from, so that a change reads only what is new. SQLite's full-text engine keeps the
//! lists of documents per word; which words are asked for and how answers are ranked is the
//! caller's. Whatever is wrong with the file, it is deleted and made anew.

mod change;
mod file;
mod look;

use std::path::{Path, PathBuf};

use crate::sqlite::lane::Lane;

pub use self::change::{IndexChange, IndexDocument, IndexLine};
pub use self::look::{PostingList, WordCount, WordCounts};

/// How many steps there are between a document that mentions a word and one that is about it.
pub const INDEX_LEVELS: usize = 4;
/// How many documents can have the same `base`.
pub const INDEX_ROOM: i64 = 1 << 23;

/// How the file was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IndexOrigin {
    /// It was there, and fits.
    Kept,
    /// There was none.
    Made,
    /// It was damaged or of another form, and is empty now.
    Remade {
        /// What was wrong with it.
        why: String,
    },
}

/// An open index. Several processes may have one file open.
#[derive(Debug)]
pub struct TextIndex {
    path: PathBuf,
    /// Which file it is: another one may lie there by now.
    inode: u64,
    readers: Lane,
    writer: Lane,
}

/// An index did not do it.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// Somebody else changed it first; look again.
    #[error("the index {path} was changed by somebody else: look again")]
    Moved {
        /// The file.
        path: PathBuf,
    },
    /// The file is not what it should be; [`TextIndex::remake`] makes it anew.
    #[error("the index {path} is damaged: {place}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where.
        place: String,
    },
    /// It cannot be used now.
    #[error("the index {path} cannot be used: is its folder writable, and is there space?")]
    Unavailable {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl TextIndex {
    /// Opens the index in a file; one that is missing is made, one that is damaged or of another
    /// form is made anew. `form` names everything that decides what is in it.
    pub async fn open(path: &Path, form: &str) -> Result<(Self, IndexOrigin), IndexError> {
        file::open(path, form).await
    }

    /// Deletes the damaged file and makes it anew, unless somebody else did so meanwhile.
    pub async fn remake(&self, form: &str) -> Result<Self, IndexError> {
        file::remake(self, form).await
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Closes the connections and waits until they are closed.
    pub async fn close(self) -> Result<(), IndexError> {
        let closed = match self.readers.close().await {
            Ok(()) => self.writer.close().await,
            Err(error) => Err(error),
        };
        closed.map_err(|error| file::unavailable(&self.path, error))
    }
}

#[cfg(test)]
#[path = "index_tests.rs"]
mod tests;
