//! Project memory at a stage: asked once, and what it said is on record.

mod recaller;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use gavel_domain::{FaultClass, Key, MemoryNote, MemoryRecalled, ProjectId, Scope};
use gavel_memory::{
    Item, NamedQuery, Query, Shelf, ShelfError, ShelfPlace, Standing, Visibility, project_key,
};
use gavel_rules::RunChoices;
use gavel_rules::council::{MemoryLooked, read_options};
use gavel_run::{Blobs, Clock as _, Pure, Run, RunError, StepFailure, SystemClock};
use gavel_store::{ReadError, Store};

pub use self::recaller::ProjectRecaller;
use crate::trouble::mended;
use crate::way::{Leave, Way, read_json};

/// The most items that a stage is given.
const MOST: usize = 8;
/// How many items of each option a debate is given.
pub(crate) const NAMED_TO_SEATS: usize = 3;
/// How many items of each option rules hold against it: they say what no source says, and must have
/// looked.
pub(crate) const NAMED_TO_RULES: usize = 64;
/// What is private is left out afterwards, so more is asked for.
const ASKED: usize = 2 * MOST;
/// Why memory did not answer.
const TOO_SLOW: &str = "too_slow";

/// What memory said, and whether it did.
#[derive(Debug, Clone)]
pub(crate) struct Recall {
    pub(crate) notes: Vec<MemoryNote>,
    pub(crate) looked: MemoryLooked,
}

impl Recall {
    /// Of memory that was not asked.
    pub(crate) const fn unasked(looked: MemoryLooked) -> Self {
        Self {
            notes: Vec::new(),
            looked,
        }
    }
}

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
    /// How many items of each option that the question names are wanted, however well they fit.
    named: usize,
}

impl<'a> Asked<'a> {
    /// A question with the patience and the floor of a run.
    pub(crate) const fn new(checkout: &'a Path, query: &'a str, choices: RunChoices) -> Self {
        Self {
            checkout,
            query,
            floor: choices.memory_floor,
            patience: choices.memory_patience,
            named: 0,
        }
    }

    /// The same, for whoever chooses between what the question names: so many items of each option.
    pub(crate) const fn naming(self, named: usize) -> Self {
        Self { named, ..self }
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
    ) -> Result<Recall, RunError> {
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
        let recalled = run.step(key, Pure, &asked.query, effect).await?.value;
        Ok(Recall {
            notes: read_json(run, recalled.texts).await?,
            looked: MemoryLooked::of_recall(&recalled.unanswered),
        })
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
        let found = async {
            let shelf = Shelf::open(&place).await?;
            let named = named_in(&shelf, asked).await?;
            Ok((named, shelf.find(&query).await?))
        };
        let (named, found) = found.await.map_err(|error: ShelfError| failed(error))?;
        // What a person keeps to themselves must not end up in a spec that everybody reads.
        let told = found
            .into_iter()
            .map(|found| found.item)
            .filter(|item| item.visibility != Visibility::Private)
            .take(MOST);
        let mut items = named;
        for item in told {
            if items.iter().all(|other| other.id != item.id) {
                items.push(item);
            }
        }
        Ok(items.into_iter().map(note_of).collect())
    }
}

/// What memory says of each option that a question names, the best of each first.
async fn named_in(shelf: &Shelf, asked: Asked<'_>) -> Result<Vec<Item>, ShelfError> {
    let options = read_options(asked.query);
    if asked.named == 0 || options.names().is_empty() {
        return Ok(Vec::new());
    }
    let query = NamedQuery {
        asked: &options,
        topic: asked.query,
        kinds: &[],
        most: asked.named,
        now: SystemClock.now(),
    };
    Ok(shelf.find_named(&query).await?.in_turn())
}

fn note_of(item: Item) -> MemoryNote {
    MemoryNote {
        id: item.id.to_string(),
        kind: item.kind.to_string(),
        text: match item.title {
            Some(title) => format!("{title}\n{}", item.text),
            None => item.text,
        },
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
    recall_for(way, scope, (query, 0)).await
}

/// The same for a council: so many items of each option that the question names.
pub(crate) async fn recall_for(
    way: Way<'_>,
    scope: &Scope,
    (query, named): (&str, usize),
) -> Result<Vec<MemoryNote>, Leave> {
    if way.brief.without_memory || !way.choices.memory_inject {
        return Ok(Vec::new());
    }
    let asked = Asked::new(&way.brief.checkout, query, way.choices).naming(named);
    let mut key = scope.key("memory")?;
    let mut number = 1;
    loop {
        let problem = match way.means.memory.ask(way.run, key, asked).await {
            Err(RunError::Failed(error)) => error.to_string(),
            done => return Ok(done?.notes),
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
