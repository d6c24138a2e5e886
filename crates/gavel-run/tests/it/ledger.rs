//! The ledger: no interleaving of calls, settlements, cancels, kills and second processes passes a
//! cap by a micro-dollar, books anything twice, or loses anything.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use gavel_domain::{
    Cap, CapScope, Caps, Digest, Head, Key, MicroUsd, MoneyFact, Month, RecordDraft, Role, RunId,
    Seq, SpendClass, TimerFired, Timestamp, TokenUsage, Tokens,
};
use gavel_models::{CallErrorKind, Reply, input_ceiling};
use gavel_rules::RetryPolicy;
use gavel_run::{Call, DriveEnd, Engine, NewRun, Run, RunError, Stop, StopHandle, SystemClock};
use gavel_store::{
    Batch, CallId, CallsQuery, CommitError, Damage, Holder, Lease, LedgerChange, Reservation,
    SqliteStore, Store, Totals, TotalsOf,
};
use gavel_testkit::{
    STRICT, ScriptedModel, TEST_PRICE, maybe_billed, models_with, open_store, test_info,
    text_reply, unbilled,
};
use proptest::prelude::*;
use uuid::Uuid;

use crate::{key, request};

/// What may happen to the ledger. Numbers pick a run or an open call, whatever there is.
#[derive(Debug, Clone)]
enum Event {
    Reserve { run: usize, money: u64, tokens: u64 },
    Settle { call: usize, share: u8 },
    Lose { call: usize },
    Release { call: usize },
    BookAgain { call: usize },
    Die { run: usize },
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        6 => (0..3_usize, 0..400_u64, 0..50_u64)
            .prop_map(|(run, money, tokens)| Event::Reserve { run, money, tokens }),
        4 => (any::<prop::sample::Index>(), 0..=100_u8)
            .prop_map(|(call, share)| Event::Settle { call: call.index(1 << 16), share }),
        2 => any::<prop::sample::Index>().prop_map(|call| Event::Lose { call: call.index(1 << 16) }),
        2 => any::<prop::sample::Index>().prop_map(|call| Event::Release { call: call.index(1 << 16) }),
        1 => any::<prop::sample::Index>().prop_map(|call| Event::BookAgain { call: call.index(1 << 16) }),
        1 => (0..3_usize).prop_map(|run| Event::Die { run }),
    ]
}

const RUN_CAP: u64 = 1_000;
const MONTH_CAP: u64 = 2_000;
const TOKEN_CAP: u64 = 120;

/// One run in one process: its own connection, its own lease.
struct Driver {
    store: Arc<SqliteStore>,
    lease: Lease,
    head: Head,
    reserved: u32,
}

impl Driver {
    async fn new(state: &Path) -> Self {
        let store = open_store(state).await;
        let run = RunId::from_uuid(Uuid::now_v7());
        let lease = store.acquire(run, holder()).await.unwrap();
        Self {
            store,
            lease,
            head: Head::new(run, Timestamp::UNIX_EPOCH),
            reserved: 0,
        }
    }

    /// Dies and is driven on by a new process.
    async fn die(&mut self, state: &Path) {
        let run = self.lease.run;
        let dead = std::mem::replace(&mut self.store, open_store(state).await);
        self.lease = Lease {
            run,
            epoch: self.lease.epoch,
            guard: Box::new(Nobody),
        };
        drop(dead);
        self.lease = self.store.acquire(run, holder()).await.unwrap();
    }

    async fn commit(&mut self, changes: Vec<LedgerChange>) -> Result<(), CommitError> {
        let seq = self.head.seq.next();
        let key = Key::new(format!("k-{seq}")).unwrap().outcome();
        let draft = RecordDraft::new(key, &TimerFired {}).unwrap();
        let place = (seq, self.lease.epoch);
        let record = draft.place(
            self.lease.run,
            place,
            Timestamp::UNIX_EPOCH,
            self.head.chain,
        );
        let mut head = self.head.clone();
        head.apply(&record).unwrap();
        let batch = Batch {
            records: vec![record],
            blobs: Vec::new(),
            ledger: changes,
            head: head.clone(),
            inbox_taken: Vec::new(),
        };
        self.store.commit(&self.lease, self.head.seq, batch).await?;
        self.head = head;
        Ok(())
    }
}

