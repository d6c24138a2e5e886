//! The engine: starts runs and drives them.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use gavel_domain::{
    Blob, Digest, Faulted, Key, LossCause, PauseCause, Paused, ProjectId, RecordDraft, Resumed,
    RunId, RunState, Seq, Settings, Speaker, UsageLost,
};
use gavel_models::{ModelId, ModelInfo, Models};
use gavel_store::{CallId, Holder, LedgerChange, Store};
use tokio::sync::{broadcast, mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::amend::Amendment;
use crate::inner::{Inner, Parts};
use crate::journal::Journal;
use crate::writer::{Order, Proposal, write};
use crate::{Bug, Clock, Recaller, Run, RunError, Signal, Stop, StopHandle};

/// What a run is started with.
#[derive(Debug, Clone)]
pub struct NewRun {
    /// What drives it.
    pub driver: String,
    /// The version of the driver's flow.
    pub flow: u32,
    /// The effective settings.
    pub settings: Settings,
    /// The project, when there is one.
    pub project: Option<ProjectId>,
    /// What the driver is given.
    pub brief: Option<String>,
}

/// Whether a driver waits for answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitMode {
    /// It stays until somebody answers.
    Stay,
    /// It leaves, and whoever resumes goes on.
    Leave,
}

/// What an input that differs from the recorded one means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Drift {
    /// A bug: tests.
    Fail,
    /// A fact and a signal: production.
    Note,
}

/// How a run is driven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DriveOptions {
    /// Whether the driver waits for answers.
    pub wait: WaitMode,
    /// Whether recommended answers are taken at once.
    pub yes: bool,
    /// What input drift means.
    pub drift: Drift,
    /// Whether somebody agreed to spend money at all.
    pub paid: PaidConsent,
}

/// Whether a person agreed to spend money: a key in the environment alone is no agreement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PaidConsent {
    /// The first paid call of this store asks, once.
    Ask,
    /// It is in the settings.
    Given,
}

/// How a drive ended when nothing went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DriveEnd {
    /// The driver is through; this is the run's state.
    Through(RunState),
    /// The run stopped on purpose.
    Stopped(Stop),
}

/// Starts and drives runs on one store.
#[derive(Clone)]
pub struct Engine {
    store: Arc<dyn Store>,
    models: Arc<Models>,
    clock: Arc<dyn Clock>,
    recaller: Option<Arc<dyn Recaller>>,
    host: Arc<str>,
    version: &'static str,
    signals: broadcast::Sender<Signal>,
}

/// Signals that a slow watcher may fall behind by.
const SIGNAL_ROOM: usize = 1_024;
/// Proposals that may wait for the writer.
const ORDER_ROOM: usize = 64;

