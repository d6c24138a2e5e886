//! Migrations and the upgrade guard, with schemas that this program does not have yet.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use gavel_domain::{Digest, Head, RunId, Timestamp};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection, SqliteConnection};
use tempfile::TempDir;

use super::migrate::{MIGRATIONS, Migration};
use super::{Access, KeyRow, SqliteStore, StoreOptions};
use crate::{HeadsQuery, Holder, OpenError, Store};

/// What a later program might know: its newest schema can be read, but not written, by this one.
const LATER: &[Migration] = &[
    MIGRATIONS[0],
    MIGRATIONS[1],
    MIGRATIONS[2],
    MIGRATIONS[3],
    MIGRATIONS[4],
    MIGRATIONS[5],
    Migration {
        schema: 7,
        min_reader: 1,
        min_writer: 7,
        sql: "ALTER TABLE heads ADD COLUMN colour TEXT; CREATE TABLE lessons (id TEXT) STRICT;",
    },
];

/// The same, but not even to be read by this program.
const STRANGE: &[Migration] = &[
    MIGRATIONS[0],
    MIGRATIONS[1],
    MIGRATIONS[2],
    MIGRATIONS[3],
    MIGRATIONS[4],
    MIGRATIONS[5],
    Migration {
        schema: 7,
        min_reader: 7,
        min_writer: 7,
        sql: "ALTER TABLE heads RENAME COLUMN head TO kopf;",
    },
];

/// A step that fails halfway.
const BROKEN: &[Migration] = &[
    MIGRATIONS[0],
    MIGRATIONS[1],
    MIGRATIONS[2],
    MIGRATIONS[3],
    MIGRATIONS[4],
    MIGRATIONS[5],
    Migration {
        schema: 7,
        min_reader: 1,
        min_writer: 1,
        sql: "CREATE TABLE lessons (id TEXT) STRICT; CREATE TABLE heads (id TEXT);",
    },
];

fn options(folder: &TempDir, access: Access) -> StoreOptions {
    StoreOptions::new(folder.path(), access)
}

async fn open(
    folder: &TempDir,
    access: Access,
    migrations: &'static [Migration],
) -> Result<SqliteStore, OpenError> {
    SqliteStore::open_with(options(folder, access), migrations).await
}

async fn connect(folder: &TempDir) -> SqliteConnection {
    let file = folder.path().join("gavel.db");
    let options = SqliteConnectOptions::new().filename(file);
    options.connect().await.unwrap()
}

/// A store of this program with one lease in it, closed again.
async fn one_lease(folder: &TempDir) -> RunId {
    let store = open(folder, Access::ReadWrite, MIGRATIONS).await.unwrap();
    let run = RunId::from_uuid(uuid::Uuid::now_v7());
    let holder = Holder {
        pid: 1,
        host: "here".to_owned(),
        since: Timestamp::UNIX_EPOCH,
    };
    store.acquire(run, holder).await.unwrap();
    store.close().await.unwrap();
    run
}

fn copies(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let copies = paths.filter(|path| path.extension().is_some_and(|end| end == "copy"));
    copies.collect()
}

#[tokio::test]
async fn an_older_file_is_copied_and_then_migrated() {
    let folder = tempfile::tempdir().unwrap();
    let run = one_lease(&folder).await;
    assert_eq!(copies(folder.path()), [""; 0].map(PathBuf::from));
    let store = open(&folder, Access::ReadWrite, LATER).await.unwrap();
    store.close().await.unwrap();

    let mut conn = connect(&folder).await;
    let schema: i64 = sqlx::query_scalar("SELECT schema FROM meta")
        .fetch_one(&mut conn)
        .await
        .unwrap();
    let leased: String = sqlx::query_scalar("SELECT run FROM leases")
        .fetch_one(&mut conn)
        .await
        .unwrap();
    assert_eq!((schema, leased), (7, run.to_string()));

    let copies = copies(folder.path());
    assert_eq!(copies.len(), 1);
    let name = copies[0].file_name().unwrap().to_str().unwrap();
    assert!(name.starts_with("gavel.db.schema-6-"), "{name}");
    let mode = copies[0].metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    // The copy is a whole store of the old schema: put in place of the file, it works.
    conn.close().await.unwrap();
    std::fs::rename(&copies[0], folder.path().join("gavel.db")).unwrap();
    let store = open(&folder, Access::ReadWrite, MIGRATIONS).await.unwrap();
    assert_eq!(store.check().await.unwrap(), []);
    store.close().await.unwrap();
    let mut conn = connect(&folder).await;
    let leased: String = sqlx::query_scalar("SELECT run FROM leases")
        .fetch_one(&mut conn)
        .await
        .unwrap();
    assert_eq!(leased, run.to_string());
}

