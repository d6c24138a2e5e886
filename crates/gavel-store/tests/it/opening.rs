//! Opening: what is made, what is left alone, and who may do what.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

use futures_util::future::join_all;
use gavel_domain::{Digest, Seq};
use gavel_store::{
    Access, CallsQuery, CommitError, HeadsQuery, InboxKind, InboxPost, LeaseError, OpenError,
    PostError, SqliteStore, Store, StoreOptions, Totals, TotalsOf,
};
use gavel_testkit::store_suite::{Driver, Plan, holder, moment, new_run};

async fn open(folder: &Path, access: Access) -> SqliteStore {
    let options = StoreOptions::new(folder, access);
    SqliteStore::open(options).await.unwrap()
}

async fn writer(folder: &Path) -> Arc<dyn Store> {
    Arc::new(open(folder, Access::ReadWrite).await)
}

#[tokio::test]
async fn a_reader_of_nothing_finds_nothing_and_makes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    let store = open(&state, Access::ReadOnly).await;
    let run = new_run();
    let query = HeadsQuery {
        project: None,
        unfinished: false,
        limit: 5,
    };
    assert_eq!(store.heads(query).await.unwrap(), []);
    assert_eq!(store.head(run).await.unwrap(), None);
    assert_eq!(store.records(run, Seq::ZERO, 5).await.unwrap(), []);
    assert_eq!(store.blob(Digest::ZERO).await.unwrap(), None);
    assert_eq!(store.pending(run).await.unwrap(), []);
    assert_eq!(store.driver(run).await.unwrap(), None);
    assert_eq!(store.calls(CallsQuery::default()).await.unwrap(), []);
    let totals = store.totals(TotalsOf::Run(run)).await.unwrap();
    assert_eq!(totals, Totals::default());
    assert_eq!(store.check().await.unwrap(), []);
    assert!(!state.exists());

    // Once somebody starts a run there, the same reader sees it.
    let writer = writer(&state).await;
    let driver = Driver::start(&writer).await;
    let head = store.head(driver.run()).await.unwrap();
    assert_eq!(head, Some(driver.head.clone()));
    let who = store.driver(driver.run()).await.unwrap();
    assert_eq!(who, Some(holder()));
}

#[tokio::test]
async fn a_reader_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let writer = writer(folder.path()).await;
    let driver = Driver::start(&writer).await;
    let reader = open(folder.path(), Access::ReadOnly).await;
    let batch = driver.batch(Plan::new().note("a"));
    let refused = reader.commit(&driver.lease, driver.head.seq, batch).await;
    let error = refused.unwrap_err();
    assert!(matches!(error, CommitError::Unavailable(_)), "{error}");
    let error = reader.acquire(new_run(), holder()).await.unwrap_err();
    assert!(matches!(error, LeaseError::Unavailable(_)), "{error}");
    let post = InboxPost {
        id: gavel_domain::InboxId::from_uuid(uuid::Uuid::now_v7()),
        run: driver.run(),
        by: gavel_domain::Speaker::PERSON,
        at: moment(0),
        kind: InboxKind::Pause,
    };
    let error = reader.post(post).await.unwrap_err();
    assert!(matches!(error, PostError::Unavailable(_)), "{error}");
    assert!(reader.retain(moment(9)).await.is_err());
    assert!(reader.purge(&driver.lease).await.is_err());
    let head = writer.head(driver.run()).await.unwrap();
    assert_eq!(head, Some(driver.head));
}

#[tokio::test]
async fn everything_is_for_its_owner_alone() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("new/state");
    let store = writer(&state).await;
    let driver = Driver::start(&store).await;
    let mode = |name: &str| {
        let path = state.join(name);
        path.metadata().unwrap().permissions().mode() & 0o777
    };
    let lock = format!("locks/{}.lock", driver.run());
    for name in [
        "gavel.db",
        "gavel.db-wal",
        "gavel.db-shm",
        "store.lock",
        &lock,
    ] {
        assert_eq!(mode(name), 0o600, "{name}");
    }
    for name in ["", "locks"] {
        assert_eq!(mode(name), 0o700, "{name}");
    }
}

