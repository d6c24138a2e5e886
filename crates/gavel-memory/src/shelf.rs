//! The shelf: all items of a checkout, found by words without reading every file.
//!
//! What it knows lies in an index file below the cache folder, which may be deleted at any time.
//! Before each search it looks at the folders of memory files; only what changed since is read. It
//! writes nothing into the checkout, and looks at the system's clock for one thing: whether a
//! folder changed so lately that its time cannot be trusted.

mod called;
mod counts;
mod files;
mod find;
mod named;
mod page;
mod refresh;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use gavel_domain::Digest;
use gavel_store::{IndexError, IndexOrigin, TextIndex};
use gavel_workspace::{FileError, Scrubber, ScrubberError, TreeRoot};

use self::counts::Counted;
use self::files::Folders;
use self::find::Last;
pub use self::named::{Named, NamedQuery};
pub use self::page::ShelfPage;
use crate::index::FORM;
use crate::item::Item;
use crate::memory::FindError;

/// Where a shelf finds its items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShelfPlace {
    /// The checkout that holds the memory files.
    pub checkout: PathBuf,
    /// The folder for index files; made when it is missing.
    pub cache: PathBuf,
    /// The events that the store holds for the project, a line each.
    pub lines: Vec<String>,
}

/// The items of a checkout and of its store.
#[derive(Debug)]
pub struct Shelf {
    root: PathBuf,
    lines: Vec<String>,
    /// Made when the first file is read: most searches read none.
    scrubber: OnceLock<Arc<Scrubber>>,
    index: Mutex<Arc<TextIndex>>,
    /// The folders as the index knows them.
    known: Mutex<Option<Folders>>,
    /// The generation of the index that knows them.
    generation: AtomicU64,
    remade: Mutex<Option<String>>,
    counted: Mutex<Counted>,
    last: Mutex<Option<Last>>,
}

/// Why a shelf does not answer.
#[derive(Debug, thiserror::Error)]
pub enum ShelfError {
    /// The checkout could not be read.
    #[error("the project's memory could not be read")]
    Folder(#[from] FileError),
    /// The scanner for secrets is broken.
    #[error("no memory is read without a look for secrets")]
    Scanner(#[from] ScrubberError),
    /// The index cannot be used.
    #[error("memory cannot be searched")]
    Index(#[from] IndexError),
    /// An item cannot be written down or read back: a bug.
    #[error("an item of the index has no form")]
    Form(#[from] serde_json::Error),
    /// A part of the work was lost.
    #[error("reading memory files was cut short")]
    CutShort(#[from] tokio::task::JoinError),
    /// The files change faster than they are read.
    #[error("the memory files of {checkout} change all the time: try again in a moment")]
    Restless {
        /// The checkout.
        checkout: PathBuf,
    },
}

/// Why no item was given.
#[derive(Debug, thiserror::Error)]
pub enum ShelfItemError {
    /// There is none, or more than one.
    #[error(transparent)]
    Find(#[from] FindError),
    /// The shelf does not answer.
    #[error(transparent)]
    Shelf(#[from] ShelfError),
}

impl Shelf {
    /// Opens the shelf of a checkout and brings its index up to date. A checkout without memory has
    /// an empty one.
    pub async fn open(place: &ShelfPlace) -> Result<Self, ShelfError> {
        let root = TreeRoot::open(&place.checkout)?.path().to_owned();
        let file = place.cache.join(file_name(&root));
        let (index, origin) = TextIndex::open(&file, FORM).await?;
        let shelf = Self {
            root,
            lines: place.lines.clone(),
            scrubber: OnceLock::new(),
            index: Mutex::new(Arc::new(index)),
            known: Mutex::new(None),
            generation: AtomicU64::new(0),
            remade: Mutex::new(None),
            counted: Mutex::default(),
            last: Mutex::new(None),
        };
        match origin {
            IndexOrigin::Kept | IndexOrigin::Made => {}
            IndexOrigin::Remade { why } => *lock(&shelf.remade) = Some(why),
        }
        shelf.refresh().await?;
        Ok(shelf)
    }

    /// Finds an item by its id, its short id or the end of it, retired ones included.
    pub async fn item(&self, name: &str) -> Result<Item, ShelfItemError> {
        self.refresh().await?;
        let found = match find::by_name(&self.index(), name).await {
            Err(ShelfError::Index(IndexError::Damaged { place, .. })) => {
                self.remake(self.index(), place).await?;
                self.refresh().await?;
                find::by_name(&self.index(), name).await?
            }
            found => found?,
        };
        found.map_err(ShelfItemError::Find)
    }

    /// Closes the index and waits until it is closed. Dropping a shelf closes it too, a moment later.
    pub async fn close(self) -> Result<(), ShelfError> {
        let index = self.index.into_inner();
        let index = index.unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = Arc::into_inner(index) {
            index.close().await?;
        }
        Ok(())
    }

    /// What was wrong with the index file, when it was made anew since the shelf was opened.
    pub fn remade(&self) -> Option<String> {
        lock(&self.remade).clone()
    }

    /// How many items can be found.
    pub async fn len(&self) -> Result<u64, ShelfError> {
        self.refresh().await?;
        let (_, documents) = self.index().total().await?;
        Ok(documents)
    }

    /// True when nothing can be found.
    pub async fn is_empty(&self) -> Result<bool, ShelfError> {
        Ok(self.len().await? == 0)
    }

    fn scrubber(&self) -> Result<Arc<Scrubber>, ShelfError> {
        if let Some(scrubber) = self.scrubber.get() {
            return Ok(Arc::clone(scrubber));
        }
        let made = Arc::new(Scrubber::new([])?);
        Ok(Arc::clone(self.scrubber.get_or_init(|| made)))
    }

    fn index(&self) -> Arc<TextIndex> {
        Arc::clone(&lock(&self.index))
    }
}

/// One index per checkout: work trees of one repository may hold different memories.
fn file_name(root: &Path) -> String {
    let digest = Digest::of(root.as_os_str().as_encoded_bytes());
    format!("memory-{}.db", digest.short())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[path = "shelf_tests.rs"]
mod tests;
