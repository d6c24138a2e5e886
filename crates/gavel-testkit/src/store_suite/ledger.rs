//! The ledger: one row per call, exact totals, exact caps.

use gavel_domain::{Cap, CapScope, MicroUsd, Month, Timestamp, Tokens};
use gavel_store::{
    Booked, CallState, CallsQuery, Claimed, CommitError, LedgerProblem, Store, Totals, TotalsOf,
};

use super::StoreUnderTest;
use super::driver::{Driver, Plan, moment, reserved};

/// More than a month in half seconds.
const MONTHS_LATER: i64 = 2 * 60 * 60 * 24 * 62;

/// A way in which a call ends.
type End = fn(&str) -> Plan;

/// A call is reserved once and booked once, whatever is tried before and after.
pub async fn a_call_moves_once<S: StoreUnderTest>() {
    let subject = S::fresh();
    let store = subject.open().await;
    let mut driver = Driver::start(&store).await;
    let ends: [(&str, End, CallState); 3] = [
        (
            "a",
            |call| Plan::new().settle(call, 30, 3),
            CallState::Settled,
        ),
        ("b", |call| Plan::new().lose(call, 50), CallState::Lost),
        ("c", |call| Plan::new().release(call), CallState::Released),
    ];
    for (call, end, state) in ends {
        for (_, early, _) in ends {
            let problem = misuse(&*store, &driver, early(call)).await;
            assert_eq!(problem, LedgerProblem::NotReserved);
        }
        let reserve = || Plan::new().reserve(call, 50, 5, &[]);
        driver.commit(&store, reserve()).await.unwrap();
        assert_eq!(last_state(&*store).await, CallState::Reserved);
        let problem = misuse(&*store, &driver, reserve()).await;
        assert_eq!(problem, LedgerProblem::AlreadyThere);
        driver.commit(&store, end(call)).await.unwrap();
        for (_, again, _) in ends {
            let problem = misuse(&*store, &driver, again(call)).await;
            assert_eq!(problem, LedgerProblem::NotReserved);
        }
        let problem = misuse(&*store, &driver, reserve()).await;
        assert_eq!(problem, LedgerProblem::AlreadyThere);
        assert_eq!(last_state(&*store).await, state);
    }
    assert_eq!(subject.check().await, [""; 0]);
}

/// Tries the ledger changes of a plan beside a harmless fact, so that no key is in the way and the
/// ledger itself must refuse.
async fn misuse(store: &dyn Store, driver: &Driver, plan: Plan) -> LedgerProblem {
    let mut batch = driver.batch(Plan::new().note("misuse"));
    batch.ledger = driver.batch(plan).ledger;
    let refused = store.commit(&driver.lease, driver.head.seq, batch).await;
    let error = refused.unwrap_err();
    let CommitError::Ledger { problem, call } = error else {
        panic!("expected a ledger problem, got {error}");
    };
    assert_eq!(call.run, driver.run());
    problem
}

async fn last_state(store: &dyn Store) -> CallState {
    let calls = store.calls(CallsQuery::default()).await.unwrap();
    calls.last().unwrap().state
}

/// Totals of run and month are the sums of the rows after every change, and a commit says them.
pub async fn totals_are_sums_of_rows<S: StoreUnderTest>() {
    let subject = S::fresh();
    let store = subject.open().await;
    let mut driver = Driver::start(&store).await;
    let mut other = Driver::start(&store).await;
    let plan = Plan::new().reserve("x", 1_000, 100, &[]);
    other.commit(&store, plan).await.unwrap();
    let silent = Plan::new().note("silent");
    let said = driver.commit(&store, silent).await.unwrap().booked;
    assert_eq!(said, None);
    let two = Plan::new().reserve("b", 60, 6, &[]);
    let plans = [
        Plan::new().reserve("a", 50, 5, &[]),
        two.reserve("c", 70, 7, &[]),
        Plan::new().settle("a", 40, 4).lose("b", 60),
        Plan::new().release("c").reserve("d", 80, 8, &[]),
        // A provider may bill above the ceiling; it is booked as it is.
        Plan::new().settle("d", 95, 9),
    ];
    let mut said = None;
    for plan in plans {
        said = driver.commit(&store, plan).await.unwrap().booked;
        assert_eq!(subject.check().await, [""; 0]);
    }
    let of_run = Totals {
        settled: MicroUsd(135),
        unconfirmed: MicroUsd(60),
        settled_tokens: Tokens(13),
        unconfirmed_tokens: Tokens(6),
        ..Totals::default()
    };
    let of_month = Totals {
        reserved: MicroUsd(1_000),
        reserved_tokens: Tokens(100),
        ..of_run
    };
    let month = Month::of(moment(0));
    let booked = Booked {
        run: of_run,
        month: month.clone(),
        of_month,
    };
    assert_eq!(said, Some(booked));
    let run = TotalsOf::Run(driver.run());
    assert_eq!(store.totals(run).await.unwrap(), of_run);
    let month = TotalsOf::Month(month);
    assert_eq!(store.totals(month).await.unwrap(), of_month);
    let never = TotalsOf::Month(Month::of(Timestamp::UNIX_EPOCH));
    assert_eq!(store.totals(never).await.unwrap(), Totals::default());
}

