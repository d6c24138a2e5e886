//! The one write.

use gavel_domain::{Digest, Epoch, Head, MAX_BODY_BYTES, Record, RunId, Seq};

use super::SqliteStore;
use super::fault::{Fault, Stop, is_duplicate};
use super::form::stored;
use super::ledger;
use super::write::Write;
use crate::{Batch, BatchProblem, CommitError, Committed, InboxTaken, Lease};

type Outcome<T> = Result<T, Stop<CommitError>>;

pub(super) async fn commit(
    store: &SqliteStore,
    lease: &Lease,
    after: Seq,
    batch: Batch,
) -> Result<Committed, CommitError> {
    let first = fits_together(lease, after, &batch)?;
    let mut write = store.write().await?;
    let outcome = put(&mut write, lease, (after, first), &batch).await;
    write.end(outcome).await
}

/// Checks the batch against itself, before anything is opened; answers with the digest that its
/// first record follows.
fn fits_together(lease: &Lease, after: Seq, batch: &Batch) -> Result<Digest, CommitError> {
    let refuse = |problem| refused(lease.run, problem);
    let first = batch
        .records
        .first()
        .ok_or_else(|| refuse(BatchProblem::NoRecord))?;
    let mut place = after;
    let mut chain = first.prev;
    for record in &batch.records {
        let seq = record.seq;
        place = place.next();
        if record.run != lease.run {
            return Err(refuse(BatchProblem::OtherRun { other: record.run }));
        }
        if seq != place || record.epoch != lease.epoch {
            return Err(refuse(BatchProblem::OutOfPlace { seq }));
        }
        if record.prev != chain {
            return Err(refuse(BatchProblem::BrokenChain { seq }));
        }
        if record.body.len() > MAX_BODY_BYTES {
            let bytes = record.body.len();
            return Err(refuse(BatchProblem::BodyTooLong { seq, bytes }));
        }
        chain = record.digest();
    }
    let head = &batch.head;
    if head.run != lease.run {
        return Err(refuse(BatchProblem::OtherRun { other: head.run }));
    }
    if head.seq != place || head.chain != chain {
        let (head, last) = (head.seq, place);
        return Err(refuse(BatchProblem::OtherHead { head, last }));
    }
    Ok(first.prev)
}

async fn put(
    write: &mut Write<'_>,
    lease: &Lease,
    (after, prev): (Seq, Digest),
    batch: &Batch,
) -> Outcome<Committed> {
    let run = lease.run;
    let chain = stands_at(write, lease, after).await?;
    if chain != prev {
        let seq = after.next();
        return Err(refuse(run, BatchProblem::BrokenChain { seq }));
    }
    put_head(write, &batch.head).await?;
    for record in &batch.records {
        put_record(write, record).await?;
    }
    put_blobs(write, run, batch).await?;
    let mut booked = None;
    for change in &batch.ledger {
        booked = Some(ledger::apply(write, run, change).await?);
    }
    for taken in &batch.inbox_taken {
        take(write, run, batch.head.seq, *taken).await?;
    }
    Ok(Committed { booked })
}

/// Checks that the lease is in force and the journal stands where the driver thinks; answers with
/// the digest of its last record.
async fn stands_at(write: &mut Write<'_>, lease: &Lease, after: Seq) -> Outcome<Digest> {
    let run = lease.run;
    let row: Option<(i64, Option<i64>, Option<String>)> = sqlx::query_as(
        "SELECT leases.epoch, heads.seq, heads.chain
         FROM leases LEFT JOIN heads ON heads.run = leases.run WHERE leases.run = ?",
    )
    .bind(run.to_string())
    .fetch_optional(write.next())
    .await?;
    let (epoch, seq, chain) = row.unwrap_or_default();
    let damaged = || Fault::Damaged {
        place: format!("the head or the lease of run {run}"),
    };
    check_epoch(lease, epoch)?;
    let found = Seq(u64::try_from(seq.unwrap_or_default())
        .ok()
        .ok_or_else(damaged)?);
    if found != after {
        return Err(Stop::Refused(CommitError::Conflict {
            run,
            expected: after,
            found,
        }));
    }
    match chain {
        None => Ok(Digest::ZERO),
        Some(chain) => Ok(chain.parse().ok().ok_or_else(damaged)?),
    }
}

