//! Runs by the names that callers use.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use gavel_agent::{FindRun, Refused};
use gavel_domain::{ProjectId, RunId};
use gavel_store::{HeadsQuery, SqliteStore, Store as _};
use serde_json::json;

/// How many runs a short id is looked for in.
const LOOK_BACK: u32 = 10_000;
/// Shorter ends name too much.
const SHORTEST: usize = 4;

/// Finds runs of a project in the store.
#[derive(Debug)]
pub(super) struct Runs {
    store: Arc<SqliteStore>,
    project: Option<ProjectId>,
}

impl Runs {
    pub(super) const fn new(store: Arc<SqliteStore>, project: Option<ProjectId>) -> Self {
        Self { store, project }
    }

    async fn named(&self, name: &str) -> Result<RunId, Refused> {
        let failed = |error: gavel_store::ReadError| Refused::from_error("unavailable", &error);
        if let Ok(run) = name.parse::<RunId>() {
            let head = self.store.head(run).await.map_err(failed)?;
            return head.map(|head| head.run).ok_or_else(|| unknown(name));
        }
        if name.len() < SHORTEST {
            return Err(unknown(name));
        }
        let query = HeadsQuery {
            project: self.project,
            unfinished: false,
            limit: LOOK_BACK,
        };
        let heads = self.store.heads(query).await.map_err(failed)?;
        let mut found = heads
            .iter()
            .filter(|head| head.run.to_string().ends_with(name));
        match (found.next(), found.next()) {
            (Some(head), None) => Ok(head.run),
            (Some(_), Some(_)) => {
                let name: String = name.chars().take(64).collect();
                let several = format!("several runs end in `{name}`: give more of the id");
                Err(Refused::new("ambiguous", several))
            }
            (None, _) => Err(unknown(name)),
        }
    }
}

fn unknown(name: &str) -> Refused {
    let name: String = name.chars().take(64).collect();
    let message = format!("there is no run `{name}`");
    Refused::new("not_found", message).then("gavel_run_status", json!({}), "to see the runs")
}

impl FindRun for Runs {
    fn find<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<RunId, Refused>> {
        Box::pin(self.named(name))
    }
}