#[derive(Debug)]
struct Nobody;
impl gavel_store::LeaseGuard for Nobody {}

fn holder() -> Holder {
    Holder {
        pid: 1,
        host: "test".into(),
        since: Timestamp::UNIX_EPOCH,
    }
}

/// What the ledger should say.
#[derive(Default)]
struct Books {
    open: Vec<(usize, CallId, u64, u64)>,
    booked: Vec<(usize, CallId)>,
    totals: [Totals; 3],
}

impl Books {
    fn month(&self) -> Totals {
        self.totals
            .iter()
            .fold(Totals::default(), |sum, run| sum + *run)
    }

    fn close(&mut self, place: usize) -> (usize, CallId, u64, u64) {
        let (run, call, money, tokens) = self.open.remove(place);
        let totals = &mut self.totals[run];
        totals.reserved = totals.reserved.saturating_sub(MicroUsd(money));
        totals.reserved_tokens = Tokens(totals.reserved_tokens.0 - tokens);
        self.booked.push((run, call.clone()));
        (run, call, money, tokens)
    }

    fn lose(&mut self, place: usize) -> (usize, CallId) {
        let (run, call, money, tokens) = self.close(place);
        let totals = &mut self.totals[run];
        totals.unconfirmed = totals.unconfirmed + MicroUsd(money);
        totals.unconfirmed_tokens = totals.unconfirmed_tokens + Tokens(tokens);
        (run, call)
    }
}

/// A month of its own for every case, so that cases share one store.
fn fresh_month() -> (Month, Timestamp) {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let n = NEXT.fetch_add(1, Ordering::SeqCst);
    let at: Timestamp = format!("{:04}-{:02}-15T00:00:00Z", 1000 + n / 12, n % 12 + 1)
        .parse()
        .unwrap();
    (Month::of(at), at)
}

async fn reserve(
    (run, money, tokens): (usize, u64, u64),
    books: &mut Books,
    driver: &mut Driver,
    (month, at): (&Month, Timestamp),
) {
    driver.reserved += 1;
    let key = key(&format!("c-{}", driver.reserved)).attempt_part(1, "reserved");
    let call = CallId {
        run: driver.lease.run,
        key,
    };
    let cap = |scope, limit| Cap { scope, limit };
    let reservation = Reservation {
        call: call.clone(),
        month: month.clone(),
        at,
        model: "m".into(),
        role: Role::Coder,
        stage: None,
        class: SpendClass::Metered,
        money: MicroUsd(money),
        tokens: Tokens(tokens),
        caps: vec![
            cap(CapScope::RunUsd, RUN_CAP),
            cap(CapScope::MonthUsd, MONTH_CAP),
            cap(CapScope::RunTokens, TOKEN_CAP),
        ],
    };
    let fits = books.totals[run].money().0 + money <= RUN_CAP
        && books.month().money().0 + money <= MONTH_CAP
        && books.totals[run].tokens().0 + tokens <= TOKEN_CAP;
    let done = driver
        .commit(vec![LedgerChange::Reserve(reservation)])
        .await;
    assert_eq!(done.is_ok(), fits, "{done:?}");
    if fits {
        let totals = &mut books.totals[run];
        totals.reserved = totals.reserved + MicroUsd(money);
        totals.reserved_tokens = totals.reserved_tokens + Tokens(tokens);
        books.open.push((run, call, money, tokens));
    }
}

