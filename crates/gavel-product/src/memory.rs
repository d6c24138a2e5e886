//! Project memory at a stage: asked once, and what it said is on record.

use gavel_domain::{FaultClass, Key, MemoryNote, MemoryRecalled, Scope};
use gavel_memory::{Kind, Memory};
use gavel_run::{Blobs, Pure, Run, StepFailure};

use crate::ProductBrief;
use crate::way::{Leave, read_json};

/// The most items that a stage is given.
const MOST: usize = 8;

/// Asks project memory about something.
pub(crate) async fn recall(
    run: &Run,
    scope: &Scope,
    brief: &ProductBrief,
    (query, kinds): (&str, &[Kind]),
) -> Result<Vec<MemoryNote>, Leave> {
    recall_as(run, scope.key("memory")?, brief, (query, kinds)).await
}

async fn recall_as(
    run: &Run,
    key: Key,
    brief: &ProductBrief,
    (query, kinds): (&str, &[Kind]),
) -> Result<Vec<MemoryNote>, Leave> {
    if brief.without_memory {
        return Ok(Vec::new());
    }
    let checkout = brief.checkout.clone();
    let effect = |blobs: Blobs| {
        let (checkout, query, kinds) = (checkout.clone(), query.to_owned(), kinds.to_vec());
        async move {
            let asked = tokio::task::spawn_blocking(move || {
                let memory = Memory::open(&checkout).map_err(failed)?;
                let notes: Vec<MemoryNote> = memory
                    .recall(&query, &kinds, MOST)
                    .into_iter()
                    .map(|recalled| MemoryNote {
                        id: recalled.item.id.to_string(),
                        kind: recalled.item.kind.to_string(),
                        text: recalled.item.text,
                    })
                    .collect();
                Ok(notes)
            });
            let notes = asked.await.map_err(failed)??;
            let texts = serde_json::to_string(&notes).map_err(failed)?;
            Ok(MemoryRecalled {
                items: notes.into_iter().map(|note| note.id).collect(),
                texts: blobs.keep(texts),
            })
        }
    };
    let recalled = run.step(key, Pure, &query, effect).await?;
    Ok(read_json(run, recalled.value.texts).await?)
}

fn failed(problem: impl std::fmt::Display) -> StepFailure {
    StepFailure::new(FaultClass::Failed, problem)
}
