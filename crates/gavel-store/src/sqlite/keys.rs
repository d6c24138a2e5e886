//! Keys that programs come in with, and the bytes that this store signs with.

use gavel_domain::Timestamp;
use sqlx::sqlite::SqliteRow;

use super::SqliteStore;
use super::fault::{Fault, Stop};
use super::form::{FormError, column};
use crate::ReadError;

/// A key as it is kept: without the key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRow {
    /// What people call it by.
    pub id: String,
    /// What it may do, as a word.
    pub scope: String,
    /// What it is for.
    pub label: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was taken back.
    pub revoked_at: Option<Timestamp>,
}

impl SqliteStore {
    /// Keeps a new key by the digest of it.
    pub async fn add_key(&self, key: &KeyRow, digest: &str) -> Result<(), ReadError> {
        let mut write = self.write().await?;
        let done = sqlx::query(
            "INSERT INTO keys (id, digest, scope, label, created_us) VALUES (?, ?, ?, ?, ?)",
        )
        .bind(&key.id)
        .bind(digest)
        .bind(&key.scope)
        .bind(&key.label)
        .bind(key.created_at.as_microsecond())
        .execute(write.next())
        .await;
        let done = done
            .map(drop)
            .map_err(|error| Stop::Broken(Fault::Sql(error)));
        write.end::<_, ReadError>(done).await
    }

    /// Every key that was ever made, the newest first.
    pub async fn keys(&self) -> Result<Vec<KeyRow>, ReadError> {
        let Some(mut read) = self.read().await? else {
            return Ok(Vec::new());
        };
        let query = sqlx::query(
            "SELECT id, scope, label, created_us, revoked_us FROM keys
             ORDER BY created_us DESC, id",
        );
        let rows = query.fetch_all(read.conn()).await;
        let rows = read.end(rows).await?;
        let keys = rows.iter().map(key).collect::<Result<_, FormError>>();
        keys.map_err(|error| damaged(&format!("a key: {error}")))
    }

    /// The scope of the key with that digest; `None` when there is none, or it was taken back.
    pub async fn key_scope(&self, digest: &str) -> Result<Option<String>, ReadError> {
        let Some(mut read) = self.read().await? else {
            return Ok(None);
        };
        let query =
            sqlx::query_scalar("SELECT scope FROM keys WHERE digest = ? AND revoked_us IS NULL");
        let scope = query.bind(digest).fetch_optional(read.conn()).await;
        read.end(scope).await
    }

    /// Takes a key back; false when there is no such key that still opens anything.
    pub async fn revoke_key(&self, id: &str, at: Timestamp) -> Result<bool, ReadError> {
        let mut write = self.write().await?;
        let done =
            sqlx::query("UPDATE keys SET revoked_us = ? WHERE id = ? AND revoked_us IS NULL")
                .bind(at.as_microsecond())
                .bind(id)
                .execute(write.next())
                .await;
        let done = done.map(|done| done.rows_affected() > 0);
        let done = done.map_err(|error| Stop::Broken(Fault::Sql(error)));
        write.end::<_, ReadError>(done).await
    }

    /// The bytes that are kept for a purpose; `fresh` become them when there are none yet.
    pub async fn secret(&self, purpose: &str, fresh: [u8; 32]) -> Result<[u8; 32], ReadError> {
        let mut write = self.write().await?;
        let kept = async {
            sqlx::query(
                "INSERT INTO secrets (purpose, bytes) VALUES (?, ?) ON CONFLICT DO NOTHING",
            )
            .bind(purpose)
            .bind(fresh.as_slice())
            .execute(write.next())
            .await?;
            let bytes: Vec<u8> = sqlx::query_scalar("SELECT bytes FROM secrets WHERE purpose = ?")
                .bind(purpose)
                .fetch_one(write.next())
                .await?;
            Ok::<_, sqlx::Error>(bytes)
        };
        let kept = kept.await;
        let kept = kept.map_err(|error| Stop::Broken(Fault::Sql(error)));
        let bytes = write.end::<_, ReadError>(kept).await?;
        <[u8; 32]>::try_from(bytes.as_slice())
            .map_err(|_wrong_length| damaged("a secret: it has another length"))
    }
}

fn key(row: &SqliteRow) -> Result<KeyRow, FormError> {
    let revoked: Option<i64> = column(row, "revoked_us")?;
    Ok(KeyRow {
        id: column(row, "id")?,
        scope: column(row, "scope")?,
        label: column(row, "label")?,
        created_at: at(column(row, "created_us")?, "created_us")?,
        revoked_at: revoked.map(|us| at(us, "revoked_us")).transpose()?,
    })
}

fn at(us: i64, column: &'static str) -> Result<Timestamp, FormError> {
    Timestamp::from_microsecond(us).map_err(|_out_of_range| FormError::Value {
        column,
        found: us.to_string(),
    })
}

fn damaged(place: &str) -> ReadError {
    ReadError::Damaged {
        place: place.to_owned(),
    }
}
