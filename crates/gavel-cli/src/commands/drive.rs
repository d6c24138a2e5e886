//! Driving a run from the command line.

use std::io::{BufRead as _, IsTerminal as _};
use std::sync::Arc;

use gavel_domain::{Head, RunId, RunStarted};
use gavel_run::{Drift, DriveOptions, StopHandle, WaitMode};
use gavel_store::{Access, SqliteStore, Store as _};

use super::again::Again;
use super::council;
use super::ended::tell;
use super::seal::approve;
use crate::context::Context;
use crate::driver::{Driver, product_brief, records};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::live::Live;
use crate::notify::{Notifier, Told};
use crate::stopping::on_ctrl_c;
use crate::which_run::Unnamed;

/// How a run is driven on.
struct Manner {
    wait: WaitMode,
    /// True when what is recommended is taken.
    yes: bool,
    /// What resuming says to the run.
    again: Option<Again>,
}

impl Manner {
    const fn of(context: &Context, wait: WaitMode) -> Self {
        Self {
            wait,
            yes: context.general.yes,
            again: None,
        }
    }
}

pub(crate) async fn resume(context: &Context, run: Option<String>) -> Result<Exit, Failure> {
    let store = context.store(Access::ReadWrite).await?;
    let head = context
        .run(store.as_ref(), run.as_deref(), Unnamed::NewestUnfinished)
        .await?;
    let yes = context.general.yes;
    resume_head(context, store, &head, yes).await
}

/// Goes on after an answer: a run that began with `--yes` goes on with it.
pub(crate) async fn resume_as_begun(context: &Context, run: RunId) -> Result<Exit, Failure> {
    let store = context.store(Access::ReadWrite).await?;
    let name = run.to_string();
    let head = context
        .run(store.as_ref(), Some(&name), Unnamed::NewestUnfinished)
        .await?;
    let first = records(&store, &head).await?.into_iter().next();
    let started: Option<RunStarted> = first.and_then(|record| record.read().ok());
    let began = started.is_some_and(|started| started.settings.began_with_yes());
    let yes = context.general.yes || began;
    resume_head(context, store, &head, yes).await
}

async fn resume_head(
    context: &Context,
    store: Arc<SqliteStore>,
    head: &Head,
    yes: bool,
) -> Result<Exit, Failure> {
    if approve::is_pending(&store, head).await?
        && let Some(brief) = product_brief(&store, head).await?
    {
        return Box::pin(approve::finish(context, store, head, (brief, None))).await;
    }
    let manner = Manner {
        wait: context.wait_mode(),
        yes,
        again: Again::of(context, &store, head).await?,
    };
    drive_on(context, store, head, manner).await
}

/// Goes on with a run in the name of nobody: what waits for a person goes on waiting.
pub(crate) async fn go_on(context: &Context, run: Option<String>) -> Result<Exit, Failure> {
    let store = context.store(Access::ReadWrite).await?;
    let head = context
        .run(store.as_ref(), run.as_deref(), Unnamed::NewestUnfinished)
        .await?;
    let manner = Manner::of(context, WaitMode::Leave);
    drive_on(context, store, &head, manner).await
}

impl Context {
    /// True when a person sits at a terminal, sees what is asked and can answer.
    pub(crate) fn attended(&self) -> bool {
        let terminal = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
        terminal && !self.general.non_interactive
    }

    /// Asks at the terminal; only the whole word is a yes.
    pub(crate) fn types_yes(&self, prompt: &str) -> Result<bool, Failure> {
        self.ui.prompt(prompt);
        let mut typed = String::new();
        let read = std::io::stdin().lock().read_line(&mut typed);
        self.ui.prompt_answered();
        read.map_err(|error| Failure::new(Exit::Failed, error))?;
        Ok(typed.trim().eq_ignore_ascii_case("yes"))
    }

    /// Without a terminal nothing waits: an open question ends the command.
    pub(crate) fn wait_mode(&self) -> WaitMode {
        if self.attended() {
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
    drive_on(context, store, head, Manner::of(context, wait)).await
}

async fn drive_on(
    context: &Context,
    store: Arc<SqliteStore>,
    head: &Head,
    Manner { wait, yes, again }: Manner,
) -> Result<Exit, Failure> {
    let driver = Driver::of(context, &store, head).await?;
    gavel_models::install_tls();
    let engine = match &driver {
        Driver::Product(..) | Driver::Council(..) | Driver::Loop(_) => {
            context.engine_under_way(store.clone(), &driver.models())?
        }
        Driver::Toy(_) | Driver::Task(_) => context.engine(store.clone(), &driver.models())?,
    };
    let options = DriveOptions {
        wait,
        yes,
        drift: Drift::Note,
        paid: context.settings()?.paid(),
    };
    let stop = StopHandle::new();
    let _watch = on_ctrl_c(stop.clone(), head.run, context.ui.clone());
    let live = Live::begin(context, &engine, &store, (head.run, stop.clone())).await?;
    let bridge = Notifier::of(context, &store)?;
    // A drive that leaves at a question is told of when it has left.
    let watch = bridge.clone().filter(|_| wait == WaitMode::Stay);
    let watch = watch.map(|bridge| bridge.watch(&engine, head.run));
    let end = Box::pin(driver.drive(context, &engine, head, (options, stop, again))).await;
    drop(watch);
    live.finish().await;
    let end = end.map_err(|failure| name_run(failure, head.run))?;
    // The drive went as it went: tidying up after older runs changes nothing about that.
    if let Err(failure) = retain(context, &store).await {
        context.ui.note(format!(
            "texts of old runs were not dropped: {}",
            failure.message()
        ));
    }
    let exit = tell(context, Arc::clone(&store), head.run, &end).await?;
    let Some(head) = store.head(head.run).await? else {
        return Ok(exit);
    };
    if let Some(bridge) = bridge
        && exit != Exit::Interrupted
        && bridge.tell(&head).await? == Told::Answered
    {
        let on = Manner {
            wait,
            yes,
            again: None,
        };
        return Box::pin(drive_on(context, store, &head, on)).await;
    }
    let steps = Box::pin(council::carry_out(context, &store, &head)).await?;
    Ok(steps.unwrap_or(exit))
}

/// Whoever is told to resume is told what.
fn name_run(failure: Failure, run: RunId) -> Failure {
    if failure.exit == Exit::Interrupted {
        return failure.hint(format!("gavel resume {} goes on", run.short()));
    }
    failure
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
