//! The door that this crate's tests run commands through: `sandbox-exec` and nothing else.
//!
//! `gavel` routes its hidden subcommand to the same function; tests of a crate below cannot use
//! that binary.

use std::process::ExitCode;

use gavel_workspace::{SANDBOX_EXEC, sandbox_exec};

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    match arguments.next() {
        Some(word) if word == SANDBOX_EXEC => sandbox_exec(arguments),
        Some(_) | None => ExitCode::from(2),
    }
}
