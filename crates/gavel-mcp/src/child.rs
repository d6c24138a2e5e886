//! The child process of a source, and everything that it started.

use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process_group};
use secrecy::ExposeSecret as _;
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::McpProgram;

/// A running program; what it started ends with the value too.
#[derive(Debug)]
pub(crate) struct Program(Child);

impl Program {
    /// Starts it with nothing of our environment, in a group of its own.
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the one place that starts a source: its person named it, and it answers over pipes"
    )]
    pub(crate) fn start(program: &McpProgram) -> std::io::Result<(Self, ChildStdout, ChildStdin)> {
        let mut command = Command::new(&program.command);
        command.args(&program.arguments).env_clear();
        for (name, value) in &program.environment {
            command.env(name, value.expose_secret());
        }
        // What it prints for people would be drawn over what we show.
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        command.stderr(Stdio::null()).kill_on_drop(true);
        // Never in a project's folder: what lies there could pass for a part of the program.
        command.current_dir(&program.folder).process_group(0);
        let mut child = command.spawn()?;
        let pipes = (child.stdout.take(), child.stdin.take());
        let (Some(stdout), Some(stdin)) = pipes else {
            return Err(std::io::Error::other("the program has no pipes"));
        };
        Ok((Self(child), stdout, stdin))
    }

    /// True while it runs.
    pub(crate) fn runs(&mut self) -> bool {
        matches!(self.0.try_wait(), Ok(None))
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // Launchers such as npx start the program that answers as a child of their own.
        let group = self.0.id().and_then(|id| i32::try_from(id).ok());
        let Some(group) = group.and_then(Pid::from_raw) else {
            return;
        };
        if let Err(error) = kill_process_group(group, Signal::KILL) {
            tracing::debug!(%error, "a source had ended before it was stopped");
        }
    }
}
