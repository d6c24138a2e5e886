//! The writer: the one task that holds the lease of a run, commits its records and empties its
//! inbox. Nobody else writes, and a commit is never cancelled halfway: callers may go away, this
//! task does not.

use std::sync::Arc;
use std::time::Duration;

use gavel_domain::{Blob, Cap, CapScope, Key, Record, RecordDraft, Seq, SpendThreshold};
use gavel_rules::crossed;
use gavel_store::{
    Batch, Booked, CommitError, InboxTaken, Lease, LedgerChange, ReadError, Reservation,
};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::inner::Inner;
use crate::receive::{Effect, receive};
use crate::{RunError, Signal};

/// How often the inbox is looked at; rows become facts well within 250 ms.
const INBOX_TICK: Duration = Duration::from_millis(100);

/// What a step wants to have written, all or nothing.
#[derive(Debug, Default)]
pub(crate) struct Proposal {
    pub(crate) drafts: Vec<RecordDraft>,
    pub(crate) blobs: Vec<Blob>,
    pub(crate) ledger: Vec<LedgerChange>,
    pub(crate) inbox_taken: Vec<InboxTaken>,
    /// Write nothing when a key is on record: decided by the writer, so nobody comes in between.
    pub(crate) unless_there: bool,
}

impl Proposal {
    /// A fact that somebody else may write first, for example through the inbox.
    pub(crate) fn unless_there(draft: RecordDraft) -> Self {
        Self {
            unless_there: true,
            ..Self::of(draft)
        }
    }

    pub(crate) fn of(draft: RecordDraft) -> Self {
        Self {
            drafts: vec![draft],
            ..Self::default()
        }
    }
}

/// Why a proposal was not written.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// A cap is in the way; nothing else is wrong.
    OverCap(Cap),
    /// The drive is over.
    Fatal(RunError),
}

/// What the writer is told.
#[derive(Debug)]
pub(crate) enum Order {
    Commit(Proposal, oneshot::Sender<Result<Vec<Arc<Record>>, Refusal>>),
    PollInbox(oneshot::Sender<()>),
    Close(oneshot::Sender<()>),
}

/// Runs until it is closed or its drive is gone; the lease is freed when it returns.
pub(crate) async fn write(
    inner: Arc<Inner>,
    lease: Lease,
    (mut orders, gone): (mpsc::Receiver<Order>, CancellationToken),
) {
    let mut writer = Writer { inner, lease };
    let mut tick = tokio::time::interval(INBOX_TICK);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            biased;
            order = orders.recv() => match order {
                Some(Order::Commit(proposal, reply)) => {
                    // A caller that went away does not matter: the facts are written.
                    drop(reply.send(writer.commit(proposal).await));
                }
                Some(Order::PollInbox(reply)) => {
                    writer.empty_inbox().await;
                    answered(reply);
                }
                Some(Order::Close(reply)) => {
                    drop(writer);
                    answered(reply);
                    return;
                }
                None => return,
            },
            () = gone.cancelled() => return,
            _ = tick.tick() => writer.empty_inbox().await,
        }
    }
}

fn answered(reply: oneshot::Sender<()>) {
    if reply.send(()).is_err() {
        tracing::debug!("whoever asked the writer went away");
    }
}

struct Writer {
    inner: Arc<Inner>,
    lease: Lease,
}

impl Writer {
    async fn commit(&mut self, proposal: Proposal) -> Result<Vec<Arc<Record>>, Refusal> {
        let (records, booked) = self.write(proposal).await?;
        if let Some(booked) = booked {
            self.announce_thresholds(&booked).await?;
        }
        Ok(records)
    }

    async fn write(
        &mut self,
        proposal: Proposal,
    ) -> Result<(Vec<Arc<Record>>, Option<Booked>), Refusal> {
        if self.inner.is_broken() {
            return Err(Refusal::Fatal(RunError::Cut));
        }
        if proposal.unless_there && self.is_there(&proposal) {
            return Ok((Vec::new(), None));
        }
        let (after, batch) = self.place(proposal).map_err(Refusal::Fatal)?;
        let records: Vec<_> = batch.records.iter().cloned().map(Arc::new).collect();
        let committed = match self.inner.store.commit(&self.lease, after, batch).await {
            Ok(committed) => committed,
            Err(CommitError::OverCap { cap, .. }) => return Err(Refusal::OverCap(cap)),
            Err(error) => return Err(Refusal::Fatal(self.inner.break_off(error))),
        };
        self.inner.publish(&records).map_err(Refusal::Fatal)?;
        Ok((records, committed.booked))
    }

