//! One run from an idea to a sealed branch: stages, done gate, lessons.

mod brief;
mod means;
pub mod report;

pub use brief::ProductBrief;
pub use means::{Means, Slots};
pub use report::{Report, ReportError};

/// The driver's name in `run_started`.
pub const DRIVER: &str = "product";
/// The version of its flow.
pub const FLOW: u32 = 1;
