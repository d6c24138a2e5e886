//! The inbox: posting, reading what no driver has taken, and the fate of a row.

use gavel_domain::{InboxId, RunId, Seq};
use sqlx::sqlite::SqliteRow;

use super::SqliteStore;
use super::fault::{Fault, Stop};
use super::form::{FormError, column, json, moment, number, parsed};
use super::write::Write;
use crate::{InboxFate, InboxPost, InboxRow, PostError, Posted, ReadError};

type Outcome<T> = Result<T, Stop<PostError>>;

pub(super) async fn post(store: &SqliteStore, post: InboxPost) -> Result<Posted, PostError> {
    let mut write = store.write().await?;
    let outcome = put(&mut write, &post).await;
    write.end(outcome).await
}

async fn put(write: &mut Write<'_>, post: &InboxPost) -> Outcome<Posted> {
    let run = post.run.to_string();
    let again: Option<i64> = sqlx::query_scalar("SELECT n FROM inbox WHERE id = ?")
        .bind(post.id.to_string())
        .fetch_optional(write.next())
        .await?;
    if again.is_some() {
        return Ok(Posted::Again);
    }
    let known: Option<i64> = sqlx::query_scalar("SELECT seq FROM heads WHERE run = ?")
        .bind(&run)
        .fetch_optional(write.next())
        .await?;
    if known.is_none() {
        return Err(Stop::Refused(PostError::UnknownRun { run: post.run }));
    }
    let slot = post.kind.slot().map(gavel_domain::Key::as_str);
    if let Some(slot) = slot
        && let Some(winner) = winner(write, &run, slot).await?
    {
        let winner = Box::new(winner);
        return Err(Stop::Refused(PostError::SlotTaken { winner }));
    }
    sqlx::query("INSERT INTO inbox (id, run, speaker, at, kind, slot) VALUES (?, ?, ?, ?, ?, ?)")
        .bind(post.id.to_string())
        .bind(&run)
        .bind(serde_json::to_string(&post.by)?)
        .bind(post.at.to_string())
        .bind(serde_json::to_string(&post.kind)?)
        .bind(slot)
        .execute(write.next())
        .await?;
    Ok(Posted::New)
}

/// The row that holds a slot: it waits for its driver, or was accepted.
async fn winner(write: &mut Write<'_>, run: &str, slot: &str) -> Outcome<Option<InboxRow>> {
    let row = sqlx::query("SELECT * FROM inbox WHERE run = ? AND slot = ? AND refused = 0")
        .bind(run)
        .bind(slot)
        .fetch_optional(write.next())
        .await?;
    let row = row.map(|row| inbox_row(&row)).transpose();
    row.map_err(|error| {
        let place = format!("the inbox row of run {run} for {slot}: {error}");
        Stop::Broken(Fault::Damaged { place })
    })
}

/// Reads the rows that no driver has taken, in the order in which they came.
pub(super) async fn pending(store: &SqliteStore, run: RunId) -> Result<Vec<InboxRow>, ReadError> {
    let Some(mut read) = store.read().await? else {
        return Ok(Vec::new());
    };
    let query = sqlx::query("SELECT * FROM inbox WHERE run = ? AND taken_seq IS NULL ORDER BY n")
        .bind(run.to_string());
    let rows = query.fetch_all(read.conn()).await;
    let rows = read.end(rows).await?;
    rows.iter()
        .map(|row| inbox_row(row).map_err(|error| damaged(row, &error)))
        .collect()
}

pub(super) async fn fate(store: &SqliteStore, id: InboxId) -> Result<Option<InboxFate>, ReadError> {
    let Some(mut read) = store.read().await? else {
        return Ok(None);
    };
    let query =
        sqlx::query("SELECT n, taken_seq, refused FROM inbox WHERE id = ?").bind(id.to_string());
    let row = query.fetch_optional(read.conn()).await;
    let row = read.end(row).await?;
    row.map(|row| fate_row(&row).map_err(|error| damaged(&row, &error)))
        .transpose()
}

fn fate_row(row: &SqliteRow) -> Result<InboxFate, FormError> {
    let taken: Option<i64> = column(row, "taken_seq")?;
    if taken.is_none() {
        return Ok(InboxFate::Pending);
    }
    Ok(InboxFate::Taken {
        seq: Seq(number(row, "taken_seq")?),
        refused: column(row, "refused")?,
    })
}

pub(super) fn inbox_row(row: &SqliteRow) -> Result<InboxRow, FormError> {
    Ok(InboxRow {
        id: parsed(row, "id")?,
        run: parsed(row, "run")?,
        by: json(row, "speaker")?,
        at: moment(row, "at")?,
        kind: json(row, "kind")?,
    })
}

fn damaged(row: &SqliteRow, error: &FormError) -> ReadError {
    let n = number(row, "n").map_or_else(|_| "?".to_owned(), |n| n.to_string());
    ReadError::Damaged {
        place: format!("row {n} of the inbox: {error}"),
    }
}
