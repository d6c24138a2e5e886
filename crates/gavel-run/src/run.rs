//! The handle that a driver holds: everything a run can do goes through it.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use gavel_domain::{
    BlobRef, Caps, Digest, Fact, GaveUp, InputDrifted, Key, Record, RecordDraft, RunId, Scope, Seq,
    Settings, Timestamp,
};
use gavel_store::CallsQuery;
use serde::Serialize;

use crate::inner::Inner;
use crate::usage::{Usage, usage};
use crate::writer::Proposal;
use crate::{Bug, Drift, RunError, Signal, StepError};

/// A run that is being driven. Clones share everything.
#[derive(Clone)]
pub struct Run {
    pub(crate) inner: Arc<Inner>,
}

/// A value from the journal, with the moment of its commit: the only time that a driver sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recorded<T> {
    /// The value.
    pub value: T,
    /// When it was committed.
    pub at: Timestamp,
}

impl Run {
    /// The run's id.
    pub fn id(&self) -> RunId {
        self.inner.run
    }

    /// Which version of the driver's flow this run follows.
    ///
    /// Later changes of a driver are guarded: `if run.flow() >= 2 { … }`.
    pub fn flow(&self) -> u32 {
        self.inner
            .journal()
            .view
            .started
            .as_ref()
            .map_or(0, |started| started.flow)
    }

    /// The settings that the run was started with.
    pub fn settings(&self) -> Settings {
        let journal = self.inner.journal();
        journal
            .view
            .started
            .as_ref()
            .map(|started| started.settings.clone())
            .unwrap_or_default()
    }

    /// What the driver was given when the run was started.
    pub fn brief(&self) -> Option<BlobRef> {
        self.inner
            .journal()
            .view
            .started
            .as_ref()
            .and_then(|started| started.brief)
    }

    /// The caps in force now.
    pub fn caps(&self) -> Caps {
        self.inner.journal().view.caps()
    }

    /// Opens the `n`-th scope of that name; count `n` from facts, never from a local.
    pub fn scope(&self, name: &str, n: u32) -> Result<Scope, RunError> {
        Ok(Scope::new(name, n)?)
    }

    /// A number that is the same in every drive of this run: a keyed hash of the run's seed.
    pub fn random(&self, key: &Key) -> u64 {
        let journal = self.inner.journal();
        let seed = journal
            .view
            .started
            .as_ref()
            .map_or(Digest::ZERO, |started| started.seed);
        Digest::keyed(&seed, key.as_str()).number()
    }

    /// Records a decision that was computed from earlier facts.
    pub async fn decide<T: Fact>(&self, key: Key, decision: T) -> Result<Recorded<T>, RunError> {
        self.inner.claim(&key)?;
        let input = input_digest(&key, &decision)?;
        if let Some(record) = self.recorded(&key, input).await? {
            return Ok(Recorded {
                value: record.read()?,
                at: record.at,
            });
        }
        self.inner.may_go_on()?;
        let draft = RecordDraft::with_input(key.outcome(), input, &decision)?;
        let at = self.write(Proposal::of(draft)).await?;
        Ok(Recorded {
            value: decision,
            at,
        })
    }

    /// Does several things at once and returns their results in key order.
    ///
    /// Every part runs to its end even when another failed, so that no fact is lost halfway. A part
    /// that was stopped goes before one that failed: a driver branches on a failure only when
    /// every part has its outcome. Among equals, the first error in key order is returned.
    pub async fn all<T, F>(
        &self,
        parts: impl IntoIterator<Item = (Key, F)>,
    ) -> Result<Vec<(Key, T)>, RunError>
    where
        F: Future<Output = Result<T, RunError>>,
    {
        let (keys, futures): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        let mut results: Vec<_> = keys.into_iter().zip(join_all(futures).await).collect();
        results.sort_by(|(left, _), (right, _)| left.cmp(right));
        let stopped = |(_, result): &(Key, Result<T, RunError>)| match result {
            Ok(_) | Err(RunError::Failed(_)) => false,
            Err(_) => true,
        };
        if let Some(place) = results.iter().position(stopped) {
            results.swap(0, place);
        }
        results
            .into_iter()
            .map(|(key, result)| result.map(|value| (key, value)))
            .collect()
    }

    /// Reads a text that a fact names.
    pub async fn text(&self, name: BlobRef) -> Result<String, RunError> {
        let Some(content) = self.inner.store.blob(name.digest).await? else {
            return Err(RunError::BlobGone {
                run: self.inner.run,
                key: String::new(),
                digest: name.digest.to_string(),
            });
        };
        Ok(String::from_utf8_lossy(&content).into_owned())
    }

