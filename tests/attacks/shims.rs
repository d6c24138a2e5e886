//! What a machine can be besides this one: without namespaces, or with a clock that jumps. Small C files
//! that are built where there is a compiler; elsewhere the tests say what they left out.

use std::path::{Path, PathBuf};
use std::process::Command;

use gavel_testkit::left_out;

use crate::studio::OPEN_NETWORK;

/// A program before which the kernel gives out no namespaces.
pub(super) fn without_namespaces() -> Option<PathBuf> {
    built("no_namespaces", &[])
}

/// A library that moves the wall clock of whoever is started with it.
pub(super) fn moved_clock() -> Option<PathBuf> {
    built("clock", &["-shared", "-fPIC"])
}

/// The same command behind a program, which starts it.
#[expect(
    clippy::disallowed_methods,
    reason = "the binary is started as it is anywhere, on another machine"
)]
pub(super) fn behind(program: &Path, command: &Command) -> Command {
    let mut behind = Command::new(program);
    behind
        .arg(command.get_program())
        .args(command.get_args())
        .env_clear()
        .envs(
            command
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        );
    // What this machine is told of another one does not hold behind the program.
    behind.env_remove(OPEN_NETWORK);
    if let Some(folder) = command.get_current_dir() {
        behind.current_dir(folder);
    }
    behind
}

#[expect(clippy::disallowed_methods, reason = "a compiler is a program")]
fn built(name: &str, more: &[&str]) -> Option<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/attacks/shims")
        .join(format!("{name}.c"));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    std::fs::create_dir_all(folder).unwrap();
    // Others do this at the same time.
    let place = tempfile::tempdir_in(folder).unwrap();
    let own = place.path().join(name);
    let mut compiler = Command::new("cc");
    let compiler = compiler.args(["-O1", "-Wall", "-o"]).arg(&own).args(more);
    match compiler.arg(&source).status() {
        Ok(status) => assert!(status.success(), "{name}.c cannot be compiled"),
        Err(error) => {
            left_out("cc", &format!("there is no C compiler: {error}"));
            return None;
        }
    }
    let shared = folder.join(name);
    std::fs::rename(own, &shared).unwrap();
    Some(shared)
}