/// Refuses whoever does not hold the newest lease; a run without a lease has epoch 0.
pub(super) fn check_epoch(lease: &Lease, stored: i64) -> Outcome<()> {
    let current = Epoch(u64::try_from(stored).unwrap_or_default());
    if current == lease.epoch {
        return Ok(());
    }
    Err(Stop::Refused(CommitError::LeaseLost {
        run: lease.run,
        epoch: lease.epoch,
        current,
    }))
}

async fn put_head(write: &mut Write<'_>, head: &Head) -> Outcome<()> {
    let text = serde_json::to_string(head)?;
    sqlx::query(
        "INSERT INTO heads (run, project, final, updated_us, seq, chain, head)
         VALUES (?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (run) DO UPDATE SET project = excluded.project, final = excluded.final,
             updated_us = excluded.updated_us, seq = excluded.seq, chain = excluded.chain,
             head = excluded.head",
    )
    .bind(head.run.to_string())
    .bind(head.project.map(|project| project.to_string()))
    .bind(head.state.is_final())
    .bind(head.updated_at.as_microsecond())
    .bind(whole(head.run, head.seq.0)?)
    .bind(head.chain.to_string())
    .bind(text)
    .execute(write.next())
    .await?;
    Ok(())
}

async fn put_record(write: &mut Write<'_>, record: &Record) -> Outcome<()> {
    let written = sqlx::query(
        "INSERT INTO records (run, seq, v, epoch, key, kind, input, at, prev, body)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )
    .bind(record.run.to_string())
    .bind(whole(record.run, record.seq.0)?)
    .bind(record.v)
    .bind(whole(record.run, record.epoch.0)?)
    .bind(record.key.as_str())
    .bind(&record.kind)
    .bind(record.input.to_string())
    .bind(record.at.to_string())
    .bind(record.prev.to_string())
    .bind(&record.body)
    .execute(write.next())
    .await;
    match written {
        Ok(_) => Ok(()),
        Err(error) if is_duplicate(&error) => Err(Stop::Refused(CommitError::DuplicateKey {
            run: record.run,
            key: record.key.clone(),
        })),
        Err(error) => Err(error.into()),
    }
}

async fn put_blobs(write: &mut Write<'_>, run: RunId, batch: &Batch) -> Outcome<()> {
    for blob in &batch.blobs {
        let digest = blob.name().digest.to_string();
        sqlx::query("INSERT INTO blobs (digest, content) VALUES (?, ?) ON CONFLICT DO NOTHING")
            .bind(&digest)
            .bind(blob.content())
            .execute(write.next())
            .await?;
        sqlx::query("INSERT INTO blob_uses (run, digest) VALUES (?, ?) ON CONFLICT DO NOTHING")
            .bind(run.to_string())
            .bind(&digest)
            .execute(write.next())
            .await?;
    }
    Ok(())
}

/// Marks an inbox row as taken by the commit that ends with `seq`.
async fn take(write: &mut Write<'_>, run: RunId, seq: Seq, taken: InboxTaken) -> Outcome<()> {
    let id = taken.id;
    let changed = sqlx::query(
        "UPDATE inbox SET taken_seq = ?, refused = ? WHERE id = ? AND run = ? AND taken_seq IS NULL",
    )
    .bind(whole(run, seq.0)?)
    .bind(taken.refused)
    .bind(id.to_string())
    .bind(run.to_string())
    .execute(write.next())
    .await?
    .rows_affected();
    if changed == 1 {
        return Ok(());
    }
    let there: Option<i64> = sqlx::query_scalar("SELECT n FROM inbox WHERE id = ? AND run = ?")
        .bind(id.to_string())
        .bind(run.to_string())
        .fetch_optional(write.next())
        .await?;
    Err(refuse(
        run,
        match there {
            Some(_) => BatchProblem::InboxRowTaken { id },
            None => BatchProblem::UnknownInboxRow { id },
        },
    ))
}

/// A number as it is stored; refused when it would wrap.
pub(super) fn whole(run: RunId, amount: u64) -> Outcome<i64> {
    stored(amount).ok_or_else(|| refuse(run, BatchProblem::AmountTooLarge { amount }))
}

/// The refusal of a batch inside a transaction.
pub(super) const fn refuse(run: RunId, problem: BatchProblem) -> Stop<CommitError> {
    Stop::Refused(refused(run, problem))
}

const fn refused(run: RunId, problem: BatchProblem) -> CommitError {
    CommitError::Refused { run, problem }
}
