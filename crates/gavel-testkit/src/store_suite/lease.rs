//! Leases: one driver per run.

use gavel_domain::{Digest, Epoch};
use gavel_store::{CallsQuery, CommitError, LeaseError};

use super::StoreUnderTest;
use super::driver::{Driver, Plan, holder, new_run};
use super::journal::all;

/// A run that is driven cannot be leased, through whichever handle, and the refusal names the holder.
pub async fn a_second_driver_is_refused<S: StoreUnderTest>() {
    let subject = S::fresh();
    let (one, two) = (subject.open().await, subject.open().await);
    let driver = Driver::start(&one).await;
    for store in [&one, &two] {
        let error = store.acquire(driver.run(), holder()).await.unwrap_err();
        let LeaseError::Held { run, holder: who } = error else {
            panic!("expected a refusal, got {error}");
        };
        assert_eq!((run, who), (driver.run(), Some(holder())));
        let who = store.driver(driver.run()).await.unwrap();
        assert_eq!(who, Some(holder()));
    }
    // Another run is not concerned.
    Driver::start(&two).await;
}

/// A lease that is dropped can be taken at once.
pub async fn a_dropped_lease_is_free<S: StoreUnderTest>() {
    let subject = S::fresh();
    let (one, two) = (subject.open().await, subject.open().await);
    let driver = Driver::start(&one).await;
    let run = driver.run();
    drop(driver);
    assert_eq!(one.driver(run).await.unwrap(), None);
    let mut driver = Driver::resume(&two, run).await;
    driver.commit(&two, Plan::new().note("on")).await.unwrap();
}

/// Whoever drives on raises the epoch, and an older lease writes nothing more, even where the lock
/// was lost behind its back.
pub async fn a_lost_lease_writes_nothing<S: StoreUnderTest>() {
    let subject = S::fresh();
    let store = subject.open().await;
    let mut old = Driver::start(&store).await;
    let run = old.run();
    // The lock is gone, as if its file had been removed; the old driver does not know.
    let elsewhere = Driver::resume(&store, new_run()).await.lease.guard;
    drop(std::mem::replace(&mut old.lease.guard, elsewhere));
    let mut new = Driver::resume(&store, run).await;
    let plan = || {
        let plan = Plan::new().note("mine").blob(b"mine");
        plan.reserve("call", 5, 5, &[])
    };
    let error = old.commit(&store, plan()).await.unwrap_err();
    let CommitError::LeaseLost { epoch, current, .. } = error else {
        panic!("expected a lost lease, got {error}");
    };
    assert_eq!((epoch, current), (Epoch(1), Epoch(2)));
    assert_eq!(all(&*store, &new).await.len(), 1);
    assert_eq!(store.blob(Digest::of(b"mine")).await.unwrap(), None);
    assert_eq!(store.calls(CallsQuery::default()).await.unwrap(), []);
    let refused = store.purge(&old.lease).await.unwrap_err();
    let lost = matches!(refused, CommitError::LeaseLost { .. });
    assert!(lost, "{refused}");
    new.commit(&store, plan()).await.unwrap();
    assert_eq!(subject.check().await, [""; 0]);
}

/// Epochs count leases, also of a run without records.
pub async fn every_lease_has_a_new_epoch<S: StoreUnderTest>() {
    let subject = S::fresh();
    let store = subject.open().await;
    let run = new_run();
    for n in 1..=4 {
        let lease = store.acquire(run, holder()).await.unwrap();
        assert_eq!(lease.epoch, Epoch(n));
    }
    let mut driver = Driver::resume(&store, run).await;
    driver.commit(&store, Plan::new().note("a")).await.unwrap();
    assert_eq!(all(&*store, &driver).await[0].epoch, Epoch(5));
}
