//! Writing: one transaction at a time per process, `BEGIN IMMEDIATE`, and nothing awaited in it but
//! its own statements.

use sqlx::SqliteConnection;

use super::fault::{Fault, Stop, placed};
use super::lane::Held;
use super::{Access, SqliteStore, StatementHook};

/// A transaction. Dropped before its end, it closes its connection, and nothing of it stays.
pub(super) struct Write<'a> {
    held: Held<'a>,
    on_statement: Option<&'a StatementHook>,
    statement: u32,
}

impl SqliteStore {
    /// Begins a transaction.
    pub(super) async fn write(&self) -> Result<Write<'_>, Fault> {
        let mut write = Write {
            held: self.writer().await?,
            on_statement: self.on_statement.as_ref(),
            statement: 0,
        };
        let begun = sqlx::query("BEGIN IMMEDIATE").execute(write.next()).await;
        match begun {
            Ok(_) => Ok(write),
            Err(error) => Err(placed(&mut write.held.conn, Fault::Sql(error)).await),
        }
    }

    /// Takes the connection that writes.
    pub(super) async fn writer(&self) -> Result<Held<'_>, Fault> {
        if self.access == Access::ReadOnly {
            return Err(Fault::ReadOnly);
        }
        let opened = self.open_file().await.map_err(Fault::Open)?;
        Ok(opened.writer.take().await?)
    }
}

impl Write<'_> {
    /// The connection, for the next statement.
    pub(super) fn next(&mut self) -> &mut SqliteConnection {
        if let Some(hook) = self.on_statement {
            hook(self.statement);
        }
        self.statement = self.statement.saturating_add(1);
        &mut self.held.conn
    }

    /// Ends the transaction: commits what went well, rolls back what was refused.
    pub(super) async fn end<T, E: From<Fault>>(
        mut self,
        outcome: Result<T, Stop<E>>,
    ) -> Result<T, E> {
        let fault = match outcome {
            Ok(value) => match sqlx::query("COMMIT").execute(self.next()).await {
                Ok(_) => {
                    self.next();
                    self.held.keep();
                    return Ok(value);
                }
                Err(error) => Fault::Sql(error),
            },
            Err(Stop::Refused(refusal)) => {
                let rolled_back = sqlx::query("ROLLBACK").execute(&mut self.held.conn).await;
                // A connection that cannot even roll back is closed, which rolls back as well.
                if rolled_back.is_ok() {
                    self.held.keep();
                }
                return Err(refusal);
            }
            Err(Stop::Broken(fault)) => fault,
        };
        Err(placed(&mut self.held.conn, fault).await.into())
    }
}
