//! What is served: every tool of every capability, assembled here and nowhere else.

use std::sync::Arc;

use anyhow::anyhow;
use futures_util::future::BoxFuture;
use gavel_agent::{Counter, CounterError, SessionDesk, SetSession, ToolSet};
use gavel_contracts::ContractSource;
use gavel_deliberation::loops::{GavelCoordinate, GavelLoop};
use gavel_deliberation::memory_tools::{self, MemoryDesk};
use gavel_mcp::{Keys, KeysError, Offered};
use gavel_product::served::{RunDesk, RunDoor, ServedPlace};
use gavel_rules::KeyScope;
use gavel_store::{SqliteStore, Store};

use super::door::Door;
use crate::commands::loops::LoopTable;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::project;

/// What is offered when nobody says which: small enough for every conversation.
const CORE: [&str; 11] = [
    "gavel_answer",
    "gavel_coordinate",
    "gavel_get_contract",
    "gavel_get_phase_window",
    "gavel_get_summary",
    "gavel_loop",
    "gavel_memory_add",
    "gavel_memory_search",
    "gavel_run_status",
    "gavel_set_session",
    "gavel_start_run",
];

/// The runs and loops that are served: those of this folder's project.
pub(super) fn runs(context: &Context, store: &Arc<SqliteStore>) -> Result<Arc<RunDesk>, Failure> {
    let place = ServedPlace {
        project: project::of(context.directory())?,
        checkout: project::find(context.directory())?,
    };
    let runs = RunDesk::new(store.clone(), Context::clock(), place);
    Ok(Arc::new(runs.with_most_at_work(most_at_work(context)?)))
}

/// Every tool that there is. Tools about a project's memory are there where a project is.
pub(super) fn counter(
    context: &Context,
    store: &Arc<SqliteStore>,
    (desk, runs): (&Arc<SessionDesk>, &Arc<RunDesk>),
) -> Result<Counter, Failure> {
    let mut counter = Counter::default();
    let project = project::of(context.directory())?;
    let checkout = project::find(context.directory())?;
    let door: Arc<dyn RunDoor> = Arc::new(Door::new(context, store.clone())?);
    let contracts: Arc<dyn ContractSource> = runs.clone();
    let taken =
        |added: Result<(), CounterError>| added.map_err(|error| Failure::new(Exit::Bug, error));
    taken(counter.add(SetSession::new(desk.clone(), runs.clone())))?;
    taken(gavel_contracts::served_tools(&mut counter, &contracts))?;
    taken(gavel_product::served::served_tools(
        &mut counter,
        runs,
        &door,
    ))?;
    if let Some(checkout) = checkout {
        let place = (checkout, context.index());
        let kept = store;
        let store: Arc<dyn Store> = store.clone();
        let memory = MemoryDesk::new(store, Context::clock(), place, project);
        taken(memory_tools::served_tools(&mut counter, &memory))?;
        let engine = context.engine(kept.clone(), &[])?;
        let desk = Arc::new(LoopTable::here(context, engine, kept.clone(), false)?.desk);
        taken(counter.add(GavelLoop { desk: desk.clone() }))?;
        let settings = context.settings()?.of_run();
        taken(counter.add(GavelCoordinate { desk, settings }))?;
    }
    Ok(counter)
}

/// How many runs may be at work for programs to have another one driven.
fn most_at_work(context: &Context) -> Result<usize, Failure> {
    let settings = context.settings()?;
    let mut values = settings.effective.iter();
    let set = values.find(|value| value.key == "mcp.max_runs");
    let set = set.and_then(|set| set.value.as_u64());
    let set = set.and_then(|set| usize::try_from(set).ok());
    set.ok_or_else(|| Failure::new(Exit::Bug, anyhow!("the setting mcp.max_runs has no number")))
}

/// The tools that words name.
pub(super) fn offered(words: &[String]) -> Result<Offered, Failure> {
    let mut offered = Offered::default();
    let said = words.iter().map(|word| word.trim().to_owned());
    offered.words = said.collect();
    for word in words {
        match word.trim() {
            "core" => offered.names.extend(CORE),
            "all" => offered.sets.extend(ToolSet::ALL),
            word => {
                let set = ToolSet::ALL.into_iter().find(|set| set.word() == word);
                let Some(set) = set else {
                    let words = ToolSet::ALL.map(ToolSet::word).join(", ");
                    let unknown = format!("there is no set of tools `{word}`");
                    let hint = format!("there are: core, all, {words}");
                    return Err(Failure::usage(unknown).hint(hint));
                };
                offered.sets.insert(set);
            }
        }
    }
    Ok(offered)
}

/// The secret that session handles are signed with.
pub(super) async fn secret(store: &SqliteStore) -> Result<[u8; 32], Failure> {
    let fresh = fresh_bytes()?;
    Ok(store.secret("session", fresh).await?)
}

/// Bytes that nobody can guess.
pub(crate) fn fresh_bytes() -> Result<[u8; 32], Failure> {
    let drawn = ring::rand::generate::<[u8; 32]>(&ring::rand::SystemRandom::new());
    let drawn = drawn.map_err(|_unspecified| {
        Failure::new(Exit::Failed, anyhow!("this machine gives no random bytes"))
    })?;
    Ok(drawn.expose())
}

/// Keys as the store has them.
#[derive(Debug)]
pub(super) struct StoreKeys(pub(super) Arc<SqliteStore>);

impl Keys for StoreKeys {
    fn admit<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Option<KeyScope>, KeysError>> {
        Box::pin(async move {
            let found = self.0.key_scope(&super::super::keys::hashed(key)).await;
            let scope = found.map_err(|error| KeysError(Box::new(error)))?;
            // A word that this version does not know opens nothing.
            Ok(scope.and_then(|word| KeyScope::ALL.into_iter().find(|known| known.word() == word)))
        })
    }
}
