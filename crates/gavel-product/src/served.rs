//! Runs for programs outside: started, asked after, answered, steered. Long work is started here and
//! driven by another process, so that no call outlives the patience of a client.
//!
//! A caller sees the runs of the project that is served, and no others.

mod answer;
mod branch;
mod control;
mod council;
mod desk;
mod next;
mod question;
mod shelves;
mod start;
mod status;

use std::pin::Pin;
use std::sync::Arc;

use gavel_agent::{Counter, CounterError, Refused};
use gavel_domain::{MicroUsd, RunId};

pub use desk::{RunDesk, ServedPlace};

/// What a door answers with.
pub type Doing<'a, T> = Pin<Box<dyn Future<Output = Result<T, Refused>> + Send + 'a>>;

/// What only the surface can do: begin runs with the settings of this machine, and let them be
/// driven outside of this process.
///
/// Implementors guarantee: a run that was begun is durable; a run that was launched is driven by a
/// process that lives on when this one ends; caps of the settings are narrowed and never widened.
pub trait RunDoor: Send + Sync + 'static {
    /// Records a new run that builds an idea.
    fn begin(&self, wanted: WantedRun) -> Doing<'_, RunId>;
    /// Records a new council.
    fn convene(&self, wanted: WantedCouncil) -> Doing<'_, RunId>;
    /// Lets another process drive a run until it ends, waits or stops. Returns once somebody drives.
    fn launch(&self, run: RunId) -> Doing<'_, ()>;
}

/// A run that somebody wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedRun {
    /// What to build.
    pub idea: String,
    /// A wish about the stack.
    pub stack: Option<String>,
    /// At most so much; less than the settings allow, never more.
    pub max_cost: Option<MicroUsd>,
    /// Three phases at most.
    pub mini: bool,
    /// Debate whatever the scores say.
    pub force_council: bool,
    /// The idea is about the repository as it is.
    pub from_repo: bool,
}

/// A council that somebody wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedCouncil {
    /// What to decide.
    pub topic: String,
    /// At most so much; less than the settings allow, never more.
    pub max_cost: Option<MicroUsd>,
    /// Somebody is there to answer questions about the topic; without that, none is asked.
    pub attended: bool,
}

/// The tools about runs, for whoever assembles what is served.
pub fn served_tools(
    counter: &mut Counter,
    desk: &Arc<RunDesk>,
    door: &Arc<dyn RunDoor>,
) -> Result<(), CounterError> {
    let both = || (Arc::clone(desk), Arc::clone(door));
    counter.add(start::StartRun(both()))?;
    counter.add(status::RunStatus(Arc::clone(desk)))?;
    counter.add(answer::Answer(both()))?;
    counter.add(answer::Say(Arc::clone(desk)))?;
    counter.add(control::Control(both()))?;
    counter.add(council::Council(both()))?;
    counter.add(branch::BranchStatus(Arc::clone(desk)))?;
    counter.add(branch::BranchCommits(Arc::clone(desk)))
}

#[cfg(test)]
#[path = "served_tests.rs"]
mod tests;