    fn is_there(&self, proposal: &Proposal) -> bool {
        let journal = self.inner.journal();
        let mut drafts = proposal.drafts.iter();
        drafts.any(|draft| journal.get(&draft.key).is_some())
    }

    /// Gives each draft its place, time and chain, and folds the head over them.
    fn place(&self, proposal: Proposal) -> Result<(Seq, Batch), RunError> {
        let now = self.inner.clock.now();
        let journal = self.inner.journal();
        let (after, mut prev) = journal.last();
        let mut head = journal.head.clone();
        let caps = journal.view.caps().list();
        drop(journal);
        let mut seq = after;
        let mut records = Vec::with_capacity(proposal.drafts.len());
        for draft in proposal.drafts {
            seq = seq.next();
            let record = draft.place(self.inner.run, (seq, self.lease.epoch), now, prev);
            prev = record.digest();
            head.apply(&record)?;
            records.push(record);
        }
        // The caps of this very moment: one that was lowered meanwhile holds.
        let ledger = proposal.ledger.into_iter().map(|change| match change {
            LedgerChange::Reserve(reservation) => LedgerChange::Reserve(Reservation {
                caps: caps.clone(),
                ..reservation
            }),
            LedgerChange::Settle { .. }
            | LedgerChange::Lose { .. }
            | LedgerChange::Release { .. } => change,
        });
        let batch = Batch {
            records,
            blobs: proposal.blobs,
            ledger: ledger.collect(),
            head,
            inbox_taken: proposal.inbox_taken,
        };
        Ok((after, batch))
    }

    /// Records each share of a cap that spend has reached and that is not on record.
    async fn announce_thresholds(&mut self, booked: &Booked) -> Result<(), Refusal> {
        let drafts = self.missing_thresholds(booked).map_err(Refusal::Fatal)?;
        if !drafts.is_empty() {
            self.write(Proposal {
                drafts,
                ..Proposal::default()
            })
            .await?;
        }
        Ok(())
    }

    fn missing_thresholds(&self, booked: &Booked) -> Result<Vec<RecordDraft>, RunError> {
        let (run, month) = (&booked.run, &booked.of_month);
        let journal = self.inner.journal();
        let mut drafts = Vec::new();
        for cap in journal.view.caps().list() {
            let (room, spent) = match cap.scope {
                CapScope::RunUsd => ("run-usd".to_owned(), (run.settled + run.unconfirmed).0),
                CapScope::MonthUsd => (
                    format!("month-usd-{}", booked.month.as_str()),
                    (month.settled + month.unconfirmed).0,
                ),
                CapScope::RunTokens => (
                    "run-tokens".to_owned(),
                    (run.settled_tokens + run.unconfirmed_tokens).0,
                ),
            };
            for percent in crossed(spent, cap.limit) {
                let key = Key::engine(format!("money/{room}-{}-{percent}", cap.limit))?.outcome();
                if journal.get(&key).is_none() {
                    drafts.push(RecordDraft::new(
                        key,
                        &SpendThreshold {
                            cap,
                            percent,
                            spent,
                        },
                    )?);
                }
            }
        }
        Ok(drafts)
    }

    async fn empty_inbox(&mut self) {
        if self.inner.is_broken() {
            return;
        }
        let rows = match self.inner.store.pending(self.inner.run).await {
            Ok(rows) => rows,
            Err(error) => {
                self.report_unread(&error);
                return;
            }
        };
        for row in rows {
            let received = match receive(&self.inner.journal(), &row) {
                Ok(received) => received,
                Err(error) => {
                    self.inner.fail(error);
                    return;
                }
            };
            let proposal = Proposal {
                drafts: received.drafts,
                blobs: received.blob.into_iter().collect(),
                inbox_taken: vec![InboxTaken {
                    id: row.id,
                    refused: received.refused,
                }],
                ..Proposal::default()
            };
            if let Err(refusal) = self.write(proposal).await {
                if let Refusal::Fatal(error) = refusal {
                    self.inner.fail(error);
                }
                return;
            }
            match received.effect {
                Effect::None => {}
                Effect::Pause => self.inner.stop.pause(),
                Effect::Abort => self.inner.stop.abort(),
            }
        }
    }

    fn report_unread(&self, error: &ReadError) {
        tracing::warn!(run = %self.inner.run, error = %error, "the inbox cannot be read");
        self.inner.signal(Signal::InboxUnread);
    }
}
