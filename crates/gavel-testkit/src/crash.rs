//! The crash harness: one run, killed before and after every fact, resumed each time, compared
//! with the undisturbed one.
//!
//! A kill drops the whole runtime that drives the run, as the death of a process does: tasks,
//! locks and connections go, nothing is said.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use gavel_domain::{Record, RecordKey, Seq};
use gavel_store::{Answer, Batch, CommitError, Committed, Lease, Store};
use tokio::sync::Notify;

use crate::overlay::{OverlaidStore, Overlay};

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

    async fn kill<T>(&self) -> T {
        self.now.notify_one();
        std::future::pending().await
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
pub type DeadlyStore = OverlaidStore<Killer>;

impl Overlay for Killer {
    fn commit<'a>(
        &'a self,
        store: &'a dyn Store,
        lease: &'a Lease,
        (after, batch): (Seq, Batch),
    ) -> Answer<'a, Committed, CommitError> {
        Box::pin(async move {
            let records = batch.records.clone();
            if self.wants(Moment::Before, &records) {
                return self.kill().await;
            }
            let committed = store.commit(lease, after, batch).await?;
            if self.wants(Moment::After, &records) {
                return self.kill().await;
            }
            Ok(committed)
        })
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
