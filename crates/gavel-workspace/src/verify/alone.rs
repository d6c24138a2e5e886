//! Each test listed and run again alone, in a process of its own.
//!
//! What a test prints decides nothing here. A test passed when its process ended with 0 **and** the
//! runner's own report, in a file of ours outside the tree, names exactly this test, executed and
//! passed. The report of a runner that lives in the same process as the test (libtest, pytest, unittest)
//! can be forged by code that goes to the trouble of looking for it; a test that forges it cannot be
//! made to fail, which is what the mutation proof looks for.
//!
//! There is no adapter for Maven, dotnet, mocha, bun's own runner, make and commands of `gavel.toml`.

mod cargo;
mod go;
mod jest;
mod lane;
mod node;
mod process;
mod python;
mod report;
mod script;
mod stamp;

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use super::recipe::Recipe;
use super::run::{VerifyError, VerifyPlan};
use crate::{Commands, Exit, NodeManager, RepoPath, TreeRoot};

pub use cargo::{BuiltProgram, CargoPrograms, built_programs, cargo_programs};
pub use lane::{Lane, remove_lanes, wait_for_lanes};

use process::Runs;

/// A test that can be started by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoneTest {
    /// The full name, in the form that [`crate::TestNames`] has. Runs of one test with several
    /// parameters are one test. Two tests may have the same name.
    pub name: String,
    start: Start,
}

impl LoneTest {
    /// How often it runs in a suite: once, or once for each of its parameters.
    pub(super) fn runs(&self) -> usize {
        match &self.start {
            Start::Python(test) => test.runs(),
            Start::Node(test) => test.times(),
            Start::Jest(test) => test.times(),
            Start::Cargo(_) | Start::Go(_) => 1,
        }
    }
}

/// How a test is started.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Start {
    Cargo(cargo::LibtestTest),
    Python(python::PythonTest),
    Node(node::NodeTest),
    Jest(jest::JestTest),
    Go(go::GoTest),
}

/// The tests of a recipe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TestListing {
    /// These, in the runner's order.
    Listed(Vec<LoneTest>),
    /// The tests do not build, or the runner refuses.
    Broken {
        /// cargo's messages, one JSON object a line, or what the runner printed.
        output: String,
        /// How it ended.
        exit: Exit,
    },
    /// Tests cannot be told apart: such a suite counts by the exit status of the whole.
    NoAdapter,
}

/// What came of a test that ran alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LoneVerdict {
    /// It was executed and passed, by exit status and report.
    Passed,
    /// It failed, or its process broke while it ran.
    Failed,
    /// It was skipped, not found, or its process ended before the runner was done.
    NotExecuted,
    /// Its time was over.
    TimedOut,
}

/// One run of one test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoneRun {
    /// What it came to.
    pub verdict: LoneVerdict,
    /// How its process ended.
    pub exit: Exit,
    /// What was printed: at most 32 KiB, of its two ends.
    pub output: String,
    /// How long it took.
    pub millis: u64,
}

/// The longest manifest that is read.
const MAX_MANIFEST: usize = 1 << 20;

/// True when the runner of a recipe can run each test of this tree alone. Others count by the exit
/// status of the whole suite: a name that they print shows nothing by itself.
pub fn runs_tests_alone(recipe: &Recipe, tree: &Path) -> bool {
    match recipe {
        Recipe::Cargo { .. }
        | Recipe::Pytest { .. }
        | Recipe::Django { .. }
        | Recipe::Unittest { .. }
        | Recipe::Go
        | Recipe::NodeTest {
            manager: NodeManager::Npm | NodeManager::Pnpm | NodeManager::Yarn,
            ..
        } => true,
        Recipe::NodeScript { .. } => {
            let manifest = manifest_of(tree).unwrap_or_default();
            script_runs_tests_alone(&manifest)
        }
        Recipe::NodeTest {
            manager: NodeManager::Bun,
            ..
        }
        | Recipe::Maven { .. }
        | Recipe::Dotnet
        | Recipe::Make { .. }
        | Recipe::Own { .. } => false,
    }
}

/// The same for the test script of a `package.json`.
pub(super) fn script_runs_tests_alone(manifest: &str) -> bool {
    script::TestScript::read(manifest).is_some()
}

/// Never through a link that leads out of the tree.
fn manifest_of(tree: &Path) -> Option<String> {
    let root = TreeRoot::open(tree).ok()?;
    let path = RepoPath::new("package.json").ok()?;
    let content = root.read(&path, MAX_MANIFEST).ok()?;
    Some(String::from_utf8_lossy(&content.bytes).into_owned())
}

