//! A small driver for the suite: it writes facts that fit together, so that heads, ledger and journal
//! can be compared afterwards.

use std::sync::Arc;

use gavel_domain::{
    Aborted, Blob, Cap, Digest, Fact, Head, InboxId, InboxRejected, Key, LossCause, MicroUsd,
    Month, ProjectId, RecordDraft, RecordKey, Role, RunId, RunStarted, Settings, Speaker,
    SpendClass, Stage, TimerFired, Timestamp, TokenUsage, Tokens, UsageLost, UsageReleased,
    UsageReserved, UsageSettled,
};
use gavel_store::{
    Batch, CallId, Claimed, CommitError, Committed, Holder, InboxTaken, Lease, LedgerChange,
    Reservation, Store,
};
use uuid::Uuid;

/// A run id of its own.
pub fn new_run() -> RunId {
    RunId::from_uuid(Uuid::now_v7())
}

/// A project id of its own.
pub fn project() -> ProjectId {
    ProjectId::from_uuid(Uuid::now_v7())
}

/// A key.
///
/// # Panics
/// When the text is none.
pub fn key(text: &str) -> Key {
    Key::new(text).unwrap()
}

/// The n-th moment of the suite, half a second apart: not every text form has decimals.
///
/// # Panics
/// When there is no such moment.
pub fn moment(n: i64) -> Timestamp {
    Timestamp::from_millisecond(1_794_700_800_000 + n * 500).unwrap()
}

/// The name under which the suite's drivers take leases.
pub fn holder() -> Holder {
    Holder {
        pid: std::process::id(),
        host: "suite".to_owned(),
        since: moment(0),
    }
}

/// Drives one run.
#[derive(Debug)]
pub struct Driver {
    /// The lease.
    pub lease: Lease,
    /// Where the run stands.
    pub head: Head,
    /// The moment at which the next record is written.
    pub now: i64,
}

impl Driver {
    /// Leases a run and reads where it stands.
    ///
    /// # Panics
    /// When the store refuses.
    pub async fn resume(store: &Arc<dyn Store>, run: RunId) -> Self {
        let lease = store.acquire(run, holder()).await.unwrap();
        let stored = store.head(run).await.unwrap();
        let head = stored.unwrap_or_else(|| Head::new(run, moment(0)));
        let now = i64::try_from(head.seq.0).unwrap();
        Self { lease, head, now }
    }

    /// Leases a new run and commits its first fact.
    ///
    /// # Panics
    /// When the store refuses.
    pub async fn start(store: &Arc<dyn Store>) -> Self {
        let mut driver = Self::resume(store, new_run()).await;
        driver.commit(store, started(None)).await.unwrap();
        driver
    }

    /// The run.
    pub const fn run(&self) -> RunId {
        self.lease.run
    }

    /// Puts a plan into its place.
    ///
    /// # Panics
    /// When a fact does not fold.
    pub fn batch(&self, plan: Plan) -> Batch {
        let mut head = self.head.clone();
        let mut records = Vec::new();
        for (draft, now) in plan.drafts.into_iter().zip(self.now..) {
            let place = (head.seq.next(), self.lease.epoch);
            let record = draft.place(self.run(), place, moment(now), head.chain);
            head.apply(&record).unwrap();
            records.push(record);
        }
        let ledger = plan.ledger.into_iter().map(|change| change(self));
        Batch {
            records,
            blobs: plan.blobs,
            ledger: ledger.collect(),
            head,
            inbox_taken: plan.taken,
        }
    }

    /// Commits a plan; the driver moves on only when the store did.
    ///
    /// # Panics
    /// When a fact does not fold.
    pub async fn commit(
        &mut self,
        store: &Arc<dyn Store>,
        plan: Plan,
    ) -> Result<Committed, CommitError> {
        let batch = self.batch(plan);
        let head = batch.head.clone();
        let records = i64::try_from(batch.records.len()).unwrap();
        let committed = store.commit(&self.lease, self.head.seq, batch).await?;
        self.head = head;
        self.now += records;
        Ok(committed)
    }

    /// Gives the run up, so that it is finished.
    ///
    /// # Panics
    /// When the store refuses.
    pub async fn finish(&mut self, store: &Arc<dyn Store>) {
        let by = Speaker::PERSON;
        let plan = Plan::new().fact(&key("end"), &Aborted { by, reason: None });
        self.commit(store, plan).await.unwrap();
    }
}

/// The first fact of a run.
pub fn started(project: Option<ProjectId>) -> Plan {
    Plan::new().fact(
        &key("start"),
        &RunStarted {
            flow: 1,
            driver: "suite".to_owned(),
            seed: Digest::of("seed"),
            gavel: "0.0.0".to_owned(),
            settings: Settings::default(),
            project,
            brief: None,
        },
    )
}

type Change = Box<dyn FnOnce(&Driver) -> LedgerChange + Send>;

/// What a commit is to hold: facts, and what they say about money and inbox.
#[derive(Default)]
pub struct Plan {
    drafts: Vec<RecordDraft>,
    blobs: Vec<Blob>,
    ledger: Vec<Change>,
    taken: Vec<InboxTaken>,
}

