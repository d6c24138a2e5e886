//! Coders that cheat, through the real binary: none gets its work called shown, and each honest twin
//! does.
//!
//! A cheating coder is the offline model with its work spoiled before it hands it over, or one that
//! makes scripted calls; whoever leads, audits and judges new projects is the offline model as it is.
//! The modules are part of the test binary of `gavel-cli` and share its fixtures. Most cheats ask
//! `gavel_testkit::asked_for("cheats")` first: `cargo xtask test --with cheats` runs them all.

pub(crate) mod change;
mod cheater;
mod contracts;
mod documented;
mod hidden;
mod judge;
mod new_project;
mod node_project;
mod out_of_reach;
mod outcome;
mod python_project;
pub(crate) mod release;
mod runners;
mod served;
mod small_change;
mod whole_suite;

/// True when all cheats are to be run, and not only the fastest of each kind.
fn asked() -> bool {
    gavel_testkit::asked_for("cheats")
}