/// Lists the tests of a tree whose dependencies are installed; it may have to build them.
///
/// Node's runners, jest and vitest cannot list: their tests run once.
pub async fn list_tests(
    commands: &Commands,
    plan: &VerifyPlan,
) -> Result<TestListing, VerifyError> {
    let runs = Runs { commands, plan };
    match &plan.recipe {
        Recipe::Cargo { .. } => Box::pin(cargo::list(&runs)).await,
        Recipe::Pytest { install } => {
            Box::pin(python::list(&runs, python::Framework::Pytest(*install))).await
        }
        Recipe::Django { install } => {
            Box::pin(python::list(&runs, python::Framework::Django(*install))).await
        }
        Recipe::Unittest { folder } => {
            Box::pin(python::list(&runs, python::Framework::Unittest(*folder))).await
        }
        Recipe::NodeTest {
            manager: NodeManager::Npm | NodeManager::Pnpm | NodeManager::Yarn,
            ..
        } => Box::pin(node::list(&runs, &script::NodeCommand::default())).await,
        Recipe::NodeScript { manager, .. } => Box::pin(list_script(&runs, *manager)).await,
        Recipe::Go => Box::pin(go::list(&runs)).await,
        Recipe::NodeTest {
            manager: NodeManager::Bun,
            ..
        }
        | Recipe::Maven { .. }
        | Recipe::Dotnet
        | Recipe::Make { .. }
        | Recipe::Own { .. } => Ok(TestListing::NoAdapter),
    }
}

/// True when tests are listed without running all of them.
pub(super) const fn lists_without_running(recipe: &Recipe) -> bool {
    match recipe {
        Recipe::Cargo { .. }
        | Recipe::Pytest { .. }
        | Recipe::Django { .. }
        | Recipe::Unittest { .. } => true,
        // go tells subtests only when they run.
        Recipe::Go
        | Recipe::NodeTest { .. }
        | Recipe::NodeScript { .. }
        | Recipe::Maven { .. }
        | Recipe::Dotnet
        | Recipe::Make { .. }
        | Recipe::Own { .. } => false,
    }
}

/// Tests in a tree's documentation, as rustdoc lists them; none of other recipes.
pub(super) async fn list_doc_tests(
    commands: &Commands,
    plan: &VerifyPlan,
) -> Result<BTreeSet<String>, VerifyError> {
    let runs = Runs { commands, plan };
    match &plan.recipe {
        Recipe::Cargo { .. } => Box::pin(cargo::list_documented(&runs)).await,
        Recipe::Pytest { .. }
        | Recipe::Django { .. }
        | Recipe::Unittest { .. }
        | Recipe::NodeTest { .. }
        | Recipe::NodeScript { .. }
        | Recipe::Go
        | Recipe::Maven { .. }
        | Recipe::Dotnet
        | Recipe::Make { .. }
        | Recipe::Own { .. } => Ok(BTreeSet::new()),
    }
}

/// Runs one test in a process of its own, for at most this long.
///
/// The environment is the plan's, so that a caller can set variables for this run.
pub async fn run_alone(
    commands: &Commands,
    plan: &VerifyPlan,
    test: &LoneTest,
    wall: Duration,
) -> Result<LoneRun, VerifyError> {
    let runs = Runs { commands, plan };
    match &test.start {
        Start::Cargo(start) => Box::pin(cargo::run(&runs, start, wall)).await,
        Start::Python(start) => Box::pin(python::run(&runs, start, wall)).await,
        Start::Node(start) => Box::pin(node::run(&runs, start, wall)).await,
        Start::Jest(start) => Box::pin(jest::run(&runs, start, wall)).await,
        Start::Go(start) => Box::pin(go::run(&runs, start, wall)).await,
    }
}

/// A script is read for the runner that it calls, and that runner is started by itself.
async fn list_script(runs: &Runs<'_>, manager: NodeManager) -> Result<TestListing, VerifyError> {
    let manifest = runs.tree_text("package.json").unwrap_or_default();
    let Some(script) = script::TestScript::read(&manifest) else {
        return Ok(TestListing::NoAdapter);
    };
    if script.prepares {
        // What stands before the runner, a compiler most often, has to have run once.
        let whole = runs.fit(manager.script("test", &[]))?;
        let scratch = runs.scratch()?;
        let start = process::Start::of(whole).isolated(&scratch);
        runs.start(start).await?;
    }
    match script.runner {
        script::Runner::Node(command) => node::list(runs, &command).await,
        script::Runner::Jest(command) => jest::list(runs, &command).await,
    }
}
