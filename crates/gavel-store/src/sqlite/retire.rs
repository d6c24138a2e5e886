//! Retention and purge: what may go, and what stays.

use gavel_domain::{RunId, Timestamp};
use sqlx::sqlite::SqliteRow;

use super::SqliteStore;
use super::commit::{check_epoch, refuse};
use super::fault::{Fault, Stop};
use super::form::{FormError, number};
use super::ledger;
use super::salvage::damage_of;
use super::write::Write;
use crate::{BatchProblem, CallId, CommitError, Lease, LedgerChange, Purged, ReadError, Retained};

/// Drops the blobs that only runs finished before that moment brought. Records stay, so their
/// chains still verify.
pub(super) async fn retain(store: &SqliteStore, before: Timestamp) -> Result<Retained, ReadError> {
    let mut write = store.write().await?;
    let outcome = drop_old_blobs(&mut write, before).await;
    let retained = write.end(outcome).await?;
    empty_log(store).await;
    Ok(retained)
}

async fn drop_old_blobs(
    write: &mut Write<'_>,
    before: Timestamp,
) -> Result<Retained, Stop<ReadError>> {
    list_leaving(write).await?;
    sqlx::query(
        "INSERT INTO leaving SELECT digest FROM blobs WHERE NOT EXISTS (
             SELECT 1 FROM blob_uses JOIN heads ON heads.run = blob_uses.run
             WHERE blob_uses.digest = blobs.digest
                 AND NOT (heads.final = 1 AND heads.updated_us < ?))",
    )
    .bind(before.as_microsecond())
    .execute(write.next())
    .await?;
    let retained = drop_leaving(write).await?;
    Ok(retained)
}

/// Why a run may be deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purge {
    /// It is finished.
    Finished,
    /// It is damaged.
    Damaged,
}

/// Deletes a run with all that is its own. The ledger stays: a month still counts it.
pub(super) async fn purge(
    store: &SqliteStore,
    lease: &Lease,
    why: Purge,
) -> Result<Purged, CommitError> {
    // Whoever holds the lease is alone with the run: it does not change meanwhile.
    if why == Purge::Damaged && !is_damaged(store, lease).await? {
        return Err(CommitError::Refused {
            run: lease.run,
            problem: BatchProblem::NotDamaged,
        });
    }
    let mut write = store.write().await?;
    let outcome = delete_run(&mut write, lease, why).await;
    let purged = write.end(outcome).await?;
    empty_log(store).await;
    // Safe while we hold it: whoever locks a file makes sure that the name still leads to it.
    let lock = store.place.run_lock(lease.run);
    if let Err(error) = std::fs::remove_file(&lock) {
        tracing::warn!(lock = %lock.display(), %error, "a purged run's lock file stays");
    }
    Ok(purged)
}

async fn is_damaged(store: &SqliteStore, lease: &Lease) -> Result<bool, CommitError> {
    match damage_of(store, lease.run).await {
        Ok(damage) => Ok(!damage.is_empty()),
        Err(error) if error.is_damage() => Ok(true),
        Err(error) => Err(CommitError::Unavailable(Box::new(error))),
    }
}

async fn delete_run(
    write: &mut Write<'_>,
    lease: &Lease,
    why: Purge,
) -> Result<Purged, Stop<CommitError>> {
    let run = lease.run.to_string();
    let row: Option<(i64, Option<bool>)> = sqlx::query_as(
        "SELECT leases.epoch, heads.final
         FROM leases LEFT JOIN heads ON heads.run = leases.run WHERE leases.run = ?",
    )
    .bind(&run)
    .fetch_optional(write.next())
    .await?;
    let (epoch, finished) = row.unwrap_or_default();
    check_epoch(lease, epoch)?;
    if why == Purge::Finished && finished != Some(true) {
        return Err(refuse(lease.run, BatchProblem::NotFinished));
    }
    lose_reserved(write, lease.run).await?;
    list_leaving(write).await?;
    sqlx::query(
        "INSERT INTO leaving SELECT digest FROM blob_uses AS mine WHERE run = ?1 AND NOT EXISTS (
             SELECT 1 FROM blob_uses AS other
             WHERE other.digest = mine.digest AND other.run <> ?1)",
    )
    .bind(&run)
    .execute(write.next())
    .await?;
    let blobs = drop_leaving(write).await?.blobs;
    let records = sqlx::query("DELETE FROM records WHERE run = ?")
        .bind(&run)
        .execute(write.next())
        .await?
        .rows_affected();
    for statement in [
        "DELETE FROM blob_uses WHERE run = ?",
        "DELETE FROM inbox WHERE run = ?",
        "DELETE FROM leases WHERE run = ?",
        "DELETE FROM heads WHERE run = ?",
    ] {
        sqlx::query(statement)
            .bind(&run)
            .execute(write.next())
            .await?;
    }
    Ok(Purged { records, blobs })
}

/// Books calls in full that nobody will ever settle.
async fn lose_reserved(write: &mut Write<'_>, run: RunId) -> Result<(), Stop<CommitError>> {
    let keys: Vec<String> =
        sqlx::query_scalar("SELECT key FROM ledger WHERE run = ? AND state = 'reserved'")
            .bind(run.to_string())
            .fetch_all(write.next())
            .await?;
    for key in keys {
        let Ok(key) = key.parse() else {
            let place = format!("the call {key} of run {run}");
            return Err(Stop::Broken(Fault::Damaged { place }));
        };
        let call = CallId { run, key };
        ledger::apply(write, run, &LedgerChange::Lose { call }).await?;
    }
    Ok(())
}

/// Begins the list of blobs that go.
async fn list_leaving(write: &mut Write<'_>) -> Result<(), Fault> {
    sqlx::query("CREATE TEMP TABLE leaving (digest TEXT NOT NULL PRIMARY KEY) WITHOUT ROWID")
        .execute(write.next())
        .await?;
    Ok(())
}

/// Deletes the listed blobs, and the list.
async fn drop_leaving(write: &mut Write<'_>) -> Result<Retained, Fault> {
    let row = sqlx::query(
        "SELECT count(*) AS blobs, coalesce(sum(length(content)), 0) AS bytes
         FROM blobs WHERE digest IN (SELECT digest FROM leaving)",
    )
    .fetch_one(write.next())
    .await?;
    for statement in [
        "DELETE FROM blob_uses WHERE digest IN (SELECT digest FROM leaving)",
        "DELETE FROM blobs WHERE digest IN (SELECT digest FROM leaving)",
        "DROP TABLE leaving",
    ] {
        sqlx::query(statement).execute(write.next()).await?;
    }
    counted(&row).map_err(|error| Fault::Damaged {
        place: format!("the table of blobs: {error}"),
    })
}

fn counted(row: &SqliteRow) -> Result<Retained, FormError> {
    Ok(Retained {
        blobs: number(row, "blobs")?,
        bytes: number(row, "bytes")?,
    })
}

/// Empties the log, where deleted text would else stay until it is written over. When another
/// process reads or writes just now, that happens later, by whoever comes next.
pub(super) async fn empty_log(store: &SqliteStore) {
    let emptied = async {
        let mut held = store.writer().await?;
        sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)")
            .execute(&mut held.conn)
            .await?;
        held.keep();
        Ok::<(), Fault>(())
    };
    if let Err(error) = emptied.await {
        tracing::warn!(%error, "the log could not be emptied; it will be later");
    }
}
