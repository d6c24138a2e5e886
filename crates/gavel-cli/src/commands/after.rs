//! What follows a run that is over: its work tree goes, its lessons are kept as a person said.

use std::path::Path;

use anyhow::Context as _;
use gavel_domain::Head;
use gavel_domain::ProductBrief;
use gavel_store::SqliteStore;
use gavel_workspace::{WorkTree, WorkTreePlace};

use super::lessons;
use crate::context::Context;
use crate::driver::{given, product_brief};

/// Clears up after a run that is over; the run itself is as it is, so trouble is only told.
pub(crate) async fn clear_up(context: &Context, store: &SqliteStore, head: &Head) {
    if !head.state.is_final() {
        return;
    }
    let given = match given(store, head).await {
        Ok(given) => given,
        Err(failure) => return context.ui.note(failure.message()),
    };
    let Some(checkout) = given.and_then(|given| given.checkout) else {
        return;
    };
    if let Err(failure) = lessons::after_run(context, store, (head.run, &checkout)).await {
        let told = failure.message();
        context.ui.note(format!(
            "lessons were not kept ({told}); gavel memory accept {} tries again",
            head.run.short()
        ));
    }
    remove_work_tree(context, store, head).await;
}

/// Removes the work tree of a run that is over; trouble is only told.
pub(super) async fn remove_work_tree(context: &Context, store: &SqliteStore, head: &Head) {
    let removed = match product_brief(store, head).await {
        Ok(Some(brief)) => remove_tree(context, head, &brief).await,
        // Nothing was made for a run that builds nothing.
        Ok(None) => Ok(()),
        Err(failure) => return context.ui.note(failure.message()),
    };
    if let Err(error) = removed {
        context.ui.note(format!("the work tree stays: {error:#}"));
    }
}

/// Removes the work tree of a run with its caches, and lets go of the trees that it recorded. The
/// branch has everything that was committed, and stays.
pub(super) async fn remove_tree(
    context: &Context,
    head: &Head,
    brief: &ProductBrief,
) -> anyhow::Result<()> {
    let Some(room) = brief.work_tree.parent() else {
        return Ok(());
    };
    // Only what we made ourselves is removed, whatever a brief says.
    let ours = context.state().join("worktrees");
    let is_ours = |ours: &Path| room.starts_with(ours) && room.ends_with(head.run.short());
    if !ours.canonicalize().is_ok_and(|ours| is_ours(&ours)) || !brief.work_tree.is_dir() {
        return Ok(());
    }
    let place = WorkTreePlace {
        git: brief.git.clone(),
        repository: brief.repository.clone(),
        folder: brief.work_tree.clone(),
    };
    // A repository that is gone has nothing to let go of.
    if brief.repository.is_dir() {
        let tree = WorkTree::open(&place, head.run).await?;
        tree.forget().await?;
    }
    let shown = || room.display().to_string();
    // Work tree and checkout have as many files each, and removing them takes as long as all else.
    let mut removals = tokio::task::JoinSet::new();
    for entry in std::fs::read_dir(room).with_context(shown)? {
        let folder = entry.with_context(shown)?.path();
        if folder.is_dir() && !folder.is_symlink() {
            removals.spawn_blocking(move || gavel_workspace::remove_tree(&folder));
        }
    }
    while let Some(removed) = removals.join_next().await {
        removed?.with_context(shown)?;
    }
    gavel_workspace::remove_tree(room).with_context(shown)
}
