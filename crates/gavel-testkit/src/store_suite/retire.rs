//! Retention and purge.

use gavel_domain::{Digest, InboxId, Month, Seq, Speaker};
use gavel_store::{
    BatchProblem, CallState, CallsQuery, CommitError, HeadsQuery, InboxKind, InboxPost, Purged,
    Retained, TotalsOf,
};
use uuid::Uuid;

use super::StoreUnderTest;
use super::driver::{Driver, Plan, moment, new_run};
use super::journal::all;

/// Retention drops the blobs of runs that finished long ago, and nothing else: the chain verifies.
pub async fn retention_keeps_chains<S: StoreUnderTest>() {
    let subject = S::fresh();
    let store = subject.open().await;
    let mut old = Driver::start(&store).await;
    let plan = Plan::new().note("a").blob(b"old").blob(b"older");
    old.commit(&store, plan).await.unwrap();
    old.finish(&store).await;
    let records = all(&*store, &old).await;
    let none = Retained { blobs: 0, bytes: 0 };
    let finished = old.head.updated_at;
    assert_eq!(store.retain(finished).await.unwrap(), none);
    let some = Retained { blobs: 2, bytes: 8 };
    assert_eq!(store.retain(moment(100)).await.unwrap(), some);
    assert_eq!(store.retain(moment(100)).await.unwrap(), none);
    assert_eq!(store.blob(Digest::of(b"old")).await.unwrap(), None);
    assert_eq!(all(&*store, &old).await, records);
    let head = store.head(old.run()).await.unwrap();
    assert_eq!(head, Some(old.head));
    assert_eq!(subject.check().await, [""; 0]);
}

/// A blob stays as long as one run that is unfinished or recent brought it.
pub async fn a_blob_in_use_stays<S: StoreUnderTest>() {
    let subject = S::fresh();
    let store = subject.open().await;
    let mut old = Driver::start(&store).await;
    let mut living = Driver::start(&store).await;
    let mut recent = Driver::start(&store).await;
    for (driver, own, shared) in [
        (&mut old, "old", "shared"),
        (&mut living, "living", "shared"),
        (&mut recent, "recent", "recent"),
    ] {
        let plan = Plan::new().note("a").blob(own.as_bytes());
        let plan = plan.blob(shared.as_bytes());
        driver.commit(&store, plan).await.unwrap();
    }
    old.finish(&store).await;
    recent.now = 100;
    recent.finish(&store).await;
    let dropped = store.retain(moment(50)).await.unwrap();
    assert_eq!(dropped, Retained { blobs: 1, bytes: 3 });
    let there = async |text: &str| {
        let blob = store.blob(Digest::of(text)).await.unwrap();
        blob.is_some()
    };
    assert!(!there("old").await);
    for text in ["shared", "living", "recent"] {
        assert!(there(text).await, "{text}");
    }
    // What was dropped can be brought again.
    let plan = Plan::new().note("b").blob(b"old");
    living.commit(&store, plan).await.unwrap();
    assert!(there("old").await);
    assert_eq!(subject.check().await, [""; 0]);
}

