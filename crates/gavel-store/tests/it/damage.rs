//! Damage: every kind is told with its place, and nothing is repaired.

use std::fs::OpenOptions;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use gavel_domain::{RunId, Seq};
use gavel_store::{Access, HeadsQuery, OpenError, ReadError, SqliteStore, Store, StoreOptions};
use gavel_testkit::store_suite::{Driver, Plan};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection};

/// A store with a run of many records, closed: all of it is in the file.
async fn filled(folder: &Path) -> RunId {
    let options = StoreOptions::new(folder, Access::ReadWrite);
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(options).await.unwrap());
    let mut driver = Driver::start(&store).await;
    for n in 0..60 {
        let body = format!("\"{}\"", "x".repeat(800));
        let plan = Plan::new().raw(&format!("raw-{n}"), "from_the_future", &body);
        driver.commit(&store, plan).await.unwrap();
    }
    let plan = Plan::new().reserve("call", 10, 1, &[]);
    driver.commit(&store, plan).await.unwrap();
    let run = driver.run();
    drop((driver, store));
    // The last connection to close folds the log into the file.
    change(folder, "SELECT 1").await;
    run
}

/// Changes the file behind the store's back.
async fn change(folder: &Path, sql: &'static str) {
    let options = SqliteConnectOptions::new()
        .filename(folder.join("gavel.db"))
        .foreign_keys(false);
    let mut conn = options.connect().await.unwrap();
    sqlx::query(sql).execute(&mut conn).await.unwrap();
    sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)")
        .execute(&mut conn)
        .await
        .unwrap();
    conn.close().await.unwrap();
}

async fn reader(folder: &Path) -> Result<SqliteStore, OpenError> {
    SqliteStore::open(StoreOptions::new(folder, Access::ReadOnly)).await
}

async fn check(folder: &Path) -> Vec<String> {
    let store = reader(folder).await.unwrap();
    let damage = store.check().await.unwrap();
    damage.iter().map(ToString::to_string).collect()
}

#[tokio::test]
async fn a_file_that_is_no_store_is_refused_and_left_alone() {
    let text = b"Dear diary, this is not a database at all. ".repeat(200);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("gavel.db");
    std::fs::write(&file, &text).unwrap();
    for access in [Access::ReadOnly, Access::ReadWrite] {
        let options = StoreOptions::new(folder.path(), access);
        let error = SqliteStore::open(options).await.unwrap_err();
        let OpenError::Damaged { path, place } = error else {
            panic!("expected damage, got {error}");
        };
        assert_eq!(
            (path, place.as_str()),
            (file.clone(), "file is not a database")
        );
    }
    assert!(std::fs::read(&file).unwrap() == text);
}

#[tokio::test]
async fn a_database_of_somebody_else_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let options = SqliteConnectOptions::new()
        .filename(folder.path().join("gavel.db"))
        .create_if_missing(true);
    let mut conn = options.connect().await.unwrap();
    sqlx::query("CREATE TABLE songs (title TEXT)")
        .execute(&mut conn)
        .await
        .unwrap();
    conn.close().await.unwrap();
    let error = reader(folder.path()).await.unwrap_err();
    let told = matches!(&error, OpenError::Damaged { place, .. } if place.contains("`meta`"));
    assert!(told, "{error}");
}

#[tokio::test]
async fn a_truncated_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path()).await;
    let file = folder.path().join("gavel.db");
    let length = file.metadata().unwrap().len();
    for left in [length / 2, 5_000, 100, 10] {
        let opened = OpenOptions::new().write(true).open(&file).unwrap();
        opened.set_len(left).unwrap();
        drop(opened);
        let error = reader(folder.path()).await.unwrap_err();
        let told = matches!(&error, OpenError::Damaged { .. });
        assert!(told, "{left}: {error}");
        assert_eq!(file.metadata().unwrap().len(), left);
    }
}

#[tokio::test]
async fn a_damaged_page_is_told_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let run = filled(folder.path()).await;
    let file = folder.path().join("gavel.db");
    // Every page but the first, which holds the schema and is looked at when the file is opened.
    let pages = file.metadata().unwrap().len() / 4096;
    let opened = OpenOptions::new().write(true).open(&file).unwrap();
    for page in pages / 2..pages {
        opened.write_all_at(&[0xA5; 512], page * 4096).unwrap();
    }
    drop(opened);
    let store = reader(folder.path()).await.unwrap();
    let error = store.records(run, Seq::ZERO, 100).await.unwrap_err();
    let ReadError::Damaged { place } = error else {
        panic!("expected damage, got {error:?}");
    };
    assert!(
        place.contains("malformed") && place.contains("page"),
        "{place}"
    );
    let damage = check(folder.path()).await;
    assert!(damage[0].starts_with("the file is damaged"), "{damage:?}");
}

