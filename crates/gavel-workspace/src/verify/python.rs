//! Projects for Python: what fills the environment that their tests run in.

use std::path::Path;

use crate::{Argv, ArgvError};

/// How a Python project's dependencies are fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PythonInstall {
    /// The runner alone, with pip.
    Runner,
    /// `requirements.txt`, with pip.
    Requirements,
    /// The project itself, with pip, so that its tests can import it.
    Project,
    /// `uv.lock`.
    Uv {
        /// The lock names the runner.
        has_runner: bool,
    },
    /// `poetry.lock`.
    Poetry {
        /// The lock names the runner.
        has_runner: bool,
    },
}

/// Loads pytest before anything of the project can be found, then looks for tests as `-m pytest` does.
pub(super) const PYTEST: &str = "import sys, os; del sys.path[0]; import pytest; \
    sys.path.insert(0, os.getcwd()); sys.exit(pytest.console_main())";
/// The same for unittest.
const UNITTEST: &str = "import sys, os; del sys.path[0]; import unittest; \
    sys.path.insert(0, os.getcwd()); \
    unittest.main(module=None, argv=['python3 -m unittest'] + sys.argv[1:])";

/// Where unittest finds a project's tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TestFolder {
    /// By itself, from the root.
    Root,
    /// In `tests`, which is no package and so is not looked into from the root.
    Tests,
    /// In `test`, which is no package either.
    Test,
}

/// The commands that fill the environment, with the runner among it where one is named.
pub(super) fn install(
    install: PythonInstall,
    runner: Option<&str>,
    cache: &Path,
) -> Result<Vec<Argv>, ArgvError> {
    let mut commands = Vec::new();
    let mut fetch = vec![python(cache)];
    fetch.extend(["-m", "pip", "install"].map(str::to_owned));
    let asked = fetch.len();
    fetch.extend(runner.map(str::to_owned));
    match install {
        PythonInstall::Runner => {}
        PythonInstall::Requirements => fetch.extend(["-r", "requirements.txt"].map(str::to_owned)),
        // Editable, or the tests would run against a copy of older code.
        PythonInstall::Project => fetch.extend(["-e", "."].map(str::to_owned)),
        PythonInstall::Uv { has_runner } => {
            commands.push(Argv::new(["uv", "sync", "--frozen"])?);
            if let (Some(runner), false) = (runner, has_runner) {
                commands.push(Argv::new(["uv", "pip", "install", runner])?);
            }
            return Ok(commands);
        }
        PythonInstall::Poetry { has_runner } => {
            commands.push(Argv::new(["poetry", "install", "--no-interaction"])?);
            if let (Some(runner), false) = (runner, has_runner) {
                commands.push(Argv::new(["poetry", "run", "pip", "install", runner])?);
            }
            return Ok(commands);
        }
    }
    let environment = cache.join("venv").display().to_string();
    commands.push(Argv::new(["python3", "-m", "venv", &environment])?);
    if fetch.len() > asked {
        commands.push(Argv::new(fetch)?);
    }
    Ok(commands)
}

/// Python in the environment, with these arguments.
pub(super) fn in_environment(
    install: PythonInstall,
    cache: &Path,
    arguments: &[&str],
) -> Result<Argv, ArgvError> {
    let own = python(cache);
    let words: Vec<&str> = match install {
        PythonInstall::Runner | PythonInstall::Requirements | PythonInstall::Project => vec![&own],
        PythonInstall::Uv { .. } => vec!["uv", "run", "--offline", "--no-sync", "python"],
        PythonInstall::Poetry { .. } => vec!["poetry", "run", "python"],
    };
    Argv::new(words.iter().chain(arguments).copied())
}

pub(super) fn unittest(folder: TestFolder) -> Result<Argv, ArgvError> {
    let start = match folder {
        TestFolder::Root => return Argv::new(["python3", "-c", UNITTEST, "-v"]),
        TestFolder::Tests => "tests",
        TestFolder::Test => "test",
    };
    Argv::new(["python3", "-c", UNITTEST, "discover", "-v", "-s", start])
}

fn python(cache: &Path) -> String {
    cache.join("venv/bin/python").display().to_string()
}
