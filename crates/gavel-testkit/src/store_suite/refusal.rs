//! Refusals: whatever is wrong with a commit, nothing of it stays.

use gavel_domain::{Cap, CapScope, Digest, Epoch, InboxId, MAX_BODY_BYTES, RunId, Seq, Speaker};
use gavel_store::{
    Batch, BatchProblem, CallsQuery, CommitError, InboxFate, InboxKind, InboxPost, LedgerProblem,
    Store, TotalsOf,
};
use uuid::Uuid;

use super::StoreUnderTest;
use super::driver::{Driver, Plan, moment, new_run};
use super::journal::all;

/// Each kind of refusal leaves the store as it was: records, head, blobs, ledger, totals, inbox.
pub async fn each_refusal_writes_nothing<S: StoreUnderTest>() {
    let subject = S::fresh();
    let store = subject.open().await;
    let mut driver = Driver::start(&store).await;
    let post = InboxPost {
        id: InboxId::from_uuid(Uuid::now_v7()),
        run: driver.run(),
        by: Speaker::PERSON,
        at: moment(0),
        kind: InboxKind::Pause,
    };
    let id = post.id;
    store.post(post).await.unwrap();
    let plan = Plan::new().reserve("old", 100, 10, &[]);
    driver.commit(&store, plan).await.unwrap();
    let caps = [Cap {
        scope: CapScope::RunUsd,
        limit: 1_000,
    }];
    let unknown = InboxId::from_uuid(Uuid::now_v7());
    // All that a commit can hold, to which each case adds one thing that must not be.
    let good = || {
        let plan = Plan::new().note("new").blob(b"new");
        let plan = plan.reserve("call", 1, 1, &caps).settle("old", 90, 9);
        plan.accept(id)
    };
    let call = |name, problem| format!("Ledger {name}@1:reserved {problem:?}");
    let batch = |problem: BatchProblem| format!("Refused {problem:?}");
    let amount = u64::MAX;
    let cases = [
        (good().note("start"), "DuplicateKey start".to_owned()),
        (
            good().reserve("over", 1_000, 1, &caps),
            "OverCap 91 1000".to_owned(),
        ),
        (
            good().settle("never", 1, 1),
            call("never", LedgerProblem::NotReserved),
        ),
        (
            good().release("old"),
            call("old", LedgerProblem::NotReserved),
        ),
        (
            good().accept(unknown),
            batch(BatchProblem::UnknownInboxRow { id: unknown }),
        ),
        (good().reject(id), batch(BatchProblem::InboxRowTaken { id })),
        (
            good().reserve("huge", amount, 1, &[]),
            batch(BatchProblem::AmountTooLarge { amount }),
        ),
    ];
    let before = state(&*store, &driver, id).await;
    for (plan, expected) in cases {
        let error = driver.commit(&store, plan).await.unwrap_err();
        assert_eq!(outline(&error), expected);
        assert_eq!(state(&*store, &driver, id).await, before, "{error}");
    }
    driver.commit(&store, good()).await.unwrap();
    assert_eq!(subject.check().await, [""; 0]);
}

fn outline(error: &CommitError) -> String {
    match error {
        CommitError::DuplicateKey { key, .. } => format!("DuplicateKey {key}"),
        CommitError::OverCap { taken, wanted, .. } => format!("OverCap {taken} {wanted}"),
        CommitError::Ledger { call, problem } => format!("Ledger {} {problem:?}", call.key),
        CommitError::Refused { problem, .. } => format!("Refused {problem:?}"),
        CommitError::Conflict { .. }
        | CommitError::LeaseLost { .. }
        | CommitError::Unavailable(_) => format!("{error:?}"),
    }
}

async fn state(store: &dyn Store, driver: &Driver, post: InboxId) -> String {
    let run = driver.run();
    let calls = store.calls(CallsQuery::default()).await.unwrap();
    let fate = store.fate(post).await.unwrap();
    assert_eq!(fate, Some(InboxFate::Pending));
    format!(
        "{:?} {:?} {:?} {:?} {calls:?}",
        all(store, driver).await,
        store.head(run).await.unwrap(),
        store.blob(Digest::of(b"new")).await.unwrap(),
        store.totals(TotalsOf::Run(run)).await.unwrap(),
    )
}

