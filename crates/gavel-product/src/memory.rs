//! Project memory at a stage: asked once, and what it said is on record.

use std::path::Path;

use gavel_domain::{FaultClass, Key, MemoryNote, MemoryRecalled, Scope, Timestamp};
use gavel_memory::Memory;
use gavel_run::{Blobs, Pure, Run, RunError, StepFailure};

use crate::trouble::mended;
use crate::way::{Leave, Way, read_json};

/// The most items that a stage is given.
const MOST: usize = 8;

/// Asks project memory about something; what it says is on record in the scope. Memory that cannot
/// be read is a question to a person: what it holds may matter.
pub(crate) async fn recall(
    way: Way<'_>,
    scope: &Scope,
    query: &str,
) -> Result<Vec<MemoryNote>, Leave> {
    if way.brief.without_memory {
        return Ok(Vec::new());
    }
    let mut key = scope.key("memory")?;
    let mut number = 1;
    loop {
        let problem = match recall_as(way, key, query).await {
            Err(Leave::Run(RunError::Failed(error))) => error.to_string(),
            done => return done,
        };
        mended(way, &scope.scope("memory", number)?, &problem).await?;
        number += 1;
        key = scope.scope("memory", number)?.key("recalled")?;
    }
}

async fn recall_as(way: Way<'_>, key: Key, query: &str) -> Result<Vec<MemoryNote>, Leave> {
    Ok(ask_memory(way.run, key, (&way.brief.checkout, query)).await?)
}

/// Asks the memory of a checkout about something; what it says is on record under the key.
pub(crate) async fn ask_memory(
    run: &Run,
    key: Key,
    (checkout, query): (&Path, &str),
) -> Result<Vec<MemoryNote>, RunError> {
    let effect = |blobs: Blobs| {
        let (checkout, query) = (checkout.to_owned(), query.to_owned());
        async move {
            let asked = tokio::task::spawn_blocking(move || {
                let memory = Memory::open(&checkout).map_err(failed)?;
                let notes: Vec<MemoryNote> = memory
                    .recall(&query, &[], MOST, Timestamp::now())
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
    read_json(run, recalled.value.texts).await
}

fn failed(problem: impl std::error::Error) -> StepFailure {
    StepFailure::of(FaultClass::Failed, &problem)
}
