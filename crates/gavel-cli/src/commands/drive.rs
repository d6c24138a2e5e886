//! Driving a run from the command line.

use std::io::IsTerminal as _;
use std::sync::Arc;

use gavel_domain::{AnswerReply, Halted, Head, Key, Purpose, RunId, RunState};
use gavel_run::{Drift, DriveEnd, DriveOptions, MailError, Stop, StopHandle, WaitMode};
use gavel_store::{Access, SqliteStore, Store as _};
use serde_json::json;

use super::{answer, status};
use crate::context::{Context, Newest};
use crate::driver::{Driver, records};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::live::Live;
use crate::slots::{offline_alone, slots_before, slots_now, told};
use crate::stopping::on_ctrl_c;
use crate::summary::summary;

pub(crate) async fn resume(context: &Context, run: Option<String>) -> Result<Exit, Failure> {
    let store = context.store(Access::ReadWrite).await?;
    let head = context
        .run(store.as_ref(), run.as_deref(), Newest::Unfinished)
        .await?;
    go_on(context, &store, &head).await?;
    drive(context, store, &head, context.wait_mode()).await
}

impl Context {
    /// True when a person sits at a terminal, sees what is asked and can answer.
    pub(crate) fn attended(&self) -> bool {
        let terminal = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
        terminal && !self.general.non_interactive
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

/// Answers what whoever resumes has answered by resuming: trouble is tried again, and a model that
/// was missing is used once there is one.
async fn go_on(context: &Context, store: &Arc<SqliteStore>, head: &Head) -> Result<(), Failure> {
    if head.driver != gavel_product::DRIVER || head.state.is_final() {
        return Ok(());
    }
    let before = slots_before(&records(store, head).await?)?;
    let slots = slots_now(&context.settings()?, &before)?;
    let connected = !offline_alone(&slots);
    context.ui.note(format!("models {}", told(&slots)));
    for (question, purpose) in &head.questions {
        let reply = match purpose {
            Purpose::Trouble => "again",
            Purpose::Model if connected => "connected",
            Purpose::Model
            | Purpose::Choice
            | Purpose::Approval
            | Purpose::Cap
            | Purpose::Spend
            | Purpose::Once
            | Purpose::Breaker => continue,
        };
        let (mailbox, id) = (context.mailbox(Arc::clone(store)), reply.to_owned());
        let reply = AnswerReply::Option { id };
        match mailbox
            .answer(head.run, Some(question.clone()), reply)
            .await
        {
            // Somebody answered it before: that counts.
            Ok(_) | Err(MailError::AnsweredBefore { .. } | MailError::NotOpen { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Drives a run with the driver that it was started for.
pub(crate) async fn drive(
    context: &Context,
    store: Arc<SqliteStore>,
    head: &Head,
    wait: WaitMode,
) -> Result<Exit, Failure> {
    let driver = Driver::of(context, &store, head).await?;
    gavel_models::install_tls();
    let engine = context.engine(store.clone(), &driver.models())?;
    let options = DriveOptions {
        wait,
        yes: context.general.yes,
        drift: Drift::Note,
        paid: context.settings()?.paid(),
    };
    let stop = StopHandle::new();
    let _watch = on_ctrl_c(stop.clone(), head.run, context.ui.clone());
    let live = Live::begin(context, &engine, &store, (head.run, stop.clone())).await?;
    let end = Box::pin(driver.drive(context, &engine, head, (options, stop))).await;
    live.finish().await;
    let end = end.map_err(|failure| name_run(failure, head.run))?;
    // The drive went as it went: tidying up after older runs changes nothing about that.
    if let Err(failure) = retain(context, &store).await {
        context.ui.note(format!(
            "texts of old runs were not dropped: {}",
            failure.message()
        ));
    }
    tell(context, store, head.run, &end).await
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
        DriveEnd::Through(RunState::Halted) if head.driver == gavel_product::DRIVER => {
            let (exit, reason) = halted(&store, &head).await?;
            (exit, format!("run {short} stopped: {reason}"))
        }
        DriveEnd::Through(state) => (exit_of(*state), format!("run {short} is {state}")),
        DriveEnd::Stopped(Stop::Waiting { question }) => (
            waiting(&head, question),
            format!("run {short} waits for an answer"),
        ),
        DriveEnd::Stopped(Stop::Budget { .. }) => {
            (Exit::Budget, format!("run {short} is paused at a budget"))
        }
        DriveEnd::Stopped(Stop::Paused) if needs_model(&head) => {
            (Exit::Waiting, format!("run {short} needs a model"))
        }
        DriveEnd::Stopped(Stop::Paused) => (
            Exit::Interrupted,
            format!("paused; gavel resume {short} goes on"),
        ),
        DriveEnd::Stopped(Stop::Aborted) => (Exit::Failed, format!("run {short} was aborted")),
    };
    match end {
        DriveEnd::Through(RunState::Sealed | RunState::Halted)
            if head.driver == gavel_product::DRIVER =>
        {
            summary(context, store.as_ref(), run).await?;
        }
        DriveEnd::Through(_) | DriveEnd::Stopped(_) => context.ui.line(text),
    }
    let asks = !head.questions.is_empty() && !head.state.is_final();
    if asks && exit != Exit::Interrupted {
        let questions = context.mailbox(store).questions(run).await?;
        questions
            .iter()
            .for_each(|question| answer::card(context, run, question));
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

fn needs_model(head: &Head) -> bool {
    head.questions
        .values()
        .any(|purpose| *purpose == Purpose::Model)
}

/// Trouble with a provider has its own exit code, although a question is open.
fn waiting(head: &Head, question: &Key) -> Exit {
    match head.questions.get(question) {
        Some(Purpose::Trouble) => Exit::Provider,
        Some(
            Purpose::Choice
            | Purpose::Approval
            | Purpose::Cap
            | Purpose::Spend
            | Purpose::Once
            | Purpose::Model
            | Purpose::Breaker,
        )
        | None => Exit::Waiting,
    }
}

/// Why a run halted: the gate's last word has its own exit code.
async fn halted(store: &SqliteStore, head: &Head) -> Result<(Exit, String), Failure> {
    let all = records(store, head).await?;
    let halted = all
        .iter()
        .rev()
        .find_map(|record| record.read::<Halted>().ok());
    let Some(halted) = halted else {
        return Ok((Exit::Failed, "halted".to_owned()));
    };
    let exit = match halted.reason.as_str() {
        "gate_failed" => Exit::Gate,
        _ => Exit::Failed,
    };
    let mut told = halted.reason.replace('_', " ");
    if let Some(detail) = halted.detail
        && let Some(text) = store.blob(detail.digest).await?
    {
        told = format!("{told}\n{}", String::from_utf8_lossy(&text).trim());
    }
    Ok((exit, told))
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
