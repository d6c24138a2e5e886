//! The contracts for programs outside: the same texts and the same refusals as inside a run.
//!
//! A contract belongs to a run. The contracts of a project are those that hold now: of its newest
//! sealed run, else of its newest run that has any. Which runs a caller sees, the
//! [`ContractSource`] decides.

mod context;
mod project;
mod run;
mod text;

use std::pin::Pin;
use std::sync::Arc;

use gavel_agent::{Counter, CounterError, Refused, Visit};
use gavel_domain::{ContractKind, RunId, RunState, Timestamp};

use crate::ContractInputs;

use context::GetProjectContext;
use project::{GetProjectContract, ListProjectContracts};
use run::{GetBuildContracts, GetContract, GetPhaseWindow, GetSummary, ListContracts};

/// What a source answers with.
pub type Sought<'a, T> = Pin<Box<dyn Future<Output = Result<T, Refused>> + Send + 'a>>;

/// Who knows the runs, and which of them a caller sees.
///
/// Implementors guarantee: a run that the caller does not see is refused as if it did not exist.
pub trait ContractSource: Send + Sync + 'static {
    /// The contracts of a run, by its id or the end of it; without a name, of the run that the
    /// caller works for, else of the newest one that has any.
    fn of_run<'a>(&'a self, visit: &'a Visit, run: Option<&'a str>) -> Sought<'a, RunContracts>;

    /// The runs of the project that have contracts, newest first.
    fn of_project<'a>(&'a self, visit: &'a Visit) -> Sought<'a, Vec<RunContracts>>;

    /// What the contracts of a run are written from.
    fn inputs<'a>(&'a self, visit: &'a Visit, run: Option<&'a str>) -> Sought<'a, RunInputs>;
}

/// The contracts of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunContracts {
    /// The run.
    pub run: RunId,
    /// What it does now.
    pub state: RunState,
    /// When it started.
    pub started_at: Timestamp,
    /// The idea, in a person's words; empty when it is no longer kept.
    pub idea: String,
    /// Of each the version that the build is held to, else the newest, in the order in which they are
    /// written.
    pub contracts: Vec<HeldContract>,
    /// All other versions of them, which are handed out by their numbers only.
    pub versions: Vec<HeldContract>,
}

/// A contract of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldContract {
    /// Which.
    pub kind: ContractKind,
    /// Its version, counted from one in its run.
    pub version: u32,
    /// True when the build is held to this version.
    pub pinned: bool,
    /// Its text; nothing when it is no longer kept.
    pub text: Option<String>,
}

/// What the contracts of a run are written from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunInputs {
    /// The run.
    pub run: RunId,
    /// What they are written from.
    pub inputs: ContractInputs,
    /// False while nothing is agreed to be built.
    pub has_spec: bool,
}

/// The tools that read contracts, for whoever assembles what is served.
pub fn served_tools(
    counter: &mut Counter,
    source: &Arc<dyn ContractSource>,
) -> Result<(), CounterError> {
    counter.add(GetSummary(Arc::clone(source)))?;
    counter.add(ListContracts(Arc::clone(source)))?;
    counter.add(GetContract(Arc::clone(source)))?;
    counter.add(GetPhaseWindow(Arc::clone(source)))?;
    counter.add(GetBuildContracts(Arc::clone(source)))?;
    counter.add(ListProjectContracts(Arc::clone(source)))?;
    counter.add(GetProjectContract(Arc::clone(source)))?;
    counter.add(GetProjectContext(Arc::clone(source)))
}

#[cfg(test)]
#[path = "served_tests.rs"]
mod tests;
