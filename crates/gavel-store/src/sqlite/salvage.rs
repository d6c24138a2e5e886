//! One run by itself: what of it is damaged, and what can still be read. Nothing is changed.

use gavel_domain::{Digest, RunId, Seq};
use sqlx::sqlite::SqliteRow;

use super::SqliteStore;
use super::check::{Damage, journal, told};
use super::form::{FormError, column};
use super::read::{blob, record_row};
use crate::ReadError;

/// A record as far as it can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedRecord {
    /// Its place.
    pub seq: u64,
    /// Its key, its kind, its time and its body as they stand in the file.
    pub key: String,
    /// What it tells.
    pub kind: String,
    /// When.
    pub at: String,
    /// The fact.
    pub body: String,
    /// What is wrong with it.
    pub problem: Option<String>,
}

/// A text of a run as far as it can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedText {
    /// Its name.
    pub digest: String,
    /// Its bytes.
    pub content: Vec<u8>,
    /// What is wrong with it.
    pub problem: Option<String>,
}

/// What can still be read of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Salvage {
    /// Its records, in their order.
    pub records: Vec<SavedRecord>,
    /// The texts that it brought and that retention left.
    pub texts: Vec<SavedText>,
}

/// Looks for damage in one run: its head, its journal, its texts.
pub(super) async fn damage_of(store: &SqliteStore, run: RunId) -> Result<Vec<Damage>, ReadError> {
    let mut damage = Vec::new();
    match super::read::head(store, run).await {
        Ok(Some(head)) => damage = journal(store, head, damage).await?,
        Ok(None) => return Ok(damage),
        Err(error) => damage = told(error, damage)?,
    }
    for name in text_names(store, run).await? {
        let read = match name.parse::<Digest>() {
            Ok(digest) => blob(store, digest).await.map(drop),
            Err(_) => Err(ReadError::Damaged {
                place: format!("a text of run {run}: `{name}` is no name"),
            }),
        };
        if let Err(error) = read {
            damage = told(error, damage)?;
        }
    }
    Ok(damage)
}

/// Reads whatever is there, record by record, so that one that cannot be read hides no other.
pub(super) async fn salvage(store: &SqliteStore, run: RunId) -> Result<Salvage, ReadError> {
    let mut saved = Salvage::default();
    let mut chain = Some(Digest::ZERO);
    for seq in places(store, run).await? {
        let (record, digest) = saved_record(store, run, Seq(seq), chain).await?;
        chain = digest;
        saved.records.push(record);
    }
    for name in text_names(store, run).await? {
        saved.texts.push(saved_text(store, name).await?);
    }
    Ok(saved)
}

/// The places of a run's records; as many as the head claims where the table cannot be asked.
async fn places(store: &SqliteStore, run: RunId) -> Result<Vec<u64>, ReadError> {
    let Some(mut read) = store.read().await? else {
        return Ok(Vec::new());
    };
    let found = sqlx::query_scalar("SELECT seq FROM records WHERE run = ? ORDER BY seq")
        .bind(run.to_string())
        .fetch_all(read.conn())
        .await;
    let found: Result<Vec<i64>, ReadError> = read.end(found).await;
    match found {
        Ok(places) => Ok(places
            .into_iter()
            .filter_map(|n| u64::try_from(n).ok())
            .collect()),
        Err(error) if error.is_damage() => {
            let head = super::read::head(store, run).await;
            let last = head.ok().flatten().map_or(0, |head| head.seq.0);
            Ok((1..=last).collect())
        }
        Err(error) => Err(error),
    }
}

async fn saved_record(
    store: &SqliteStore,
    run: RunId,
    seq: Seq,
    chain: Option<Digest>,
) -> Result<(SavedRecord, Option<Digest>), ReadError> {
    let mut record = SavedRecord {
        seq: seq.0,
        key: String::new(),
        kind: String::new(),
        at: String::new(),
        body: String::new(),
        problem: None,
    };
    let row = match row_at(store, run, seq).await {
        Ok(Some(row)) => row,
        Ok(None) => {
            record.problem = Some("it is missing".to_owned());
            return Ok((record, None));
        }
        Err(error) if error.is_damage() => {
            record.problem = Some(error.to_string());
            return Ok((record, None));
        }
        Err(error) => return Err(error),
    };
    let text = |name| {
        let bytes: Result<Vec<u8>, FormError> = column(&row, name);
        let bytes = bytes.unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    record.key = text("raw_key");
    record.kind = text("raw_kind");
    record.at = text("raw_at");
    record.body = text("raw_body");
    let digest = match record_row(run, &row) {
        Ok(whole) => {
            if chain.is_some_and(|chain| chain != whole.prev) {
                let problem =
                    "it does not follow from the record before it: one of the two is damaged";
                record.problem = Some(problem.to_owned());
            }
            Some(whole.digest())
        }
        Err(error) => {
            record.problem = Some(error.to_string());
            None
        }
    };
    Ok((record, digest))
}

async fn row_at(store: &SqliteStore, run: RunId, seq: Seq) -> Result<Option<SqliteRow>, ReadError> {
    let Some(mut read) = store.read().await? else {
        return Ok(None);
    };
    let row = sqlx::query(
        "SELECT seq, v, epoch, key, kind, input, at, prev, body, CAST(key AS BLOB) AS raw_key,
             CAST(kind AS BLOB) AS raw_kind, CAST(at AS BLOB) AS raw_at,
             CAST(body AS BLOB) AS raw_body
         FROM records WHERE run = ? AND seq = ?",
    )
    .bind(run.to_string())
    .bind(i64::try_from(seq.0).unwrap_or(i64::MAX))
    .fetch_optional(read.conn())
    .await;
    read.end(row).await
}

/// The names of the texts that a run brought.
async fn text_names(store: &SqliteStore, run: RunId) -> Result<Vec<String>, ReadError> {
    let Some(mut read) = store.read().await? else {
        return Ok(Vec::new());
    };
    let names = sqlx::query_scalar("SELECT digest FROM blob_uses WHERE run = ? ORDER BY digest")
        .bind(run.to_string())
        .fetch_all(read.conn())
        .await;
    read.end(names).await
}

async fn saved_text(store: &SqliteStore, digest: String) -> Result<SavedText, ReadError> {
    let mut text = SavedText {
        content: Vec::new(),
        problem: None,
        digest,
    };
    let Some(mut read) = store.read().await? else {
        return Ok(text);
    };
    let content = sqlx::query_scalar("SELECT content FROM blobs WHERE digest = ?")
        .bind(&text.digest)
        .fetch_optional(read.conn())
        .await;
    let content: Result<Option<Vec<u8>>, ReadError> = read.end(content).await;
    match content {
        Ok(content) => {
            text.content = content.unwrap_or_default();
            if Digest::of(&text.content).to_string() != text.digest {
                text.problem = Some("its content does not match its name".to_owned());
            }
        }
        Err(error) if error.is_damage() => text.problem = Some(error.to_string()),
        Err(error) => return Err(error),
    }
    Ok(text)
}
