//! The steps of a test run. They share the debug profile's artifacts: no step sets flags that
//! would make cargo build twice.

use std::path::PathBuf;

use anyhow::Result;

use super::Plan;
use super::counts::{Counts, Runner};
use super::omitted;
use super::parts::{self, Part};
use crate::exec::Exec;
use crate::{peers, setup, tidy};

/// How a step ended.
#[derive(Debug, Clone, Copy)]
pub(super) struct Outcome {
    pub(super) success: bool,
    pub(super) counts: Counts,
}

/// A step that can be run.
pub(super) struct Step {
    pub(super) name: &'static str,
    pub(super) run: Box<dyn Fn() -> Result<Outcome>>,
}

/// Every step, in order; the one whose closing count matters comes last.
pub(super) fn all(plan: &Plan, (model, left_out): (Option<String>, PathBuf)) -> Vec<Step> {
    let with = parts::join(&plan.with);
    let mut steps = vec![
        step("fmt", || {
            shown(Exec::cargo().args(["fmt", "--all", "--check"]))
        }),
        step("tidy", || {
            Ok(Outcome {
                success: tidy::check()?,
                counts: Counts::default(),
            })
        }),
        step("clippy", || shown(clippy())),
    ];
    if plan.documentation {
        steps.push(step("documentation", || shown(documentation())));
    }
    steps.push(step("doctests", || {
        let doctests = ["test", "--workspace", "--doc", "--quiet"];
        counted(Runner::CargoTest, Exec::cargo().args(doctests))
    }));
    steps.push(step("tests", move || {
        let (runner, exec) = runner();
        let exec = exec.env(parts::VARIABLE, &with);
        let exec = exec.env(omitted::VARIABLE, &left_out);
        let exec = match &model {
            Some(address) => exec.env(parts::MODEL_VARIABLE, address),
            None => exec,
        };
        counted(runner, exec)
    }));
    if plan.with.contains(&Part::Peers) {
        let clients = step("clients", || {
            Ok(Outcome {
                success: peers::check()?,
                counts: Counts::default(),
            })
        });
        // Before the tests, whose closing count stands at the end.
        let last = steps.len().saturating_sub(1);
        steps.insert(last, clients);
    }
    steps
}

fn step(name: &'static str, run: impl Fn() -> Result<Outcome> + 'static) -> Step {
    Step {
        name,
        run: Box::new(run),
    }
}

fn clippy() -> Exec {
    Exec::cargo().args([
        "clippy",
        "--workspace",
        "--all-targets",
        "--quiet",
        "--",
        "-D",
        "warnings",
    ])
}

fn documentation() -> Exec {
    let build = [
        "doc",
        "--workspace",
        "--no-deps",
        "--document-private-items",
        "--quiet",
    ];
    Exec::cargo().args(build).env("RUSTDOCFLAGS", "-D warnings")
}

/// nextest kills slow tests and reports better; plain cargo is enough on a bare machine.
fn runner() -> (Runner, Exec) {
    let all = ["--workspace", "--no-fail-fast"];
    if setup::has_nextest() {
        let nextest = Exec::cargo().args(["nextest", "run"]);
        return (Runner::Nextest, nextest.args(all));
    }
    let plain = Exec::cargo().args(["test", "--lib", "--bins", "--tests"]);
    (Runner::CargoTest, plain.args(all))
}

fn shown(exec: Exec) -> Result<Outcome> {
    Ok(Outcome {
        success: exec.tee()?.success,
        counts: Counts::default(),
    })
}

fn counted(runner: Runner, exec: Exec) -> Result<Outcome> {
    let finished = exec.tee()?;
    Ok(Outcome {
        success: finished.success,
        counts: Counts::read(runner, &finished.said),
    })
}
