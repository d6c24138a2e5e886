//! Memory as served tools: searching, reading, proposing, changing what was proposed.
//!
//! Whoever comes from outside proposes; a person accepts. What is private to a person is neither
//! found nor read here.

mod add;
mod get;
mod search;
mod told;
mod update;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use gavel_agent::{Counter, CounterError, Refused, Visit};
use gavel_domain::{ProjectId, Speaker, Timestamp};
use gavel_memory::{
    FindError, Item, Memory, Shelf, ShelfItemError, Visibility, Written, keep_written,
};
use gavel_run::Clock;
use gavel_store::Store;
use serde_json::json;

use crate::warm::WarmShelf;

pub use add::{AddInput, AddOutput, MemoryAdd};
pub use get::{GetInput, GetOutput, MemoryGet};
pub use search::{MemorySearch, SearchInput, SearchOutput};
pub use told::{KindWord, ToldItem};
pub use update::{MemoryUpdate, UpdateInput, UpdateOutput};

/// The memory of one project, for tools.
#[derive(Clone)]
pub struct MemoryDesk {
    shelf: WarmShelf,
    clock: Arc<dyn Clock>,
}

impl MemoryDesk {
    /// The memory of a checkout; `cache` is the folder for index files.
    pub fn new(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        places: (PathBuf, PathBuf),
        project: Option<ProjectId>,
    ) -> Self {
        let shelf = WarmShelf::new(store, places, project);
        Self { shelf, clock }
    }

    fn now(&self) -> Timestamp {
        self.clock.now()
    }

    async fn lines(&self) -> Result<Vec<String>, Refused> {
        let lines = self.shelf.store().memory_lines(self.shelf.project()).await;
        lines.map_err(|error| unavailable(&error))
    }

    /// For looking.
    async fn shelf(&self) -> Result<Arc<Shelf>, Refused> {
        let shelf = self.shelf.open().await;
        shelf.map_err(|error| unavailable(&error))
    }

    /// For writing.
    async fn memory(&self) -> Result<Memory, Refused> {
        let lines = self.lines().await?;
        let memory = Memory::open_with(self.shelf.checkout(), &lines);
        memory.map_err(|error| unavailable(&error))
    }

    async fn keep(&self, written: Written) -> Result<(), Refused> {
        let kept = keep_written(self.shelf.store(), self.shelf.project(), written).await;
        kept.map_err(|error| unavailable(&error))
    }

    /// Takes back what was handed to the store.
    async fn drop_lines(&self, events: Vec<uuid::Uuid>) -> Result<(), Refused> {
        let (store, project) = (self.shelf.store(), self.shelf.project());
        let dropped = store.drop_memory_lines(project, events).await;
        dropped.map_err(|error| unavailable(&error))
    }

    /// One item that a visitor may see.
    async fn item(&self, name: &str) -> Result<Item, Refused> {
        let found = self.shelf().await?.item(name).await;
        let item = found.map_err(|error| match error {
            ShelfItemError::Find(error) => not_found(&error),
            ShelfItemError::Shelf(error) => unavailable(&error),
        })?;
        if may_see(&item) {
            return Ok(item);
        }
        Err(hidden(name))
    }
}

impl fmt::Debug for MemoryDesk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryDesk")
            .field("shelf", &self.shelf)
            .finish_non_exhaustive()
    }
}

/// Adds the tools of a project's memory.
pub fn served_tools(counter: &mut Counter, desk: &MemoryDesk) -> Result<(), CounterError> {
    counter.add(MemorySearch(desk.clone()))?;
    counter.add(MemoryGet(desk.clone()))?;
    counter.add(MemoryAdd(desk.clone()))?;
    counter.add(MemoryUpdate(desk.clone()))
}

/// What is private to a person stays with them, whoever serves it.
fn may_see(item: &Item) -> bool {
    match item.visibility {
        Visibility::Shared | Visibility::Machine => true,
        Visibility::Private => false,
    }
}

/// One item of a memory that was read for writing, if a visitor may see it.
fn visible<'a>(memory: &'a Memory, name: &str) -> Result<&'a Item, Refused> {
    let item = memory.item(name).map_err(|error| not_found(&error))?;
    if may_see(item) {
        return Ok(item);
    }
    Err(hidden(name))
}

/// What nobody may see is as if it were not there.
fn hidden(name: &str) -> Refused {
    let name = name.chars().take(80).collect();
    not_found(&FindError::None { name })
}

/// What the caller goes by, for provenance.
fn agent_name(visit: &Visit) -> String {
    let name = visit.session.agent.as_deref();
    name.unwrap_or_else(|| gavel_rules::role_word(visit.speaker.role))
        .to_owned()
}

fn stamped<T>(
    desk: &MemoryDesk,
    by: Speaker,
    write: impl FnOnce(&mut gavel_memory::Stamp<'_>) -> T,
) -> T {
    let mut ids = gavel_run::fresh_id;
    write(&mut gavel_memory::Stamp::new(desk.now(), by, &mut ids))
}

fn not_found(error: &FindError) -> Refused {
    let code = match error {
        FindError::None { .. } => "not_found",
        FindError::Several { .. } => "ambiguous",
    };
    let arguments = json!({ "text": "<what it is about>" });
    Refused::from_error(code, error).then("gavel_memory_search", arguments, "to find its id")
}

fn unavailable(error: &dyn std::error::Error) -> Refused {
    Refused::from_error("unavailable", error)
}

#[cfg(test)]
#[path = "memory_tools_tests.rs"]
mod tests;
