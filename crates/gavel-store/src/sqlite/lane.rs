//! Connections: lanes of a fixed width, opened when first used.
//!
//! A connection leaves its lane while it is used and comes back only when all went well. One that
//! met an error, or whose user was dropped midway, is closed instead: SQLite then rolls back what
//! was open, so nobody ever continues in a half-done transaction.

use std::sync::{Mutex, MutexGuard, PoisonError};

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection, SqliteConnection};
use tokio::sync::{Semaphore, SemaphorePermit};

/// Connections of one kind.
#[derive(Debug)]
pub(crate) struct Lane {
    options: SqliteConnectOptions,
    width: Semaphore,
    idle: Mutex<Vec<SqliteConnection>>,
}

/// A connection in use.
#[derive(Debug)]
pub(crate) struct Held<'a> {
    lane: &'a Lane,
    /// The connection.
    pub(crate) conn: SqliteConnection,
    _permit: SemaphorePermit<'a>,
}

impl Lane {
    /// A lane that opens at most `width` connections.
    pub(crate) fn new(options: SqliteConnectOptions, width: usize) -> Self {
        Self {
            options: options.disable_statement_logging(),
            width: Semaphore::new(width),
            idle: Mutex::new(Vec::with_capacity(width)),
        }
    }

    /// Waits for a turn and takes a connection.
    pub(crate) async fn take(&self) -> Result<Held<'_>, sqlx::Error> {
        let permit = match self.width.acquire().await {
            Ok(permit) => permit,
            Err(_closed) => return Err(sqlx::Error::PoolClosed),
        };
        let idle = self.idle().pop();
        let conn = match idle {
            Some(conn) => conn,
            None => self.options.connect().await?,
        };
        Ok(Held {
            lane: self,
            conn,
            _permit: permit,
        })
    }

    /// Closes the idle connections and waits until they are closed.
    pub(crate) async fn close(&self) -> Result<(), sqlx::Error> {
        self.width.close();
        let idle = std::mem::take(&mut *self.idle());
        for conn in idle {
            conn.close().await?;
        }
        Ok(())
    }

    fn idle(&self) -> MutexGuard<'_, Vec<SqliteConnection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held<'_> {
    /// Puts the connection back for the next user.
    pub(crate) fn keep(self) {
        self.lane.idle().push(self.conn);
    }
}