#[tokio::test]
async fn many_may_make_the_same_store_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let stores = join_all((0..12).map(|_| writer(folder.path()))).await;
    for store in stores {
        Driver::start(&store).await;
    }
    let store = open(folder.path(), Access::ReadOnly).await;
    assert_eq!(store.check().await.unwrap(), []);
}

#[tokio::test]
async fn a_removed_lock_file_lets_no_second_driver_commit() {
    let folder = tempfile::tempdir().unwrap();
    let store = writer(folder.path()).await;
    let mut first = Driver::start(&store).await;
    let run = first.run();
    let lock = folder.path().join(format!("locks/{run}.lock"));
    std::fs::remove_file(lock).unwrap();
    let mut second = Driver::resume(&store, run).await;
    second.commit(&store, Plan::new().note("b")).await.unwrap();
    let late = first.commit(&store, Plan::new().note("a")).await;
    let error = late.unwrap_err();
    assert!(matches!(error, CommitError::LeaseLost { .. }), "{error}");
    assert_eq!(store.head(run).await.unwrap(), Some(second.head));
}

#[tokio::test]
async fn a_commit_that_is_dropped_midway_is_all_or_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = writer(folder.path()).await;
    let mut driver = Driver::start(&store).await;
    for n in 0..40_u32 {
        let call = format!("call-{n}");
        let plan = Plan::new().note(&format!("note-{n}")).blob(call.as_bytes());
        let plan = plan.reserve(&call, 10, 1, &[]);
        let batch = driver.batch(plan);
        let after = batch.head.clone();
        let commit = store.commit(&driver.lease, driver.head.seq, batch);
        // Polled n times and then dropped, wherever that is.
        let polled = poll_some(commit, n).await;
        let head = store.head(driver.run()).await.unwrap().unwrap();
        if polled.is_some() {
            assert_eq!(head, after);
        }
        assert!(head == after || head == driver.head);
        driver = Driver::resume(&store, {
            let run = driver.run();
            drop(driver);
            run
        })
        .await;
    }
    let done = open(folder.path(), Access::ReadOnly).await;
    assert_eq!(done.check().await.unwrap(), []);
}

/// Polls a future at most that many times; `None` when it was not done by then.
async fn poll_some<T>(future: impl Future<Output = T> + Unpin, times: u32) -> Option<T> {
    let mut future = future;
    let mut left = times;
    std::future::poll_fn(move |context| {
        if left == 0 {
            return std::task::Poll::Ready(None);
        }
        left -= 1;
        std::pin::Pin::new(&mut future).poll(context).map(Some)
    })
    .await
}

#[tokio::test]
async fn a_folder_that_cannot_be_made_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, b"not a folder").unwrap();
    let options = StoreOptions::new(file.join("state"), Access::ReadWrite);
    let error = SqliteStore::open(options).await.unwrap_err();
    assert!(matches!(error, OpenError::Unavailable { .. }), "{error}");
}

#[tokio::test]
async fn purged_text_is_gone_from_the_files() {
    let folder = tempfile::tempdir().unwrap();
    let store = writer(folder.path()).await;
    let mut driver = Driver::start(&store).await;
    let secret = b"a sentence that must not outlive its run";
    let long = secret.repeat(500);
    let plan = Plan::new().note("a").blob(secret).blob(&long);
    driver.commit(&store, plan).await.unwrap();
    driver.finish(&store).await;
    let lock = folder.path().join(format!("locks/{}.lock", driver.run()));
    let holds = |text: &[u8]| {
        ["gavel.db", "gavel.db-wal"].iter().any(|name| {
            let bytes = std::fs::read(folder.path().join(name)).unwrap();
            bytes.windows(text.len()).any(|window| window == text)
        })
    };
    assert!(holds(secret) && lock.exists());
    store.purge(&driver.lease).await.unwrap();
    assert!(!holds(secret) && !lock.exists());
    assert!(!holds(driver.run().to_string().as_bytes()));
}
