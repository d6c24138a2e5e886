//! Driving a run from the command line.

use std::io::IsTerminal as _;
use std::sync::Arc;

use gavel_agent::toy::{ToyMeans, ToyTask};
use gavel_domain::{Head, RunId, RunStarted, RunState};
use gavel_models::ModelId;
use gavel_run::toy::ToyBrief;
use gavel_run::{Drift, DriveEnd, DriveOptions, Engine, Stop, StopHandle, WaitMode, toy};
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
    let driver = driver_of(&store, head).await?;
    gavel_models::install_tls();
    let engine = context.engine(store.clone(), std::slice::from_ref(driver.model()))?;
    let options = DriveOptions {
        wait,
        yes: context.general.yes,
        drift: Drift::Note,
        paid: context.settings()?.paid(),
    };
    let stop = StopHandle::new();
    let _watch = on_ctrl_c(stop.clone(), context.ui.clone());
    let end = match driver {
        Driver::Toy(_) => engine.drive(head.run, options, stop, toy::drive).await?,
        Driver::Task(task) => {
            let means = toy_means(context, &engine, &task).await?;
            let drive = |run| gavel_agent::toy::drive(run, *task, means);
            engine.drive(head.run, options, stop, drive).await?
        }
    };
    // The drive went as it went: tidying up after older runs changes nothing about that.
    if let Err(failure) = retain(context, &store).await {
        context.ui.note(format!(
            "texts of old runs were not dropped: {}",
            failure.message()
        ));
    }
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

/// What drives a run, with what it was given.
enum Driver {
    Toy(Box<ToyBrief>),
    Task(Box<ToyTask>),
}

impl Driver {
    fn model(&self) -> &ModelId {
        match self {
            Self::Toy(brief) => &brief.model,
            Self::Task(task) => &task.model,
        }
    }
}

/// Finds the driver that a run was started for.
async fn driver_of(store: &SqliteStore, head: &Head) -> Result<Driver, Failure> {
    let failed = |error: anyhow::Error| Failure::new(Exit::Failed, error);
    let first = store.records(head.run, gavel_domain::Seq::ZERO, 1).await?;
    let started: Option<RunStarted> = first.first().and_then(|record| record.read().ok());
    let brief = started.and_then(|started| started.brief);
    let text = match brief {
        Some(name) => store.blob(name.digest).await?.unwrap_or_default(),
        None => Vec::new(),
    };
    match head.driver.as_str() {
        toy::DRIVER => {
            let brief = serde_json::from_slice(&text).map_err(|error| failed(error.into()))?;
            Ok(Driver::Toy(Box::new(brief)))
        }
        gavel_agent::toy::DRIVER => {
            let task = serde_json::from_slice(&text).map_err(|error| failed(error.into()))?;
            Ok(Driver::Task(Box::new(task)))
        }
        other => {
            let error = anyhow::anyhow!("run {} was started by `{other}`", head.run);
            Err(Failure::new(Exit::Conflict, error).hint("use the gavel that started it"))
        }
    }
}

async fn toy_means(
    context: &Context,
    engine: &Engine,
    task: &ToyTask,
) -> Result<ToyMeans, Failure> {
    let Some(model) = engine.model(&task.model) else {
        return Err(gavel_run::RunError::NoModel(task.model.clone()).into());
    };
    let room = context.command_room(&task.folder).await?;
    Ok(ToyMeans {
        room: Some(room),
        model: model.clone(),
    })
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
