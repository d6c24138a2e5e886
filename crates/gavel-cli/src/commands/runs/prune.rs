//! `gavel runs prune`: removes the product runs of a project that are over, after showing them.

use gavel_domain::{Head, RunState};
use gavel_store::{Access, HeadsQuery, SqliteStore, Store as _};
use serde_json::json;

use super::drop::{Damage, purge};
use crate::commands::after;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::which_run::Surroundings;

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
        context
            .ui
            .line("nothing to prune: no product run here is over");
        let data = json!({ "pruned": [], "kept": [] });
        context.ui.data("runs_prune", &data);
        return Ok(Exit::Done);
    }
    context.list_beside(&store, &heads, usize::MAX).await?;
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

/// Product runs that cannot go on.
async fn over(context: &Context, store: &SqliteStore, all: bool) -> Result<Vec<Head>, Failure> {
    let mut heads = if all {
        let everywhere = HeadsQuery {
            project: None,
            unfinished: false,
            limit: MOST,
        };
        store.heads(everywhere).await?
    } else {
        Surroundings::of(context)?.runs(store, false).await?
    };
    heads.retain(|head| {
        let over = head.state.is_final() || head.state == RunState::Halted;
        over && head.driver == gavel_product::DRIVER
    });
    if all {
        return Ok(heads);
    }
    let here = Surroundings::of(context)?;
    here.own(store, heads, usize::MAX).await
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
async fn prune(context: &Context, store: &SqliteStore, head: &Head) -> Pruned {
    let run = head.run;
    if let Ok(Some(holder)) = store.driver(run).await {
        return Pruned {
            run,
            kept: Some(format!("driven by {holder}")),
        };
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
