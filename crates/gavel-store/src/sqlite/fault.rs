//! What went wrong underneath, sorted into the port's errors.

use std::io;
use std::path::PathBuf;

use sqlx::SqliteConnection;

use crate::{CommitError, LeaseError, OpenError, PostError, ReadError};

/// The cause that stands under an `Unavailable`.
#[derive(Debug, thiserror::Error)]
pub(super) enum Fault {
    /// Somebody wants to write to a store that was opened for reading.
    #[error("it was opened for reading only")]
    ReadOnly,
    /// Damage that was met while writing.
    #[error("it is damaged at {place}; nothing was repaired")]
    Damaged {
        /// Where.
        place: String,
    },
    /// A lock file cannot be used.
    #[error("the lock file {path} cannot be used")]
    Lock {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// A file appeared after this store was opened and cannot be used.
    #[error("the file cannot be used")]
    Open(#[source] OpenError),
    /// A value that cannot be put into words.
    #[error("a value has no stored form")]
    Form(#[source] serde_json::Error),
    /// SQLite said no.
    #[error("SQLite refused")]
    Sql(#[source] sqlx::Error),
}

impl From<sqlx::Error> for Fault {
    fn from(error: sqlx::Error) -> Self {
        Self::Sql(error)
    }
}

impl From<serde_json::Error> for Fault {
    fn from(error: serde_json::Error) -> Self {
        Self::Form(error)
    }
}

macro_rules! unavailable {
    ($($error:ident),+) => {
        $(impl From<Fault> for $error {
            fn from(fault: Fault) -> Self {
                Self::Unavailable(Box::new(fault))
            }
        })+
    };
}
unavailable!(CommitError, LeaseError, PostError);

impl From<Fault> for ReadError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Damaged { place } => Self::Damaged { place },
            fault @ (Fault::ReadOnly
            | Fault::Lock { .. }
            | Fault::Open(_)
            | Fault::Form(_)
            | Fault::Sql(_)) => Self::Unavailable(Box::new(fault)),
        }
    }
}

/// Why a transaction ends without a commit.
#[derive(Debug)]
pub(super) enum Stop<E> {
    /// The port's answer; the connection is sound.
    Refused(E),
    /// Something broke; the connection is given up.
    Broken(Fault),
}

impl<E, F: Into<Fault>> From<F> for Stop<E> {
    fn from(fault: F) -> Self {
        Self::Broken(fault.into())
    }
}

/// True when the file itself is wrong, rather than busy, full or out of reach.
pub(crate) fn is_damage(error: &sqlx::Error) -> bool {
    const CORRUPT: i32 = 11;
    const NOT_A_DATABASE: i32 = 26;
    matches!(primary_code(error), Some(CORRUPT | NOT_A_DATABASE))
}

/// True when there was no room on the disk.
pub(crate) fn is_full(error: &sqlx::Error) -> bool {
    const FULL: i32 = 13;
    primary_code(error) == Some(FULL)
}

/// True when a key or an index says that the row is there already.
pub(super) fn is_duplicate(error: &sqlx::Error) -> bool {
    error
        .as_database_error()
        .is_some_and(sqlx::error::DatabaseError::is_unique_violation)
}

/// The place of the damage, as SQLite's own check words it.
pub(crate) async fn place_of_damage(conn: &mut SqliteConnection, error: &sqlx::Error) -> String {
    let said = error
        .as_database_error()
        .map_or_else(|| error.to_string(), |error| error.message().to_owned());
    let found: Result<String, sqlx::Error> = sqlx::query_scalar("PRAGMA quick_check(1)")
        .fetch_one(conn)
        .await;
    match found {
        // The whole file reads well on a second look: what SQLite said first is all there is.
        Ok(found) if found == "ok" => said,
        Ok(found) => format!("{said} ({found})"),
        Err(_also_damaged) => said,
    }
}

/// Names the place when the error is damage.
pub(super) async fn placed(conn: &mut SqliteConnection, fault: Fault) -> Fault {
    match fault {
        Fault::Sql(error) if is_damage(&error) => Fault::Damaged {
            place: place_of_damage(conn, &error).await,
        },
        fault @ (Fault::Sql(_)
        | Fault::ReadOnly
        | Fault::Damaged { .. }
        | Fault::Lock { .. }
        | Fault::Open(_)
        | Fault::Form(_)) => fault,
    }
}

/// SQLite's result code without its extension.
fn primary_code(error: &sqlx::Error) -> Option<i32> {
    let code = error.as_database_error()?.code()?;
    code.parse::<i32>().ok().map(|code| code & 0xFF)
}