async fn happen(
    event: Event,
    books: &mut Books,
    drivers: &mut [Driver],
    (state, month, at): (&Path, &Month, Timestamp),
) {
    match event {
        Event::Reserve { run, money, tokens } => {
            reserve((run, money, tokens), books, &mut drivers[run], (month, at)).await;
        }
        Event::Settle { call, share } if !books.open.is_empty() => {
            let (run, call, money, tokens) = books.close(call % books.open.len());
            let part = |whole: u64| whole * u64::from(share) / 100;
            let usage = TokenUsage {
                input: Tokens(part(tokens)),
                ..TokenUsage::default()
            };
            let cost = MicroUsd(part(money));
            drivers[run]
                .commit(vec![LedgerChange::Settle {
                    call,
                    cost,
                    usage,
                    claimed: None,
                }])
                .await
                .unwrap();
            let totals = &mut books.totals[run];
            totals.settled = totals.settled + cost;
            totals.settled_tokens = totals.settled_tokens + usage.total();
        }
        Event::Lose { call } if !books.open.is_empty() => {
            let (run, call) = books.lose(call % books.open.len());
            drivers[run]
                .commit(vec![LedgerChange::Lose { call }])
                .await
                .unwrap();
        }
        Event::Release { call } if !books.open.is_empty() => {
            let (run, call, ..) = books.close(call % books.open.len());
            drivers[run]
                .commit(vec![LedgerChange::Release { call }])
                .await
                .unwrap();
        }
        Event::BookAgain { call } if !books.booked.is_empty() => {
            let (run, call) = books.booked[call % books.booked.len()].clone();
            let again = drivers[run].commit(vec![LedgerChange::Lose { call }]).await;
            assert!(
                matches!(again, Err(CommitError::Ledger { .. })),
                "{again:?}"
            );
        }
        Event::Die { run } => {
            drivers[run].die(state).await;
            while let Some(place) = books.open.iter().position(|(of, ..)| *of == run) {
                let (_, call) = books.lose(place);
                drivers[run]
                    .commit(vec![LedgerChange::Lose { call }])
                    .await
                    .unwrap();
            }
        }
        Event::Settle { .. }
        | Event::Lose { .. }
        | Event::Release { .. }
        | Event::BookAgain { .. } => {}
    }
}

#[test]
fn any_interleaving_keeps_the_books() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let config = ProptestConfig {
        cases: gavel_testkit::number_asked_for("GAVEL_TEST_CASES").unwrap_or(60),
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let cases = prop::collection::vec(event(), 1..60);
    let result = runner.run(&cases, |events| {
        runtime.block_on(async {
            let (month, at) = fresh_month();
            let mut drivers = Vec::new();
            for _ in 0..3 {
                drivers.push(Driver::new(&state).await);
            }
            let mut books = Books::default();
            for event in events {
                happen(event, &mut books, &mut drivers, (&state, &month, at)).await;
                let store = &drivers[0].store;
                assert_eq!(
                    store.totals(TotalsOf::Month(month.clone())).await.unwrap(),
                    books.month()
                );
                assert!(books.month().money().0 <= MONTH_CAP);
            }
            for (driver, expected) in drivers.iter().zip(&books.totals) {
                let totals = driver
                    .store
                    .totals(TotalsOf::Run(driver.lease.run))
                    .await
                    .unwrap();
                assert_eq!(totals, *expected);
                assert!(totals.money().0 <= RUN_CAP && totals.tokens().0 <= TOKEN_CAP);
            }
        });
        Ok(())
    });
    result.unwrap();
    runtime.block_on(async {
        // These journals hold no money facts, so only that difference may be found.
        let damage = open_store(&state).await.check().await.unwrap();
        let other = damage
            .iter()
            .filter(|damage| !matches!(damage, Damage::Spend { .. }));
        assert_eq!(other.count(), 0);
    });
}

/// A provider with moods: replies for any part of the ceiling, refuses, breaks off.
fn moody_model() -> ScriptedModel {
    let turn = AtomicU64::new(0);
    ScriptedModel::by_rule(move |request| {
        let n = turn.fetch_add(1, Ordering::SeqCst);
        let mood = Digest::of(n.to_string()).number();
        let ceiling = input_ceiling(request, &test_info(Some(TEST_PRICE)), None);
        match mood % 10 {
            0 => Err(unbilled(CallErrorKind::Refused)),
            1 => Err(maybe_billed(CallErrorKind::Refused)),
            _ => {
                let usage = TokenUsage {
                    input: Tokens(mood % (ceiling.0 + 1)),
                    output: Tokens(mood % 51),
                    ..TokenUsage::default()
                };
                Ok(Reply {
                    usage,
                    ..text_reply("well")
                })
            }
        }
    })
}

