//! Making, opening and remaking the file. Whoever does it holds a lock file meanwhile, so that
//! nobody deletes what somebody else just made.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection, SqliteConnection};

use super::{IndexError, IndexOrigin, TextIndex};
use crate::sqlite::fault::{is_damage, place_of_damage};
use crate::sqlite::lane::Lane;

const BUSY: Duration = Duration::from_secs(10);
const READERS: usize = 2;
/// The form of the tables below; the caller's form stands beside it.
const FORM: &str = "2";
const CACHE_KIB: &str = "-16384";

/// Words are put in already cut, so the engine only splits at spaces. Neither positions nor sizes
/// are kept: the caller weighs what it finds.
const TABLES: &str = "
    CREATE TABLE mark (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE source (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, stamp TEXT NOT NULL);
    CREATE TABLE line (source INTEGER NOT NULL, subject TEXT NOT NULL, text TEXT NOT NULL);
    CREATE INDEX line_of_source ON line (source);
    CREATE INDEX line_of_subject ON line (subject);
    CREATE TABLE document (
        place INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        body TEXT NOT NULL,
        words TEXT
    );
    CREATE TABLE word (
        word TEXT PRIMARY KEY,
        n0 INTEGER NOT NULL, n1 INTEGER NOT NULL, n2 INTEGER NOT NULL, n3 INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE VIRTUAL TABLE found USING fts5 (
        words, content='', detail=none, columnsize=0, tokenize=\"ascii tokenchars '_'\"
    );
    INSERT INTO found (found, rank) VALUES ('secure-delete', 1);
    CREATE TABLE total (
        one INTEGER PRIMARY KEY CHECK (one = 1),
        generation INTEGER NOT NULL,
        documents INTEGER NOT NULL
    );
    INSERT INTO total VALUES (1, 0, 0);
";

pub(super) async fn open(path: &Path, form: &str) -> Result<(TextIndex, IndexOrigin), IndexError> {
    let path = std::path::absolute(path).map_err(|error| unavailable(path, error))?;
    let _lock = lock(&path).await?;
    open_locked(&path, form).await
}

pub(super) async fn remake(old: &TextIndex, form: &str) -> Result<TextIndex, IndexError> {
    let path = old.path.clone();
    let _lock = lock(&path).await?;
    let damaged = inode(&path)
        .map_err(|error| unavailable(&path, error))?
        .is_some_and(|inode| inode == old.inode);
    if damaged {
        delete(&path).map_err(|error| unavailable(&path, error))?;
    }
    open_locked(&path, form).await.map(|(index, _)| index)
}

async fn open_locked(path: &Path, form: &str) -> Result<(TextIndex, IndexOrigin), IndexError> {
    let there = fs::exists(path).map_err(|error| unavailable(path, error))?;
    let form = format!("{FORM} {form}");
    let why = match there.then_some(look(path, &form)) {
        None => None,
        Some(look) => match look.await? {
            None => return Ok((connected(path)?, IndexOrigin::Kept)),
            Some(why) => {
                delete(path).map_err(|error| unavailable(path, error))?;
                Some(why)
            }
        },
    };
    make(path, &form)
        .await
        .map_err(|error| unavailable(path, error))?;
    let origin = why.map_or(IndexOrigin::Made, |why| IndexOrigin::Remade { why });
    Ok((connected(path)?, origin))
}

/// What is wrong with a file; `None` when it can be used.
async fn look(path: &Path, form: &str) -> Result<Option<String>, IndexError> {
    let read = async {
        let mut conn = options(path).connect().await?;
        let found: Option<String> =
            sqlx::query_scalar("SELECT value FROM mark WHERE name = ' form'")
                .fetch_optional(&mut conn)
                .await?;
        conn.close().await?;
        Ok(found)
    };
    match read.await {
        Ok(Some(found)) if found == form => Ok(None),
        Ok(_) => Ok(Some("it is of another version".to_owned())),
        Err(error) if is_damage(&error) || lacks_tables(&error) => Ok(Some(error.to_string())),
        Err(error) => Err(unavailable(path, error)),
    }
}

/// True when somebody was killed before the tables were made, or the file is of another program.
fn lacks_tables(error: &sqlx::Error) -> bool {
    let said = error.as_database_error();
    said.is_some_and(|error| error.message().contains("no such table"))
}

async fn make(path: &Path, form: &str) -> Result<(), sqlx::Error> {
    let made = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path);
    made.map_err(sqlx::Error::Io)?;
    let mut conn = options(path).connect().await?;
    let mut transaction = conn.begin().await?;
    sqlx::raw_sql(TABLES).execute(&mut *transaction).await?;
    sqlx::query("INSERT INTO mark VALUES (' form', ?)")
        .bind(form)
        .execute(&mut *transaction)
        .await?;
    transaction.commit().await?;
    conn.close().await
}

fn connected(path: &Path) -> Result<TextIndex, IndexError> {
    let inode = inode(path).map_err(|error| unavailable(path, error))?;
    Ok(TextIndex {
        path: path.to_owned(),
        inode: inode.unwrap_or_default(),
        readers: Lane::new(options(path).pragma("query_only", "ON"), READERS),
        // What was taken out must not stay in the file's free pages.
        writer: Lane::new(options(path).pragma("secure_delete", "ON"), 1),
    })
}

/// A cache may lose its last change in a power cut: it is made again from what it was made from.
fn options(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .busy_timeout(BUSY)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Normal)
        .pragma("cache_size", CACHE_KIB)
        .disable_statement_logging()
}

fn delete(path: &Path) -> io::Result<()> {
    for ending in ["", "-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        match fs::remove_file(PathBuf::from(name)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            done => done?,
        }
    }
    Ok(())
}

fn inode(path: &Path) -> io::Result<Option<u64>> {
    match fs::metadata(path) {
        Ok(found) => Ok(Some(found.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Takes the lock file beside the index; waits for whoever has it, which is a moment.
async fn lock(path: &Path) -> Result<File, IndexError> {
    let lock = path.with_extension("lock");
    let taken = tokio::task::spawn_blocking(move || {
        if let Some(folder) = lock.parent() {
            DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(folder)?;
        }
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&lock)?;
        file.lock()?;
        Ok::<File, io::Error>(file)
    });
    match taken.await {
        Ok(taken) => taken.map_err(|error| unavailable(path, error)),
        Err(error) => Err(unavailable(path, error)),
    }
}

pub(super) fn unavailable(
    path: &Path,
    source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
) -> IndexError {
    IndexError::Unavailable {
        path: path.to_owned(),
        source: source.into(),
    }
}

impl TextIndex {
    /// Sorts an error of SQLite.
    pub(super) async fn wrong(
        &self,
        conn: &mut SqliteConnection,
        error: sqlx::Error,
    ) -> IndexError {
        // A full-text table notices damage of its own as `vtab` corruption, which has the same code.
        if is_damage(&error) {
            return IndexError::Damaged {
                path: self.path.clone(),
                place: place_of_damage(conn, &error).await,
            };
        }
        unavailable(&self.path, error)
    }
}