    /// Tells live watchers of this process something that is not worth keeping.
    pub fn signal(&self, signal: Signal) {
        self.inner.signal(signal);
    }

    /// How often somebody asked to ship so far. It moves with every request, so it belongs into what
    /// a step keeps, never into a decision.
    pub fn ship_requests(&self) -> u32 {
        self.inner.journal().view.ship_requests
    }

    /// How long the run has been driven so far, waiting for people left out. It moves with every
    /// commit, so it belongs into what a step keeps, never into a decision.
    pub fn driven(&self) -> Duration {
        self.inner.journal().driven
    }

    /// Everything on record so far, in order. It grows with every commit, so it belongs into what a
    /// step keeps, never into a decision.
    pub fn records(&self) -> Vec<Arc<Record>> {
        let mut records: Vec<_> = self.inner.journal().records().cloned().collect();
        records.sort_by_key(|record| record.seq);
        records
    }

    /// The last record and its digest. Both move with every commit, so they belong into what a step
    /// keeps, never into a decision.
    pub fn position(&self) -> (Seq, Digest) {
        let journal = self.inner.journal();
        (journal.head.seq, journal.head.chain)
    }

    /// True when this drive takes what questions recommend, since nobody is to be asked. It is a
    /// matter of the drive, so it belongs into what a question recommends, never into a decision.
    pub fn takes_recommended(&self) -> bool {
        self.inner.options.yes
    }

    /// True when somebody else than the engine wrote a fact under this key in any run of this project.
    /// It moves with other runs, so it belongs into what a step keeps, never into a decision.
    pub async fn was_agreed(&self, key: &Key) -> Result<bool, RunError> {
        let project = self.inner.journal().head.project;
        let Some(project) = project else {
            return Ok(false);
        };
        let place = key.outcome();
        Ok(self.inner.store.was_agreed(project, &place).await?)
    }

    /// What was spent so far, from the ledger. It moves with every call, so it belongs into what a
    /// step keeps, never into a decision.
    pub async fn usage(&self) -> Result<Usage, RunError> {
        let query = CallsQuery {
            run: Some(self.inner.run),
            month: None,
        };
        usage(self.inner.store.as_ref(), query).await
    }

    /// The outcome on record, checked against the input it is asked for with.
    ///
    /// `gave_up` comes back as the error it recorded.
    pub(crate) async fn recorded(
        &self,
        key: &Key,
        input: Digest,
    ) -> Result<Option<Arc<Record>>, RunError> {
        let Some(record) = self.inner.journal().get(&key.outcome()) else {
            return Ok(None);
        };
        if record.input != input {
            self.note_drift(key, record.input, input).await?;
        }
        if record.kind == GaveUp::KIND {
            return Err(self.gave_up(key, &record.read()?).await);
        }
        Ok(Some(record))
    }

    async fn gave_up(&self, key: &Key, gave_up: &GaveUp) -> RunError {
        let message = match gave_up.error.detail {
            Some(name) => match self.text(name).await {
                Ok(text) => text,
                Err(error) => error.to_string(),
            },
            None => String::new(),
        };
        RunError::Failed(Box::new(StepError {
            key: key.clone(),
            fault: gave_up.error,
            attempts: gave_up.attempts,
            message,
        }))
    }

    /// Another input than on record: an error in strict drives, a fact and a signal otherwise.
    async fn note_drift(&self, key: &Key, recorded: Digest, asked: Digest) -> Result<(), RunError> {
        match self.inner.options.drift {
            Drift::Fail => return Err(Bug::InputDrift { key: key.clone() }.into()),
            Drift::Note => {}
        }
        self.inner.signal(Signal::InputDrift { key: key.clone() });
        let place = key.part("drift");
        if self.inner.journal().get(&place).is_none() {
            let draft = RecordDraft::new(place, &InputDrifted { recorded, asked })?;
            self.write(Proposal::of(draft)).await?;
        }
        Ok(())
    }

    /// Commits and returns the moment.
    pub(crate) async fn write(&self, proposal: Proposal) -> Result<Timestamp, RunError> {
        let records = self.inner.commit(proposal).await?;
        Ok(records
            .last()
            .map_or_else(|| self.inner.clock.now(), |record| record.at))
    }
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run")
            .field("id", &self.inner.run)
            .finish_non_exhaustive()
    }
}

/// The digest of a declared input.
pub(crate) fn input_digest(key: &Key, input: &impl Serialize) -> Result<Digest, RunError> {
    Digest::of_json(input).map_err(|source| {
        RunError::from(Bug::Input {
            key: key.clone(),
            source,
        })
    })
}