/// A purge deletes the run with all that only it had; the ledger still counts it.
pub async fn purge_keeps_the_ledger<S: StoreUnderTest>() {
    let subject = S::fresh();
    let store = subject.open().await;
    let mut driver = Driver::start(&store).await;
    let mut other = Driver::start(&store).await;
    let run = driver.run();
    let plan = Plan::new().reserve("call", 70, 7, &[]);
    let plan = plan.blob(b"own").blob(b"shared");
    driver.commit(&store, plan).await.unwrap();
    let plan = Plan::new().note("a").blob(b"shared");
    other.commit(&store, plan).await.unwrap();
    let id = InboxId::from_uuid(Uuid::now_v7());
    let post = InboxPost {
        id,
        run,
        by: Speaker::PERSON,
        at: moment(0),
        kind: InboxKind::Pause,
    };
    store.post(post).await.unwrap();
    let plan = Plan::new().settle("call", 60, 6);
    driver.commit(&store, plan).await.unwrap();
    driver.finish(&store).await;
    let calls = store.calls(CallsQuery::default()).await.unwrap();
    let month = TotalsOf::Month(Month::of(moment(0)));
    let totals = store.totals(month.clone()).await.unwrap();

    let purged = store.purge(&driver.lease).await.unwrap();
    // Two blobs: the request of the call, and its own text.
    let (records, blobs) = (4, 2);
    assert_eq!(purged, Purged { records, blobs });
    assert_eq!(store.head(run).await.unwrap(), None);
    assert_eq!(store.records(run, Seq::ZERO, 10).await.unwrap(), []);
    assert_eq!(store.fate(id).await.unwrap(), None);
    assert_eq!(store.blob(Digest::of(b"own")).await.unwrap(), None);
    let shared = store.blob(Digest::of(b"shared")).await.unwrap();
    assert_eq!(shared.as_deref(), Some(&b"shared"[..]));
    let query = HeadsQuery {
        project: None,
        unfinished: false,
        limit: 10,
    };
    let heads = store.heads(query).await.unwrap();
    assert_eq!(heads, [other.head.clone()]);
    let kept = store.calls(CallsQuery::default()).await.unwrap();
    assert_eq!(kept, calls);
    assert_eq!(store.totals(month).await.unwrap(), totals);
    let late = driver.commit(&store, Plan::new().note("on")).await;
    let error = late.unwrap_err();
    let lost = matches!(error, CommitError::LeaseLost { .. });
    assert!(lost, "{error}");
    other.commit(&store, Plan::new().note("b")).await.unwrap();
    assert_eq!(subject.check().await, [""; 0]);
}

/// A run that can still go on is not purged, nor one that never began.
pub async fn only_finished_runs_are_purged<S: StoreUnderTest>() {
    let subject = S::fresh();
    let store = subject.open().await;
    let driver = Driver::start(&store).await;
    let empty = Driver::resume(&store, new_run()).await;
    for driver in [&driver, &empty] {
        let error = store.purge(&driver.lease).await.unwrap_err();
        let CommitError::Refused { problem, .. } = error else {
            panic!("expected a refusal, got {error}");
        };
        assert_eq!(problem, BatchProblem::NotFinished);
    }
    assert_eq!(all(&*store, &driver).await.len(), 1);
}

/// A damaged run goes whether it is finished or not, with the ledger kept; a sound one stays.
pub async fn a_damaged_run_is_purged_before_its_end<S: StoreUnderTest>() {
    let subject = S::fresh();
    let store = subject.open().await;
    let mut driver = Driver::start(&store).await;
    let sound = Driver::start(&store).await;
    let plan = Plan::new().reserve("call", 70, 7, &[]).blob(b"own");
    driver.commit(&store, plan).await.unwrap();
    for driver in [&driver, &sound] {
        let error = store.purge_damaged(&driver.lease).await.unwrap_err();
        let CommitError::Refused { problem, .. } = error else {
            panic!("expected a refusal, got {error}");
        };
        assert_eq!(problem, BatchProblem::NotDamaged);
    }
    let totals = store.totals(TotalsOf::AllMonths).await.unwrap();
    subject.damage_blob(Digest::of(b"own")).await;
    store.purge_damaged(&driver.lease).await.unwrap();
    assert_eq!(store.head(driver.run()).await.unwrap(), None);
    let calls = store.calls(CallsQuery::default()).await.unwrap();
    let states: Vec<_> = calls.iter().map(|call| call.state).collect();
    assert_eq!(states, [CallState::Lost], "nobody will ever settle it");
    let after = store.totals(TotalsOf::AllMonths).await.unwrap();
    assert_eq!(after.money(), totals.money());
    assert_eq!(after.unconfirmed, totals.reserved);
    let head = store.head(sound.run()).await.unwrap();
    assert_eq!(head, Some(sound.head));
    assert_eq!(subject.check().await, [""; 0]);
}