impl Engine {
    /// An engine over a store, for a program of that version on that host.
    pub fn new(
        store: Arc<dyn Store>,
        models: Arc<Models>,
        clock: Arc<dyn Clock>,
        (host, version): (&str, &'static str),
    ) -> Self {
        let (signals, _) = broadcast::channel(SIGNAL_ROOM);
        Self {
            store,
            models,
            clock,
            recaller: None,
            host: host.into(),
            version,
            signals,
        }
    }

    /// The same with project memory behind it; without, nothing is recalled.
    #[must_use]
    pub fn with_recaller(mut self, recaller: Arc<dyn Recaller>) -> Self {
        self.recaller = Some(recaller);
        self
    }

    /// Hears the signals of the runs that this engine drives from now on.
    pub fn signals(&self) -> broadcast::Receiver<Signal> {
        self.signals.subscribe()
    }

    /// What is known of a model that this engine can reach.
    pub fn model(&self, id: &ModelId) -> Option<&ModelInfo> {
        self.models.get(id).map(|configured| &configured.info)
    }

    /// The store underneath.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// Starts a run: one commit with its first fact. Nobody drives it yet.
    pub async fn start(&self, new: NewRun) -> Result<RunId, RunError> {
        self.start_as(
            RunId::from_uuid(crate::clock::fresh_id()),
            fresh_seed(),
            new,
        )
        .await
    }

    /// Starts a run with a given id and seed, for tests and forks.
    pub async fn start_as(&self, run: RunId, seed: Digest, new: NewRun) -> Result<RunId, RunError> {
        self.start_with((run, seed), new, Amendment::default())
            .await?;
        Ok(run)
    }

    /// Drives a run until its driver is through, stops or fails.
    ///
    /// Takes the lease for as long as it lasts. Calls that a dead driver left behind are booked as
    /// lost first, and the inbox is emptied, so the driver sees every answer that was given.
    pub async fn drive<F, Fut>(
        &self,
        run: RunId,
        options: DriveOptions,
        stop: StopHandle,
        driver: F,
    ) -> Result<DriveEnd, RunError>
    where
        F: FnOnce(Run) -> Fut,
        Fut: Future<Output = Result<(), RunError>>,
    {
        self.drive_where(run, (options, stop), Where::UnderWay, driver)
            .await
    }

    /// Goes on with a run that is sealed, for what a person adds to it afterwards.
    ///
    /// Steps and facts are as in every drive: what is on record is read, the rest happens once. Any other
    /// run is left as it is.
    pub async fn drive_sealed<F, Fut>(
        &self,
        run: RunId,
        options: DriveOptions,
        stop: StopHandle,
        driver: F,
    ) -> Result<DriveEnd, RunError>
    where
        F: FnOnce(Run) -> Fut,
        Fut: Future<Output = Result<(), RunError>>,
    {
        self.drive_where(run, (options, stop), Where::Sealed, driver)
            .await
    }

    async fn drive_where<F, Fut>(
        &self,
        run: RunId,
        (options, stop): (DriveOptions, StopHandle),
        place: Where,
        driver: F,
    ) -> Result<DriveEnd, RunError>
    where
        F: FnOnce(Run) -> Fut,
        Fut: Future<Output = Result<(), RunError>>,
    {
        // An unknown run is refused before a lease leaves traces of it.
        if self.store.head(run).await?.is_none() {
            return Err(RunError::NoRun(run));
        }
        let lease = self.store.acquire(run, self.holder()).await?;
        let journal = Journal::load(self.store.as_ref(), run).await?;
        let state = journal.head.state;
        let is_over = place.is_over(state);
        if is_over && journal.view.reservations.is_empty() {
            return Ok(DriveEnd::Through(state));
        }
        let (orders, inbox) = mpsc::channel(ORDER_ROOM);
        let parts = Parts {
            store: self.store.clone(),
            models: self.models.clone(),
            clock: self.clock.clone(),
            recaller: self.recaller.clone(),
            options,
            stop,
            signals: self.signals.clone(),
        };
        let epoch = lease.epoch;
        let inner = Arc::new(Inner::new(parts, journal, orders));
        let tasks = TaskTracker::new();
        // Dropping this future, too, ends the writer and frees the lease.
        let gone = CancellationToken::new();
        let _frees_the_lease = gone.clone().drop_guard();
        tasks.spawn(write(inner.clone(), lease, (inbox, gone)));
        tasks.close();
        let handle = Run {
            inner: inner.clone(),
        };
        let result = self.drive_leased(&handle, (epoch.0, place), driver).await;
        close(&inner).await;
        tasks.wait().await;
        inner.take_failure().map_or(result, Err)
    }

    async fn drive_leased<F, Fut>(
        &self,
        run: &Run,
        (epoch, place): (u64, Where),
        driver: F,
    ) -> Result<DriveEnd, RunError>
    where
        F: FnOnce(Run) -> Fut,
        Fut: Future<Output = Result<(), RunError>>,
    {
        let state = run.inner.journal().head.state;
        if place.is_over(state) {
            // Its driver died before it could say what became of its calls.
            run.write(lost_calls(run)?).await?;
            return Ok(DriveEnd::Through(state));
        }
        if state == RunState::Halted {
            // Nothing goes on, but whoever wrote to it gets an answer, and it may be given up.
            run.inner.poll_inbox().await;
            return Ok(DriveEnd::Through(run.inner.journal().head.state));
        }
        self.take_over(run, epoch).await?;
        run.inner.poll_inbox().await;
        if run.inner.stop.is_aborted() {
            return Ok(DriveEnd::Stopped(Stop::Aborted));
        }
        let driven = AssertUnwindSafe(driver(run.clone())).catch_unwind().await;
        let result = driven.unwrap_or_else(|panic| Err(Bug::Panicked(panic_text(&panic)).into()));
        match result {
            Ok(()) => Ok(DriveEnd::Through(run.inner.journal().head.state)),
            Err(RunError::Stopped(stop)) => {
                if stop == Stop::Paused {
                    record_stop(run, epoch, PauseCause::Interrupted).await?;
                }
                Ok(DriveEnd::Stopped(stop))
            }
            Err(RunError::Bug(bug)) => {
                record_fault(run, epoch, &bug).await?;
                Err(RunError::Bug(bug))
            }
            Err(error) => {
                // The store may be the trouble; then the next drive finds an unclean stop.
                if !run.inner.is_broken() {
                    record_stop(run, epoch, PauseCause::Failed).await?;
                }
                Err(error)
            }
        }
    }

    /// The first commit of a later drive: that it goes on, and what the last driver left behind.
    async fn take_over(&self, run: &Run, epoch: u64) -> Result<(), RunError> {
        let head = run.inner.journal().head.clone();
        if head.seq == Seq(1) {
            return Ok(());
        }
        let mut proposal = lost_calls(run)?;
        let unclean = head.state == RunState::Running || !proposal.drafts.is_empty();
        let key = Key::engine(format!("run/resumed-{epoch}"))?.outcome();
        let resumed = Resumed {
            unclean,
            gavel: self.version.to_owned(),
        };
        proposal.drafts.insert(0, RecordDraft::new(key, &resumed)?);
        run.write(proposal).await?;
        Ok(())
    }

    /// The moment, by this engine's clock.
    pub fn now(&self) -> gavel_domain::Timestamp {
        self.clock.now()
    }

    /// The version of the program.
    pub(crate) const fn version(&self) -> &'static str {
        self.version
    }

