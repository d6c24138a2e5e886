//! The test door: `sandbox-exec`, and a parent of commands that a test can kill.
//!
//! `gavel` routes its hidden subcommand `sandbox-exec` to the same function. Integration tests of
//! this crate cannot use that binary, so they use this one. `command WALLS POLICY LOCK -- argv` runs
//! one command the way Gavel does and prints how it ended.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use gavel_workspace::{
    Argv, CommandSpec, Commands, Confinement, SANDBOX_EXEC, SandboxDoor, WithoutSandbox,
    sandbox_exec,
};
use tokio_util::sync::CancellationToken;

type BoxError = Box<dyn std::error::Error>;

fn main() -> Result<ExitCode, BoxError> {
    let mut arguments = std::env::args_os().skip(1);
    match arguments.next() {
        Some(word) if word == SANDBOX_EXEC => Ok(sandbox_exec(arguments)),
        Some(word) if word == "command" => run(arguments),
        _ => Ok(ExitCode::from(2)),
    }
}

fn run(arguments: impl Iterator<Item = OsString>) -> Result<ExitCode, BoxError> {
    let words = arguments
        .map(OsString::into_string)
        .collect::<Result<Vec<_>, _>>()
        .map_err(|word| format!("{} is not UTF-8", word.display()))?;
    let [walls, policy, lock, _, argv @ ..] = words.as_slice() else {
        return Ok(ExitCode::from(2));
    };
    let confinement = Confinement {
        walls: serde_json::from_str(walls)?,
        landlock_abi: 0,
        because: Vec::new(),
    };
    let door = SandboxDoor(std::env::current_exe()?);
    let commands = Commands::new(door, confinement, WithoutSandbox::AllowedByPerson);
    let spec = CommandSpec {
        argv: Argv::new(argv)?,
        policy: serde_json::from_str(policy)?,
        lock: PathBuf::from(lock),
        cancel: CancellationToken::new(),
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let outcome = runtime.block_on(commands.run(&spec))?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{:?}\n{}", outcome.exit, outcome.output.text)?;
    Ok(ExitCode::SUCCESS)
}