impl std::fmt::Debug for Plan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(&self.drafts).finish()
    }
}

impl Plan {
    /// An empty plan.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a fact under a key.
    #[must_use]
    pub fn fact<T: Fact>(self, key: &Key, fact: &T) -> Self {
        self.fact_at(key.outcome(), fact)
    }

    fn fact_at<T: Fact>(mut self, key: RecordKey, fact: &T) -> Self {
        self.drafts.push(RecordDraft::new(key, fact).unwrap());
        self
    }

    /// Adds a fact that says nothing.
    #[must_use]
    pub fn note(self, text: &str) -> Self {
        self.fact(&key(text), &TimerFired {})
    }

    /// Adds a record of any kind and body.
    #[must_use]
    pub fn raw(mut self, text: &str, kind: &'static str, body: &str) -> Self {
        self.drafts.push(RecordDraft {
            key: key(text).outcome(),
            kind,
            input: Digest::of(text),
            body: body.to_owned(),
        });
        self
    }

    /// Adds a blob.
    #[must_use]
    pub fn blob(mut self, content: &[u8]) -> Self {
        self.blobs.push(Blob::new(content));
        self
    }

    /// Reserves a call with caps.
    #[must_use]
    pub fn reserve(mut self, call: &str, money: u64, tokens: u64, caps: &[Cap]) -> Self {
        let (at, caps, request) = (reserved(call), caps.to_vec(), Blob::new(call));
        let fact = UsageReserved {
            model: "toy/one".to_owned(),
            role: Role::Coder,
            class: SpendClass::Metered,
            ceiling: Some(MicroUsd(money)),
            input_max: Tokens(tokens),
            output_max: Tokens(0),
            request: request.name(),
        };
        self.blobs.push(request);
        self = self.fact_at(at.clone(), &fact);
        self.ledger.push(Box::new(move |driver| {
            LedgerChange::Reserve(Reservation {
                call: CallId {
                    run: driver.run(),
                    key: at,
                },
                month: Month::of(moment(driver.now)),
                at: moment(driver.now),
                model: fact.model,
                role: fact.role,
                stage: Some(Stage::Building),
                class: fact.class,
                money: MicroUsd(money),
                tokens: Tokens(tokens),
                caps,
            })
        }));
        self
    }

    /// Settles a call with output tokens alone.
    #[must_use]
    pub fn settle(self, call: &str, cost: u64, tokens: u64) -> Self {
        self.settle_claimed(call, (cost, tokens), None)
    }

    /// Settles a call for which the provider claimed more.
    #[must_use]
    pub fn settle_claimed(
        mut self,
        call: &str,
        (cost, tokens): (u64, u64),
        claimed: Option<Claimed>,
    ) -> Self {
        let (at, cost) = (reserved(call), MicroUsd(cost));
        let usage = TokenUsage {
            output: Tokens(tokens),
            ..TokenUsage::default()
        };
        let fact = UsageSettled {
            model: "toy/one".to_owned(),
            usage,
            cost: Some(cost),
            input_max: Tokens(0),
        };
        self = self.fact_at(key(call).attempt_part(1, "settled"), &fact);
        self.change(move |run| LedgerChange::Settle {
            call: CallId { run, key: at },
            cost,
            usage,
            claimed,
        })
    }

    /// Books a call as lost, with the ceiling that was reserved.
    #[must_use]
    pub fn lose(mut self, call: &str, ceiling: u64) -> Self {
        let at = reserved(call);
        let fact = UsageLost {
            cause: LossCause::DriverDied,
            ceiling: Some(MicroUsd(ceiling)),
        };
        self = self.fact_at(key(call).attempt_part(1, "lost"), &fact);
        self.change(move |run| LedgerChange::Lose {
            call: CallId { run, key: at },
        })
    }

    /// Gives a reservation back.
    #[must_use]
    pub fn release(mut self, call: &str) -> Self {
        let at = reserved(call);
        self = self.fact_at(key(call).attempt_part(1, "released"), &UsageReleased {});
        self.change(move |run| LedgerChange::Release {
            call: CallId { run, key: at },
        })
    }

    fn change(mut self, change: impl FnOnce(RunId) -> LedgerChange + Send + 'static) -> Self {
        self.ledger
            .push(Box::new(|driver: &Driver| change(driver.run())));
        self
    }

    /// Takes an inbox row, as accepted.
    #[must_use]
    pub fn accept(mut self, id: InboxId) -> Self {
        self.taken.push(InboxTaken { id, refused: false });
        self.note(&format!("accepted/{id}"))
    }

    /// Takes an inbox row, as refused.
    #[must_use]
    pub fn reject(mut self, id: InboxId) -> Self {
        self.taken.push(InboxTaken { id, refused: true });
        let (reason, winner) = ("malformed".to_owned(), None);
        let fact = InboxRejected { reason, winner };
        self.fact(&key(&format!("rejected/{id}")), &fact)
    }
}

/// The record that holds the reservation of a call.
pub(super) fn reserved(call: &str) -> RecordKey {
    key(call).attempt_part(1, "reserved")
}
