//! Leases: a lock file that dies with its process, and an epoch that every commit is checked against.

use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

use gavel_domain::{Epoch, RunId};
use tokio::time::sleep;

use super::fault::{Fault, Stop};
use super::place::open_lock;
use super::write::Write;
use super::{Access, SqliteStore};
use crate::{Holder, Lease, LeaseError, LeaseGuard, ReadError};

/// Whoever only looks at a lock holds it for microseconds, so a driver asks more than once.
const TRIES: u32 = 10;
const PAUSE: Duration = Duration::from_millis(5);

/// The lock of a run, free again once the file is closed.
#[derive(Debug)]
struct RunLock {
    _file: File,
}

impl LeaseGuard for RunLock {}

pub(super) async fn acquire(
    store: &SqliteStore,
    run: RunId,
    holder: Holder,
) -> Result<Lease, LeaseError> {
    if store.access == Access::ReadOnly {
        return Err(Fault::ReadOnly.into());
    }
    let path = store.place.run_lock(run);
    let locked = lock_soon(&path).await;
    let Some(file) = locked.map_err(|source| Fault::Lock { path, source })? else {
        let holder = stored_holder(store, run).await;
        let holder = holder.map_err(|error| LeaseError::Unavailable(Box::new(error)))?;
        return Err(LeaseError::Held { run, holder });
    };
    let mut write = store.write().await?;
    let outcome = next_epoch(&mut write, run, &holder).await;
    let epoch = write.end(outcome).await?;
    Ok(Lease {
        run,
        epoch,
        guard: Box::new(RunLock { _file: file }),
    })
}

/// Tells who holds the lock of a run.
pub(super) async fn driver(store: &SqliteStore, run: RunId) -> Result<Option<Holder>, ReadError> {
    let path = store.place.run_lock(run);
    for _ in 0..TRIES {
        let free = is_free(&path).map_err(|source| Fault::Lock {
            path: path.clone(),
            source,
        })?;
        if free {
            return Ok(None);
        }
        // A driver that has just locked may not have written its name yet.
        if let Some(holder) = stored_holder(store, run).await? {
            return Ok(Some(holder));
        }
        sleep(PAUSE).await;
    }
    Err(ReadError::Damaged {
        place: format!("the lease of run {run}: it is locked, and nobody's name is there"),
    })
}

async fn lock_soon(path: &Path) -> io::Result<Option<File>> {
    for _ in 0..TRIES {
        if let Some(file) = lock(path)? {
            return Ok(Some(file));
        }
        sleep(PAUSE).await;
    }
    Ok(None)
}

/// Locks the file of that name; `None` when somebody else holds it.
///
/// Whoever opens a lock file that is removed before it is locked would hold a lock that nobody sees,
/// so the name must still lead to the file that was locked.
fn lock(path: &Path) -> io::Result<Option<File>> {
    let file = open_lock(path)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Ok(None),
        Err(TryLockError::Error(error)) => return Err(error),
    }
    let ours = file.metadata()?;
    match path.metadata() {
        Ok(named) if (named.dev(), named.ino()) == (ours.dev(), ours.ino()) => Ok(Some(file)),
        Ok(_) => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn is_free(path: &Path) -> io::Result<bool> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
        Err(error) => return Err(error),
    };
    match file.try_lock_shared() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

async fn next_epoch(
    write: &mut Write<'_>,
    run: RunId,
    holder: &Holder,
) -> Result<Epoch, Stop<LeaseError>> {
    let epoch: i64 = sqlx::query_scalar(
        "INSERT INTO leases (run, epoch, holder) VALUES (?, 1, ?)
         ON CONFLICT (run) DO UPDATE SET epoch = epoch + 1, holder = excluded.holder
         RETURNING epoch",
    )
    .bind(run.to_string())
    .bind(serde_json::to_string(holder)?)
    .fetch_one(write.next())
    .await?;
    let epoch = u64::try_from(epoch).ok().ok_or_else(|| Fault::Damaged {
        place: format!("the lease of run {run}"),
    })?;
    Ok(Epoch(epoch))
}

/// The name that the newest lease was taken under.
async fn stored_holder(store: &SqliteStore, run: RunId) -> Result<Option<Holder>, ReadError> {
    let Some(mut read) = store.read().await? else {
        return Ok(None);
    };
    let query = sqlx::query_scalar("SELECT holder FROM leases WHERE run = ?");
    let text = query
        .bind(run.to_string())
        .fetch_optional(read.conn())
        .await;
    let text: Option<String> = read.end(text).await?;
    let holder = text.map(|text| serde_json::from_str(&text)).transpose();
    holder.map_err(|error| ReadError::Damaged {
        place: format!("the lease of run {run}: {error}"),
    })
}
