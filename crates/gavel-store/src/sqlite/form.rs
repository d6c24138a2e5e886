//! The stored forms of values: words, whole numbers, and how damaged ones are told.

use gavel_domain::Timestamp;
use serde::Serialize;
use serde::de::value::{Error as WordError, StrDeserializer};
use serde::de::{DeserializeOwned, IntoDeserializer};
use sqlx::sqlite::SqliteRow;
use sqlx::{Decode, Row, Sqlite, Type};

/// A column that does not hold what it should.
#[derive(Debug, thiserror::Error)]
pub(super) enum FormError {
    /// SQLite could not hand it over as that type.
    #[error("the column {column} cannot be read")]
    Column {
        /// Which.
        column: &'static str,
        /// What was wrong.
        #[source]
        source: sqlx::Error,
    },
    /// Its text or number means nothing.
    #[error("the column {column} holds {found:?}")]
    Value {
        /// Which.
        column: &'static str,
        /// Its beginning.
        found: String,
    },
}

/// Reads a column.
pub(super) fn column<'r, T>(row: &'r SqliteRow, column: &'static str) -> Result<T, FormError>
where
    T: Decode<'r, Sqlite> + Type<Sqlite>,
{
    row.try_get(column)
        .map_err(|source| FormError::Column { column, source })
}

/// Reads a text column and parses it.
pub(super) fn parsed<T: std::str::FromStr>(
    row: &SqliteRow,
    name: &'static str,
) -> Result<T, FormError> {
    let text: &str = column(row, name)?;
    text.parse().ok().ok_or_else(|| unreadable(name, text))
}

/// Reads a moment; only the one text form that is ever written counts, since the chain digests it.
pub(super) fn moment(row: &SqliteRow, name: &'static str) -> Result<Timestamp, FormError> {
    let text: &str = column(row, name)?;
    let at: Timestamp = text.parse().ok().ok_or_else(|| unreadable(name, text))?;
    if at.to_string() == text {
        Ok(at)
    } else {
        Err(unreadable(name, text))
    }
}

/// Reads a whole number that is never negative.
pub(super) fn number(row: &SqliteRow, name: &'static str) -> Result<u64, FormError> {
    let value: i64 = column(row, name)?;
    u64::try_from(value)
        .ok()
        .ok_or_else(|| unreadable(name, &value.to_string()))
}

/// Reads a small whole number.
pub(super) fn small_number(row: &SqliteRow, name: &'static str) -> Result<u32, FormError> {
    let value: i64 = column(row, name)?;
    u32::try_from(value)
        .ok()
        .ok_or_else(|| unreadable(name, &value.to_string()))
}

/// Reads a JSON column.
pub(super) fn json<T: DeserializeOwned>(
    row: &SqliteRow,
    name: &'static str,
) -> Result<T, FormError> {
    let text: &str = column(row, name)?;
    serde_json::from_str(text)
        .ok()
        .ok_or_else(|| unreadable(name, text))
}

/// Reads a column that holds the word of a variant.
pub(super) fn word<T: DeserializeOwned>(
    row: &SqliteRow,
    name: &'static str,
) -> Result<T, FormError> {
    let text: &str = column(row, name)?;
    from_word(text).ok_or_else(|| unreadable(name, text))
}

/// The stored word of a variant.
pub(super) fn to_word<T: Serialize>(value: &T) -> Result<String, serde_json::Error> {
    serde_json::from_value(serde_json::to_value(value)?)
}

fn from_word<T: DeserializeOwned>(text: &str) -> Option<T> {
    let reader: StrDeserializer<'_, WordError> = text.into_deserializer();
    T::deserialize(reader).ok()
}

fn unreadable(column: &'static str, found: &str) -> FormError {
    FormError::Value {
        column,
        found: found.chars().take(80).collect(),
    }
}

/// A number as SQLite keeps it; `None` when it does not fit.
pub(super) fn stored(value: u64) -> Option<i64> {
    i64::try_from(value).ok()
}
