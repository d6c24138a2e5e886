//! What project memory says to a model's task: asked once, within a time, and on record.
//!
//! A drive never waits long for memory and never fails by it: what did not come is noted, and the
//! task goes without.

use std::pin::Pin;
use std::time::Duration;

use gavel_domain::{Digest, FaultClass, Key, MemoryRecalled, Timestamp, Tokens};
use gavel_rules::RunChoices;
use serde::{Deserialize, Serialize};

use crate::{Blobs, Pure, Recorded, Run, RunError, StepFailure};

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
}

/// What memory finds, once it does.
pub type Recalling<'a> =
    Pin<Box<dyn Future<Output = Result<Vec<RecalledItem>, RecallError>> + Send + 'a>>;

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
                let items = choose(items, now);
                let texts = serde_json::to_string(&items);
                let texts = texts.map_err(|error| StepFailure::of(FaultClass::Failed, &error))?;
                Ok(MemoryRecalled {
                    items: items.into_iter().map(|item| item.id).collect(),
                    texts: blobs.keep(texts),
                    unanswered: unanswered.to_owned(),
                })
            }
        };
        let input = (&spec.query, spec.kinds);
        let recalled = self.step(key, Pure, &input, effect).await?;
        let Recorded { value, at } = recalled;
        if value.items.is_empty() {
            let value = Vec::new();
            return Ok(Some(Recorded { value, at }));
        }
        let texts = self.text(value.texts).await?;
        let value = serde_json::from_str(&texts).map_err(|error| RunError::Brief {
            run: self.id(),
            problem: format!("what memory said cannot be read: {error}"),
        })?;
        Ok(Some(Recorded { value, at }))
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
            (Vec::new(), UNREADABLE)
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
