//! How often items were used, as the journals of a project tell it.

use std::collections::BTreeMap;

use gavel_domain::{
    ArtifactAdded, MemoryCited, MemoryRecalled, ProjectId, Record, RunId, Seq, TurnAssigned,
};
use gavel_store::{HeadsQuery, ReadError, Store, unless_damaged};

use crate::audit::Uses;
use crate::id::ItemId;

/// More journals of one project are not looked at.
const MOST_RUNS: u32 = 10_000;

/// Counts over the runs and loops of a project, or over all of them for a folder without an id: an
/// item's id is the same nowhere else.
pub async fn count_uses(store: &dyn Store, project: Option<ProjectId>) -> Result<Uses, ReadError> {
    let mut uses = Uses::default();
    for head in store.heads(of(project)).await? {
        uses.take_run(store, head.run).await?;
    }
    Ok(uses)
}

/// The runs and loops that were given an item, the newest first: what they were told is recorded
/// with them, words and all.
pub async fn runs_given(
    store: &dyn Store,
    project: Option<ProjectId>,
    item: ItemId,
) -> Result<Vec<RunId>, ReadError> {
    let mut runs = Vec::new();
    for head in store.heads(of(project)).await? {
        let mut uses = Uses::default();
        uses.take_run(store, head.run).await?;
        if uses.given.contains_key(&item) {
            runs.push(head.run);
        }
    }
    Ok(runs)
}

const fn of(project: Option<ProjectId>) -> HeadsQuery {
    HeadsQuery {
        project,
        unfinished: false,
        limit: MOST_RUNS,
    }
}

impl Uses {
    /// A damaged run is left out: what it was given cannot be told.
    async fn take_run(&mut self, store: &dyn Store, run: RunId) -> Result<(), ReadError> {
        let records = store.records(run, Seq::ZERO, u32::MAX).await;
        for record in unless_damaged(run, records)?.unwrap_or_default() {
            self.take(&record);
        }
        Ok(())
    }

    /// Counts what one record tells; every kind of record that names items is here.
    fn take(&mut self, record: &Record) {
        if let Ok(recalled) = record.read::<MemoryRecalled>() {
            count(&mut self.given, &recalled.items);
        } else if let Ok(cited) = record.read::<MemoryCited>() {
            count(&mut self.cited, &cited.items);
        } else if let Ok(turn) = record.read::<TurnAssigned>() {
            count(&mut self.given, &turn.items);
        } else if let Ok(artifact) = record.read::<ArtifactAdded>() {
            count(&mut self.cited, &artifact.cites);
        }
    }
}

/// Artifacts may be cited as well: what is no item's id is not counted.
fn count(counts: &mut BTreeMap<ItemId, u32>, names: &[String]) {
    for id in names.iter().filter_map(|name| name.parse::<ItemId>().ok()) {
        let count = counts.entry(id).or_default();
        *count = count.saturating_add(1);
    }
}

#[cfg(test)]
#[path = "uses_tests.rs"]
mod tests;