#[tokio::test]
async fn a_damaged_record_is_told_with_run_and_place() {
    for (sql, problem) in [
        ("UPDATE records SET key = 'No Key' WHERE seq = 30", "key"),
        ("UPDATE records SET input = 'zz' WHERE seq = 30", "input"),
        (
            "UPDATE records SET prev = upper(prev) WHERE seq = 30",
            "prev",
        ),
        ("UPDATE records SET v = -1 WHERE seq = 30", "v"),
        ("UPDATE records SET at = 'noon' WHERE seq = 30", "at"),
        (
            "UPDATE records SET body = CAST(x'22FF22' AS TEXT) WHERE seq = 30",
            "body",
        ),
        // The same moment, but not the text that was digested.
        (
            "UPDATE records SET at = replace(at, 'Z', '+00:00') WHERE seq = 30",
            "at",
        ),
        ("DELETE FROM records WHERE seq = 30", "missing"),
        ("UPDATE records SET body = '{}' WHERE seq = 29", "follow"),
        ("UPDATE records SET kind = 'other' WHERE seq = 29", "follow"),
        ("UPDATE records SET epoch = 9 WHERE seq = 29", "follow"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let run = filled(folder.path()).await;
        change(folder.path(), sql).await;
        let store = reader(folder.path()).await.unwrap();
        let error = store.records(run, Seq(10), 100).await.unwrap_err();
        let ReadError::DamagedRecord {
            run: whose,
            seq,
            problem: told,
        } = error
        else {
            panic!("expected damage for {sql}, got {error:?}");
        };
        assert_eq!((whose, seq), (run, Seq(30)), "{sql}");
        assert!(told.contains(problem), "{sql}: {told}");
        // What comes before it can still be read.
        let before = store.records(run, Seq(10), 18).await.unwrap();
        assert_eq!(before.len(), 18);
        let damage = check(folder.path()).await;
        assert_eq!(damage.len(), 1, "{damage:?}");
        let told = format!("run {run} is damaged at record 30");
        assert!(damage[0].contains(&told), "{damage:?}");
    }
}

#[tokio::test]
async fn what_does_not_add_up_is_found() {
    for (sql, told) in [
        (
            "UPDATE records SET body = '{}' WHERE seq = 62",
            "at record 62",
        ),
        ("DELETE FROM records WHERE seq = 62", "at record 62"),
        (
            "UPDATE heads SET head = replace(head, '\"state\":\"running\"', '\"state\":\"paused\"')",
            "differs from its 62 records",
        ),
        ("UPDATE heads SET head = '{}'", "the head of run"),
        ("UPDATE heads SET seq = 61", "the head of run"),
        (
            "UPDATE totals SET reserved = 9 WHERE scope = 'run'",
            "the totals of",
        ),
        ("DELETE FROM totals WHERE scope = 'month'", "the totals of"),
        ("DELETE FROM ledger", "says $0.00, its journal $0.00001"),
        ("UPDATE ledger SET role = 'king'", "the ledger, row 1"),
        ("UPDATE blobs SET content = x'00'", "the blob"),
        ("DELETE FROM heads", "names one of heads that is not there"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        filled(folder.path()).await;
        assert_eq!(check(folder.path()).await, [""; 0]);
        change(folder.path(), sql).await;
        let damage = check(folder.path()).await;
        let found = damage.iter().any(|line| line.contains(told));
        assert!(found, "{sql}: {damage:?}");
    }
}

#[tokio::test]
async fn what_can_be_read_of_a_damaged_run_is_saved() {
    for (sql, broken) in [
        ("SELECT 1", &[][..]),
        ("UPDATE records SET key = 'No Key' WHERE seq = 30", &[30]),
        // The next one tells it: what it follows from is not what is there.
        ("UPDATE records SET body = '{}' WHERE seq = 29", &[30]),
        (
            "UPDATE records SET body = CAST(x'22FF22' AS TEXT) WHERE seq = 30",
            &[30],
        ),
        ("UPDATE heads SET head = '{}'", &[]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let run = filled(folder.path()).await;
        change(folder.path(), sql).await;
        let store = reader(folder.path()).await.unwrap();
        let saved = store.salvage(run).await.unwrap();
        assert_eq!(saved.records.len(), 62, "{sql}");
        let marked = saved.records.iter().filter(|one| one.problem.is_some());
        let marked: Vec<u64> = marked.map(|one| one.seq).collect();
        assert_eq!(marked, broken, "{sql}");
        let body = format!("\"{}\"", "x".repeat(800));
        assert_eq!(saved.records[40].body, body);
        assert_eq!(saved.texts.len(), 1);
        assert_eq!(saved.texts[0].problem, None);
        let damage = store.damage_of(run).await.unwrap();
        assert_eq!(damage.is_empty(), sql == "SELECT 1", "{sql}: {damage:?}");
    }
}

#[tokio::test]
async fn a_head_that_cannot_be_read_hides_no_other() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path()).await;
    let sound = filled(folder.path()).await;
    change(
        folder.path(),
        "UPDATE heads SET head = '{}' WHERE run = (SELECT min(run) FROM heads)",
    )
    .await;
    let store = reader(folder.path()).await.unwrap();
    let query = HeadsQuery {
        project: None,
        unfinished: false,
        limit: 10,
    };
    let heads = store.heads(query).await.unwrap();
    let runs: Vec<RunId> = heads.iter().map(|head| head.run).collect();
    assert_eq!(runs, [sound]);
    let checked = store.check_within(Duration::MAX).await.unwrap();
    assert_eq!(
        (checked.runs, checked.looked_at, checked.cut),
        (2, 1, false)
    );
    assert!(!checked.damage.is_empty());
    let none = store.check_within(Duration::ZERO).await.unwrap();
    assert_eq!((none.runs, none.looked_at, none.cut), (2, 0, true));
}
