//! What project memory says to a model's task: asked once, within a time, and on record.
//!
//! A drive never waits long for memory and never fails by it: what did not come is noted, and the
//! task goes without.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use gavel_domain::{Digest, FaultClass, Key, MemoryRecalled, Timestamp, Tokens};
use gavel_rules::RunChoices;
use gavel_rules::council::TopicOptions;
use serde::{Deserialize, Serialize};

use crate::{Blobs, Clock, Pure, Recorded, Run, RunError, StepFailure};

/// The most items that memory is asked for; the token cap of a task leaves fewer.
const MOST: usize = 12;
/// What is told when memory took longer than it may.
const TOO_SLOW: &str = "too_slow";
/// What is told when memory could not be read.
const UNREADABLE: &str = "unreadable";
/// How many digits of its digest mark an item.
const MARK_DIGITS: usize = 16;

/// Project memory, as a run asks it.
pub trait Recaller: Send + Sync {
    /// The items that fit best, the best first. Only such that somebody vouches for.
    fn recall<'a>(&'a self, ask: RecallAsk<'a>) -> Recalling<'a>;

    /// The items that name an option of a choice, whatever else they say: the best of each option
    /// first, each once. Only such that somebody vouches for.
    fn named<'a>(&'a self, ask: NamedAsk<'a>) -> Recalling<'a>;

    /// The items that are called so, by their whole ids or the ends of them. Only such that somebody
    /// vouches for; what there is no item for is left out.
    fn items<'a>(&'a self, ids: &'a [String], now: Timestamp) -> Recalling<'a>;
}

/// What memory finds, once it does.
pub type Recalling<'a> =
    Pin<Box<dyn Future<Output = Result<Vec<RecalledItem>, RecallError>> + Send + 'a>>;

/// A choice whose options memory may name.
#[derive(Debug, Clone, Copy)]
pub struct NamedAsk<'a> {
    /// The options.
    pub options: &'a TopicOptions,
    /// What the choice is about.
    pub topic: &'a str,
    /// At most so many items for each option.
    pub most: usize,
    /// Now.
    pub now: Timestamp,
}

/// What memory is asked.
#[derive(Debug, Clone, Copy)]
pub struct RecallAsk<'a> {
    /// The words of the kinds that are wanted; none means all.
    pub kinds: &'a [&'a str],
    /// What the task is about.
    pub query: &'a str,
    /// The least fit, in thousandths.
    pub floor: u32,
    /// At most so many.
    pub limit: usize,
    /// Now.
    pub now: Timestamp,
}

/// Memory could not be asked.
#[derive(Debug, thiserror::Error)]
pub enum RecallError {
    /// It could not be read; look at it with `gavel memory audit`.
    #[error("project memory cannot be read; `gavel memory audit` says more")]
    Unreadable(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// It took longer than `memory.recall_ms`; ask again.
    #[error("project memory did not answer within {0:?}")]
    TooSlow(Duration),
}

/// Project memory at hand, for an effect that asks it more than once.
///
/// Whoever asks does so inside a step, and records what came.
#[derive(Clone)]
pub struct ProjectMemory {
    recaller: Arc<dyn Recaller>,
    clock: Arc<dyn Clock>,
    patience: Duration,
}

impl std::fmt::Debug for ProjectMemory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProjectMemory").finish_non_exhaustive()
    }
}

impl ProjectMemory {
    /// The accepted items that fit these words best, whatever their kind and however little they fit.
    pub async fn search(
        &self,
        query: &str,
        limit: usize,
    ) -> Result<Vec<RecalledItem>, RecallError> {
        let ask = RecallAsk {
            kinds: &[],
            query,
            floor: 0,
            limit,
            now: self.clock.now(),
        };
        self.in_time(self.recaller.recall(ask)).await
    }

    /// The accepted items that name an option, the best of each first.
    pub async fn named(
        &self,
        (options, topic): (&TopicOptions, &str),
        most: usize,
    ) -> Result<Vec<RecalledItem>, RecallError> {
        let ask = NamedAsk {
            options,
            topic,
            most,
            now: self.clock.now(),
        };
        self.in_time(self.recaller.named(ask)).await
    }

    /// The accepted items that are called so.
    pub async fn items(&self, ids: &[String]) -> Result<Vec<RecalledItem>, RecallError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        self.in_time(self.recaller.items(ids, self.clock.now()))
            .await
    }

    async fn in_time(&self, asked: Recalling<'_>) -> Result<Vec<RecalledItem>, RecallError> {
        match tokio::time::timeout(self.patience, asked).await {
            Ok(answered) => answered,
            Err(_elapsed) => Err(RecallError::TooSlow(self.patience)),
        }
    }
}

/// What a task wants to be reminded of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecallSpec {
    /// The words of the kinds that are wanted; none means all.
    pub kinds: &'static [&'static str],
    /// What the task is about.
    pub query: String,
    /// The most tokens that the items may take in the prompt.
    pub max_tokens: Tokens,
}

/// An item that memory gave.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecalledItem {
    /// Its id.
    pub id: String,
    /// Its short id, as people name it.
    pub label: String,
    /// Its kind, for example `trap`.
    pub kind: String,
    /// What it says.
    pub text: String,
    /// When it was written.
    pub created_at: Timestamp,
    /// Where it comes from, in words.
    pub source: String,
    /// How well it fits, in thousandths.
    pub score: u32,
}

impl RecalledItem {
    /// The mark under which a prompt shows it; another text is another mark.
    pub fn mark(&self) -> String {
        mark_of(&self.id, &self.text)
    }
}

/// The mark of a memory item: a prompt that holds it shows the item already.
pub fn mark_of(id: &str, text: &str) -> String {
    let digest = Digest::of_fields([id.as_bytes(), text.as_bytes()]).to_string();
    let digits: String = digest.chars().take(MARK_DIGITS).collect();
    format!("mem:{digits}")
}

