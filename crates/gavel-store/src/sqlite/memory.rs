//! Lines of project memory that are no part of a repository. The store does not read them.

use uuid::Uuid;

use super::SqliteStore;
use super::fault::{Fault, Stop};
use super::form::column;
use super::retire::empty_log;
use super::write::Write;
use crate::ReadError;

/// Reads the lines of a project, in the order of their events.
pub(super) async fn lines(store: &SqliteStore, project: &str) -> Result<Vec<String>, ReadError> {
    let Some(mut read) = store.read().await? else {
        return Ok(Vec::new());
    };
    let query =
        sqlx::query("SELECT line FROM memory_lines WHERE project = ? ORDER BY event").bind(project);
    let rows = query.fetch_all(read.conn()).await;
    let rows = read.end(rows).await?;
    let line = |row| {
        column(row, "line").map_err(|error| ReadError::Damaged {
            place: format!("a line of the memory of {project}: {error}"),
        })
    };
    rows.iter().map(line).collect()
}

/// Keeps lines, all or none; a line whose event is there is replaced, and its old words are gone.
pub(super) async fn keep(
    store: &SqliteStore,
    project: &str,
    lines: Vec<(Uuid, String)>,
) -> Result<(), ReadError> {
    let mut write = store.write().await?;
    let outcome = put(&mut write, project, lines).await;
    if write.end(outcome).await? {
        empty_log(store).await;
    }
    Ok(())
}

/// True when a line was replaced by another one.
async fn put(
    write: &mut Write<'_>,
    project: &str,
    lines: Vec<(Uuid, String)>,
) -> Result<bool, Stop<ReadError>> {
    let mut replaced = false;
    for (event, line) in lines {
        let event = event.hyphenated().to_string();
        let old: Option<String> =
            sqlx::query_scalar("SELECT line FROM memory_lines WHERE project = ? AND event = ?")
                .bind(project)
                .bind(&event)
                .fetch_optional(write.next())
                .await?;
        replaced |= old.is_some_and(|old| old != line);
        sqlx::query(
            "INSERT INTO memory_lines (project, event, line) VALUES (?, ?, ?)
             ON CONFLICT (project, event) DO UPDATE SET line = excluded.line",
        )
        .bind(project)
        .bind(&event)
        .bind(&line)
        .execute(write.next())
        .await?;
    }
    Ok(replaced)
}

/// Drops the lines of these events.
pub(super) async fn drop_lines(
    store: &SqliteStore,
    project: &str,
    events: Vec<Uuid>,
) -> Result<(), ReadError> {
    let mut write = store.write().await?;
    let outcome = delete(&mut write, project, events).await;
    write
        .end(outcome.map_err(Stop::<ReadError>::Broken))
        .await?;
    empty_log(store).await;
    Ok(())
}

async fn delete(write: &mut Write<'_>, project: &str, events: Vec<Uuid>) -> Result<(), Fault> {
    for event in events {
        sqlx::query("DELETE FROM memory_lines WHERE project = ? AND event = ?")
            .bind(project)
            .bind(event.hyphenated().to_string())
            .execute(write.next())
            .await?;
    }
    Ok(())
}
