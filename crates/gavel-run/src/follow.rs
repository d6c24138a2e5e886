//! Reading runs from outside: following facts, replaying a journal, summing what was spent.

use std::sync::Arc;
use std::time::Duration;

use gavel_domain::{BlobRef, Head, Record, RunId, Seq};
use gavel_store::Store;
use serde::Serialize;

use crate::RunError;
use crate::journal::Journal;

/// How often a follower looks for new facts.
const LOOK: Duration = Duration::from_millis(100);
const PAGE: u32 = 500;

/// Follows the facts of a run from any process.
pub struct Follower {
    store: Arc<dyn Store>,
    run: RunId,
    seen: Seq,
}

impl Follower {
    /// Follows from the record after `seen`.
    pub fn new(store: Arc<dyn Store>, run: RunId, seen: Seq) -> Self {
        Self { store, run, seen }
    }

    /// The records that came since the last call; may be empty.
    pub async fn poll(&mut self) -> Result<Vec<Record>, RunError> {
        let records = self.store.records(self.run, self.seen, PAGE).await?;
        if let Some(last) = records.last() {
            self.seen = last.seq;
        }
        Ok(records)
    }

    /// Waits for the next records; an empty answer means that nothing came within a tick.
    pub async fn next(&mut self) -> Result<Vec<Record>, RunError> {
        let records = self.poll().await?;
        if records.is_empty() {
            tokio::time::sleep(LOOK).await;
        }
        Ok(records)
    }

    /// The last record that was returned.
    pub const fn seen(&self) -> Seq {
        self.seen
    }

    /// The run's head now.
    pub async fn head(&self) -> Result<Option<Head>, RunError> {
        Ok(self.store.head(self.run).await?)
    }
}

impl std::fmt::Debug for Follower {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Follower")
            .field("run", &self.run)
            .finish_non_exhaustive()
    }
}

/// What a replay found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Replay {
    /// The state folded up to the asked record.
    pub head: Head,
    /// How many records were folded.
    pub records: u64,
    /// True when the fold gives the stored head; only known for a whole replay.
    pub same_head: Option<bool>,
    /// Texts that are no longer kept, by the record that names them.
    pub texts_gone: Vec<String>,
}

/// Folds a journal again, verifies its chain, calls nothing.
pub async fn replay(store: &dyn Store, run: RunId, until: Option<Seq>) -> Result<Replay, RunError> {
    let (whole, stored) = load_still(store, run).await?;
    let last = until.unwrap_or(whole.head.seq);
    let mut records: Vec<_> = whole
        .records()
        .filter(|record| record.seq <= last)
        .collect();
    records.sort_by_key(|record| record.seq);
    let mut journal = Journal::new(run, stored.started_at);
    let mut texts_gone = Vec::new();
    for record in &records {
        journal.append(Arc::clone(record))?;
        for name in blob_names(&record.body) {
            if store.blob(name.digest).await?.is_none() {
                texts_gone.push(format!("{} ({})", record.key, record.seq));
            }
        }
    }
    let same_head = until.is_none().then(|| journal.head == stored);
    Ok(Replay {
        head: journal.head,
        records: records.len() as u64,
        same_head,
        texts_gone,
    })
}

/// Loads a journal and the head that goes with it, although somebody may be driving.
async fn load_still(store: &dyn Store, run: RunId) -> Result<(Journal, Head), RunError> {
    loop {
        let journal = Journal::load(store, run).await?;
        match store.head(run).await? {
            Some(head) if head.seq == journal.head.seq => return Ok((journal, head)),
            Some(_) => {}
            None => return Err(RunError::NoRun(run)),
        }
    }
}

/// Every blob name inside a body, wherever it stands.
fn blob_names(body: &str) -> Vec<BlobRef> {
    fn walk(value: &serde_json::Value, names: &mut Vec<BlobRef>) {
        match value {
            serde_json::Value::Object(fields) => {
                if let Ok(name) = serde_json::from_value::<BlobRef>(value.clone()) {
                    names.push(name);
                }
                fields.values().for_each(|value| walk(value, names));
            }
            serde_json::Value::Array(items) => items.iter().for_each(|value| walk(value, names)),
            serde_json::Value::Null
            | serde_json::Value::Bool(_)
            | serde_json::Value::Number(_)
            | serde_json::Value::String(_) => {}
        }
    }
    let mut names = Vec::new();
    if let Ok(value) = serde_json::from_str(body) {
        walk(&value, &mut names);
    }
    names
}
