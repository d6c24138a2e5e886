//! Steps: an effect, its class, and the fact that it leaves.

use std::sync::{Arc, Mutex, PoisonError};

use gavel_domain::{
    AttemptFailed, Billed, Blob, BlobRef, Fact, Fault, GaveUp, Key, MicroUsd, RecordDraft,
};
use gavel_rules::{NextTry, RetryPolicy, next_try};
use serde::Serialize;

use crate::class::{Begun, StepClass};
use crate::run::input_digest;
use crate::writer::Proposal;
use crate::{Recorded, Run, RunError, Signal, StepError, StepFailure};

/// Collects the texts that an effect wants to keep beside its fact.
#[derive(Debug, Clone, Default)]
pub struct Blobs(Arc<Mutex<Vec<Blob>>>);

impl Blobs {
    /// Keeps a text and returns its name for the fact.
    pub fn keep(&self, content: impl Into<Vec<u8>>) -> BlobRef {
        let blob = Blob::new(content);
        let name = blob.name();
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(blob);
        name
    }

    pub(crate) fn take(&self) -> Vec<Blob> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Run {
    /// Does something once: reads the fact if it is on record, else runs the effect and commits.
    ///
    /// The effect gets no run, no model and no tool: steps do not nest. `input` is what it depends
    /// on; another input on a later drive is drift.
    pub async fn step<T, C, I, F, Fut>(
        &self,
        key: Key,
        class: C,
        input: &I,
        effect: F,
    ) -> Result<Recorded<T>, RunError>
    where
        T: Fact,
        C: StepClass<T>,
        I: Serialize + Sync,
        F: FnMut(Blobs) -> Fut + Send,
        Fut: Future<Output = Result<T, StepFailure>> + Send,
    {
        self.step_with(key, class, input, (RetryPolicy::never(), effect))
            .await
    }

    /// As [`Run::step`], trying again by a policy.
    pub async fn step_with<T, C, I, F, Fut>(
        &self,
        key: Key,
        mut class: C,
        input: &I,
        (policy, mut effect): (RetryPolicy, F),
    ) -> Result<Recorded<T>, RunError>
    where
        T: Fact,
        C: StepClass<T>,
        I: Serialize + Sync,
        F: FnMut(Blobs) -> Fut + Send,
        Fut: Future<Output = Result<T, StepFailure>> + Send,
    {
        self.inner.claim(&key)?;
        let input = input_digest(&key, input)?;
        if let Some(record) = self.recorded(&key, input).await? {
            return Ok(Recorded {
                value: record.read()?,
                at: record.at,
            });
        }
        loop {
            self.wait_for_turn(&key, &policy).await?;
            self.inner.may_go_on()?;
            let blobs = Blobs::default();
            let outcome = match class.begin(self, &key).await? {
                Begun::Found(value) => Ok(value),
                Begun::Refused(failure) => Err(failure),
                Begun::Go => tokio::select! {
                    biased;
                    outcome = effect(blobs.clone()) => outcome,
                    () = self.inner.stop.cutting() => return Err(self.inner.stopped()),
                },
            };
            let outcome = match outcome {
                Ok(value) => class.end(self, &key).await?.map(|beside| (value, beside)),
                Err(failure) => Err(failure),
            };
            match outcome {
                Ok((value, beside)) => {
                    let mut proposal = Proposal {
                        blobs: blobs.take(),
                        ..Proposal::default()
                    };
                    proposal.drafts.extend(beside);
                    proposal
                        .drafts
                        .push(RecordDraft::with_input(key.outcome(), input, &value)?);
                    let at = self.write(proposal).await?;
                    return Ok(Recorded { value, at });
                }
                Err(failure) => {
                    class.undo(self).await;
                    self.fail_attempt(&key, input, &policy, failure).await?;
                }
            }
        }
    }

    /// Records a failed attempt; returns `Ok` when another one may follow.
    async fn fail_attempt(
        &self,
        key: &Key,
        input: gavel_domain::Digest,
        policy: &RetryPolicy,
        failure: StepFailure,
    ) -> Result<(), RunError> {
        let (number, failures) = self.next_attempt(key);
        let detail = Blob::new(failure.message.as_bytes());
        let fault = Fault {
            class: failure.class,
            retry_after_ms: failure.retry_after.map(millis),
            detail: Some(detail.name()),
        };
        let failed = AttemptFailed {
            fault,
            billed: Billed::No,
            cost: MicroUsd::ZERO,
        };
        let mut proposal = Proposal::of(RecordDraft::new(key.attempt(number), &failed)?);
        proposal.blobs.push(detail);
        let attempts = failures + 1;
        let last = next_try(policy, attempts, &fault, 0) == NextTry::GiveUp;
        if last {
            let gave_up = GaveUp {
                error: fault,
                attempts,
            };
            proposal
                .drafts
                .push(RecordDraft::with_input(key.outcome(), input, &gave_up)?);
        }
        self.write(proposal).await?;
        if last {
            let message = failure.message;
            return Err(RunError::Failed(Box::new(StepError {
                key: key.clone(),
                fault,
                attempts,
                message,
            })));
        }
        Ok(())
    }

    /// The number of the next attempt, and how many failures are on record.
    pub(crate) fn next_attempt(&self, key: &Key) -> (u32, u32) {
        let journal = self.inner.journal();
        journal.view.attempts.get(key).map_or((1, 0), |attempts| {
            let failures = u32::try_from(attempts.failures.len()).unwrap_or(u32::MAX);
            (attempts.begun + 1, failures)
        })
    }

    /// Waits until the pause after the last recorded failure is over; at once without one.
    pub(crate) async fn wait_for_turn(
        &self,
        key: &Key,
        policy: &RetryPolicy,
    ) -> Result<(), RunError> {
        let last = {
            let journal = self.inner.journal();
            let Some(attempts) = journal.view.attempts.get(key) else {
                return Ok(());
            };
            let failures = u32::try_from(attempts.failures.len()).unwrap_or(u32::MAX);
            attempts
                .failures
                .last_key_value()
                .map(|(n, (fault, at))| (*n, *fault, *at, failures))
        };
        let Some((number, fault, at, failures)) = last else {
            return Ok(());
        };
        let jitter = self.random(key).rotate_left(number);
        let NextTry::After(pause) = next_try(policy, failures, &fault, jitter) else {
            // The drive ended between the failure and giving up under another policy.
            return Ok(());
        };
        let due = at.saturating_add(pause).unwrap_or(at);
        self.wait_until(key, due, pause).await
    }

    /// Waits for what is done between steps, or until the drive is cut: whatever takes long and is
    /// recorded by no step must not keep it.
    pub async fn until_cut<F: Future>(&self, work: F) -> Result<F::Output, RunError> {
        tokio::select! {
            biased;
            done = work => Ok(done),
            () = self.inner.stop.cutting() => Err(self.inner.stopped()),
        }
    }

    /// Waits for a moment on the run's clock, or until the drive is stopped.
    ///
    /// Never longer than `at_most`: a clock that was set back must not hold a run for days.
    pub(crate) async fn wait_until(
        &self,
        key: &Key,
        due: gavel_domain::Timestamp,
        at_most: std::time::Duration,
    ) -> Result<(), RunError> {
        let Ok(left) = std::time::Duration::try_from(due.duration_since(self.inner.clock.now()))
        else {
            return Ok(());
        };
        let left = left.min(at_most);
        self.inner.signal(Signal::Retry {
            key: key.clone(),
            millis: millis(left),
        });
        tokio::select! {
            () = tokio::time::sleep(left) => Ok(()),
            () = self.inner.stop.pausing() => Err(self.inner.stopped()),
        }
    }
}

fn millis(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
