//! Rust: test executables are built by cargo, asked for their tests and started by us.
//!
//! Only libtest is asked: a target with a main function of its own can print whatever it likes. Doc tests
//! have no executable and are not listed.

mod environment;
mod harness;
mod messages;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::process::{Runs, Start, broken, by_another, judged};
use super::report::Says;
use super::stamp::Stamp;
use super::{LoneRun, LoneTest, TestListing};
use crate::{Argv, CommandOutcome, Commands, Exit, VerifyError, VerifyPlan};
use harness::Manifest;
use messages::{Artifact, Messages, Metadata};

pub use messages::{BuiltProgram, built_programs};

/// One test of an executable that libtest drives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LibtestTest {
    executable: PathBuf,
    test: String,
    /// As it was when it was built.
    built: Stamp,
    /// How many other tests the executable has.
    others: usize,
    /// It can write what came of a test into a file.
    log: Log,
    folder: PathBuf,
    env: BTreeMap<String, String>,
}

/// libtest calls its log file deprecated; an executable that has none is read by its output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Log {
    File,
    Missing,
}

/// What came of building a project's programs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CargoPrograms {
    /// These.
    Built(Vec<BuiltProgram>),
    /// They do not build.
    Broken {
        /// cargo's messages, one JSON object a line.
        output: String,
        /// How it ended.
        exit: Exit,
    },
}

const BUILD_TESTS: [&str; 6] = [
    "cargo",
    "test",
    "--workspace",
    "--no-run",
    "--offline",
    "--message-format=json",
];
const BUILD_PROGRAMS: [&str; 6] = [
    "cargo",
    "build",
    "--workspace",
    "--bins",
    "--offline",
    "--message-format=json",
];
const LIST_DOCUMENTED: [&str; 9] = [
    "cargo",
    "test",
    "--workspace",
    "--offline",
    "--doc",
    "--",
    "--list",
    "--format",
    "terse",
];
const METADATA: [&str; 6] = [
    "cargo",
    "metadata",
    "--no-deps",
    "--offline",
    "--format-version",
    "1",
];

/// Builds the programs of a Rust project in a tree whose dependencies are there.
pub async fn cargo_programs(
    commands: &Commands,
    plan: &VerifyPlan,
) -> Result<CargoPrograms, VerifyError> {
    let runs = Runs { commands, plan };
    let (metadata, build) = match Box::pin(build(&runs, BUILD_PROGRAMS)).await? {
        Built::Ready(metadata, build) => (metadata, build),
        Built::Broken(CommandOutcome { output, exit, .. }) => {
            let output = output.text;
            return Ok(CargoPrograms::Broken { output, exit });
        }
    };
    let programs = messages::programs(&build.output.text, &metadata);
    Ok(CargoPrograms::Built(programs))
}

pub(super) async fn list(runs: &Runs<'_>) -> Result<TestListing, VerifyError> {
    let (metadata, build) = match build(runs, BUILD_TESTS).await? {
        Built::Ready(metadata, build) => (metadata, build),
        Built::Broken(outcome) => return Ok(broken(outcome)),
    };
    let messages = Messages::read(&build.output.text);
    let config = runs.tree_text(".cargo/config.toml").unwrap_or_default();
    let mut config = environment::configured(&config, runs.tree());
    config.retain(|name, _| !runs.plan.policy.env.contains_key(name));
    config.extend(runs.program("cargo").map(|path| ("CARGO".to_owned(), path)));
    let argv = runs.fit(Argv::new(["rustc", "--print", "target-libdir"]))?;
    let libraries = runs.start(Start::of(argv)).await?;
    let shared = environment::Shared {
        programs: messages::programs(&build.output.text, &metadata),
        config,
        target: metadata.target_directory.clone(),
        toolchain: libraries.output.text.lines().next().map(PathBuf::from),
    };
    let mut starts = Vec::new();
    for package in &metadata.packages {
        let Some(folder) = package.manifest_path.parent() else {
            continue;
        };
        let manifest = runs.text_at(&package.manifest_path).unwrap_or_default();
        let Some(manifest) = Manifest::read(&manifest) else {
            continue;
        };
        for artifact in messages.tests_of(package, &metadata.target_directory) {
            if !manifest.has_harness(&artifact.target) || !is_libtest(runs, artifact) {
                continue;
            }
            let Some(executable) = &artifact.executable else {
                continue;
            };
            let start = LibtestTest {
                executable: executable.clone(),
                built: Stamp::of_file(executable),
                test: String::new(),
                others: 0,
                log: Log::Missing,
                folder: folder.to_owned(),
                env: shared.of(package, artifact, &messages),
            };
            starts.push(start);
        }
    }
    // Only now does code of the tree run.
    let mut tests = Vec::new();
    for start in starts {
        match tests_of(runs, start).await? {
            Ok(found) => tests.extend(found),
            Err(outcome) => return Ok(broken(outcome)),
        }
    }
    Ok(TestListing::Listed(tests))
}

