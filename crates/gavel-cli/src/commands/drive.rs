//! Driving a run from the command line.

use std::io::IsTerminal as _;
use std::sync::Arc;

use gavel_domain::{Head, RunId, RunState};
use gavel_models::ModelId;
use gavel_run::{Drift, DriveEnd, DriveOptions, Stop, StopHandle, WaitMode, toy};
use gavel_store::{Access, SqliteStore, Store as _};
use serde_json::json;

use super::{answer, status};
use crate::context::{Context, Newest};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::stopping::on_ctrl_c;

pub(crate) async fn resume(context: &Context, run: Option<String>) -> Result<Exit, Failure> {
    let store = context.store(Access::ReadWrite).await?;
    let head = context
        .run(store.as_ref(), run.as_deref(), Newest::Unfinished)
        .await?;
    drive(context, store, &head, context.wait_mode()).await
}

impl Context {
    /// Without a terminal nothing waits: an open question ends the command.
    pub(crate) fn wait_mode(&self) -> WaitMode {
        let attended = std::io::stdin().is_terminal() && !self.general.non_interactive;
        if attended {
            WaitMode::Stay
        } else {
            WaitMode::Leave
        }
    }
}

/// Drives a run with the driver that it was started for.
pub(crate) async fn drive(
    context: &Context,
    store: Arc<SqliteStore>,
    head: &Head,
    wait: WaitMode,
) -> Result<Exit, Failure> {
    if head.driver != toy::DRIVER {
        let error = anyhow::anyhow!("run {} was started by `{}`", head.run, head.driver);
        return Err(Failure::new(Exit::Conflict, error).hint("use the gavel that started it"));
    }
    gavel_models::install_tls();
    let wanted = wanted_models(&store, head.run).await?;
    let engine = context.engine(store.clone(), &wanted)?;
    let options = DriveOptions {
        wait,
        yes: context.general.yes,
        drift: Drift::Note,
        paid: context.settings()?.paid(),
    };
    let stop = StopHandle::new();
    let _watch = on_ctrl_c(stop.clone(), context.ui.clone());
    let end = engine.drive(head.run, options, stop, toy::drive).await?;
    retain(context, &store).await?;
    tell(context, store, head.run, &end).await
}

/// Drops texts of runs that ended longer ago than `usage.retention_days`.
async fn retain(context: &Context, store: &SqliteStore) -> Result<(), Failure> {
    let days = context.settings()?.retention_days();
    let span = jiff::SignedDuration::from_hours(24 * days);
    let now = Context::clock().now();
    let dropped = store
        .retain(now.saturating_sub(span).unwrap_or(now))
        .await?;
    if dropped.blobs > 0 {
        let (blobs, bytes) = (dropped.blobs, dropped.bytes);
        context.ui.note(format!(
            "dropped {blobs} texts ({bytes} bytes) of runs older than {days} days"
        ));
    }
    Ok(())
}

/// The models that a toy run names in its brief.
async fn wanted_models(store: &SqliteStore, run: RunId) -> Result<Vec<ModelId>, Failure> {
    let first = store.records(run, gavel_domain::Seq::ZERO, 1).await?;
    let Some(record) = first.first() else {
        return Ok(Vec::new());
    };
    let started: gavel_domain::RunStarted = record
        .read()
        .map_err(|error| Failure::new(Exit::Failed, error))?;
    let Some(name) = started.brief else {
        return Ok(Vec::new());
    };
    let text = store.blob(name.digest).await?.unwrap_or_default();
    let brief: Option<toy::ToyBrief> = serde_json::from_slice(&text).ok();
    Ok(brief.map(|brief| brief.model).into_iter().collect())
}

/// Says how a drive ended and what to do now.
async fn tell(
    context: &Context,
    store: Arc<SqliteStore>,
    run: RunId,
    end: &DriveEnd,
) -> Result<Exit, Failure> {
    let Some(head) = store.head(run).await? else {
        return Err(gavel_run::RunError::NoRun(run).into());
    };
    let short = run.short();
    let (exit, text) = match end {
        DriveEnd::Through(state) => (exit_of(*state), format!("run {short} is {state}")),
        DriveEnd::Stopped(Stop::Waiting { .. }) => {
            (Exit::Waiting, format!("run {short} waits for an answer"))
        }
        DriveEnd::Stopped(Stop::Budget { .. }) => {
            (Exit::Budget, format!("run {short} is paused at a budget"))
        }
        DriveEnd::Stopped(Stop::Paused) => (
            Exit::Interrupted,
            format!("paused; gavel resume {short} goes on"),
        ),
        DriveEnd::Stopped(Stop::Aborted) => (Exit::Failed, format!("run {short} was aborted")),
    };
    context.ui.line(text);
    if matches!(exit, Exit::Waiting | Exit::Budget) {
        let questions = context.mailbox(store).questions(run).await?;
        questions
            .iter()
            .for_each(|question| answer::card(context, question));
        let cards: Vec<_> = questions
            .iter()
            .map(|question| json!({ "id": question.id, "card": question.card, "shape": question.asked.shape }))
            .collect();
        context
            .ui
            .data("question", &json!({ "run": run, "questions": cards }));
    } else {
        context.ui.data("run", &status::as_json(&head));
    }
    Ok(exit)
}

const fn exit_of(state: RunState) -> Exit {
    match state {
        RunState::Running | RunState::Halted | RunState::Sealed => Exit::Done,
        RunState::Waiting => Exit::Waiting,
        RunState::Paused => Exit::Budget,
        RunState::Faulted => Exit::Bug,
        RunState::Aborted => Exit::Failed,
    }
}
