//! A council on its own: somebody asks a question, and gets an answer with its evidence. Nothing is
//! built, and the checkout is only read.

mod after;
mod brief;
mod debate;
mod lesson;
mod plan;
mod review;
mod sources;
mod staff;
mod trouble;

use std::sync::Arc;

use gavel_agent::ToolContext;
use gavel_domain::{Closed, Key, Stage, StageEntered};
use gavel_rules::RunChoices;
use gavel_rules::council::MemoryLooked;
use gavel_run::{Run, RunError};
use gavel_workspace::{Scrubber, TreeRoot};

pub use self::brief::{MeetingBrief, MeetingMeans};
pub use self::plan::{ApprovedPlan, approved_plan};
use self::trouble::{Problem, try_again};
use crate::memory::{Asked, NAMED_TO_RULES, NAMED_TO_SEATS, Recall};
use crate::way::{Leave, unusable};

/// The driver's name in `run_started`.
pub const DRIVER: &str = "council";
/// The version of its flow, which new runs follow.
pub const FLOW: u32 = 3;
/// The oldest flow that is still driven.
pub const OLDEST_FLOW: u32 = 2;

/// What every part of a meeting works with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room<'a> {
    run: &'a Run,
    brief: &'a MeetingBrief,
    means: &'a MeetingMeans,
    /// Reads the folder; nothing can be written through it.
    context: &'a ToolContext,
}

/// How a meeting ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ended {
    /// Everything that was open is decided.
    Decided,
    /// Something is still open, and the outcome says what.
    Open,
    /// Rules reviewed it; nobody debated.
    Reviewed,
    /// Whoever asked took the question back.
    Withdrawn,
}

impl Ended {
    const fn word(self) -> &'static str {
        match self {
            Self::Decided => "decided",
            Self::Open => "open",
            Self::Reviewed => "reviewed",
            Self::Withdrawn => "withdrawn",
        }
    }
}

/// Drives a council from its question to its answer, or to the point where it needs somebody.
pub async fn drive(run: Run, brief: MeetingBrief, means: MeetingMeans) -> Result<(), RunError> {
    let wrong = |problem: &dyn std::fmt::Display| unusable(&run, problem);
    let files = TreeRoot::open(&brief.folder).map_err(|error| wrong(&error))?;
    let scrubber = Scrubber::new([]).map_err(|error| wrong(&error))?;
    let context = ToolContext::reading(Arc::new(files), Arc::new(scrubber))
        .with_sources(means.reach.sources.clone());
    let room = Room {
        run: &run,
        brief: &brief,
        means: &means,
        context: &context,
    };
    match meet(room).await {
        Ok(()) | Err(Leave::Halted) => Ok(()),
        Err(Leave::Run(error)) => Err(error),
    }
}

async fn meet(room: Room<'_>) -> Result<(), Leave> {
    let run = room.run;
    let stage = Stage::Council;
    run.decide(Key::new("stage/council")?, StageEntered { stage })
        .await?;
    let council = staff::choose(run, 1, room.means, room.context).await?;
    // Rules read everything about an option, seats the best of it.
    let named = council.as_ref().map_or(NAMED_TO_RULES, |_| NAMED_TO_SEATS);
    let recalled = recall(room, None, (&room.brief.topic, named)).await?;
    let ended = match council {
        Some(council) => debate::hold(room, council, recalled.notes).await?,
        None => {
            review::review(room, &recalled).await?;
            Ended::Reviewed
        }
    };
    let how = ended.word().to_owned();
    run.decide(Key::new("meeting/closed")?, Closed { how })
        .await?;
    Ok(())
}

/// Asks project memory about a question, where there is one: that of the run, or one that follows a
/// debate up. Memory that cannot be read is a question to a person: what it holds may matter.
async fn recall(
    room: Room<'_>,
    after: Option<u32>,
    (question, named): (&str, usize),
) -> Result<Recall, Leave> {
    let Room { run, brief, .. } = room;
    let choices = RunChoices::of(&run.settings());
    let wanted = !brief.without_memory && choices.memory_inject;
    let Some(checkout) = brief.checkout.as_deref() else {
        return Ok(Recall::unasked(MemoryLooked::NoProject));
    };
    if !wanted {
        return Ok(Recall::unasked(MemoryLooked::NotAsked));
    }
    let mut number = 1;
    loop {
        let scope = match after {
            Some(debate) => run.scope("after", debate)?.scope("memory", number)?,
            None => run.scope("memory", number)?,
        };
        let asked = Asked::new(checkout, question, choices).naming(named);
        let means = &room.means.memory;
        let problem = match means.ask(run, scope.key("recalled")?, asked).await {
            Ok(recalled) => return Ok(recalled),
            Err(RunError::Failed(error)) => Problem::from(&*error),
            Err(error) => return Err(error.into()),
        };
        try_again(run, &scope, &problem).await?;
        number += 1;
    }
}
