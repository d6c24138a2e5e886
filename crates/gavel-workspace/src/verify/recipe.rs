//! The recipes: which commands fetch a project's dependencies and which run its tests.

use std::path::Path;

use super::counts::Counts;
use super::runners;
use crate::{Argv, ArgvError};

/// A way to verify a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Recipe {
    /// `cargo test`.
    Cargo {
        /// There is a `Cargo.lock` to hold to.
        locked: bool,
    },
    /// The project's own `npm test`, whatever runner it calls.
    Npm {
        /// What must be installed first.
        install: NpmInstall,
    },
    /// `node --test`, without a script of the project.
    NodeTest {
        /// What must be installed first.
        install: NpmInstall,
    },
    /// pytest, in a virtual environment in the cache.
    Pytest {
        /// What must be installed first.
        install: PipInstall,
    },
    /// `python3 -m unittest`, with what the system's Python has.
    Unittest,
}

/// How a Node project's dependencies are fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NpmInstall {
    /// It has none.
    Nothing,
    /// By its lock file.
    Locked,
    /// By ranges.
    Ranges,
}

/// How a Python project's dependencies are fetched, pytest always among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PipInstall {
    /// pytest alone.
    Runner,
    /// `requirements.txt`.
    Requirements,
    /// The project itself, so that its tests can import it.
    Project,
}

impl Recipe {
    /// The name that facts record.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cargo { .. } => "cargo",
            Self::Npm { .. } => "npm",
            Self::NodeTest { .. } => "node_test",
            Self::Pytest { .. } => "pytest",
            Self::Unittest => "unittest",
        }
    }

    /// The commands that fetch dependencies, for profile `install`, in order.
    pub fn install(self, cache: &Path) -> Result<Vec<Argv>, ArgvError> {
        let commands: Vec<Vec<&str>> = match self {
            Self::Cargo { locked: true } => vec![vec!["cargo", "fetch", "--locked"]],
            Self::Cargo { locked: false } => vec![vec!["cargo", "fetch"]],
            Self::Npm { install } | Self::NodeTest { install } => match install {
                NpmInstall::Nothing => Vec::new(),
                NpmInstall::Locked => vec![vec!["npm", "ci"]],
                NpmInstall::Ranges => vec![vec!["npm", "install", "--no-package-lock"]],
            },
            Self::Pytest { install } => return pip(install, cache),
            Self::Unittest => Vec::new(),
        };
        commands.into_iter().map(Argv::new).collect()
    }

    /// The command that runs the tests, for profile `run`.
    pub fn test(self, cache: &Path) -> Result<Argv, ArgvError> {
        match self {
            Self::Cargo { .. } => Argv::new([
                "cargo",
                "test",
                "--workspace",
                "--no-fail-fast",
                "--offline",
            ]),
            Self::Npm { .. } => Argv::new(["npm", "test"]),
            Self::NodeTest { .. } => Argv::new(["node", "--test"]),
            Self::Pytest { .. } => Argv::new([
                &*python(cache),
                "-m",
                "pytest",
                "-p",
                "no:cacheprovider",
                "--color=no",
                // Names of what failed, broke and passed, whatever the project's settings say.
                "-rfEp",
            ]),
            Self::Unittest => Argv::new(["python3", "-m", "unittest", "-v"]),
        }
    }

    /// The closings of the recipe's runners in an output.
    pub(super) fn closings(self, output: &str) -> Vec<Counts> {
        let output = runners::without_colours(output);
        match self {
            Self::Cargo { .. } => runners::cargo(&output),
            Self::Npm { .. } => [
                runners::node(&output),
                runners::vitest(&output),
                runners::jest(&output),
                runners::mocha(&output),
            ]
            .concat(),
            Self::NodeTest { .. } => runners::node(&output),
            Self::Pytest { .. } => runners::pytest(&output),
            Self::Unittest => runners::unittest(&output),
        }
    }
}

fn pip(install: PipInstall, cache: &Path) -> Result<Vec<Argv>, ArgvError> {
    let environment = cache.join("venv").display().to_string();
    let python = python(cache);
    let mut fetch = vec![&*python, "-m", "pip", "install", "pytest"];
    match install {
        PipInstall::Runner => {}
        PipInstall::Requirements => fetch.extend(["-r", "requirements.txt"]),
        // Editable, or the tests would run against a copy of older code.
        PipInstall::Project => fetch.extend(["-e", "."]),
    }
    Ok(vec![
        Argv::new(["python3", "-m", "venv", &environment])?,
        Argv::new(fetch)?,
    ])
}

fn python(cache: &Path) -> String {
    cache.join("venv/bin/python").display().to_string()
}