/// A reservation that reaches a cap fits; one more micro-dollar or token does not.
pub async fn caps_are_exact_to_one<S: StoreUnderTest>() {
    for scope in [CapScope::RunUsd, CapScope::MonthUsd, CapScope::RunTokens] {
        let subject = S::fresh();
        let store = subject.open().await;
        let mut driver = Driver::start(&store).await;
        let caps = [Cap { scope, limit: 100 }];
        let amount = |n: u64| match scope {
            CapScope::RunUsd | CapScope::MonthUsd => (n, 1_000_000),
            CapScope::RunTokens => (1_000_000, n),
        };
        let reserve = |call: &str, n| {
            let (money, tokens) = amount(n);
            Plan::new().reserve(call, money, tokens, &caps)
        };
        let over = async |driver: &mut Driver, n, expected| {
            let refused = driver.commit(&store, reserve("over", n)).await;
            let error = refused.unwrap_err();
            let CommitError::OverCap { cap, taken, wanted } = error else {
                panic!("expected a cap, got {error}");
            };
            assert_eq!((cap, taken, wanted), (caps[0], expected, n));
        };
        // 30 settled of 40, 20 lost, 50 under way: all three count.
        driver.commit(&store, reserve("a", 40)).await.unwrap();
        let (cost, used) = amount(30);
        let settle = Plan::new().settle("a", cost, used);
        driver.commit(&store, settle).await.unwrap();
        driver.commit(&store, reserve("b", 20)).await.unwrap();
        let lose = Plan::new().lose("b", amount(20).0);
        driver.commit(&store, lose).await.unwrap();
        over(&mut driver, 51, 50).await;
        driver.commit(&store, reserve("c", 50)).await.unwrap();
        over(&mut driver, 1, 100).await;
        // A call that takes nothing passes no cap, not even one that is full.
        driver.commit(&store, reserve("free", 0)).await.unwrap();
        // What is given back can be reserved again, to the last one.
        let release = Plan::new().release("c");
        driver.commit(&store, release).await.unwrap();
        over(&mut driver, 51, 50).await;
        driver.commit(&store, reserve("d", 50)).await.unwrap();
        assert_eq!(subject.check().await, [""; 0]);
    }
}

/// A month's cap counts every run; a run's cap counts its own.
pub async fn a_month_spans_runs<S: StoreUnderTest>() {
    let subject = S::fresh();
    let (one, two) = (subject.open().await, subject.open().await);
    let mut first = Driver::start(&one).await;
    let mut second = Driver::start(&two).await;
    let cap = |scope, limit| Cap { scope, limit };
    let caps = [cap(CapScope::MonthUsd, 100), cap(CapScope::RunUsd, 70)];
    let over = |error: CommitError, expected: Cap| {
        let told = matches!(error, CommitError::OverCap { cap, taken: 60, .. } if cap == expected);
        assert!(told, "{error}");
    };
    let plan = Plan::new().reserve("a", 60, 1, &caps);
    first.commit(&one, plan).await.unwrap();
    let plan = Plan::new().reserve("a", 41, 1, &caps);
    over(second.commit(&two, plan).await.unwrap_err(), caps[0]);
    let plan = Plan::new().reserve("b", 11, 1, &caps);
    over(first.commit(&one, plan).await.unwrap_err(), caps[1]);
    let plan = Plan::new().reserve("a", 40, 1, &caps);
    second.commit(&two, plan).await.unwrap();
    assert_eq!(subject.check().await, [""; 0]);
}

