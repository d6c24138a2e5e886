//! The shelf of a project, kept open: whoever asks again does not open the index again. What other
//! processes write is seen by the next question.

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use gavel_domain::ProjectId;
use gavel_memory::{Shelf, ShelfError, ShelfPlace, project_key};
use gavel_store::{ReadError, Store};

/// Why there is no shelf.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WarmError {
    /// The store could not be asked for the lines that it holds.
    #[error(transparent)]
    Store(#[from] ReadError),
    /// The memory files or their index.
    #[error(transparent)]
    Shelf(#[from] ShelfError),
}

/// The lines of the store that a shelf was opened with, and the shelf.
type Opened = (Vec<String>, Arc<Shelf>);

/// A shelf that stays open.
#[derive(Clone)]
pub(crate) struct WarmShelf {
    pub(crate) store: Arc<dyn Store>,
    checkout: PathBuf,
    cache: PathBuf,
    project: String,
    /// The shelf with the lines of the store that it was opened with.
    open: Arc<Mutex<Option<Opened>>>,
}

impl WarmShelf {
    /// The shelf of a checkout; `cache` is the folder for index files. It is opened when it is first
    /// asked for.
    pub(crate) fn new(
        store: Arc<dyn Store>,
        (checkout, cache): (PathBuf, PathBuf),
        project: Option<ProjectId>,
    ) -> Self {
        Self {
            project: project_key(project, &checkout),
            store,
            checkout,
            cache,
            open: Arc::new(Mutex::new(None)),
        }
    }

    pub(crate) fn store(&self) -> &dyn Store {
        self.store.as_ref()
    }

    pub(crate) const fn checkout(&self) -> &PathBuf {
        &self.checkout
    }

    /// The key of the project in the store.
    pub(crate) fn project(&self) -> &str {
        &self.project
    }

    /// The shelf that knows what the store holds now.
    pub(crate) async fn open(&self) -> Result<Arc<Shelf>, WarmError> {
        let lines = self.store.memory_lines(&self.project).await?;
        if let Some((of, shelf)) = &*self.open.lock().unwrap_or_else(PoisonError::into_inner)
            && *of == lines
        {
            return Ok(Arc::clone(shelf));
        }
        let place = ShelfPlace {
            checkout: self.checkout.clone(),
            cache: self.cache.clone(),
            lines,
        };
        let shelf = Arc::new(Shelf::open(&place).await?);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        *open = Some((place.lines, Arc::clone(&shelf)));
        Ok(shelf)
    }
}

impl fmt::Debug for WarmShelf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WarmShelf")
            .field("checkout", &self.checkout)
            .field("project", &self.project)
            .finish_non_exhaustive()
    }
}
