//! Project memory at a stage: asked once, and what it said is on record.

mod recaller;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use gavel_domain::{FaultClass, Key, MemoryNote, MemoryRecalled, ProjectId, Scope};
use gavel_memory::{Query, Shelf, ShelfError, ShelfPlace, Standing, Visibility, project_key};
use gavel_rules::RunChoices;
use gavel_run::{Blobs, Clock as _, Pure, Run, RunError, StepFailure, SystemClock};
use gavel_store::{ReadError, Store};

pub use self::recaller::ProjectRecaller;
use crate::trouble::mended;
use crate::way::{Leave, Way, read_json};

/// The most items that a stage is given.
const MOST: usize = 8;
/// What is private is left out afterwards, so more is asked for.
const ASKED: usize = 2 * MOST;
/// Why memory did not answer.
const TOO_SLOW: &str = "too_slow";

/// Where project memory is found.
#[derive(Clone)]
pub struct MemoryMeans {
    store: Arc<dyn Store>,
    project: Option<ProjectId>,
    cache: PathBuf,
}

/// What memory is asked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked<'a> {
    /// The checkout that holds the memory files.
    checkout: &'a Path,
    query: &'a str,
    /// The least fit, in thousandths.
    floor: u32,
    /// How long to wait for an answer.
    patience: Duration,
}

impl<'a> Asked<'a> {
    /// A question with the patience and the floor of a run.
    pub(crate) const fn new(checkout: &'a Path, query: &'a str, choices: RunChoices) -> Self {
        Self {
            checkout,
            query,
            floor: choices.memory_floor,
            patience: choices.memory_patience,
        }
    }
}

impl MemoryMeans {
    /// Memory of a project, whose proposals and private items the store holds; `cache` is the folder
    /// for index files.
    pub const fn new(store: Arc<dyn Store>, project: Option<ProjectId>, cache: PathBuf) -> Self {
        Self {
            store,
            project,
            cache,
        }
    }

    /// Asks memory about something; what it says is on record under the key. Memory that is too slow
    /// says nothing, and that it did not is on record too: what was read of it until then need not be
    /// read again by whoever asks next.
    pub(crate) async fn ask(
        &self,
        run: &Run,
        key: Key,
        asked: Asked<'_>,
    ) -> Result<Vec<MemoryNote>, RunError> {
        let effect = |blobs: Blobs| async move {
            let found = tokio::time::timeout(asked.patience, self.find(asked)).await;
            let (notes, unanswered) = match found {
                Ok(notes) => (notes?, ""),
                Err(_elapsed) => {
                    let waited = asked.patience.as_millis();
                    tracing::warn!(waited, "project memory was too slow, and is not used here");
                    (Vec::new(), TOO_SLOW)
                }
            };
            let texts = serde_json::to_string(&notes).map_err(failed)?;
            Ok(MemoryRecalled {
                items: notes.into_iter().map(|note| note.id).collect(),
                texts: blobs.keep(texts),
                unanswered: unanswered.to_owned(),
            })
        };
        let recalled = run.step(key, Pure, &asked.query, effect).await?;
        read_json(run, recalled.value.texts).await
    }

    async fn find(&self, asked: Asked<'_>) -> Result<Vec<MemoryNote>, StepFailure> {
        let project = project_key(self.project, asked.checkout);
        let lines = self.store.memory_lines(&project).await;
        let place = ShelfPlace {
            checkout: asked.checkout.to_owned(),
            cache: self.cache.clone(),
            lines: lines.map_err(|error: ReadError| failed(error))?,
        };
        let query = Query {
            text: asked.query,
            kinds: &[],
            standing: Standing::Trusted,
            limit: ASKED,
            floor: f64::from(asked.floor) / 1_000.0,
            now: SystemClock.now(),
            paths: &[],
        };
        let found = async { Shelf::open(&place).await?.find(&query).await };
        let found = found.await.map_err(|error: ShelfError| failed(error))?;
        // What a person keeps to themselves must not end up in a spec that everybody reads.
        let told = found
            .into_iter()
            .map(|found| found.item)
            .filter(|item| item.visibility != Visibility::Private);
        let notes = told.take(MOST).map(|item| MemoryNote {
            id: item.id.to_string(),
            kind: item.kind.to_string(),
            text: item.text,
        });
        Ok(notes.collect())
    }
}

impl fmt::Debug for MemoryMeans {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryMeans")
            .field("project", &self.project)
            .field("cache", &self.cache)
            .finish_non_exhaustive()
    }
}

/// Asks project memory about something; what it says is on record in the scope. Memory that cannot
/// be read is a question to a person: what it holds may matter.
pub(crate) async fn recall(
    way: Way<'_>,
    scope: &Scope,
    query: &str,
) -> Result<Vec<MemoryNote>, Leave> {
    if way.brief.without_memory || !way.choices.memory_inject {
        return Ok(Vec::new());
    }
    let asked = Asked::new(&way.brief.checkout, query, way.choices);
    let mut key = scope.key("memory")?;
    let mut number = 1;
    loop {
        let problem = match way.means.memory.ask(way.run, key, asked).await {
            Err(RunError::Failed(error)) => error.to_string(),
            done => return Ok(done?),
        };
        mended(way, &scope.scope("memory", number)?, &problem).await?;
        number += 1;
        key = scope.scope("memory", number)?.key("recalled")?;
    }
}

fn failed(problem: impl std::error::Error) -> StepFailure {
    StepFailure::of(FaultClass::Failed, &problem)
}

#[cfg(test)]
#[path = "memory_tests.rs"]
mod tests;