impl Run {
    /// Project memory; nothing in a run without it, or whose settings say `memory.inject = "off"`.
    pub fn memory(&self) -> Option<ProjectMemory> {
        let choices = RunChoices::of(&self.settings());
        let recaller = self
            .inner
            .recaller
            .clone()
            .filter(|_| choices.memory_inject)?;
        Some(ProjectMemory {
            recaller,
            clock: Arc::clone(&self.inner.clock),
            patience: choices.memory_patience,
        })
    }

    /// Asks memory for the items that name the options of choices; they are on record under the key.
    /// Memory that does not answer gives nothing, and the record says why.
    pub async fn recall_named(
        &self,
        key: Key,
        choices: &[(TopicOptions, String)],
        most: usize,
    ) -> Result<Vec<RecalledItem>, RunError> {
        let memory = self.memory();
        if memory.is_none() && !self.has_noted(&key) {
            return Ok(Vec::new());
        }
        let effect = |blobs: Blobs| {
            let memory = memory.clone();
            async move {
                let (mut items, mut unanswered) = (Vec::<RecalledItem>::new(), "");
                for (options, topic) in choices {
                    let Some(memory) = &memory else { break };
                    match memory.named((options, topic), most).await {
                        Ok(found) => {
                            let new = |item: &RecalledItem| items.iter().all(|i| i.id != item.id);
                            let new: Vec<RecalledItem> = found.into_iter().filter(new).collect();
                            items.extend(new);
                        }
                        Err(error) => unanswered = unanswered_as(&error),
                    }
                }
                recorded(items, unanswered, &blobs)
            }
        };
        let input: Vec<_> = choices.iter().map(|(options, _)| options.names()).collect();
        let recalled = self.step(key, Pure, &input, effect).await?.value;
        self.read_recalled(&recalled).await
    }

    /// Asks memory what a task wants to be reminded of; `choose` takes what the task has room for.
    ///
    /// What was chosen is on record under the key, so a later drive gets the same whatever memory
    /// says then. Memory that is too slow or cannot be read gives nothing, and the record says which.
    /// A run without memory, or whose settings say `memory.inject = "off"`, asks nothing.
    pub async fn recall(
        &self,
        key: Key,
        spec: &RecallSpec,
        choose: impl Fn(Vec<RecalledItem>, Timestamp) -> Vec<RecalledItem> + Send + Sync,
    ) -> Result<Option<Recorded<Vec<RecalledItem>>>, RunError> {
        let choices = RunChoices::of(&self.settings());
        let recaller = self.inner.recaller.clone();
        let asked_before = self.has_noted(&key);
        if !asked_before && (recaller.is_none() || !choices.memory_inject) {
            return Ok(None);
        }
        let effect = |blobs: Blobs| {
            let (recaller, choose) = (recaller.clone(), &choose);
            async move {
                let now = self.inner.clock.now();
                let ask = RecallAsk {
                    kinds: spec.kinds,
                    query: &spec.query,
                    floor: choices.memory_floor,
                    limit: MOST,
                    now,
                };
                let asked = async {
                    match recaller {
                        Some(recaller) => recaller.recall(ask).await,
                        None => Ok(Vec::new()),
                    }
                };
                let (items, unanswered) = within(choices.memory_patience, asked).await;
                recorded(choose(items, now), unanswered, &blobs)
            }
        };
        let input = (&spec.query, spec.kinds);
        let recalled = self.step(key, Pure, &input, effect).await?;
        let Recorded { value, at } = recalled;
        let value = self.read_recalled(&value).await?;
        Ok(Some(Recorded { value, at }))
    }

    async fn read_recalled(
        &self,
        recalled: &MemoryRecalled,
    ) -> Result<Vec<RecalledItem>, RunError> {
        if recalled.items.is_empty() {
            return Ok(Vec::new());
        }
        let texts = self.text(recalled.texts).await?;
        serde_json::from_str(&texts).map_err(|error| RunError::Brief {
            run: self.id(),
            problem: format!("what memory said cannot be read: {error}"),
        })
    }
}

/// Items as they are put on record.
fn recorded(
    items: Vec<RecalledItem>,
    unanswered: &str,
    blobs: &Blobs,
) -> Result<MemoryRecalled, StepFailure> {
    let texts = serde_json::to_string(&items);
    let texts = texts.map_err(|error| StepFailure::of(FaultClass::Failed, &error))?;
    Ok(MemoryRecalled {
        items: items.into_iter().map(|item| item.id).collect(),
        texts: blobs.keep(texts),
        unanswered: unanswered.to_owned(),
    })
}

/// The code of what kept memory from answering.
const fn unanswered_as(error: &RecallError) -> &'static str {
    match error {
        RecallError::Unreadable(_) => UNREADABLE,
        RecallError::TooSlow(_) => TOO_SLOW,
    }
}

/// What came in time, and else a code that says why nothing did.
async fn within(
    patience: Duration,
    asked: impl Future<Output = Result<Vec<RecalledItem>, RecallError>>,
) -> (Vec<RecalledItem>, &'static str) {
    match tokio::time::timeout(patience, asked).await {
        Ok(Ok(items)) => (items, ""),
        Ok(Err(error)) => {
            let source = std::error::Error::source(&error).map(ToString::to_string);
            tracing::warn!(%error, source, "a task goes without project memory");
            (Vec::new(), unanswered_as(&error))
        }
        Err(_elapsed) => {
            let waited = patience.as_millis();
            tracing::warn!(
                waited,
                "project memory was too slow: a task goes without it"
            );
            (Vec::new(), TOO_SLOW)
        }
    }
}
