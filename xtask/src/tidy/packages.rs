//! What cargo knows about packages: names, features, dependencies, licences.

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::exec::Exec;

/// The answer of `cargo metadata`, as far as we read it.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Packages {
    pub(super) packages: Vec<Package>,
}

/// One package.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Package {
    pub(super) name: String,
    #[serde(default)]
    pub(super) version: String,
    #[serde(default)]
    pub(super) license: Option<String>,
    #[serde(default)]
    pub(super) features: std::collections::BTreeMap<String, Vec<String>>,
    #[serde(default)]
    pub(super) dependencies: Vec<Dependency>,
}

/// One dependency as a manifest states it.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Dependency {
    pub(super) name: String,
    /// `dev`, `build`, or nothing.
    #[serde(default)]
    pub(super) kind: Option<String>,
    /// Set for packages of this workspace.
    #[serde(default)]
    pub(super) path: Option<String>,
}

impl Packages {
    /// The workspace's own packages.
    pub(super) fn of_workspace() -> Result<Self> {
        ask(&["--no-deps"])
    }

    /// Everything that is compiled on this platform, dependencies included.
    pub(super) fn of_lock_file() -> Result<Self> {
        let host = Exec::new("rustc").args(["-vV"]).output()?;
        let host = host.lines().find_map(|line| line.strip_prefix("host: "));
        let host = host.context("rustc names no host")?;
        ask(&["--filter-platform", host])
    }
}

fn ask(more: &[&str]) -> Result<Packages> {
    let ask = ["metadata", "--format-version", "1", "--locked"];
    let text = Exec::cargo().args(ask).args(more).output()?;
    serde_json::from_str(&text).context("cargo metadata answered something else")
}
