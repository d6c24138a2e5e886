//! A loop as it is shown: with what its citations are called, and what somebody should know of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use gavel_deliberation::loops::{LoopView, Warning};
use gavel_domain::{AgentId, Head, LoopStatus, Profile, RunId, RunStarted, RunState, Seq};
use gavel_memory::ShelfItemError;
use gavel_rules::deliberation::{CRITIC, LoopState};
use gavel_run::DriveEnd;
use gavel_store::{SqliteStore, Store as _};
use serde_json::{Value, json};

use super::page::{Beside, sheet};
use super::problem::failed;
use super::table::LoopTable;
use super::told::waits_for_others;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::slots::{offline_alone, slots_of};

/// A loop and everything that is told of it.
pub(crate) struct Shown {
    pub(crate) view: LoopView,
    beside: Beside,
}

impl Shown {
    /// Reads a loop.
    pub(crate) async fn read(table: &LoopTable, id: RunId) -> Result<Self, Failure> {
        let mut view = table.desk.get(id).await.map_err(failed(id))?;
        let state = table.desk.state(id).await.map_err(failed(id))?;
        let head = table.store.head(id).await?;
        view.warnings.extend(without_profiles(table, &state).await?);
        let warnings = view.warnings.iter();
        let warnings = warnings.map(|warning| warning.message.clone());
        let beside = Beside {
            id,
            state: head.as_ref().map_or(RunState::Running, |head| head.state),
            now: Context::clock().now(),
            warnings: warnings.collect(),
            cited: cited(table, &view).await?,
        };
        Ok(Self { view, beside })
    }

    /// The same from a store alone.
    pub(crate) async fn of(
        context: &Context,
        store: &Arc<SqliteStore>,
        id: RunId,
    ) -> Result<Self, Failure> {
        let engine = context.engine(store.clone(), &[])?;
        let table = LoopTable::anywhere(context, engine, store.clone());
        let (id, table) = table.of_loop(context, &id.to_string()).await?;
        Self::read(&table, id).await
    }

    /// Prints the page, or the data.
    pub(crate) fn print(&self, context: &Context) {
        sheet(&self.view, &self.beside).print(context);
        context.ui.data("loop", &self.as_json());
    }

    /// The data: the loop, with what its citations are called.
    pub(crate) fn as_json(&self) -> Value {
        let mut data = serde_json::to_value(&self.view).unwrap_or(Value::Null);
        let cited = self.beside.cited.iter();
        let cited: Vec<Value> = cited
            .map(|(id, title)| json!({ "id": id, "title": title }))
            .collect();
        if let Value::Object(fields) = &mut data {
            fields.insert("cited".to_owned(), Value::Array(cited));
        }
        data
    }

    /// What cited items are called.
    pub(crate) const fn cited(&self) -> &BTreeMap<String, String> {
        &self.beside.cited
    }

    const fn exit(&self) -> Exit {
        match self.view.status {
            LoopStatus::Completed => Exit::Done,
            LoopStatus::Blocked => Exit::Gate,
            LoopStatus::Cancelled => Exit::Failed,
            LoopStatus::Open | LoopStatus::Paused => Exit::Waiting,
        }
    }
}

/// Tells how a drive of a loop ended; nothing where the run stopped for a reason that is no loop's.
pub(crate) async fn ended(
    context: &Context,
    store: &Arc<SqliteStore>,
    (head, end): (&Head, &DriveEnd),
) -> Result<Option<Exit>, Failure> {
    let DriveEnd::Through(state) = end else {
        return Ok(None);
    };
    if *state == RunState::Aborted {
        return Ok(None);
    }
    let shown = Shown::of(context, store, head.run).await?;
    shown.print(context);
    if waits_for_others(&shown.view) {
        let slots = shown.view.slots.iter();
        let others = slots.filter(|slot| slot.waiting_since.is_some());
        let others: Vec<String> = others.map(super::told::who).collect();
        let short = head.run.short();
        context.ui.note(format!(
            "the loop waits for {}; once they have answered, gavel resume {short} goes on",
            others.join(", ")
        ));
    }
    Ok(Some(shown.exit()))
}

/// Whether critics were to look out for different things though rules take every turn.
async fn without_profiles(
    table: &LoopTable,
    state: &LoopState,
) -> Result<Option<Warning>, Failure> {
    let ours = |agent: &AgentId| agent.is_gavel();
    let slots = state
        .slots
        .iter()
        .filter(|slot| slot.role.as_str() == CRITIC && slot.agent.as_ref().is_some_and(ours));
    let profiles: Vec<Profile> = slots.filter_map(|slot| slot.profile).collect();
    // A pessimist is what rules are when nobody asks for anything.
    if profiles.is_empty() || profiles == [Profile::Pessimist] {
        return Ok(None);
    }
    let first = table.store.records(state.id, Seq::ZERO, 1).await?;
    let started = first
        .first()
        .and_then(|record| record.read::<RunStarted>().ok());
    let Some(started) = started else {
        return Ok(None);
    };
    let offline = offline_alone(&slots_of(&started.settings.values)?);
    Ok(offline.then(|| Warning {
        code: "no_profiles".to_owned(),
        message:
            "the offline rules know no profiles: every critic looks for the same, and what one \
                  has said another may not say again"
                .to_owned(),
    }))
}

/// What cited items are called. One that is gone has no name any more.
async fn cited(table: &LoopTable, view: &LoopView) -> Result<BTreeMap<String, String>, Failure> {
    let mut cited = BTreeMap::new();
    let ids = view.artifacts.iter().flat_map(|artifact| &artifact.cites);
    let ids: Vec<&String> = ids.filter(|id| !id.starts_with("art_")).collect();
    if ids.is_empty() {
        return Ok(cited);
    }
    let Some(shelf) = table.shelf().await? else {
        return Ok(cited);
    };
    for id in ids {
        match shelf.item(id).await {
            Ok(item) => drop(cited.insert(id.clone(), item.label())),
            Err(ShelfItemError::Find(_)) => {}
            Err(ShelfItemError::Shelf(error)) => return Err(error.into()),
        }
    }
    Ok(cited)
}
