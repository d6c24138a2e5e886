//! `run_command`: one program with its arguments, in the sandbox, without network.

use std::time::Duration;

use gavel_workspace::{Argv, CommandOutcome, Exit, RepoPath};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    CommandRoom, Data, Keep, ToolClass, ToolContext, ToolHandler, ToolOutput, ToolRefusal,
};

const DEFAULT_SECONDS: u32 = 120;
const MAX_SECONDS: u32 = 600;

/// How the words about a command begin that was ended at the disk cap.
pub(crate) const AT_DISK_CAP: &str = "stopped: it wrote more than";

/// The tool.
#[derive(Debug, Clone, Copy)]
pub struct RunCommand;

/// Its arguments.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunCommandInput {
    /// One program with arguments; no shell, no pipes.
    command: String,
    /// At most 600; 120 without it.
    seconds: Option<u32>,
}

impl ToolHandler for RunCommand {
    type Input = RunCommandInput;
    const NAME: &'static str = "run_command";
    const PURPOSE: &'static str = "Run a program at the root of the tree, without network.";
    const CLASS: ToolClass = ToolClass::Tree;

    fn works_in(context: &ToolContext) -> bool {
        context.has_tree() && context.has_commands()
    }

    async fn run(
        &self,
        context: &ToolContext,
        input: RunCommandInput,
    ) -> Result<ToolOutput, ToolRefusal> {
        let argv = Argv::parse(&input.command).map_err(|error| ToolRefusal::from_error(&error))?;
        let seconds = input.seconds.unwrap_or(DEFAULT_SECONDS);
        let wall = Duration::from_secs(seconds.clamp(1, MAX_SECONDS).into());
        let room = context.commands()?;
        let outcome = room.run(argv.clone(), wall).await?;
        let large = take_back(context).await?;
        let words = describe(&outcome) + &hidden_files(room);
        let level = outcome.confinement.level();
        let data = Data {
            source: format!("output of {argv}"),
            text: outcome.output.text,
            keep: Keep::Ends,
        };
        if let Some(large) = large {
            let words = format!("{words}; {large}");
            return Err(ToolRefusal::new(words).with(data).confined(level));
        }
        match outcome.exit {
            Exit::Code(0) => Ok(ToolOutput::words(words).with(data).confined(level)),
            Exit::Code(_)
            | Exit::Signal(_)
            | Exit::Deadline
            | Exit::Tasks
            | Exit::Memory
            | Exit::Flood
            | Exit::Disk { .. } => Err(ToolRefusal::new(words).with(data).confined(level)),
        }
    }
}

/// Takes back what a command left and may not be recorded, and says so; `None` when there is none.
pub(crate) async fn take_back(context: &ToolContext) -> Result<Option<String>, ToolRefusal> {
    let taken = context.tree()?.take_back_unwanted().await;
    let taken = taken.map_err(|error| ToolRefusal::from_error(&error))?;
    let mut words = Vec::new();
    if !taken.large.is_empty() {
        let names: Vec<_> = taken
            .large
            .iter()
            .take(5)
            .map(ToString::to_string)
            .collect();
        words.push(format!(
            "{} files were taken back, too large to be recorded: {}; write such files to an ignored folder or \
             the temporary folder",
            taken.large.len(),
            names.join(", ")
        ));
    }
    if !taken.own.is_empty() {
        let names: Vec<_> = taken.own.iter().take(5).map(String::as_str).collect();
        words.push(format!(
            "{} was put back: Gavel's own files (contracts, seals, memory, settings) are not changed by a build",
            names.join(", ")
        ));
    }
    Ok((!words.is_empty()).then(|| words.join("; ")))
}

/// Which files were not there for the command.
pub(crate) fn hidden_files(room: &CommandRoom) -> String {
    const NAMED: usize = 5;
    let names: Vec<&str> = room.hidden().iter().map(RepoPath::as_str).collect();
    match names.len() {
        0 => String::new(),
        count if count <= NAMED => format!(
            "; credentials that commands do not see: {}",
            names.join(", ")
        ),
        count => format!("; {count} credential files are not there for commands"),
    }
}

/// How a command ended, and what was around it.
pub(crate) fn describe(outcome: &CommandOutcome) -> String {
    let mut words = match outcome.exit {
        Exit::Code(code) => format!("exit code {code}"),
        Exit::Signal(signal) => format!("ended by signal {signal}"),
        Exit::Deadline => "stopped: its time was over".to_owned(),
        Exit::Tasks => "stopped: it started too many processes".to_owned(),
        Exit::Memory => "stopped: it used too much memory".to_owned(),
        Exit::Flood => "stopped: it printed too much".to_owned(),
        Exit::Disk { allowed } => format!(
            "{AT_DISK_CAP} {} MiB to the disk, or its build has more than twice that (a person can raise \
             sandbox.disk_mib)",
            allowed >> 20
        ),
    };
    words.push_str(&format!("; sandbox: {}", outcome.confinement));
    for note in outcome.output.notes() {
        words.push_str("; ");
        words.push_str(&note);
    }
    if outcome.output.text.is_empty() {
        words.push_str("; it printed nothing");
    }
    words
}
