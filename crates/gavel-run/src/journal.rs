//! A run's records in memory while it is driven, with the folds over them.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use gavel_domain::{Digest, Fact as _, Head, Record, RecordKey, Resumed, RunId, Seq, Timestamp};
use gavel_rules::{Chain, ChainProblem};
use gavel_store::Store;
use tokio::time::Instant;

use crate::RunError;
use crate::view::View;

const PAGE: u32 = 1_000;
/// Longer than any step takes.
const LONGEST_GAP: Duration = Duration::from_secs(2 * 60 * 60);

/// Everything on record, by key.
#[derive(Debug)]
pub(crate) struct Journal {
    records: HashMap<RecordKey, Arc<Record>>,
    chain: Chain,
    pub(crate) head: Head,
    pub(crate) view: View,
    /// How long somebody has driven it, waiting for people left out.
    pub(crate) driven: Duration,
    /// When this process took the last record; nothing while what others wrote is read.
    seen: Option<Instant>,
}

impl Journal {
    pub(crate) fn new(run: RunId, at: Timestamp) -> Self {
        Self {
            records: HashMap::new(),
            chain: Chain::new(run),
            head: Head::new(run, at),
            view: View::default(),
            driven: Duration::ZERO,
            seen: None,
        }
    }

    /// Reads a whole run and verifies its chain up to the stored head.
    pub(crate) async fn load(store: &dyn Store, run: RunId) -> Result<Self, RunError> {
        let Some(head) = store.head(run).await? else {
            return Err(RunError::NoRun(run));
        };
        let mut journal = Self::new(run, head.started_at);
        loop {
            let page = store.records(run, journal.head.seq, PAGE).await?;
            if page.is_empty() {
                break;
            }
            for record in page {
                journal.append(Arc::new(record))?;
            }
        }
        // A reader that is not the driver may see records newer than the head it read before.
        if journal.head.seq <= head.seq {
            journal
                .chain
                .end(head.chain)
                .map_err(|problem| damaged(run, problem))?;
        }
        journal.seen = Some(Instant::now());
        Ok(journal)
    }

    /// Takes the next record.
    pub(crate) fn append(&mut self, record: Arc<Record>) -> Result<(), RunError> {
        self.chain
            .follow(&record)
            .map_err(|problem| damaged(record.run, problem))?;
        self.driven += self.driven_until(&record);
        self.seen = self.seen.map(|_| Instant::now());
        self.head.apply(&record)?;
        self.view.apply(&record)?;
        self.records.insert(record.key.clone(), record);
        Ok(())
    }

    /// The time since the record before, unless a person was waited for or nobody drove.
    ///
    /// The clock of the wall may be set meanwhile, so what this process saw itself is measured by one
    /// that only counts on, and no gap of an earlier one is longer than anything takes.
    fn driven_until(&self, record: &Record) -> Duration {
        let waited = !self.head.questions.is_empty() && self.head.reserved.is_empty();
        if record.seq <= Seq(1) || waited || record.kind == Resumed::KIND {
            return Duration::ZERO;
        }
        if let Some(seen) = self.seen {
            return seen.elapsed();
        }
        let passed = record.at.duration_since(self.head.updated_at);
        // A clock that was set back does not count.
        let passed = passed.try_into().unwrap_or(Duration::ZERO);
        passed.min(LONGEST_GAP)
    }

    pub(crate) fn get(&self, key: &RecordKey) -> Option<Arc<Record>> {
        self.records.get(key).cloned()
    }

    pub(crate) const fn last(&self) -> (Seq, Digest) {
        (self.chain.seq(), self.chain.digest())
    }

    pub(crate) fn records(&self) -> impl Iterator<Item = &Arc<Record>> {
        self.records.values()
    }
}

fn damaged(run: RunId, problem: ChainProblem) -> RunError {
    RunError::Damaged {
        run,
        problem: Box::new(problem),
    }
}
