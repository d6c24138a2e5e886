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

/// Python in the environment, with these arguments.
pub(super) fn in_environment(
    install: PythonInstall,
    cache: &Path,
    arguments: &[&str],
) -> Result<Argv, ArgvError> {
    let own = python(cache);
    let words: Vec<&str> = match install {
        PythonInstall::Runner
        | PythonInstall::Requirements
        | PythonInstall::Project
        | PythonInstall::Poetry { .. } => vec![&own],
        PythonInstall::Uv { .. } => vec!["uv", "run", "--offline", "--no-sync", "python"],
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