/// Calls come in the order in which they were reserved, by run and by month.
pub async fn calls_come_oldest_first<S: StoreUnderTest>() {
    let subject = S::fresh();
    let store = subject.open().await;
    let mut drivers = [Driver::start(&store).await, Driver::start(&store).await];
    for (n, call, at) in [
        (1, "z", 1),
        (0, "y", 2),
        (1, "x", 3),
        (0, "w", MONTHS_LATER),
    ] {
        let driver: &mut Driver = &mut drivers[n];
        driver.now = at;
        let plan = Plan::new().reserve(call, 1, 1, &[]);
        driver.commit(&store, plan).await.unwrap();
    }
    let listed = async |run, month| {
        let calls = store.calls(CallsQuery { run, month }).await.unwrap();
        let keys = calls.into_iter().map(|row| row.call.key.key().to_string());
        keys.collect::<Vec<_>>()
    };
    let (month, next) = (Month::of(moment(0)), Month::of(moment(MONTHS_LATER)));
    let run = Some(drivers[0].run());
    assert_eq!(listed(None, None).await, ["z", "y", "x", "w"]);
    assert_eq!(listed(run, None).await, ["y", "w"]);
    assert_eq!(listed(None, Some(month)).await, ["z", "y", "x"]);
    assert_eq!(listed(run, Some(next)).await, ["w"]);
    let all = store.calls(CallsQuery::default()).await.unwrap();
    assert_eq!(all[1].call.key, reserved("y"));
    assert_eq!((all[1].ceiling, all[1].cost), (MicroUsd(1), MicroUsd(0)));
}

/// A call that ends in another month than it began in is paid by the month that reserved it.
pub async fn the_month_that_reserved_pays<S: StoreUnderTest>() {
    let subject = S::fresh();
    let store = subject.open().await;
    let mut driver = Driver::start(&store).await;
    let plan = Plan::new().reserve("a", 50, 5, &[]);
    driver.commit(&store, plan).await.unwrap();
    driver.now = MONTHS_LATER;
    let settle = Plan::new().settle("a", 20, 2);
    let said = driver.commit(&store, settle).await.unwrap().booked;
    let totals = Totals {
        settled: MicroUsd(20),
        settled_tokens: Tokens(2),
        ..Totals::default()
    };
    let booked = Booked {
        run: totals,
        month: Month::of(moment(0)),
        of_month: totals,
    };
    assert_eq!(said, Some(booked));
    let then = TotalsOf::Month(Month::of(moment(0)));
    assert_eq!(store.totals(then).await.unwrap(), totals);
    let now = TotalsOf::Month(Month::of(moment(MONTHS_LATER)));
    assert_eq!(store.totals(now).await.unwrap(), Totals::default());
}

/// What a provider claims above a ceiling is kept beside the booking, counts for no total, and makes
/// a breach of its model.
pub async fn a_claim_is_kept_apart<S: StoreUnderTest>() {
    let subject = S::fresh();
    let store = subject.open().await;
    let mut driver = Driver::start(&store).await;
    for call in ["a", "b", "c"] {
        let plan = Plan::new().reserve(call, 50, 5, &[]);
        driver.commit(&store, plan).await.unwrap();
    }
    assert_eq!(store.breaches("toy/one").await.unwrap(), 0);
    let claimed = |cost| Claimed {
        cost: MicroUsd(cost),
        tokens: Tokens(2_000_000_000),
    };
    let plan = Plan::new()
        .settle("a", 40, 4)
        .settle_claimed("b", (50, 5), Some(claimed(18_000_000_000)))
        .settle_claimed("c", (50, 5), Some(claimed(u64::MAX)));
    driver.commit(&store, plan).await.unwrap();
    let calls = store.calls(CallsQuery::default()).await.unwrap();
    let kept: Vec<_> = calls.iter().map(|call| call.claimed).collect();
    let most = i64::MAX.unsigned_abs();
    assert_eq!(
        kept,
        [None, Some(claimed(18_000_000_000)), Some(claimed(most))]
    );
    let totals = store.totals(TotalsOf::Run(driver.run())).await.unwrap();
    assert_eq!(totals.money(), MicroUsd(140));
    assert_eq!(totals.tokens(), Tokens(14));
    assert_eq!(store.breaches("toy/one").await.unwrap(), 2);
    assert_eq!(store.breaches("toy/two").await.unwrap(), 0);
    assert_eq!(subject.check().await, [""; 0]);
}
