//! How a drive ended, in words, as data and as an exit code.

use std::sync::Arc;

use gavel_domain::{Halted, Head, Key, Purpose, RunId, RunState};
use gavel_rules::HaltReason;
use gavel_run::{DriveEnd, Stop};
use gavel_store::{SqliteStore, Store as _};

use super::{after, answer, council, loops, status};
use crate::context::Context;
use crate::driver::records;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::summary::summary;

/// What a person may do about a run that stopped: it asked before it did.
const STOPPED: &str = "A run that stopped does not go on: somebody decided so. Everything that it \
    committed is on its branch. gavel start begins anew, and is told what became of this one.";

/// Says how a drive ended and what to do now.
pub(super) async fn tell(
    context: &Context,
    store: Arc<SqliteStore>,
    run: RunId,
    end: &DriveEnd,
) -> Result<Exit, Failure> {
    let Some(head) = store.head(run).await? else {
        return Err(gavel_run::RunError::NoRun(run).into());
    };
    if head.driver == gavel_deliberation::loops::DRIVER
        && let Some(exit) = loops::ended(context, &store, (&head, end)).await?
    {
        return Ok(exit);
    }
    let short = run.short();
    let (mut exit, text) = match end {
        DriveEnd::Through(RunState::Halted) if is_real(&head) => {
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
            if head.state == RunState::Halted {
                context.ui.note(STOPPED);
            }
        }
        DriveEnd::Through(RunState::Closed) => {
            exit = council::tell_outcome(context, &store, &head).await?;
        }
        DriveEnd::Through(_) | DriveEnd::Stopped(_) => context.ui.line(text),
    }
    after::clear_up(context, &store, &head).await;
    let asks = !head.questions.is_empty() && !head.state.is_final();
    if asks && exit != Exit::Interrupted {
        let questions = context.mailbox(store).questions(run).await?;
        answer::show(context, run, &questions);
    } else if head.state != RunState::Closed {
        context.ui.data("run", &status::as_json(&head));
    }
    Ok(exit)
}

/// True for runs of people; toys only show that the engine works.
fn is_real(head: &Head) -> bool {
    head.driver == gavel_product::DRIVER || head.driver == gavel_product::meeting::DRIVER
}

fn needs_model(head: &Head) -> bool {
    head.questions
        .values()
        .any(|purpose| *purpose == Purpose::Model)
}

/// Trouble with a provider or a branch has its own exit code, although a question is open.
fn waiting(head: &Head, question: &Key) -> Exit {
    match head.questions.get(question) {
        Some(Purpose::Trouble) => Exit::Provider,
        Some(Purpose::Moved) => Exit::Conflict,
        Some(
            Purpose::Choice
            | Purpose::Approval
            | Purpose::Cap
            | Purpose::Spend
            | Purpose::Once
            | Purpose::Model
            | Purpose::Machine
            | Purpose::Breaker,
        )
        | None => Exit::Waiting,
    }
}

/// Why a run halted: what was not proven has its own exit code.
async fn halted(store: &SqliteStore, head: &Head) -> Result<(Exit, String), Failure> {
    let all = records(store, head).await?;
    let halted = all
        .iter()
        .rev()
        .find_map(|record| record.read::<Halted>().ok());
    let Some(halted) = halted else {
        return Ok((Exit::Failed, "halted".to_owned()));
    };
    let exit = match HaltReason::from_word(&halted.reason) {
        Some(reason) if reason.is_about_proof() => Exit::Gate,
        Some(_) | None => Exit::Failed,
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
        RunState::Running | RunState::Halted | RunState::Sealed | RunState::Closed => Exit::Done,
        RunState::Waiting => Exit::Waiting,
        RunState::Paused => Exit::Budget,
        RunState::Faulted => Exit::Bug,
        RunState::Aborted => Exit::Failed,
    }
}
