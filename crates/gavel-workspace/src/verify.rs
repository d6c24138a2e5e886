//! Verify recipes: how a project's tests are found, run, counted and judged, and how the product is
//! tried out.
//!
//! The counts come from the runner's own closing lines. Code under test can print such lines too,
//! so a verdict needs the exit code to agree, and never less than that.

mod alone;
mod counts;
mod coverage;
mod detect;
mod found;
mod install;
mod judge;
mod listed;
mod names;
mod node;
mod python;
mod recipe;
mod run;
mod runner;
mod runner_settings;
mod runners;
mod settings;
mod smoke;
mod toolchain;

pub use alone::{
    BuiltProgram, CargoPrograms, Lane, LoneRun, LoneTest, LoneVerdict, TestListing, built_programs,
    cargo_programs, list_tests, remove_lanes, run_alone, runs_tests_alone, wait_for_lanes,
};
pub use counts::Counts;
pub use coverage::coverage;
pub use found::{FileLimit, FileList, RecipeFound, Recipes, find_recipe, recipe_of};
pub use install::InstallRan;
pub use judge::{Closings, Judgement, VerifyReason, judge};
pub use listed::{ListedCount, count_listed};
pub use names::{TestNames, test_names};
pub use node::{NodeInstall, NodeManager, ScriptRunner};
pub use python::{PythonInstall, TestFolder};
pub use recipe::Recipe;
pub use run::{Verification, VerifyError, VerifyPlan, install_dependencies, verify};
pub use runner_settings::{TreeFiles, restored, runner_settings};
pub use settings::{VerifySettings, VerifySettingsError};
pub use smoke::{Smoke, SmokePlan, SmokeSeen, smoke};
pub use toolchain::resolved_command;
