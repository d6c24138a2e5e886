//! Schemas: which ones this program knows, and the way from an older one.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use gavel_domain::nearest_moment;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection, SqliteConnection};

use super::fault::{is_damage, place_of_damage};
use super::place::{Place, make_file};
use crate::OpenError;

/// One step from a schema to the next.
#[derive(Debug, Clone, Copy)]
pub(super) struct Migration {
    /// The schema that it leads to.
    pub(super) schema: u32,
    /// The oldest program that may read such a file.
    pub(super) min_reader: u32,
    /// The oldest program that may write to such a file.
    pub(super) min_writer: u32,
    /// Its statements.
    pub(super) sql: &'static str,
}

/// Every step, oldest first. Released files are never edited.
pub(super) const MIGRATIONS: &[Migration] = &[
    Migration {
        schema: 1,
        min_reader: 1,
        min_writer: 1,
        sql: include_str!("../../migrations/sqlite/0001_start.sql"),
    },
    Migration {
        schema: 2,
        // Who does not know the table leaves it alone.
        min_reader: 1,
        min_writer: 1,
        sql: include_str!("../../migrations/sqlite/0002_memory.sql"),
    },
    Migration {
        schema: 3,
        min_reader: 1,
        min_writer: 1,
        sql: include_str!("../../migrations/sqlite/0003_keys.sql"),
    },
    Migration {
        schema: 4,
        // Who does not know the table leaves it alone.
        min_reader: 1,
        min_writer: 1,
        sql: include_str!("../../migrations/sqlite/0004_agents.sql"),
    },
    Migration {
        schema: 5,
        // Who does not know the columns leaves them empty.
        min_reader: 1,
        min_writer: 1,
        sql: include_str!("../../migrations/sqlite/0005_claims.sql"),
    },
    Migration {
        schema: 6,
        min_reader: 1,
        // Who does not count such calls would write heads that are not the fold of their records.
        min_writer: 6,
        sql: include_str!("../../migrations/sqlite/0006_unpriced.sql"),
    },
];

/// What a file says about itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Meta {
    pub(super) schema: u32,
    pub(super) min_reader: u32,
    pub(super) min_writer: u32,
}

/// The schema that a program with these migrations knows.
pub(super) fn known(migrations: &[Migration]) -> u32 {
    migrations.last().map_or(0, |last| last.schema)
}

/// Reads what a file says about itself; `None` when nothing was ever written into it.
pub(super) async fn read_meta(
    conn: &mut SqliteConnection,
    path: &Path,
) -> Result<Option<Meta>, OpenError> {
    let row: Result<Option<(i64, i64, i64)>, sqlx::Error> =
        sqlx::query_as("SELECT schema, min_reader, min_writer FROM meta")
            .fetch_optional(&mut *conn)
            .await;
    let error = match row {
        Ok(Some((schema, min_reader, min_writer))) => {
            let number = |n: i64| u32::try_from(n).ok().ok_or_else(|| no_meta(path));
            return Ok(Some(Meta {
                schema: number(schema)?,
                min_reader: number(min_reader)?,
                min_writer: number(min_writer)?,
            }));
        }
        Ok(None) => return Err(no_meta(path)),
        Err(error) if is_damage(&error) => return Err(damaged(conn, path, &error).await),
        Err(error) => error,
    };
    let tables: Result<i64, sqlx::Error> = sqlx::query_scalar("SELECT count(*) FROM sqlite_schema")
        .fetch_one(&mut *conn)
        .await;
    match tables {
        Ok(0) => Ok(None),
        Ok(_) if is_missing_table(&error) => Err(no_meta(path)),
        Ok(_) => Err(unavailable(path, error)),
        Err(error) if is_damage(&error) => Err(damaged(conn, path, &error).await),
        Err(error) => Err(unavailable(path, error)),
    }
}

