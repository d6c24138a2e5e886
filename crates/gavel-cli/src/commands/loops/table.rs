//! The desk of a project's loops, and what belongs to it.

use std::path::PathBuf;
use std::sync::Arc;

use gavel_deliberation::loops::{
    self, Desk, DeskPlace, Keeper, LoopBrief, Recall, Remembered, Remembers, ShelfMemory,
};
use gavel_domain::{AgentId, Category, Head, ProjectId, RunId, Timestamp};
use gavel_memory::{Shelf, ShelfPlace, project_key};
use gavel_run::Engine;
use gavel_store::{Access, SqliteStore, Store as _};
use serde_json::Value;

use super::problem::plain;
use crate::context::Context;
use crate::driver::brief_of;
use crate::failure::Failure;
use crate::project;

/// Where the loops of a project are dealt with.
pub(crate) struct LoopTable {
    pub(crate) desk: Desk,
    pub(crate) store: Arc<SqliteStore>,
    pub(crate) memory: Arc<dyn Remembers>,
    engine: Engine,
    checkout: PathBuf,
    project: Option<ProjectId>,
    index: PathBuf,
}

/// Where a loop belongs, and whether memory is asked.
struct Site {
    checkout: PathBuf,
    project: Option<ProjectId>,
    without_memory: bool,
}

impl LoopTable {
    /// The loops of the project that this folder belongs to.
    pub(crate) async fn open(context: &Context, access: Access) -> Result<Self, Failure> {
        let store = context.store(access).await?;
        let engine = context.engine(store.clone(), &[])?;
        Self::here(context, engine, store, false)
    }

    /// The same, with an engine that is there.
    pub(crate) fn here(
        context: &Context,
        engine: Engine,
        store: Arc<SqliteStore>,
        without_memory: bool,
    ) -> Result<Self, Failure> {
        let checkout = project::root(context.directory())?;
        let project = project::of(context.directory())?;
        let site = Site {
            checkout,
            project,
            without_memory,
        };
        Ok(Self::at(context, (engine, store), site))
    }

    /// A table for a loop that is known by its whole id, from whatever folder.
    pub(crate) fn anywhere(context: &Context, engine: Engine, store: Arc<SqliteStore>) -> Self {
        let site = Site {
            checkout: context.directory().to_owned(),
            project: None,
            without_memory: true,
        };
        Self::at(context, (engine, store), site)
    }

    fn at(context: &Context, (engine, store): (Engine, Arc<SqliteStore>), site: Site) -> Self {
        let brief = LoopBrief {
            checkout: site.checkout.clone(),
            without_memory: site.without_memory,
        };
        let memory = memory_of(context, &store, (&brief, site.project));
        let place = DeskPlace {
            checkout: site.checkout.clone(),
            project: site.project,
            configured: configured(context),
            without_memory: site.without_memory,
        };
        Self {
            desk: Desk::new(engine.clone(), memory.clone(), place),
            store,
            memory,
            engine,
            checkout: site.checkout,
            project: site.project,
            index: context.index(),
        }
    }

    /// A loop by its name, with the desk of the project that it was opened in: an id may be of
    /// another one, and its briefs are written from what that one remembers.
    pub(crate) async fn of_loop(
        self,
        context: &Context,
        name: &str,
    ) -> Result<(RunId, Self), Failure> {
        let id = self.desk.find(name).await.map_err(plain)?;
        let Some(head) = self.store.head(id).await? else {
            return Err(plain(loops::LoopProblem::NoLoop(id.to_string())));
        };
        if head.driver != loops::DRIVER {
            return Err(plain(loops::LoopProblem::NoLoop(id.to_string())));
        }
        let Some(brief) = loop_brief(&self.store, &head).await? else {
            return Ok((id, self));
        };
        let site = Site {
            checkout: brief.checkout,
            project: head.project,
            without_memory: brief.without_memory,
        };
        let own = (self.engine, self.store);
        Ok((id, Self::at(context, own, site)))
    }

    /// The items of the project, by their ids; nothing where the checkout is gone.
    pub(super) async fn shelf(&self) -> Result<Option<Shelf>, Failure> {
        if !self.checkout.is_dir() {
            return Ok(None);
        }
        let project = project_key(self.project, &self.checkout);
        let place = ShelfPlace {
            checkout: self.checkout.clone(),
            cache: self.index.clone(),
            lines: self.store.memory_lines(&project).await?,
        };
        Ok(Some(Shelf::open(&place).await?))
    }

    /// Where plans are kept.
    pub(crate) fn keeper(&self) -> Keeper<'_> {
        Keeper {
            engine: &self.engine,
            means: self.desk.means(),
            checkout: &self.checkout,
            project: self.project,
        }
    }
}

/// Whoever the settings name is known before it ever came: in `[[agents]]`, or in a slot.
fn configured(context: &Context) -> Vec<AgentId> {
    // Settings that cannot be read are told of by whoever needs them; here they name nobody.
    let Ok(loaded) = context.settings() else {
        return Vec::new();
    };
    let slots = loaded
        .effective
        .iter()
        .filter(|value| value.key.starts_with("models.slots."));
    let names = slots.flat_map(|value| match &value.value {
        Value::String(name) => vec![name.clone()],
        Value::Array(names) => {
            let names = names.iter().filter_map(Value::as_str);
            names.map(str::to_owned).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Vec::new(),
    });
    let in_slots = names.filter_map(|name| name.parse().ok());
    loaded.agents.names().cloned().chain(in_slots).collect()
}

/// What a loop was given; nothing for other runs, and once retention dropped the text.
pub(crate) async fn loop_brief(
    store: &SqliteStore,
    head: &Head,
) -> Result<Option<LoopBrief>, Failure> {
    if head.driver != loops::DRIVER {
        return Ok(None);
    }
    brief_of(store, head).await
}

/// The memory that a loop asks.
pub(crate) fn memory_of(
    context: &Context,
    store: &Arc<SqliteStore>,
    (brief, project): (&LoopBrief, Option<ProjectId>),
) -> Arc<dyn Remembers> {
    if brief.without_memory {
        return Arc::new(Unasked);
    }
    let places = (brief.checkout.clone(), context.index());
    Arc::new(ShelfMemory::new(store.clone(), places, project))
}

/// Memory that nobody wants to be asked.
#[derive(Debug)]
struct Unasked;

impl Remembers for Unasked {
    fn recall<'a>(
        &'a self,
        _category: Category,
        _query: &'a str,
        _now: Timestamp,
    ) -> Recall<'a, Vec<Remembered>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }

    fn is_empty(&self, _now: Timestamp) -> Recall<'_, bool> {
        Box::pin(std::future::ready(Ok(true)))
    }
}
