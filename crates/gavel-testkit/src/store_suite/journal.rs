//! Journals: places, keys, pages, heads.

use gavel_domain::{Digest, Head, Record, Seq};
use gavel_store::{CommitError, HeadsQuery, Store};

use super::StoreUnderTest;
use super::driver::{Driver, Plan, holder, moment, new_run, project, started};

/// Places count up without a gap and every record links to the one before it.
pub async fn places_are_gapless<S: StoreUnderTest>() {
    let subject = S::fresh();
    let store = subject.open().await;
    let mut driver = Driver::start(&store).await;
    let plan = Plan::new().note("a").note("b").note("c");
    driver.commit(&store, plan).await.unwrap();
    driver.commit(&store, Plan::new().note("d")).await.unwrap();
    let records = all(&*store, &driver).await;
    let places: Vec<u64> = records.iter().map(|record| record.seq.0).collect();
    assert_eq!(places, [1, 2, 3, 4, 5]);
    let mut chain = Digest::ZERO;
    for record in &records {
        assert_eq!(record.prev, chain);
        chain = record.digest();
    }
    assert_eq!(driver.head.chain, chain);
    assert_eq!(subject.check().await, [""; 0]);
}

/// A key is written once, whether the second comes later or in the same commit.
pub async fn keys_are_unique<S: StoreUnderTest>() {
    let subject = S::fresh();
    let store = subject.open().await;
    let mut driver = Driver::start(&store).await;
    driver.commit(&store, Plan::new().note("a")).await.unwrap();
    for plan in [
        Plan::new().note("b").note("a"),
        Plan::new().note("c").note("c"),
    ] {
        let error = driver.commit(&store, plan).await.unwrap_err();
        let CommitError::DuplicateKey { run, key } = error else {
            panic!("expected a duplicate key, got {error}");
        };
        assert_eq!(run, driver.run());
        assert!(["a", "c"].contains(&key.as_str()), "{key}");
    }
    assert_eq!(all(&*store, &driver).await.len(), 2);
    // The same key in another run is another fact.
    let mut other = Driver::start(&store).await;
    other.commit(&store, Plan::new().note("a")).await.unwrap();
    assert_eq!(subject.check().await, [""; 0]);
}

/// Who writes after another place than the last is told where the journal stands.
pub async fn a_writer_that_is_behind_conflicts<S: StoreUnderTest>() {
    let subject = S::fresh();
    let store = subject.open().await;
    let mut driver = Driver::start(&store).await;
    let behind = driver.batch(Plan::new().note("behind"));
    driver.commit(&store, Plan::new().note("a")).await.unwrap();
    let late = store.commit(&driver.lease, Seq(1), behind).await;
    let error = late.unwrap_err();
    let CommitError::Conflict {
        expected, found, ..
    } = error
    else {
        panic!("expected a conflict, got {error}");
    };
    assert_eq!((expected, found), (Seq(1), Seq(2)));
    assert_eq!(all(&*store, &driver).await.len(), 2);
}

/// The stored head is what folding the stored records gives.
pub async fn heads_are_what_records_fold_to<S: StoreUnderTest>() {
    let subject = S::fresh();
    let store = subject.open().await;
    let mut driver = Driver::start(&store).await;
    for plan in [
        Plan::new().reserve("call-1", 700, 70, &[]),
        Plan::new().settle("call-1", 650, 65).note("done"),
        Plan::new().reserve("call-2", 900, 90, &[]),
    ] {
        driver.commit(&store, plan).await.unwrap();
        let mut fold = Head::new(driver.run(), moment(0));
        for record in all(&*store, &driver).await {
            fold.apply(&record).unwrap();
        }
        let stored = store.head(driver.run()).await.unwrap();
        assert_eq!(stored, Some(fold));
    }
    assert_eq!(subject.check().await, [""; 0]);
}

/// Heads come most recently changed first, by project, without finished runs when asked so.
pub async fn heads_come_newest_first<S: StoreUnderTest>() {
    let subject = S::fresh();
    let store = subject.open().await;
    let (mine, other) = (project(), project());
    let mut runs = Vec::new();
    // Half seconds: moments whose text has decimals lie between moments whose text has none.
    for (at, project) in [
        (7, Some(mine)),
        (5, Some(other)),
        (8, Some(mine)),
        (6, None),
    ] {
        let mut driver = Driver::resume(&store, new_run()).await;
        driver.now = at;
        driver.commit(&store, started(project)).await.unwrap();
        runs.push(driver);
    }
    let listed = async |project, unfinished, limit| {
        let query = HeadsQuery {
            project,
            unfinished,
            limit,
        };
        let heads = store.heads(query).await.unwrap();
        heads.into_iter().map(|head| head.run).collect::<Vec<_>>()
    };
    let [a, b, c, d] = [0, 1, 2, 3].map(|n: usize| runs[n].run());
    assert_eq!(listed(None, false, 10).await, [c, a, d, b]);
    assert_eq!(listed(None, false, 2).await, [c, a]);
    assert_eq!(listed(Some(mine), false, 10).await, [c, a]);
    runs[0].now = 20;
    runs[0].finish(&store).await;
    assert_eq!(listed(None, false, 10).await, [a, c, d, b]);
    assert_eq!(listed(None, true, 10).await, [c, d, b]);
    assert_eq!(listed(Some(mine), true, 10).await, [c]);
    assert_eq!(listed(Some(project()), false, 10).await, []);
}