/// A process that makes 500 calls at once and is killed after a number of commits.
fn process(state: &Path, run: RunId, caps: &Caps, kill_after: Option<u64>) -> Option<DriveEnd> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let end = runtime.block_on(async {
        let store = open_store(state).await;
        let models = Arc::new(models_with(moody_model(), Some(TEST_PRICE)));
        let engine = Engine::new(
            store.clone(),
            models,
            Arc::new(SystemClock),
            ("test", "test"),
        );
        if store.head(run).await.unwrap().is_none() {
            let settings = gavel_domain::Settings {
                caps: caps.clone(),
                ..Default::default()
            };
            let new = NewRun {
                driver: "test".into(),
                flow: 1,
                settings,
                project: None,
                brief: None,
            };
            engine.start_as(run, Digest::of("seed"), new).await.unwrap();
        }
        let mut signals = engine.signals();
        let killed = async {
            let Some(facts) = kill_after else {
                return std::future::pending().await;
            };
            for _ in 0..facts {
                if signals.recv().await.is_err() {
                    return;
                }
            }
        };
        let drive = engine.drive(run, STRICT, StopHandle::new(), many_calls);
        tokio::select! {
            biased;
            () = killed => None,
            end = drive => Some(end.unwrap()),
        }
    });
    runtime.shutdown_timeout(std::time::Duration::from_secs(5));
    end
}

async fn many_calls(run: Run) -> Result<(), RunError> {
    let parts = (0..500).map(|n| {
        let (run, key) = (run.clone(), key(&format!("c-{n:03}")));
        let call = Call {
            policy: RetryPolicy::never(),
            ..Call::new(request("x", 50), Role::Coder)
        };
        (key.clone(), async move {
            match run.call(key, call).await {
                Ok(_) | Err(RunError::Failed(_)) => Ok(()),
                Err(error) => Err(error),
            }
        })
    });
    run.all(parts).await.map(drop)
}

#[test]
fn a_thousand_calls_of_two_processes_with_kills_overshoot_by_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    let caps = Caps {
        run_usd: Some(MicroUsd(60_000)),
        month_usd: Some(MicroUsd(90_000)),
        run_tokens: None,
    };
    let runs = [
        RunId::from_uuid(Uuid::now_v7()),
        RunId::from_uuid(Uuid::now_v7()),
    ];
    std::thread::scope(|scope| {
        for (place, run) in runs.into_iter().enumerate() {
            let (state, caps) = (&state, &caps);
            scope.spawn(move || {
                for kill_after in [Some(40 + place as u64 * 17), Some(90), Some(200), None] {
                    let end = process(state, run, caps, kill_after);
                    let fine = matches!(
                        end,
                        None | Some(DriveEnd::Stopped(Stop::Budget { .. }))
                            | Some(DriveEnd::Through(_))
                    );
                    assert!(fine, "{end:?}");
                }
            });
        }
    });
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let store = open_store(&state).await;
        assert_eq!(store.check().await.unwrap(), []);
        let mut spent = MicroUsd::ZERO;
        for run in runs {
            let totals = store.totals(TotalsOf::Run(run)).await.unwrap();
            assert!(totals.money() <= MicroUsd(60_000), "{totals:?}");
            assert_eq!(totals.reserved, MicroUsd::ZERO);
            assert_eq!(
                from_facts(&store, run).await,
                (totals.settled, totals.unconfirmed)
            );
            spent = spent + totals.money();
        }
        assert!(spent <= MicroUsd(90_000), "{spent}");
        assert!(
            spent > MicroUsd(80_000),
            "the caps were put to the test: {spent}"
        );
        let calls = store.calls(CallsQuery::default()).await.unwrap();
        assert!(calls.len() > 100, "{} calls", calls.len());
    });
}

/// What the journal alone says: every booking stands there once.
async fn from_facts(store: &SqliteStore, run: RunId) -> (MicroUsd, MicroUsd) {
    let mut settled = BTreeMap::new();
    let mut lost = BTreeMap::new();
    for record in store.records(run, Seq::ZERO, 100_000).await.unwrap() {
        match MoneyFact::read(&record).unwrap() {
            Some(MoneyFact::UsageSettled(usage)) => {
                settled.insert(record.key.to_string(), usage.cost.unwrap());
            }
            Some(MoneyFact::UsageLost(usage)) => {
                lost.insert(record.key.to_string(), usage.ceiling.unwrap());
            }
            Some(_) | None => {}
        }
    }
    (settled.into_values().sum(), lost.into_values().sum())
}
