//! Journals that several hands write, one commit at a time. Nobody stays as their driver: whoever
//! has something to add holds the run for a moment, reads everything, and commits all or nothing.

use std::sync::Arc;
use std::time::Duration;

use gavel_domain::{
    Blob, BlobRef, Digest, Fact, Key, Record, RecordDraft, RunId, RunStarted, Seq, Timestamp,
};
use gavel_store::{Batch, Lease, LeaseError};

use crate::journal::Journal;
use crate::writer::Proposal;
use crate::{Engine, NewRun, Run, RunError};

/// How long somebody waits for another who holds the run for a moment.
const PATIENCE: Duration = Duration::from_secs(3);
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// Facts for one commit, computed from everything on record.
#[derive(Debug, Default)]
pub struct Amendment {
    drafts: Vec<RecordDraft>,
    blobs: Vec<Blob>,
}

impl Amendment {
    /// Keeps a text and returns its name for a fact.
    pub fn keep(&mut self, content: impl Into<Vec<u8>>) -> BlobRef {
        let blob = Blob::new(content);
        let name = blob.name();
        self.blobs.push(blob);
        name
    }

    /// Adds a fact.
    pub fn note<T: Fact>(&mut self, key: &str, fact: &T) -> Result<(), RunError> {
        let key = Key::new(key)?.outcome();
        self.drafts.push(RecordDraft::new(key, fact)?);
        Ok(())
    }

    /// True when there is nothing to write.
    pub fn is_empty(&self) -> bool {
        self.drafts.is_empty()
    }

    /// The facts so far, as they would stand in the journal: for folds that look ahead. Place and
    /// chain are not theirs yet.
    pub fn preview(&self, run: RunId, after: Seq, at: Timestamp) -> Vec<Record> {
        let mut seq = after;
        let place = |draft: &RecordDraft| {
            seq = Seq(seq.0 + 1);
            draft
                .clone()
                .place(run, (seq, gavel_domain::Epoch(0)), at, Digest::ZERO)
        };
        self.drafts.iter().map(place).collect()
    }
}

impl Amendment {
    /// The last fact so far, as it would stand in the journal.
    pub fn last(&self, run: RunId, after: Seq, at: Timestamp) -> Option<Record> {
        let draft = self.drafts.last()?;
        let seq = Seq(after.0 + self.drafts.len() as u64);
        let place = (seq, gavel_domain::Epoch(0));
        Some(draft.clone().place(run, place, at, Digest::ZERO))
    }
}

/// A run that is held for one commit.
#[derive(Debug)]
pub struct HeldRun<'a> {
    engine: &'a Engine,
    lease: Lease,
    journal: Journal,
    now: Timestamp,
}

impl Engine {
    /// Holds a run that nobody drives. Waits a moment for others who do the same.
    pub async fn hold(&self, run: RunId) -> Result<HeldRun<'_>, RunError> {
        if self.store().head(run).await?.is_none() {
            return Err(RunError::NoRun(run));
        }
        let waited = tokio::time::Instant::now();
        let lease = loop {
            match self.store().acquire(run, self.holder()).await {
                Err(LeaseError::Held { .. }) if waited.elapsed() < PATIENCE => {
                    tokio::time::sleep(LOOK_AGAIN).await;
                }
                leased => break leased?,
            }
        };
        let journal = Journal::load(self.store().as_ref(), run).await?;
        Ok(HeldRun {
            engine: self,
            lease,
            journal,
            now: self.now(),
        })
    }

    /// Starts a run together with its first facts.
    pub async fn start_with(
        &self,
        (run, seed): (RunId, Digest),
        new: NewRun,
        amendment: Amendment,
    ) -> Result<Seq, RunError> {
        let lease = self.store().acquire(run, self.holder()).await?;
        let now = self.now();
        let brief = new.brief.map(|text| Blob::new(text.into_bytes()));
        let started = RunStarted {
            flow: new.flow,
            driver: new.driver,
            seed,
            gavel: self.version().to_owned(),
            settings: new.settings,
            project: new.project,
            brief: brief.as_ref().map(Blob::name),
        };
        let mut all = Amendment::default();
        let key = Key::engine("run/started")?.outcome();
        all.drafts.push(RecordDraft::new(key, &started)?);
        all.drafts.extend(amendment.drafts);
        all.blobs.extend(brief);
        all.blobs.extend(amendment.blobs);
        let held = HeldRun {
            engine: self,
            lease,
            journal: Journal::new(run, now),
            now,
        };
        held.commit(all).await
    }
}

impl HeldRun<'_> {
    /// Everything on record, in order.
    pub fn records(&self) -> Vec<Arc<Record>> {
        let mut records: Vec<_> = self.journal.records().cloned().collect();
        records.sort_by_key(|record| record.seq);
        records
    }

    /// The moment of this commit.
    pub const fn now(&self) -> Timestamp {
        self.now
    }

    /// Writes all of it, or nothing; gives the last record's place.
    pub async fn commit(self, amendment: Amendment) -> Result<Seq, RunError> {
        let Self {
            engine,
            lease,
            mut journal,
            now,
        } = self;
        let (after, mut prev) = journal.last();
        if amendment.is_empty() {
            return Ok(after);
        }
        let mut seq = after;
        let mut records = Vec::new();
        for draft in amendment.drafts {
            seq = Seq(seq.0 + 1);
            let record = draft.place(lease.run, (seq, lease.epoch), now, prev);
            prev = record.digest();
            journal.append(Arc::new(record.clone()))?;
            records.push(record);
        }
        let run = lease.run;
        let batch = Batch {
            records,
            blobs: amendment.blobs,
            ledger: Vec::new(),
            head: journal.head,
            inbox_taken: Vec::new(),
        };
        match engine.store().commit(&lease, after, batch).await {
            Ok(_) => Ok(seq),
            Err(error) => Err(RunError::StoreLost {
                run,
                source: Box::new(error),
            }),
        }
    }
}

impl Run {
    /// Writes facts that were computed from everything on record, all or nothing. Their keys are
    /// counted from what is there, so a later drive computes the next ones.
    pub async fn amend(&self, amendment: Amendment) -> Result<(), RunError> {
        if amendment.is_empty() {
            return Ok(());
        }
        self.inner.may_go_on()?;
        self.write(Proposal {
            drafts: amendment.drafts,
            blobs: amendment.blobs,
            ..Proposal::default()
        })
        .await?;
        Ok(())
    }
}
