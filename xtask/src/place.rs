//! Where we are: the workspace, its scratch folder, and the few variables that the workshop reads.

use std::env::VarError;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The root of the workspace. Cargo says where it is when it runs us; where we were compiled is
/// only the second choice, since a moved checkout is not compiled again.
pub(crate) fn root() -> PathBuf {
    let compiled = || env!("CARGO_MANIFEST_DIR").to_owned();
    let here = PathBuf::from(variable("CARGO_MANIFEST_DIR").unwrap_or_else(|_| compiled()));
    here.parent().map(Path::to_path_buf).unwrap_or(here)
}

/// A folder for what a verb makes, under `target/`, made if it is missing.
pub(crate) fn scratch(name: &str) -> Result<PathBuf> {
    let path = root().join("target").join("xtask").join(name);
    fs::create_dir_all(&path).with_context(|| format!("cannot make {}", path.display()))?;
    Ok(path)
}

/// True where nobody watches and a missing part must be an error: `CI=true`.
pub(crate) fn under_ci() -> bool {
    matches!(variable("CI").as_deref(), Ok("true" | "1"))
}

#[expect(
    clippy::disallowed_methods,
    reason = "the workshop is a program of its own; this is its one read of the environment"
)]
fn variable(name: &str) -> Result<String, VarError> {
    std::env::var(name)
}
