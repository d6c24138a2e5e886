//! Reading journals, blobs and heads.

use gavel_domain::{Digest, Epoch, Head, Record, RunId, Seq};
use sqlx::SqliteConnection;
use sqlx::sqlite::SqliteRow;

use super::SqliteStore;
use super::fault::{Fault, placed};
use super::form::{FormError, column, json, moment, number, parsed, small_number, stored};
use super::lane::Held;
use crate::{HeadsQuery, ReadError, tell_left_out};

/// A connection for reading.
pub(super) struct Read<'a>(Held<'a>);

impl SqliteStore {
    /// Takes a connection for reading; `None` when there is no file yet.
    pub(super) async fn read(&self) -> Result<Option<Read<'_>>, ReadError> {
        let opened = self.open_file_if_there().await.map_err(Fault::Open)?;
        match opened {
            Some(opened) => Ok(Some(Read(opened.readers.take().await.map_err(Fault::Sql)?))),
            None => Ok(None),
        }
    }
}

impl Read<'_> {
    /// The connection, for a query.
    pub(super) fn conn(&mut self) -> &mut SqliteConnection {
        &mut self.0.conn
    }

    /// Gives the connection back, or says what broke and where.
    pub(super) async fn end<T>(mut self, outcome: Result<T, sqlx::Error>) -> Result<T, ReadError> {
        match outcome {
            Ok(value) => {
                self.0.keep();
                Ok(value)
            }
            Err(error) => Err(placed(&mut self.0.conn, Fault::Sql(error)).await.into()),
        }
    }
}

/// Reads a page of a journal. Gaps and broken links inside the page are damage.
pub(super) async fn records(
    store: &SqliteStore,
    run: RunId,
    after: Seq,
    limit: u32,
) -> Result<Vec<Record>, ReadError> {
    // No journal reaches places that cannot be stored.
    let Some(place) = stored(after.0) else {
        return Ok(Vec::new());
    };
    let Some(mut read) = store.read().await? else {
        return Ok(Vec::new());
    };
    let query = sqlx::query(
        "SELECT seq, v, epoch, key, kind, input, at, prev, body FROM records
         WHERE run = ? AND seq > ? ORDER BY seq LIMIT ?",
    )
    .bind(run.to_string())
    .bind(place)
    .bind(limit);
    let rows = query.fetch_all(read.conn()).await;
    let rows = read.end(rows).await?;
    let mut records = Vec::with_capacity(rows.len());
    let mut place = after;
    let mut chain = (after == Seq::ZERO).then_some(Digest::ZERO);
    for row in rows {
        place = place.next();
        let damaged = |problem| ReadError::DamagedRecord {
            run,
            seq: place,
            problem,
        };
        let record = record_row(run, &row).map_err(|error| damaged(error.to_string()))?;
        if record.seq != place {
            return Err(damaged("it is missing".to_owned()));
        }
        if chain.is_some_and(|chain| chain != record.prev) {
            return Err(damaged(
                "it does not follow from the record before it".to_owned(),
            ));
        }
        chain = Some(record.digest());
        records.push(record);
    }
    Ok(records)
}

pub(super) fn record_row(run: RunId, row: &SqliteRow) -> Result<Record, FormError> {
    Ok(Record {
        v: small_number(row, "v")?,
        run,
        seq: Seq(number(row, "seq")?),
        epoch: Epoch(number(row, "epoch")?),
        key: parsed(row, "key")?,
        kind: column(row, "kind")?,
        input: parsed(row, "input")?,
        at: moment(row, "at")?,
        prev: parsed(row, "prev")?,
        body: column(row, "body")?,
    })
}

/// Reads a blob and compares it with its name.
pub(super) async fn blob(store: &SqliteStore, name: Digest) -> Result<Option<Vec<u8>>, ReadError> {
    let Some(mut read) = store.read().await? else {
        return Ok(None);
    };
    let query = sqlx::query_scalar("SELECT content FROM blobs WHERE digest = ?");
    let content = query
        .bind(name.to_string())
        .fetch_optional(read.conn())
        .await;
    let content: Option<Vec<u8>> = read.end(content).await?;
    match content {
        Some(content) if Digest::of(&content) != name => {
            Err(ReadError::DamagedBlob { digest: name })
        }
        content => Ok(content),
    }
}

/// Reads one head: one row by its key.
pub(super) async fn head(store: &SqliteStore, run: RunId) -> Result<Option<Head>, ReadError> {
    let Some(mut read) = store.read().await? else {
        return Ok(None);
    };
    let query = sqlx::query("SELECT run, seq, head FROM heads WHERE run = ?").bind(run.to_string());
    let row = query.fetch_optional(read.conn()).await;
    let row = read.end(row).await?;
    row.map(|row| head_row(&row)).transpose()
}

/// Reads heads, the most recently changed first.
pub(super) async fn heads(store: &SqliteStore, query: HeadsQuery) -> Result<Vec<Head>, ReadError> {
    let Some(mut read) = store.read().await? else {
        return Ok(Vec::new());
    };
    let highest_final = i64::from(!query.unfinished);
    let rows = match query.project {
        Some(project) => sqlx::query(
            "SELECT run, seq, head FROM heads WHERE project = ? AND final <= ?
                 ORDER BY updated_us DESC, run DESC LIMIT ?",
        )
        .bind(project.to_string())
        .bind(highest_final),
        None => sqlx::query(
            "SELECT run, seq, head FROM heads WHERE final <= ?
             ORDER BY updated_us DESC, run DESC LIMIT ?",
        )
        .bind(highest_final),
    };
    let rows = rows.bind(query.limit).fetch_all(read.conn()).await;
    let rows = read.end(rows).await?;
    let heads = rows.iter().filter_map(|row| match head_row(row) {
        Ok(head) => Some(head),
        Err(error) => {
            // One that does not even name its run is for the whole check to tell.
            if let Ok(run) = parsed(row, "run") {
                tell_left_out(run, &error);
            }
            None
        }
    });
    Ok(heads.collect())
}

pub(super) fn head_row(row: &SqliteRow) -> Result<Head, ReadError> {
    let whose: Result<&str, FormError> = column(row, "run");
    let damaged = |problem: &dyn std::fmt::Display| ReadError::Damaged {
        place: format!(
            "the head of run {}: {problem}",
            whose.as_ref().map_or("?", |run| *run)
        ),
    };
    let read = || -> Result<(RunId, u64, Head), FormError> {
        Ok((parsed(row, "run")?, number(row, "seq")?, json(row, "head")?))
    };
    let (run, seq, head) = read().map_err(|error| damaged(&error))?;
    if head.run != run || head.seq.0 != seq {
        return Err(damaged(&"its columns and its text differ"));
    }
    Ok(head)
}
