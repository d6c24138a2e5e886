//! `gavel runs prune`: removes the product runs of a project that are over, and ideas that were refused and
//! wait for a model, after showing them.

use std::sync::Arc;

use gavel_domain::{Head, Purpose, RunState};
use gavel_store::{Access, HeadsQuery, SqliteStore, Store as _};
use serde_json::json;

use super::drop::{Damage, purge};
use crate::commands::{abort, after};
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::which_run::{RunsWanted, Surroundings};

/// More runs are left for the next time.
const MOST: u32 = 10_000;

/// What became of one run.
struct Pruned {
    run: gavel_domain::RunId,
    /// Why it is still there.
    kept: Option<String>,
}

pub(super) async fn run(context: &Context, all: bool) -> Result<Exit, Failure> {
    let store = context.store(Access::ReadWrite).await?;
    let heads = over(context, &store, all).await?;
    if heads.is_empty() {
        context.ui.line(
            "nothing to prune: no product run here is over, and no refused idea waits for a model",
        );
        let data = json!({ "pruned": [], "kept": [] });
        context.ui.data("runs_prune", &data);
        return Ok(Exit::Done);
    }
    context.list_beside(&store, &heads, usize::MAX).await?;
    let refused = heads.iter().filter(|head| is_refused(head)).count();
    if refused > 0 {
        let ideas = if refused == 1 { "idea" } else { "ideas" };
        context.ui.beside(format!(
            "{refused} refused {ideas} of them waiting for a model: given up with this."
        ));
    }
    context.ui.beside(
        "Their journals and work trees go: review and replay cannot show them any more, and lessons that \
         nobody decided about go with them. Branches, seals and what was spent stay.",
    );
    confirm(context, heads.len())?;
    let mut pruned = Vec::new();
    for head in &heads {
        pruned.push(prune(context, &store, head).await);
    }
    show(context, &pruned);
    Ok(Exit::Done)
}

/// True for an idea that was refused before anything was made, and that waits for a model.
fn is_refused(head: &Head) -> bool {
    let asks_for_a_model = head
        .questions
        .values()
        .any(|purpose| *purpose == Purpose::Model);
    head.state == RunState::Waiting && asks_for_a_model && head.branch.is_none()
}

/// Product runs that cannot go on, and refused ideas.
async fn over(context: &Context, store: &SqliteStore, all: bool) -> Result<Vec<Head>, Failure> {
    let mut heads = if all {
        let everywhere = HeadsQuery {
            project: None,
            unfinished: false,
            limit: MOST,
        };
        store.heads(everywhere).await?
    } else {
        let here = Surroundings::of(context)?;
        here.runs(store, RunsWanted::ALL).await?.heads
    };
    heads.retain(|head| {
        let over = head.state.is_final() || head.state == RunState::Halted;
        (over || is_refused(head)) && head.driver == gavel_product::DRIVER
    });
    Ok(heads)
}

fn confirm(context: &Context, count: usize) -> Result<(), Failure> {
    if context.general.yes {
        return Ok(());
    }
    let runs = if count == 1 { "run" } else { "runs" };
    if !context.attended() {
        let unasked = format!("{count} {runs} are removed only when somebody says so");
        return Err(Failure::usage(unasked).hint("gavel runs prune --yes"));
    }
    let prompt = format!("Remove {count} {runs}? Type yes, or anything else to keep them: ");
    if context.types_yes(&prompt)? {
        return Ok(());
    }
    Err(Failure::new(
        Exit::Refused,
        anyhow::anyhow!("nothing was removed"),
    ))
}

/// Removes the work tree, then the run. One that somebody holds stays, and so does its tree.
async fn prune(context: &Context, store: &Arc<SqliteStore>, head: &Head) -> Pruned {
    let run = head.run;
    if let Ok(Some(holder)) = store.driver(run).await {
        return Pruned {
            run,
            kept: Some(format!("driven by {holder}")),
        };
    }
    if is_refused(head) {
        let given_up = abort::give_up(context, store, head).await;
        let kept = match given_up {
            Ok(true) => None,
            Ok(false) => Some("somebody went on with it".to_owned()),
            Err(failure) => Some(failure.message()),
        };
        if kept.is_some() {
            return Pruned { run, kept };
        }
    }
    after::remove_work_tree(context, store, head).await;
    let purged = purge(store, run, Damage::None).await;
    Pruned {
        run,
        kept: purged.err().map(|failure| failure.message()),
    }
}

fn show(context: &Context, pruned: &[Pruned]) {
    let (gone, kept): (Vec<_>, Vec<_>) = pruned.iter().partition(|one| one.kept.is_none());
    let runs = if gone.len() == 1 {
        "run is"
    } else {
        "runs are"
    };
    context.ui.line(format!("{} {runs} gone", gone.len()));
    for one in &kept {
        let why = one.kept.as_deref().unwrap_or_default();
        context
            .ui
            .line(format!("run {} stays: {why}", one.run.short()));
    }
    let ids = |of: &[&Pruned]| of.iter().map(|one| one.run).collect::<Vec<_>>();
    let data = json!({ "pruned": ids(&gone), "kept": ids(&kept), "ledger": "kept" });
    context.ui.data("runs_prune", &data);
}