/// A file of the first program, with a run in it, becomes one of this program, and nothing is lost.
#[tokio::test]
async fn the_first_schema_becomes_this_one() {
    let folder = tempfile::tempdir().unwrap();
    let first = &MIGRATIONS[..1];
    let store = open(&folder, Access::ReadWrite, first).await.unwrap();
    store.close().await.unwrap();
    let store = open(&folder, Access::ReadOnly, MIGRATIONS).await.unwrap();
    assert_eq!(store.memory_lines("p").await.unwrap(), Vec::<String>::new());
    assert_eq!(store.check().await.unwrap(), []);
    store.close().await.unwrap();
    // The older program may read it: it does not know the new table and needs none of it.
    let store = open(&folder, Access::ReadOnly, first).await.unwrap();
    assert_eq!(store.check().await.unwrap(), []);
}

#[tokio::test]
async fn a_file_that_is_up_to_date_is_not_touched() {
    let folder = tempfile::tempdir().unwrap();
    one_lease(&folder).await;
    let before = std::fs::read(folder.path().join("gavel.db")).unwrap();
    for access in [Access::ReadWrite, Access::ReadOnly] {
        let store = open(&folder, access, MIGRATIONS).await.unwrap();
        store.close().await.unwrap();
    }
    let after = std::fs::read(folder.path().join("gavel.db")).unwrap();
    assert!(before == after);
}

#[tokio::test]
async fn nobody_migrates_a_file_that_another_has_open() {
    let folder = tempfile::tempdir().unwrap();
    one_lease(&folder).await;
    for access in [Access::ReadOnly, Access::ReadWrite] {
        let user = open(&folder, access, MIGRATIONS).await.unwrap();
        let error = open(&folder, Access::ReadWrite, LATER).await.unwrap_err();
        assert!(matches!(error, OpenError::InUse { .. }), "{error}");
        assert_eq!(copies(folder.path()).len(), 0);
        drop(user);
    }
    open(&folder, Access::ReadWrite, LATER).await.unwrap();
}

#[tokio::test]
async fn a_newer_file_is_read_where_that_is_allowed_and_never_written() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder, Access::ReadWrite, LATER).await.unwrap();
    store.close().await.unwrap();
    let error = open(&folder, Access::ReadWrite, MIGRATIONS).await;
    let error = error.unwrap_err();
    let OpenError::NewerStore {
        found,
        needed,
        known,
        ..
    } = error
    else {
        panic!("expected a newer store, got {error}");
    };
    assert_eq!((found, needed, known), (7, 7, 6));
    let reader = open(&folder, Access::ReadOnly, MIGRATIONS).await.unwrap();
    let query = HeadsQuery {
        project: None,
        unfinished: false,
        limit: 10,
    };
    assert_eq!(reader.heads(query).await.unwrap(), Vec::<Head>::new());
    // The program that knows it goes on with it.
    open(&folder, Access::ReadWrite, LATER).await.unwrap();
}

#[tokio::test]
async fn a_strange_file_is_not_even_read() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder, Access::ReadWrite, STRANGE).await.unwrap();
    store.close().await.unwrap();
    for access in [Access::ReadOnly, Access::ReadWrite] {
        let error = open(&folder, access, MIGRATIONS).await.unwrap_err();
        assert!(matches!(error, OpenError::NewerStore { .. }), "{error}");
    }
}

#[tokio::test]
async fn a_migration_that_fails_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    one_lease(&folder).await;
    let error = open(&folder, Access::ReadWrite, BROKEN).await.unwrap_err();
    assert!(matches!(error, OpenError::Unavailable { .. }), "{error}");
    let store = open(&folder, Access::ReadWrite, MIGRATIONS).await.unwrap();
    assert_eq!(store.check().await.unwrap(), []);
    let tables: i64 =
        sqlx::query_scalar("SELECT count(*) FROM sqlite_schema WHERE name = 'lessons'")
            .fetch_one(&mut connect(&folder).await)
            .await
            .unwrap();
    assert_eq!(tables, 0);
}

