//! Verify recipes: how a project's tests are found, run, counted and judged.
//!
//! The counts come from the runner's own closing lines. Code under test can print such lines too,
//! so a verdict needs the exit code to agree, and never less than that.

mod counts;
mod detect;
mod judge;
mod names;
mod recipe;
mod run;
mod runners;

pub use counts::Counts;
pub use detect::detect_recipes;
pub use judge::{Judgement, VerifyReason, judge};
pub use names::{TestNames, test_names};
pub use recipe::{NpmInstall, PipInstall, Recipe};
pub use run::{Verification, VerifyError, VerifyPlan, verify};
