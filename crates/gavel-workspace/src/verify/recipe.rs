//! The recipes: which commands fetch a project's dependencies and which run its tests.

use std::path::Path;

use super::node::{NodeInstall, NodeManager, ScriptRunner};
use super::python::{PythonInstall, TestFolder};
use super::runner::Runner;
use super::{node, python};
use crate::{Argv, ArgvError};

/// A way to run a project's tests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recipe {
    /// `cargo test`.
    Cargo {
        /// There is a `Cargo.lock` to hold to.
        locked: bool,
    },
    /// The project's own test script, whatever runner it calls.
    NodeScript {
        /// Whose lock file there is.
        manager: NodeManager,
        /// What must be installed first.
        install: NodeInstall,
        /// The runner that the script ends with, when that is plain.
        runner: ScriptRunner,
    },
    /// `node --test` or `bun test`, without a script of the project.
    NodeTest {
        /// Whose lock file there is.
        manager: NodeManager,
        /// What must be installed first.
        install: NodeInstall,
    },
    /// pytest, in an environment of its own.
    Pytest {
        /// What must be installed first.
        install: PythonInstall,
    },
    /// Django's `manage.py test`, in an environment of its own.
    Django {
        /// What must be installed first.
        install: PythonInstall,
    },
    /// `python3 -m unittest`, with what the system's Python has.
    Unittest {
        /// Where the tests are.
        folder: TestFolder,
    },
    /// `go test`.
    Go,
    /// `mvn test`.
    Maven {
        /// The project brings its own `mvnw`.
        wrapper: bool,
    },
    /// `dotnet test`.
    Dotnet,
    /// A target of the project's `Makefile`.
    Make {
        /// `test` or `check`.
        target: &'static str,
    },
    /// The commands that `gavel.toml` names.
    Own {
        /// What fetches the dependencies, in order.
        install: Vec<Argv>,
        /// What runs the tests.
        test: Argv,
    },
}

impl Recipe {
    /// True when faults can be planted in what it tests; what a command of its own tests is not known.
    pub const fn has_mutator(&self) -> bool {
        match self {
            Self::Cargo { .. }
            | Self::NodeScript { .. }
            | Self::NodeTest { .. }
            | Self::Pytest { .. }
            | Self::Django { .. }
            | Self::Unittest { .. }
            | Self::Make { .. }
            | Self::Own { .. } => true,
            Self::Go | Self::Maven { .. } | Self::Dotnet => false,
        }
    }

    /// The name that facts record.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Cargo { .. } => "cargo",
            Self::NodeScript { manager, .. } => manager.program(),
            Self::NodeTest { manager, .. } => match manager {
                NodeManager::Npm | NodeManager::Pnpm | NodeManager::Yarn => "node_test",
                NodeManager::Bun => "bun",
            },
            Self::Pytest { .. } => "pytest",
            Self::Django { .. } => "django",
            Self::Unittest { .. } => "unittest",
            Self::Go => "go",
            Self::Maven { .. } => "maven",
            Self::Dotnet => "dotnet",
            Self::Make { .. } => "make",
            Self::Own { .. } => "own",
        }
    }

    /// The command that runs the tests, for profile `run`.
    pub fn test(&self, cache: &Path) -> Result<Argv, ArgvError> {
        match self {
            Self::Cargo { .. } => Argv::new([
                "cargo",
                "test",
                "--workspace",
                "--no-fail-fast",
                "--offline",
            ]),
            Self::NodeScript {
                manager, runner, ..
            } => node::test_script(*manager, *runner),
            Self::NodeTest { manager, .. } => match manager {
                NodeManager::Npm | NodeManager::Pnpm | NodeManager::Yarn => {
                    Argv::new(["node", "--test"])
                }
                NodeManager::Bun => Argv::new(["bun", "test"]),
            },
            Self::Pytest { install } => python::in_environment(
                *install,
                cache,
                // Names of what failed, broke and passed, whatever the project's settings say.
                &[
                    "-c",
                    python::PYTEST,
                    "-p",
                    "no:cacheprovider",
                    "--color=no",
                    "-rfEp",
                ],
            ),
            Self::Django { install } => {
                python::in_environment(*install, cache, &["manage.py", "test", "-v", "2"])
            }
            Self::Unittest { folder } => python::unittest(*folder),
            // Its own measure costs next to nothing; results of an earlier run are not taken.
            Self::Go => Argv::new(["go", "test", "-v", "-cover", "-count=1", "./..."]),
            Self::Maven { wrapper } => maven(*wrapper, cache, &MAVEN_TEST),
            Self::Dotnet => Argv::new([
                "dotnet",
                "test",
                "--no-restore",
                "--logger",
                "console;verbosity=normal",
            ]),
            Self::Make { target } => Argv::new(["make", target]),
            Self::Own { test, .. } => Ok(test.clone()),
        }
    }

    /// The runners whose closings count.
    pub(super) const fn runners(&self) -> &'static [Runner] {
        match self {
            Self::Cargo { .. } => &[Runner::Cargo],
            Self::NodeScript { .. } => Runner::OF_SCRIPTS,
            Self::NodeTest { manager, .. } => match manager {
                NodeManager::Npm | NodeManager::Pnpm | NodeManager::Yarn => &[Runner::Node],
                NodeManager::Bun => Runner::OF_SCRIPTS,
            },
            Self::Pytest { .. } => &[Runner::Pytest],
            Self::Unittest { .. } | Self::Django { .. } => &[Runner::Unittest],
            Self::Go => &[Runner::Go],
            Self::Maven { .. } => &[Runner::Surefire],
            Self::Dotnet => &[Runner::Dotnet],
            Self::Make { .. } | Self::Own { .. } => Runner::ALL,
        }
    }
}

/// The plain report names every test. What came from a person's mirror counts also where no mirror is
/// configured: otherwise Maven takes it for missing.
const MAVEN_TEST: [&str; 5] = [
    "--offline",
    "-Dmaven.legacyLocalRepo=true",
    "-Dsurefire.useFile=false",
    "-Dsurefire.reportFormat=plain",
    "test",
];

/// Java takes the home from the system's list of users and not from the environment, so that Maven
/// is told where to keep what it fetched.
fn maven(wrapper: bool, cache: &Path, rest: &[&str]) -> Result<Argv, ArgvError> {
    let program = if wrapper { "./mvnw" } else { "mvn" };
    let home = format!("-Duser.home={}", cache.join("home").display());
    let fetched = format!("-Dmaven.repo.local={}", cache.join("m2").display());
    let words = [program, "--batch-mode", &home, &fetched];
    Argv::new(words.iter().chain(rest).copied())
}
