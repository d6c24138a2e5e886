//! Agents that came to a project's loops.

use gavel_domain::Timestamp;

use super::SqliteStore;
use super::fault::{Fault, Stop};
use super::form::column;
use super::write::Write;
use crate::ReadError;

/// Reads the agents of a project, by name.
pub(super) async fn agents(store: &SqliteStore, project: &str) -> Result<Vec<String>, ReadError> {
    let Some(mut read) = store.read().await? else {
        return Ok(Vec::new());
    };
    let query =
        sqlx::query("SELECT agent FROM agents WHERE project = ? ORDER BY agent").bind(project);
    let rows = query.fetch_all(read.conn()).await;
    let rows = read.end(rows).await?;
    let agent = |row| {
        column(row, "agent").map_err(|error| ReadError::Damaged {
            place: format!("an agent of {project}: {error}"),
        })
    };
    rows.iter().map(agent).collect()
}

/// Says that an agent came.
pub(super) async fn see(
    store: &SqliteStore,
    project: &str,
    (agent, at): (&str, Timestamp),
) -> Result<(), ReadError> {
    let mut write = store.write().await?;
    let outcome = put(&mut write, project, (agent, at)).await;
    write.end(outcome.map_err(Stop::<ReadError>::Broken)).await
}

async fn put(
    write: &mut Write<'_>,
    project: &str,
    (agent, at): (&str, Timestamp),
) -> Result<(), Fault> {
    sqlx::query(
        "INSERT INTO agents (project, agent, seen) VALUES (?, ?, ?)
         ON CONFLICT (project, agent) DO UPDATE SET seen = excluded.seen",
    )
    .bind(project)
    .bind(agent)
    .bind(at.to_string())
    .execute(write.next())
    .await?;
    Ok(())
}
