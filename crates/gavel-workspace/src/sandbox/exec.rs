//! The other side of `gavel sandbox-exec`: supervisor, init and the last step before the command.
//!
//! ```text
//! gavel ── sandbox-exec ORDER -- argv          supervisor: lifeline, deadline, watchdog, orphans
//!            └─ sandbox-exec --init …          with namespaces only: pid 1, builds the file tree
//!                 └─ sandbox-exec --inner …    limits, capabilities, Landlock, seccomp
//!                      └─ argv                 by exec, so it never was unconfined
//! ```
//! With bubblewrap, that program stands in the place of the init.
//!
//! Each stage is a fresh exec of the same program, so everything is done by a process to itself,
//! with one thread, and without `unsafe`. Standard input of the supervisor is the *lifeline*: a pipe
//! whose other end only Gavel holds. It ends when Gavel dies, however it dies. (A parent-death
//! signal would fire when the *thread* that spawned the supervisor ends, which a runtime's worker
//! may do at any time.) Standard error is the lock file, see `report.rs`.

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

use super::report::{Event, Order};
use super::{init, inner, supervisor};

/// The name of the hidden subcommand that every door binary must route to [`sandbox_exec`].
pub const SANDBOX_EXEC: &str = "sandbox-exec";

/// Ends a stage that could not do its work; the report says why.
pub(crate) const STAGE_FAILED: u8 = 125;

/// A setup step that failed: what was being done, and what the system said.
#[derive(Debug)]
pub(crate) struct Broken {
    pub(crate) stage: &'static str,
    pub(crate) detail: String,
}

/// Says what was being done when an error came.
pub(crate) trait Stage<T> {
    fn stage(self, stage: &'static str) -> Result<T, Broken>;
}

impl<T, E: std::fmt::Display> Stage<T> for Result<T, E> {
    fn stage(self, stage: &'static str) -> Result<T, Broken> {
        self.map_err(|error| Broken {
            stage,
            detail: error.to_string(),
        })
    }
}

/// The parts of a command line, as each stage hands them to the next.
#[derive(Debug)]
pub(crate) struct Task {
    pub(crate) order_text: String,
    pub(crate) order: Order,
    /// Empty for a trial: the walls are put up and nothing is started.
    pub(crate) argv: Vec<OsString>,
}

/// Runs one stage of a sandboxed command, given the arguments after `sandbox-exec`.
///
/// The caller must not have started any thread. It returns when the stage is over, except for the
/// last one, which becomes the command.
pub fn sandbox_exec(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut arguments = arguments.into_iter().peekable();
    let stage = arguments.next_if(|word| word == "--init" || word == "--inner");
    let done = parse(arguments).and_then(|task| match stage {
        None => supervisor::supervise(&task),
        Some(word) if word == "--init" => init::run(&task),
        Some(_) => inner::become_command(&task),
    });
    match done {
        Ok(code) => code,
        Err(broken) => {
            Event::NotConfined {
                stage: broken.stage.to_owned(),
                detail: broken.detail,
            }
            .tell(io::stderr());
            ExitCode::from(STAGE_FAILED)
        }
    }
}

impl Task {
    /// The arguments of the next stage.
    pub(crate) fn arguments(&self, stage: &str) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = vec![
            SANDBOX_EXEC.into(),
            stage.into(),
            self.order_text.clone().into(),
            "--".into(),
        ];
        arguments.extend(self.argv.iter().cloned());
        arguments
    }
}

fn parse(mut arguments: impl Iterator<Item = OsString>) -> Result<Task, Broken> {
    let order = arguments.next().ok_or("missing");
    let order_text = order.stage("reading the order")?;
    let order_text = order_text
        .into_string()
        .map_err(|text| format!("{} is not UTF-8", text.display()))
        .stage("reading the order")?;
    let order = serde_json::from_str(&order_text).stage("reading the order")?;
    if arguments.next().is_none_or(|word| word != "--") {
        return Err("`--` must stand before the command").stage("reading the order");
    }
    Ok(Task {
        order_text,
        order,
        argv: arguments.collect(),
    })
}
