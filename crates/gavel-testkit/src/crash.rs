//! The crash harness: one run, killed before and after every fact, resumed each time, compared
//! with the undisturbed one.
//!
//! A kill drops the whole runtime that drives the run, as the death of a process does: tasks,
//! locks and connections go, nothing is said.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use gavel_domain::{Digest, Head, InboxId, Record, RecordKey, RunId, Seq, Timestamp};
use gavel_store::{
    Answer, Batch, CallRow, CallsQuery, CommitError, Committed, HeadsQuery, Holder, InboxFate,
    InboxPost, InboxRow, Lease, LeaseError, PostError, Posted, Purged, ReadError, Retained, Store,
    Totals, TotalsOf,
};
use tokio::sync::Notify;

/// Where a kill strikes, relative to a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Moment {
    /// The effect happened, nothing is written.
    Before,
    /// It is written, nobody saw it.
    After,
}

/// Remembers where runs were killed, so that each place is struck once.
#[derive(Debug, Clone, Default)]
pub struct Killer {
    struck: Arc<Mutex<BTreeSet<(Moment, String)>>>,
    now: Arc<Notify>,
}

impl Killer {
    /// A killer that has struck nowhere.
    pub fn new() -> Self {
        Self::default()
    }

    /// Resolves when the drive is to die.
    pub async fn strikes(&self) {
        self.now.notified().await;
    }

    /// How many places were struck.
    pub fn count(&self) -> usize {
        self.struck
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .len()
    }

    /// True for a place that was not struck before. Attempt numbers and epochs do not make a new
    /// place: else a call that is killed while it is under way would be killed for ever.
    fn wants(&self, moment: Moment, records: &[Record]) -> bool {
        let place = records
            .iter()
            .map(|r| place(&r.key))
            .collect::<Vec<_>>()
            .join(" ");
        self.struck
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert((moment, place))
    }
}

fn place(key: &RecordKey) -> String {
    let name = key.key().to_string();
    let name = match name.strip_prefix("run/") {
        Some(_) => name
            .trim_end_matches(|c: char| c.is_ascii_digit())
            .to_owned(),
        None => name,
    };
    let attempt = if key.attempt().is_some() { "@" } else { "" };
    format!("{name}{attempt}:{}", key.part().unwrap_or_default())
}

/// A store whose driver dies at the killer's word.
pub struct DeadlyStore<S> {
    inner: Arc<S>,
    killer: Killer,
}

impl<S> DeadlyStore<S> {
    /// Wraps a store.
    pub fn new(inner: Arc<S>, killer: Killer) -> Self {
        Self { inner, killer }
    }

    async fn die<T>(&self) -> T {
        self.killer.now.notify_one();
        std::future::pending().await
    }
}

impl<S> std::fmt::Debug for DeadlyStore<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DeadlyStore").finish_non_exhaustive()
    }
}

impl<S: Store> Store for DeadlyStore<S> {
    fn commit<'a>(
        &'a self,
        lease: &'a Lease,
        after: Seq,
        batch: Batch,
    ) -> Answer<'a, Committed, CommitError> {
        Box::pin(async move {
            let records = batch.records.clone();
            if self.killer.wants(Moment::Before, &records) {
                return self.die().await;
            }
            let committed = self.inner.commit(lease, after, batch).await?;
            if self.killer.wants(Moment::After, &records) {
                return self.die().await;
            }
            Ok(committed)
        })
    }

    fn acquire(&self, run: RunId, holder: Holder) -> Answer<'_, Lease, LeaseError> {
        self.inner.acquire(run, holder)
    }
    fn driver(&self, run: RunId) -> Answer<'_, Option<Holder>, ReadError> {
        self.inner.driver(run)
    }
    fn records(&self, run: RunId, after: Seq, limit: u32) -> Answer<'_, Vec<Record>, ReadError> {
        self.inner.records(run, after, limit)
    }
    fn blob(&self, name: Digest) -> Answer<'_, Option<Vec<u8>>, ReadError> {
        self.inner.blob(name)
    }
    fn head(&self, run: RunId) -> Answer<'_, Option<Head>, ReadError> {
        self.inner.head(run)
    }
    fn heads(&self, query: HeadsQuery) -> Answer<'_, Vec<Head>, ReadError> {
        self.inner.heads(query)
    }
    fn post(&self, post: InboxPost) -> Answer<'_, Posted, PostError> {
        self.inner.post(post)
    }
    fn pending(&self, run: RunId) -> Answer<'_, Vec<InboxRow>, ReadError> {
        self.inner.pending(run)
    }
    fn fate(&self, id: InboxId) -> Answer<'_, Option<InboxFate>, ReadError> {
        self.inner.fate(id)
    }
    fn totals(&self, of: TotalsOf) -> Answer<'_, Totals, ReadError> {
        self.inner.totals(of)
    }
    fn calls(&self, query: CallsQuery) -> Answer<'_, Vec<CallRow>, ReadError> {
        self.inner.calls(query)
    }
    fn breaches<'a>(&'a self, model: &'a str) -> Answer<'a, u32, ReadError> {
        self.inner.breaches(model)
    }
    fn retain(&self, before: Timestamp) -> Answer<'_, Retained, ReadError> {
        self.inner.retain(before)
    }
    fn purge<'a>(&'a self, lease: &'a Lease) -> Answer<'a, Purged, CommitError> {
        self.inner.purge(lease)
    }
}

/// What a run came to: outcomes by key, without times and without what a kill may add.
///
/// Left out are records beside an outcome (attempts, reservations, askings), the engine's own
/// rooms, and the question whether a step that must not be repeated has happened.
pub fn outcomes(records: &[Record]) -> BTreeMap<String, String> {
    records
        .iter()
        .filter(|record| record.key.is_outcome() && is_work(record.key.as_str()))
        .map(|record| {
            (
                record.key.to_string(),
                format!("{} {}", record.kind, timeless(&record.body)),
            )
        })
        .collect()
}

fn is_work(key: &str) -> bool {
    let engine = ["run/", "inbox/", "money/"]
        .iter()
        .any(|room| key.starts_with(room));
    !engine && !key.contains("/again-")
}

fn timeless(body: &str) -> String {
    let mut value: serde_json::Value = serde_json::from_str(body).unwrap();
    if let Some(fields) = value.as_object_mut() {
        fields.retain(|name, _| !name.ends_with("_at"));
    }
    value.to_string()
}
