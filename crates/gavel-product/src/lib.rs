//! One run from an idea to a sealed branch: stages, done gate, lessons.

mod agreeing;
mod approving;
mod assumptions;
mod brief;
mod building;
mod council;
mod discovery;
mod drive;
mod gating;
mod intake;
mod lessons;
mod means;
mod memory;
mod money;
mod place;
mod questions;
pub mod report;
mod scoping;
mod sealing;
mod staffing;
mod trouble;
mod way;

pub use brief::ProductBrief;
pub use drive::drive;
pub use means::{EarlierRun, Means, Slots, SpendHistory};
pub use report::{Report, ReportError};

/// The driver's name in `run_started`.
pub const DRIVER: &str = "product";
/// The version of its flow.
pub const FLOW: u32 = 1;