/// The tests in documentation. rustdoc starts them, so that nothing but its list tells how many there are;
/// where a project has no library, cargo has none to tell.
pub(super) async fn list_documented(runs: &Runs<'_>) -> Result<BTreeSet<String>, VerifyError> {
    let outcome = cargo(runs, LIST_DOCUMENTED).await?;
    Ok(if outcome.exit == Exit::Code(0) {
        documented_names(&outcome.output.text)
    } else {
        BTreeSet::new()
    })
}

/// `src/lib.rs - price (line 9): test`, one a line.
fn documented_names(output: &str) -> BTreeSet<String> {
    let names = output
        .lines()
        .filter_map(|line| line.strip_suffix(": test"));
    let is_documented = |name: &&str| {
        let place = name.split_once(" - ").map(|(_, rest)| rest);
        place.is_some_and(|rest| rest.contains("(line "))
    };
    names.filter(is_documented).map(str::to_owned).collect()
}

/// libtest's `main` is the one that runs.
fn is_libtest(runs: &Runs<'_>, artifact: &Artifact) -> bool {
    let root = runs.text_at(&artifact.target.src_path);
    root.is_some_and(|text| !harness::has_main_of_its_own(&text))
}

/// The tests that an executable names.
async fn tests_of(
    runs: &Runs<'_>,
    start: LibtestTest,
) -> Result<Result<Vec<LoneTest>, CommandOutcome>, VerifyError> {
    let listed = ask(runs, &start, &["--list", "--format", "terse"]).await?;
    if listed.exit != Exit::Code(0) {
        return Ok(Err(listed));
    }
    let help = ask(runs, &start, &["--help"]).await?;
    let log = match help.output.text.contains("--logfile PATH") {
        true => Log::File,
        false => Log::Missing,
    };
    let names = listed_names(&listed.output.text);
    let others = names.len().saturating_sub(1);
    let of_name = |name: &String| LoneTest {
        name: name.clone(),
        start: super::Start::Cargo(LibtestTest {
            test: name.clone(),
            others,
            log,
            ..start.clone()
        }),
    };
    Ok(Ok(names.iter().map(of_name).collect()))
}

async fn ask(
    runs: &Runs<'_>,
    test: &LibtestTest,
    words: &[&str],
) -> Result<CommandOutcome, VerifyError> {
    let argv = runs.fit(argv(&test.executable, words))?;
    let scratch = runs.scratch()?;
    let start = Start::of(argv).isolated(&scratch);
    let start = start.in_folder(test.folder.clone());
    runs.start(start.with_env(test.env.clone())).await
}

fn argv(executable: &Path, words: &[&str]) -> Result<Argv, crate::ArgvError> {
    let program = executable.display().to_string();
    let words = words.iter().map(|word| (*word).to_owned());
    Argv::new(std::iter::once(program).chain(words))
}

