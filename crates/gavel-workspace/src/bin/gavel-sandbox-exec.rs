//! The test door: a binary that can nothing but `sandbox-exec`.
//!
//! `gavel` routes its hidden subcommand of that name to the same function. Integration tests of
//! this crate cannot use that binary, so they use this one.

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    match arguments.next() {
        Some(word) if word == gavel_workspace::SANDBOX_EXEC => {
            gavel_workspace::sandbox_exec(arguments)
        }
        _ => ExitCode::from(2),
    }
}
