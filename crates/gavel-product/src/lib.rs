//! One run from an idea to a sealed branch: stages, done gate, lessons.

mod agreeing;
mod approving;
mod asks;
mod assumptions;
#[cfg(test)]
mod bench;
mod breakers;
mod building;
mod council;
mod delivery;
mod discovery;
mod doubted;
mod drive;
mod earlier;
mod fallen;
mod forecast;
mod gating;
mod hot;
mod hot_sprint;
mod hot_words;
mod idea;
mod intake;
mod judge_task;
mod judging;
mod later_seal;
mod lessons;
mod means;
pub mod meeting;
mod memory;
mod model_trouble;
mod money;
mod owner;
mod panel;
mod people_lately;
mod place;
mod proof;
mod publishing;
mod reaching;
mod recipes;
mod repository;
mod rerun;
mod runner_consent;
mod scoping;
mod seal_journal;
mod sealing;
pub mod served;
mod shipping;
mod sprint_cards;
mod sprint_feedback;
mod sprints;
mod staffing;
mod trouble;
mod way;

pub use doubted::DoubtedCouncil;
pub use drive::drive;
pub use forecast::{Expected, Forecast, forecast};
pub use later_seal::{LaterMeans, SealsMade, ShippedBy, seal_later};
pub use lessons::{Candidate, Standing, candidates};
pub use means::{EarlierRun, Means, Reach, Slots, SpendHistory};
pub use memory::{MemoryMeans, ProjectRecaller};
pub use model_trouble::ModelTrouble;
pub use publishing::REMOTE;
pub use rerun::{CriterionReran, RERUN_DRIVER, Reran, RerunCase, RerunEnd, RerunReport, rerun};
pub use seal_journal::{CompareError, JournalOutcome, JournalRow, compare_with_journal};

/// The driver's name in `run_started`.
pub const DRIVER: &str = "product";
/// The version of its flow, which new runs follow. A change of what a run does or asks is guarded by
/// `run.flow() >= N`, so that runs under way go on as they began.
pub const FLOW: u32 = 9;
/// From this flow on the done gate proves criteria by itself.
pub(crate) const PROVEN_FLOW: u32 = 6;
/// From this flow on tests from before the run have to notice what they noticed.
pub(crate) const KEPT_TESTS_FLOW: u32 = 7;
/// From this flow on a name that a runner prints, and cannot run alone, shows nothing.
pub(crate) const PRINTED_FLOW: u32 = 9;
/// The oldest flow that is still driven. Older runs are read, and not driven: their keys mean
/// something else.
pub const OLDEST_FLOW: u32 = 4;
