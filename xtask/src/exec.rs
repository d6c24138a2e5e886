//! The only module that starts processes.

use std::ffi::OsStr;
use std::io::{self, BufRead, BufReader, IsTerminal, Read};
use std::process::{Child, Command, Stdio};
use std::thread;

use anyhow::{Context, Result, bail};

use crate::{place, say};

/// A program about to be started in the workspace root.
#[derive(Debug)]
pub(crate) struct Exec(Command);

/// What a program said and how it ended.
#[derive(Debug)]
pub(crate) struct Finished {
    /// True if it exited with 0.
    pub(crate) success: bool,
    /// Everything it printed, both streams, line by line as it came.
    pub(crate) said: Vec<String>,
}

impl Exec {
    /// Names the program.
    #[expect(
        clippy::disallowed_methods,
        reason = "the workshop's one door to other programs: cargo, git, python"
    )]
    pub(crate) fn new(program: impl AsRef<OsStr>) -> Self {
        let mut command = Command::new(program);
        command.current_dir(place::root()).stdin(Stdio::null());
        Self(command)
    }

    /// The cargo that runs this very program.
    pub(crate) fn cargo() -> Self {
        Self::new("cargo")
    }

    /// Adds arguments.
    pub(crate) fn args<A: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.0.args(args);
        self
    }

    /// Sets a variable for it.
    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.0.env(name, value);
        self
    }

    /// Gives the command to a caller that needs its own pipes.
    pub(crate) fn into_command(self) -> Command {
        self.0
    }

    /// Runs it in front of the person; a bad exit is an error.
    pub(crate) fn run(mut self) -> Result<()> {
        let name = self.name();
        let status = self
            .0
            .status()
            .with_context(|| format!("cannot start `{name}`"))?;
        if status.success() {
            return Ok(());
        }
        bail!("`{name}` ended with {status}")
    }

    /// Runs it and returns its standard output; a bad exit is an error that carries what it said.
    pub(crate) fn output(mut self) -> Result<String> {
        let name = self.name();
        let output = self
            .0
            .output()
            .with_context(|| format!("cannot start `{name}`"))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            bail!("`{name}` ended with {}: {}", output.status, said.trim());
        }
        String::from_utf8(output.stdout).with_context(|| format!("`{name}` printed no UTF-8"))
    }

    /// Runs it, shows both streams as they come, and keeps them.
    pub(crate) fn tee(mut self) -> Result<Finished> {
        let name = self.name();
        if io::stderr().is_terminal() {
            // Behind a pipe cargo would drop its colours.
            self.0.env("CARGO_TERM_COLOR", "always");
        }
        let mut child = self
            .0
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start `{name}`"))?;
        let said = show(&mut child)?;
        let status = child
            .wait()
            .with_context(|| format!("cannot wait for `{name}`"))?;
        Ok(Finished {
            success: status.success(),
            said,
        })
    }

    fn name(&self) -> String {
        let program = self.0.get_program().to_string_lossy().into_owned();
        let mut words = vec![program];
        words.extend(
            self.0
                .get_args()
                .take(3)
                .map(|arg| arg.to_string_lossy().into_owned()),
        );
        words.join(" ")
    }
}

fn show(child: &mut Child) -> Result<Vec<String>> {
    let out = child.stdout.take().context("no standard output")?;
    let err = child.stderr.take().context("no standard error")?;
    let aside = thread::spawn(move || forward(err, say::note));
    let mut said = forward(out, say::line);
    let Ok(more) = aside.join() else {
        bail!("the reader of standard error died")
    };
    said.extend(more);
    Ok(said)
}

fn forward(stream: impl Read, show: fn(&str)) -> Vec<String> {
    let mut said = Vec::new();
    for line in BufReader::new(stream).split(b'\n') {
        // A broken pipe ends the stream; the exit status tells the rest.
        let Ok(bytes) = line else { break };
        let text = String::from_utf8_lossy(&bytes).into_owned();
        show(&text);
        said.push(text);
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_exit_is_told_with_what_was_said() {
        let error = Exec::new("git").args(["no-such-verb"]).output();
        let text = format!("{:#}", error.unwrap_err());
        assert!(text.contains("git no-such-verb"), "{text}");
        assert!(text.contains("is not a git command"), "{text}");
    }

    #[test]
    fn a_missing_program_is_named() {
        let error = Exec::new("gavel-no-such-program").run().unwrap_err();
        assert!(format!("{error:#}").contains("gavel-no-such-program"));
    }

    #[test]
    fn tee_keeps_both_streams() {
        let script = "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)";
        let finished = Exec::new("python3").args(["-c", script]).tee().unwrap();
        assert!(!finished.success);
        assert_eq!(finished.said, ["out", "err"]);
    }
}