/// Brings the file to the newest schema, making it when it is missing. The caller holds the store
/// lock alone.
pub(super) async fn migrate(place: &Place, migrations: &[Migration]) -> Result<(), OpenError> {
    let path = place.database();
    make_file(&path).map_err(|source| unavailable(&path, source))?;
    place
        .sync_folder()
        .map_err(|source| unavailable(&path, source))?;
    let mut conn = SqliteConnectOptions::new()
        .filename(&path)
        .disable_statement_logging()
        .connect()
        .await
        .map_err(|source| unavailable(&path, source))?;
    let found = read_meta(&mut conn, &path).await?;
    let schema = found.map_or(0, |meta| meta.schema);
    if schema > 0 && schema < known(migrations) {
        copy(&mut conn, place, schema).await?;
    }
    let outcome = run(&mut conn, &path, schema, migrations).await;
    match outcome {
        Ok(()) => conn
            .close()
            .await
            .map_err(|source| unavailable(&path, source)),
        Err(error) if is_damage(&error) => Err(damaged(&mut conn, &path, &error).await),
        Err(error) => Err(unavailable(&path, error)),
    }
}

async fn run(
    conn: &mut SqliteConnection,
    path: &Path,
    from: u32,
    migrations: &[Migration],
) -> Result<(), sqlx::Error> {
    let mode: String = sqlx::query_scalar("PRAGMA journal_mode = WAL")
        .fetch_one(&mut *conn)
        .await?;
    if mode != "wal" {
        return Err(sqlx::Error::Configuration(
            format!("{} cannot have a write-ahead log", path.display()).into(),
        ));
    }
    sqlx::query("BEGIN IMMEDIATE").execute(&mut *conn).await?;
    for migration in migrations.iter().filter(|step| step.schema > from) {
        sqlx::raw_sql(migration.sql).execute(&mut *conn).await?;
        sqlx::query(
            "INSERT INTO meta (one, schema, min_reader, min_writer) VALUES (1, ?, ?, ?)
             ON CONFLICT (one) DO UPDATE SET schema = excluded.schema,
                 min_reader = excluded.min_reader, min_writer = excluded.min_writer",
        )
        .bind(migration.schema)
        .bind(migration.min_reader)
        .bind(migration.min_writer)
        .execute(&mut *conn)
        .await?;
    }
    sqlx::query("COMMIT").execute(&mut *conn).await?;
    Ok(())
}

/// Copies the file as it is, complete and durable, before anything is changed.
async fn copy(conn: &mut SqliteConnection, place: &Place, schema: u32) -> Result<(), OpenError> {
    let path = place.database();
    let copy: PathBuf = place.copy(schema, nearest_moment(SystemTime::now()));
    let fail = |source: std::io::Error| unavailable(&copy, source);
    make_file(&copy).map_err(fail)?;
    let made = sqlx::query("VACUUM INTO ?")
        .bind(copy.to_string_lossy().into_owned())
        .execute(&mut *conn)
        .await;
    if let Err(error) = made {
        return Err(if is_damage(&error) {
            damaged(conn, &path, &error).await
        } else {
            unavailable(&copy, error)
        });
    }
    File::open(&copy)
        .and_then(|file| file.sync_all())
        .map_err(fail)?;
    place.sync_folder().map_err(fail)
}

/// The file cannot be used now.
pub(super) fn unavailable(
    path: &Path,
    source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
) -> OpenError {
    OpenError::Unavailable {
        path: path.to_owned(),
        source: source.into(),
    }
}

async fn damaged(conn: &mut SqliteConnection, path: &Path, error: &sqlx::Error) -> OpenError {
    OpenError::Damaged {
        path: path.to_owned(),
        place: place_of_damage(conn, error).await,
    }
}

fn no_meta(path: &Path) -> OpenError {
    OpenError::Damaged {
        path: path.to_owned(),
        place: "the table `meta`, which says what the file is, is missing or empty".to_owned(),
    }
}

fn is_missing_table(error: &sqlx::Error) -> bool {
    error
        .as_database_error()
        .is_some_and(|error| error.message().contains("no such table"))
}