/// A batch that contradicts itself is refused before it is tried.
pub async fn a_batch_must_fit_together<S: StoreUnderTest>() {
    let subject = S::fresh();
    let store = subject.open().await;
    let mut driver = Driver::start(&store).await;
    driver.commit(&store, Plan::new().note("a")).await.unwrap();
    let other = new_run();
    let spoil: [fn(&mut Batch, RunId); 9] = [
        |batch, _| batch.records.clear(),
        |batch, other| batch.records[1].run = other,
        |batch, _| batch.records[1].seq = Seq(9),
        |batch, _| batch.records[0].seq = Seq(2),
        |batch, _| batch.records[1].epoch = Epoch(7),
        |batch, _| batch.records[1].prev = Digest::ZERO,
        |batch, _| batch.records[0].prev = Digest::of("elsewhere"),
        |batch, _| batch.records[1].body = "x".repeat(MAX_BODY_BYTES + 1),
        |batch, other| batch.head.run = other,
    ];
    for (n, spoil) in spoil.into_iter().enumerate() {
        let mut batch = driver.batch(Plan::new().note("b").note("c"));
        spoil(&mut batch, other);
        let refused = store.commit(&driver.lease, Seq(2), batch).await;
        let error = refused.unwrap_err();
        let expected = matches!(error, CommitError::Refused { .. });
        assert!(expected, "{n}: {error}");
    }
    let mut batch = driver.batch(Plan::new().note("b"));
    batch.head = driver.head.clone();
    let refused = store.commit(&driver.lease, Seq(2), batch).await;
    let (head, last) = (Seq(2), Seq(3));
    let problem = BatchProblem::OtherHead { head, last };
    assert_eq!(
        outline(&refused.unwrap_err()),
        format!("Refused {problem:?}")
    );
    // A chain that fits together by itself, but starts elsewhere.
    driver.head.chain = Digest::of("elsewhere");
    let refused = driver.commit(&store, Plan::new().note("z")).await;
    let problem = BatchProblem::BrokenChain { seq: Seq(3) };
    assert_eq!(
        outline(&refused.unwrap_err()),
        format!("Refused {problem:?}")
    );
    assert_eq!(all(&*store, &driver).await.len(), 2);
}

/// Numbers that the store cannot hold are refused, never wrapped; a cap refuses them first.
pub async fn amounts_that_would_wrap_are_refused<S: StoreUnderTest>() {
    let subject = S::fresh();
    let store = subject.open().await;
    let mut driver = Driver::start(&store).await;
    let most = i64::MAX.unsigned_abs();
    let cap = |limit| Cap {
        scope: CapScope::RunUsd,
        limit,
    };
    let wide = [cap(u64::MAX)];
    let too_large = async |driver: &mut Driver, plan| {
        let error = driver.commit(&store, plan).await.unwrap_err();
        let amount = most + 1;
        let problem = BatchProblem::AmountTooLarge { amount };
        assert_eq!(outline(&error), format!("Refused {problem:?}"));
    };
    too_large(&mut driver, Plan::new().reserve("a", most + 1, 1, &wide)).await;
    too_large(&mut driver, Plan::new().reserve("a", 1, most + 1, &wide)).await;
    let plan = Plan::new().reserve("a", most, most, &wide);
    driver.commit(&store, plan).await.unwrap();
    // Each fits alone; their sum does not.
    too_large(&mut driver, Plan::new().reserve("b", 1, 0, &wide)).await;
    too_large(&mut driver, Plan::new().settle("a", most + 1, 1)).await;
    let plan = Plan::new().reserve("b", u64::MAX, 0, &[cap(7)]);
    let error = driver.commit(&store, plan).await.unwrap_err();
    assert_eq!(outline(&error), format!("OverCap {most} {}", u64::MAX));
    let plan = Plan::new().release("a");
    driver.commit(&store, plan).await.unwrap();
    assert_eq!(subject.check().await, [""; 0]);
}
