//! How often items were used, as the journals of a project tell it.

use std::collections::BTreeMap;

use gavel_domain::{
    ArtifactAdded, MemoryCited, MemoryRecalled, ProjectId, Record, Seq, TurnAssigned,
};
use gavel_store::{HeadsQuery, ReadError, Store};

use crate::audit::Uses;
use crate::id::ItemId;

/// More journals of one project are not looked at.
const MOST_RUNS: u32 = 10_000;

/// Counts over the runs and loops of a project, or over all of them for a folder without an id: an
/// item's id is the same nowhere else.
pub async fn count_uses(store: &dyn Store, project: Option<ProjectId>) -> Result<Uses, ReadError> {
    let query = HeadsQuery {
        project,
        unfinished: false,
        limit: MOST_RUNS,
    };
    let mut uses = Uses::default();
    for head in store.heads(query).await? {
        for record in store.records(head.run, Seq::ZERO, u32::MAX).await? {
            uses.take(&record);
        }
    }
    Ok(uses)
}

impl Uses {
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
