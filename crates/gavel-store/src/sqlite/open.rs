//! Opening: locks, the upgrade guard, and the way into a migration.

use std::fs::{File, TryLockError};
use std::time::Duration;

use sqlx::sqlite::{SqliteConnectOptions, SqliteSynchronous};
use tokio::time::{Instant, sleep};

use super::Access;
use super::lane::Lane;
use super::migrate::{Meta, Migration, known, migrate, read_meta, unavailable};
use super::place::{Place, network_file_system, open_lock};
use crate::OpenError;

/// How long a writer waits for another process's transaction.
const BUSY: Duration = Duration::from_secs(10);
/// How long an opener waits for somebody who creates or migrates the file.
const PATIENCE: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(10);
const READERS: usize = 4;
/// The log is folded back into the file after so many pages (8 MiB): rarely enough that it does not
/// show in the latency of one commit in a hundred, often enough that a killed driver's log is read
/// back in a few milliseconds.
const CHECKPOINT_PAGES: &str = "2000";

/// An open file.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) readers: Lane,
    pub(super) writer: Lane,
    /// Shared for as long as the file is open: nobody migrates it meanwhile.
    _lock: File,
}

/// Opens the file, making or migrating it first where that is needed.
pub(super) async fn open(
    place: &Place,
    access: Access,
    migrations: &[Migration],
) -> Result<Opened, OpenError> {
    let path = place.database();
    let fail = |source: std::io::Error| unavailable(&path, source);
    if let Some(kind) = network_file_system(place.folder()).map_err(fail)? {
        return Err(OpenError::NetworkFileSystem {
            path: place.folder().to_owned(),
            kind,
        });
    }
    if access == Access::ReadWrite {
        place.make_folders().map_err(fail)?;
    }
    let lock = open_lock(&place.store_lock()).map_err(fail)?;
    let deadline = Instant::now() + PATIENCE;
    loop {
        if locked(lock.try_lock_shared()).map_err(fail)? {
            let lanes = look(place, access, migrations).await?;
            if let Some((readers, writer)) = lanes {
                return Ok(Opened {
                    readers,
                    writer,
                    _lock: lock,
                });
            }
            lock.unlock().map_err(fail)?;
            if locked(lock.try_lock()).map_err(fail)? {
                migrate(place, migrations).await?;
                lock.unlock().map_err(fail)?;
                continue;
            }
        }
        if Instant::now() >= deadline {
            return Err(OpenError::InUse { path });
        }
        sleep(PAUSE).await;
    }
}

/// Connects and reads what the file says; `None` when it must be made or migrated.
async fn look(
    place: &Place,
    access: Access,
    migrations: &[Migration],
) -> Result<Option<(Lane, Lane)>, OpenError> {
    let path = place.database();
    if !place
        .has_database()
        .map_err(|source| unavailable(&path, source))?
    {
        return Ok(None);
    }
    let (readers, writer) = lanes(place);
    let mut held = readers
        .take()
        .await
        .map_err(|source| unavailable(&path, source))?;
    let meta = read_meta(&mut held.conn, &path).await?;
    held.keep();
    let current = match meta {
        Some(meta) => guard(place, access, meta, known(migrations))?,
        None => false,
    };
    if current {
        return Ok(Some((readers, writer)));
    }
    readers
        .close()
        .await
        .map_err(|source| unavailable(&path, source))?;
    Ok(None)
}

/// Refuses a file that needs a newer program; false when the file is older than this program.
fn guard(place: &Place, access: Access, meta: Meta, known: u32) -> Result<bool, OpenError> {
    let needed = match access {
        Access::ReadWrite => meta.min_writer.max(meta.min_reader),
        Access::ReadOnly => meta.min_reader,
    };
    if needed > known {
        return Err(OpenError::NewerStore {
            path: place.database(),
            found: meta.schema,
            needed,
            known,
        });
    }
    Ok(meta.schema >= known)
}

fn lanes(place: &Place) -> (Lane, Lane) {
    let options = SqliteConnectOptions::new()
        .filename(place.database())
        .busy_timeout(BUSY);
    let readers = options.clone().read_only(true);
    let writer = options
        .synchronous(SqliteSynchronous::Full)
        // What retention and purge delete must not stay in the file's free pages.
        .pragma("secure_delete", "ON")
        .pragma("wal_autocheckpoint", CHECKPOINT_PAGES);
    (Lane::new(readers, READERS), Lane::new(writer, 1))
}

fn locked(outcome: Result<(), TryLockError>) -> std::io::Result<bool> {
    match outcome {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}