pub(super) async fn run(
    runs: &Runs<'_>,
    test: &LibtestTest,
    wall: Duration,
) -> Result<LoneRun, VerifyError> {
    let scratch = runs.scratch()?;
    let report = scratch.report();
    let mut words = vec!["--exact", &test.test, "--test-threads=1", "--color=never"];
    if test.log == Log::File {
        words.extend(["--logfile", &report]);
    }
    let argv = runs.fit(argv(&test.executable, &words))?;
    let start = Start::of_test(argv, wall, &scratch).in_folder(test.folder.clone());
    let same = Stamp::of_file(&test.executable) == test.built;
    let outcome = runs.start(start.with_env(test.env.clone())).await?;
    if !same {
        return Ok(by_another(&outcome, "the executable"));
    }
    let log = scratch.read();
    let log = match test.log {
        Log::File => Some(log.as_str()),
        Log::Missing => None,
    };
    let says = libtest_says(test, &outcome.output.text, log);
    Ok(judged(&outcome, says))
}

/// A project that was built, twice.
enum Built {
    Ready(Metadata, CommandOutcome),
    Broken(CommandOutcome),
}

/// Builds twice: while a compiler runs, macros of the tree can print lines that look like cargo's. The
/// second time everything is there, and only cargo speaks.
async fn build(runs: &Runs<'_>, words: [&str; 6]) -> Result<Built, VerifyError> {
    let outcome = cargo(runs, METADATA).await?;
    let Some(metadata) = Metadata::read(&outcome.output.text) else {
        return Ok(Built::Broken(outcome));
    };
    let first = cargo(runs, words).await?;
    if first.exit != Exit::Code(0) {
        return Ok(Built::Broken(first));
    }
    let second = cargo(runs, words).await?;
    if second.exit != Exit::Code(0) {
        return Ok(Built::Broken(second));
    }
    Ok(Built::Ready(metadata, second))
}

async fn cargo<const N: usize>(
    runs: &Runs<'_>,
    words: [&str; N],
) -> Result<CommandOutcome, VerifyError> {
    let argv = runs.fit(Argv::new(words))?;
    runs.start(Start::of(argv)).await
}

/// `tests::a: test`, one a line; benchmarks are no tests.
fn listed_names(output: &str) -> BTreeSet<String> {
    let names = output
        .lines()
        .filter_map(|line| line.strip_suffix(": test"));
    let plain = |name: &&str| {
        let letter = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':');
        !name.is_empty() && name.chars().all(letter)
    };
    names.filter(plain).map(str::to_owned).collect()
}

/// One closing, which counts this test alone, and the same in the log.
fn libtest_says(test: &LibtestTest, output: &str, log: Option<&str>) -> Says {
    let name = &test.test;
    let logged = match log.map(str::trim_end) {
        None => None,
        Some(log) if log == format!("ok {name}") => Some(Says::Passed),
        Some(log) if log == format!("failed {name}") => Some(Says::Failed),
        Some("") if output.lines().any(|line| line == "running 1 test") => Some(Says::Begun),
        Some(_) => Some(Says::NotExecuted),
    };
    let closings = || {
        output
            .lines()
            .filter(|line| line.starts_with("test result: "))
    };
    let others = test.others;
    let passed = format!(
        "test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; {others} filtered out; "
    );
    let failed = "test result: FAILED. 0 passed; 1 failed; ";
    let mut all = closings();
    let printed = match (all.next(), all.next()) {
        (Some(line), None) if line.starts_with(&passed) => Says::Passed,
        (Some(line), None) if line.starts_with(failed) => Says::Failed,
        (None, _) if output.lines().any(|line| line == "running 1 test") => Says::Begun,
        (Some(_) | None, _) => Says::NotExecuted,
    };
    match (logged, printed) {
        (None | Some(Says::Passed), Says::Passed) => Says::Passed,
        (Some(Says::Failed), _) | (None, Says::Failed) => Says::Failed,
        (Some(Says::Begun), _) | (None, Says::Begun) => Says::Begun,
        (Some(Says::Passed | Says::NotExecuted) | None, _) => Says::NotExecuted,
    }
}

#[cfg(test)]
#[path = "cargo_tests.rs"]
mod tests;