#[tokio::test]
async fn a_creation_that_was_cut_short_is_done_again() {
    let folder = tempfile::tempdir().unwrap();
    // A process died after it had made the file, or after it had chosen the log.
    std::fs::write(folder.path().join("gavel.db"), b"").unwrap();
    open(&folder, Access::ReadOnly, MIGRATIONS).await.unwrap();
    let other = tempfile::tempdir().unwrap();
    let mut conn = SqliteConnectOptions::new()
        .filename(other.path().join("gavel.db"))
        .create_if_missing(true)
        .pragma("journal_mode", "WAL")
        .connect()
        .await
        .unwrap();
    sqlx::query("BEGIN IMMEDIATE")
        .execute(&mut conn)
        .await
        .unwrap();
    conn.close().await.unwrap();
    open(&other, Access::ReadWrite, MIGRATIONS).await.unwrap();
}

/// What a kill cannot show: that a commit waits for the disk.
#[tokio::test]
async fn the_writer_is_durable_and_checks_references() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder, Access::ReadWrite, MIGRATIONS).await.unwrap();
    let mut held = store.writer().await.unwrap();
    for (pragma, expected) in [
        ("PRAGMA synchronous", 2),
        ("PRAGMA foreign_keys", 1),
        ("PRAGMA secure_delete", 1),
        ("PRAGMA busy_timeout", 10_000),
    ] {
        let found: i64 = sqlx::query_scalar(pragma)
            .fetch_one(&mut held.conn)
            .await
            .unwrap();
        assert_eq!(found, expected, "{pragma}");
    }
    let mode: String = sqlx::query_scalar("PRAGMA journal_mode")
        .fetch_one(&mut held.conn)
        .await
        .unwrap();
    assert_eq!(mode, "wal");
}

#[tokio::test]
async fn keys_are_known_until_they_are_taken_back_and_secrets_stay() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder, Access::ReadWrite, MIGRATIONS).await.unwrap();
    let key = KeyRow {
        id: "a1".to_owned(),
        scope: "read".to_owned(),
        label: "ci".to_owned(),
        created_at: Timestamp::UNIX_EPOCH,
        revoked_at: None,
    };
    store.add_key(&key, "digest-1").await.unwrap();
    assert!(store.add_key(&key, "digest-1").await.is_err(), "once");
    let scope = async |digest| store.key_scope(digest).await.unwrap();
    assert_eq!(scope("digest-1").await.as_deref(), Some("read"));
    assert_eq!(scope("digest-2").await, None);
    let at = Timestamp::from_second(9).unwrap();
    assert!(store.revoke_key("a1", at).await.unwrap());
    assert!(!store.revoke_key("a1", at).await.unwrap(), "once");
    assert!(!store.revoke_key("b2", at).await.unwrap());
    assert_eq!(scope("digest-1").await, None);
    let revoked_at = Some(at);
    assert_eq!(store.keys().await.unwrap(), [KeyRow { revoked_at, ..key }]);

    let first = store.secret("session", [1; 32]).await.unwrap();
    let again = store.secret("session", [2; 32]).await.unwrap();
    let other = store.secret("other", [3; 32]).await.unwrap();
    assert_eq!((first, again, other), ([1; 32], [1; 32], [3; 32]));
    assert_eq!(store.check().await.unwrap(), []);
}

/// A file that was migrated once is never migrated by the same step again: a change is a new step.
#[test]
fn migrations_are_added_and_never_edited() {
    let digests = MIGRATIONS
        .iter()
        .map(|step| (step.schema, Digest::of(step.sql).short()))
        .collect::<Vec<_>>();
    let frozen = [
        (1, "075d1eae9bc1"),
        (2, "a750809cb30d"),
        (3, "de78a0427f41"),
        (4, "b47df57f5a3e"),
        (5, "8102893810af"),
        (6, "3ef90f543f03"),
    ];
    assert_eq!(
        digests,
        frozen.map(|(schema, digest)| (schema, digest.to_owned()))
    );
}
