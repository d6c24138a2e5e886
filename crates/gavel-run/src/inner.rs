//! What the handles of a driven run share.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gavel_domain::{Key, Record, RunId, Seq};
use gavel_models::Models;
use gavel_store::{CommitError, Store};
use tokio::sync::{broadcast, mpsc, oneshot, watch};

use crate::journal::Journal;
use crate::writer::{Order, Proposal, Refusal};
use crate::{Bug, Clock, DriveOptions, Recaller, RunError, Signal, Stop, StopHandle};

pub(crate) struct Inner {
    pub(crate) run: RunId,
    /// The last record of the drives before this one.
    pub(crate) began_at: Seq,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) models: Arc<Models>,
    pub(crate) clock: Arc<dyn Clock>,
    /// Project memory, where there is one.
    pub(crate) recaller: Option<Arc<dyn Recaller>>,
    pub(crate) options: DriveOptions,
    pub(crate) stop: StopHandle,
    pub(crate) orders: mpsc::Sender<Order>,
    pub(crate) changed: watch::Sender<Seq>,
    signals: broadcast::Sender<Signal>,
    journal: Mutex<Journal>,
    claims: Mutex<BTreeSet<Key>>,
    broken: Mutex<Option<RunError>>,
    is_broken: std::sync::atomic::AtomicBool,
    /// Steps that change the work tree take turns.
    pub(crate) tree_turn: Arc<tokio::sync::Mutex<()>>,
}

/// What a drive is made of.
pub(crate) struct Parts {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) models: Arc<Models>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) recaller: Option<Arc<dyn Recaller>>,
    pub(crate) options: DriveOptions,
    pub(crate) stop: StopHandle,
    pub(crate) signals: broadcast::Sender<Signal>,
}

impl Inner {
    pub(crate) fn new(parts: Parts, journal: Journal, orders: mpsc::Sender<Order>) -> Self {
        let (changed, _) = watch::channel(journal.head.seq);
        Self {
            run: journal.head.run,
            began_at: journal.head.seq,
            store: parts.store,
            models: parts.models,
            clock: parts.clock,
            recaller: parts.recaller,
            options: parts.options,
            stop: parts.stop,
            orders,
            changed,
            signals: parts.signals,
            journal: Mutex::new(journal),
            claims: Mutex::default(),
            broken: Mutex::default(),
            is_broken: std::sync::atomic::AtomicBool::new(false),
            tree_turn: Arc::default(),
        }
    }

    /// The records in memory. Never held across an await.
    pub(crate) fn journal(&self) -> MutexGuard<'_, Journal> {
        self.journal.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Marks a key as asked for; twice in one drive is a bug of the driver.
    pub(crate) fn claim(&self, key: &Key) -> Result<(), RunError> {
        let mut claims = self.claims.lock().unwrap_or_else(PoisonError::into_inner);
        if claims.insert(key.clone()) {
            Ok(())
        } else {
            Err(Bug::AskedTwice(key.clone()).into())
        }
    }

    /// Says whether a new effect may begin.
    pub(crate) fn may_go_on(&self) -> Result<(), RunError> {
        if self.is_broken() {
            return Err(RunError::Cut);
        }
        if self.stop.is_pausing() {
            Err(self.stopped())
        } else {
            Ok(())
        }
    }

    /// The error that a step returns when the drive is being stopped.
    pub(crate) fn stopped(&self) -> RunError {
        let stop = if self.stop.is_aborted() {
            Stop::Aborted
        } else {
            Stop::Paused
        };
        RunError::Stopped(stop)
    }

    /// Commits a proposal; a cap in the way is a bug here, since only the door reserves.
    pub(crate) async fn commit(&self, proposal: Proposal) -> Result<Vec<Arc<Record>>, RunError> {
        self.propose(proposal)
            .await
            .map_err(|refusal| match refusal {
                Refusal::Fatal(error) => error,
                Refusal::OverCap(_) => RunError::Cut,
            })
    }

    /// Commits a proposal that may meet a cap.
    pub(crate) async fn propose(&self, proposal: Proposal) -> Result<Vec<Arc<Record>>, Refusal> {
        let (reply, answer) = oneshot::channel();
        let gone = || Refusal::Fatal(RunError::Cut);
        if self
            .orders
            .send(Order::Commit(proposal, reply))
            .await
            .is_err()
        {
            return Err(gone());
        }
        answer.await.unwrap_or_else(|_| Err(gone()))
    }

    /// Empties the inbox now instead of at the next tick.
    pub(crate) async fn poll_inbox(&self) {
        let (reply, answer) = oneshot::channel();
        if self.orders.send(Order::PollInbox(reply)).await.is_ok() {
            // A writer that is gone has nothing to tell.
            drop(answer.await);
        }
    }

    /// Shows committed records to everybody in this process.
    pub(crate) fn publish(&self, records: &[Arc<Record>]) -> Result<(), RunError> {
        let seq = {
            let mut journal = self.journal();
            for record in records {
                journal.append(record.clone())?;
            }
            journal.head.seq
        };
        for record in records {
            self.signal(Signal::Fact(record.clone()));
        }
        self.changed.send_replace(seq);
        Ok(())
    }

    pub(crate) fn signal(&self, signal: Signal) {
        // Nobody listening is fine: signals are droppable.
        drop(self.signals.send(signal));
    }

    /// Ends the drive because the store refused or failed a commit.
    pub(crate) fn break_off(&self, error: CommitError) -> RunError {
        let run = self.run;
        let first = match error {
            CommitError::Conflict { .. } | CommitError::LeaseLost { .. } => RunError::Moved {
                run,
                source: Box::new(error),
            },
            CommitError::Unavailable(_) => RunError::StoreLost {
                run,
                source: Box::new(error),
            },
            CommitError::DuplicateKey { .. }
            | CommitError::Ledger { .. }
            | CommitError::Refused { .. }
            | CommitError::OverCap { .. } => Bug::Commit(error).into(),
        };
        self.fail(first);
        RunError::Cut
    }

    /// Keeps the first error that ends the drive and stops everything.
    pub(crate) fn fail(&self, error: RunError) {
        let mut broken = self.broken.lock().unwrap_or_else(PoisonError::into_inner);
        broken.get_or_insert(error);
        drop(broken);
        self.is_broken
            .store(true, std::sync::atomic::Ordering::SeqCst);
        self.stop.cut();
    }

    pub(crate) fn is_broken(&self) -> bool {
        self.is_broken.load(std::sync::atomic::Ordering::SeqCst)
    }

    pub(crate) fn take_failure(&self) -> Option<RunError> {
        self.broken
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }
}