    pub(crate) fn holder(&self) -> Holder {
        Holder {
            pid: std::process::id(),
            host: self.host.to_string(),
            since: self.clock.now(),
        }
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine")
            .field("version", &self.version)
            .finish_non_exhaustive()
    }
}

/// Where a drive takes a run up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Where {
    /// On its way.
    UnderWay,
    /// Behind its seal.
    Sealed,
}

impl Where {
    /// True when nothing is driven in this state.
    const fn is_over(self, state: RunState) -> bool {
        match self {
            Self::UnderWay => state.is_final(),
            Self::Sealed => !matches!(state, RunState::Sealed),
        }
    }
}

/// Books every call that a dead driver left behind as lost, in full.
fn lost_calls(run: &Run) -> Result<Proposal, RunError> {
    let reservations = run.inner.journal().view.reservations.clone();
    let mut proposal = Proposal::default();
    for (reservation, usage) in reservations {
        let Some(number) = reservation.attempt() else {
            continue;
        };
        let place = reservation.key().attempt_part(number, "lost");
        let lost = UsageLost {
            cause: LossCause::DriverDied,
            ceiling: usage.ceiling,
        };
        proposal.drafts.push(RecordDraft::new(place, &lost)?);
        let call = CallId {
            run: run.id(),
            key: reservation,
        };
        proposal.ledger.push(LedgerChange::Lose { call });
    }
    Ok(proposal)
}

/// Says that a drive ended in order; a pause that came through the inbox is on record already.
async fn record_stop(run: &Run, epoch: u64, cause: PauseCause) -> Result<(), RunError> {
    if run.inner.journal().head.state == RunState::Paused {
        return Ok(());
    }
    let key = Key::engine(format!("run/paused-{epoch}"))?.outcome();
    let by = match cause {
        PauseCause::Interrupted | PauseCause::Asked => Speaker::PERSON,
        PauseCause::Failed => Speaker::ENGINE,
    };
    let draft = RecordDraft::new(key, &Paused { cause, by })?;
    run.write(Proposal::of(draft)).await?;
    Ok(())
}

async fn record_fault(run: &Run, epoch: u64, bug: &Bug) -> Result<(), RunError> {
    tracing::error!(run = %run.id(), error = %bug, "a bug stopped the run");
    let detail = Blob::new(bug.to_string().into_bytes());
    let key = Key::engine(format!("run/faulted-{epoch}"))?.outcome();
    let draft = RecordDraft::new(
        key,
        &Faulted {
            detail: detail.name(),
        },
    )?;
    run.write(Proposal {
        blobs: vec![detail],
        ..Proposal::of(draft)
    })
    .await?;
    Ok(())
}

async fn close(inner: &Arc<Inner>) {
    let (reply, closed) = oneshot::channel();
    if inner.orders.send(Order::Close(reply)).await.is_ok() {
        // Without an answer the writer is gone already, and the lease with it.
        drop(closed.await);
    }
}

fn fresh_seed() -> Digest {
    let parts = [
        crate::clock::fresh_id(),
        crate::clock::fresh_id(),
        crate::clock::fresh_id(),
        crate::clock::fresh_id(),
    ];
    Digest::of_fields(parts.iter().map(|uuid| uuid.as_bytes().as_slice()))
}

fn panic_text(panic: &Box<dyn std::any::Any + Send>) -> String {
    panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".to_owned())
}