/// Records can be read in pages; past the end there is nothing.
pub async fn records_come_in_pages<S: StoreUnderTest>() {
    let subject = S::fresh();
    let store = subject.open().await;
    let mut driver = Driver::start(&store).await;
    for n in 0..9 {
        let plan = Plan::new().note(&format!("note-{n}"));
        driver.commit(&store, plan).await.unwrap();
    }
    let mut places = Vec::new();
    let mut after = Seq::ZERO;
    loop {
        let page = store.records(driver.run(), after, 4).await.unwrap();
        let Some(last) = page.last() else { break };
        assert!(page.len() <= 4);
        after = last.seq;
        places.extend(page.iter().map(|record| record.seq.0));
    }
    assert_eq!(places, (1..=10).collect::<Vec<_>>());
    for far in [10, 11, u64::MAX] {
        let none = store.records(driver.run(), Seq(far), 4).await.unwrap();
        assert_eq!(none, []);
    }
}

/// A store keeps what it does not understand, to the byte.
pub async fn unknown_kinds_and_exact_bytes_are_kept<S: StoreUnderTest>() {
    let subject = S::fresh();
    let store = subject.open().await;
    let mut driver = Driver::start(&store).await;
    let bodies = [
        "{ \"b\" : 1.50,\n\t\"a\":1e3 }",
        "\"\u{0}\u{1F980} e\u{301} \\u00e9\"",
        "not json at all",
        "",
    ];
    for (n, body) in bodies.iter().enumerate() {
        let plan = Plan::new().raw(&format!("raw-{n}"), "from_the_future", body);
        driver.commit(&store, plan).await.unwrap();
    }
    let records = all(&*store, &driver).await;
    let read: Vec<_> = records[1..]
        .iter()
        .map(|record| (record.kind.as_str(), record.body.as_str()))
        .collect();
    assert_eq!(read, bodies.map(|body| ("from_the_future", body)));
    assert_eq!(records[1].input, Digest::of("raw-0"));
    assert_eq!(subject.check().await, [""; 0]);
}

/// What was committed is there for the next one who opens the store, to the last field.
pub async fn all_is_there_after_reopening<S: StoreUnderTest>() {
    let subject = S::fresh();
    let store = subject.open().await;
    let mut driver = Driver::start(&store).await;
    let plan = || Plan::new().note("a").note("b").blob(b"text");
    let written = driver.batch(plan()).records;
    driver.commit(&store, plan()).await.unwrap();
    let (run, head) = (driver.run(), driver.head.clone());
    drop((driver, store));
    let store = subject.open().await;
    let records = store.records(run, Seq(1), 10).await.unwrap();
    assert_eq!(records, written);
    assert_eq!(store.head(run).await.unwrap(), Some(head));
    let text = store.blob(Digest::of(b"text")).await.unwrap();
    assert_eq!(text.as_deref(), Some(&b"text"[..]));
    let mut resumed = Driver::resume(&store, run).await;
    resumed.commit(&store, Plan::new().note("c")).await.unwrap();
    assert_eq!(all(&*store, &resumed).await.len(), 4);
}

/// Reading what was never written gives nothing, and no error.
pub async fn an_unknown_run_is_empty<S: StoreUnderTest>() {
    let subject = S::fresh();
    let store = subject.open().await;
    let run = new_run();
    assert_eq!(store.records(run, Seq::ZERO, 10).await.unwrap(), []);
    assert_eq!(store.head(run).await.unwrap(), None);
    assert_eq!(store.pending(run).await.unwrap(), []);
    assert_eq!(store.driver(run).await.unwrap(), None);
    assert_eq!(store.blob(Digest::of("never")).await.unwrap(), None);
    // A lease alone is no run.
    let lease = store.acquire(run, holder()).await.unwrap();
    assert_eq!(store.head(run).await.unwrap(), None);
    drop(lease);
}

pub(super) async fn all(store: &dyn Store, driver: &Driver) -> Vec<Record> {
    let run = driver.run();
    store.records(run, Seq::ZERO, u32::MAX).await.unwrap()
}
