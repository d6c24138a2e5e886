//! `node --test` with a reporter of ours. The runner starts each file in a process of its own and keeps
//! the reporter to itself.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use serde::Deserialize;

use super::process::{Runs, Scratch, Start, broken, judged};
use super::report::Says;
use super::script::{NodeCommand, escaped};
use super::{LoneRun, LoneTest, TestListing};
use crate::{Argv, Exit, VerifyError};

const REPORTER: &str = include_str!("node_reporter.mjs");
/// From here on a pattern is compared with a test's full name, and before with its own.
const FULL_NAMES: u32 = 22;

/// One test of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NodeTest {
    command: NodeCommand,
    file: String,
    /// The test's own name, below those of what it stands in.
    path: Vec<String>,
    patterns: Vec<String>,
    /// How many tests of this path the file has.
    times: usize,
}

/// A line of the report.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct Line {
    kind: Kind,
    #[serde(default)]
    name: String,
    #[serde(default)]
    nesting: usize,
    #[serde(default)]
    file: String,
    /// Skipped, or to be written.
    #[serde(default)]
    open: bool,
    #[serde(default)]
    suite: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Start,
    Pass,
    Fail,
    End,
}

/// What a report says about one test or suite.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    file: String,
    path: Vec<String>,
    result: TestResult,
    suite: bool,
}

/// How it came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum TestResult {
    Passed,
    Failed,
    Open,
}

/// All entries, and whether the runner came to its end.
#[derive(Debug, Default, PartialEq, Eq)]
struct Report {
    entries: Vec<Entry>,
    ended: bool,
}

impl NodeTest {
    /// How often it is reported.
    pub(super) const fn times(&self) -> usize {
        self.times
    }
}

pub(super) async fn list(
    runs: &Runs<'_>,
    command: &NodeCommand,
) -> Result<TestListing, VerifyError> {
    let argv = runs.fit(Argv::new(["node", "--version"]))?;
    let version = runs.start(Start::of(argv)).await?;
    let Some(major) = major(&version.output.text) else {
        return Ok(broken(version));
    };
    let scratch = runs.scratch()?;
    let mut words = reporting(runs, &scratch)?;
    words.push("--test".to_owned());
    let argv = runs.fit(command.with_everything(&words))?;
    let start = Start::of(argv).isolated(&scratch);
    let start = start.with_env(command.env.clone());
    let outcome = runs.start(start).await?;
    let report = Report::read(scratch);
    // Tests that fail are listed too; a runner that did not come to its end listed too few.
    let ran = matches!(outcome.exit, Exit::Code(0 | 1));
    if !ran || !report.ended {
        return Ok(broken(outcome));
    }
    Ok(TestListing::Listed(listed(command, &report, major)))
}

pub(super) async fn run(
    runs: &Runs<'_>,
    test: &NodeTest,
    wall: Duration,
) -> Result<LoneRun, VerifyError> {
    let scratch = runs.scratch()?;
    let mut words = reporting(runs, &scratch)?;
    words.push("--test".to_owned());
    for pattern in &test.patterns {
        words.push(format!("--test-name-pattern={pattern}"));
    }
    words.push(test.file.clone());
    let argv = runs.fit(test.command.with_options(&words))?;
    let start = Start::of_test(argv, wall, &scratch);
    let start = start.with_env(test.command.env.clone());
    let outcome = runs.start(start).await?;
    let says = says(test, &Report::read(scratch));
    Ok(judged(&outcome, says))
}

fn reporting(runs: &Runs<'_>, scratch: &Scratch) -> Result<Vec<String>, VerifyError> {
    let text = REPORTER.replace("{token}", scratch.token());
    let reporter = runs.write(scratch, "reporter.mjs", &text)?;
    Ok(vec![
        format!("--test-reporter={reporter}"),
        format!("--test-reporter-destination={}", scratch.report()),
    ])
}

/// `v20.11.1`
fn major(version: &str) -> Option<u32> {
    let version = version.trim().strip_prefix('v')?;
    version.split('.').next()?.parse().ok()
}

impl Line {
    /// A file's own line has its path as a name, whole or from the tree's root.
    fn is_file(&self) -> bool {
        self.nesting == 0 && Path::new(&self.file).ends_with(&self.name)
    }
}

impl Report {
    fn read(scratch: Scratch) -> Self {
        let lines = scratch.read_lines().unwrap_or_default();
        let lines: Result<Vec<Line>, _> = lines.into_iter().map(serde_json::from_value).collect();
        Self::of(&lines.unwrap_or_default())
    }

    /// Entries come after what they hold, and their beginning before it.
    fn of(lines: &[Line]) -> Self {
        let mut report = Self::default();
        let mut above: Vec<String> = Vec::new();
        for line in lines {
            report.ended = line.kind == Kind::End;
            let result = match line.kind {
                Kind::End => continue,
                Kind::Start => {
                    above.truncate(line.nesting);
                    above.push(line.name.clone());
                    continue;
                }
                Kind::Pass | Kind::Fail if line.open => TestResult::Open,
                Kind::Pass => TestResult::Passed,
                Kind::Fail => TestResult::Failed,
            };
            above.truncate(line.nesting);
            let mut path = above.clone();
            path.push(line.name.clone());
            let entry = Entry {
                file: line.file.clone(),
                path,
                result,
                suite: line.suite,
            };
            // To node, a file without tests is one; what counts is that it failed.
            if !line.is_file() {
                report.entries.push(entry);
            } else if result == TestResult::Failed {
                report.entries.push(Entry {
                    suite: true,
                    ..entry
                });
            }
        }
        report
    }
}

fn listed(command: &NodeCommand, report: &Report, major: u32) -> Vec<LoneTest> {
    let mut tests: Vec<NodeTest> = Vec::new();
    let mut places: BTreeMap<(&str, &[String]), usize> = BTreeMap::new();
    for entry in report.entries.iter().filter(|entry| !entry.suite) {
        let key = (entry.file.as_str(), entry.path.as_slice());
        let place = *places.entry(key).or_insert_with(|| {
            tests.push(NodeTest {
                command: command.clone(),
                file: entry.file.clone(),
                path: entry.path.clone(),
                patterns: patterns(entry, report, major),
                times: 0,
            });
            tests.len() - 1
        });
        if let Some(test) = tests.get_mut(place) {
            test.times += 1;
        }
    }
    let named = |test: NodeTest| LoneTest {
        name: test.path.join("::"),
        start: super::Start::Node(test),
    };
    tests.into_iter().map(named).collect()
}

/// Tests above this one must run for it to run; suites do by themselves.
fn patterns(entry: &Entry, report: &Report, major: u32) -> Vec<String> {
    let is_suite = |path: &[String]| {
        let mut above = report.entries.iter();
        above.any(|other| other.suite && other.file == entry.file && other.path == path)
    };
    let depths = 1..=entry.path.len();
    let paths = depths.filter_map(|depth| entry.path.get(..depth));
    let needed = paths.filter(|path| *path == entry.path || !is_suite(path));
    let name = |path: &[String]| match major >= FULL_NAMES {
        true => path.join(" "),
        false => path.last().cloned().unwrap_or_default(),
    };
    needed.map(|path| anchored(&name(path))).collect()
}

/// A pattern between slashes is taken as it is, without flags.
fn anchored(name: &str) -> String {
    format!("/^{}$/", escaped(name))
}

/// Tests with the same own name may run along; they must not fail either.
fn says(test: &NodeTest, report: &Report) -> Says {
    let any = |wanted: TestResult| report.entries.iter().any(|entry| entry.result == wanted);
    if any(TestResult::Failed) {
        return Says::Failed;
    }
    let own = |entry: &&Entry| !entry.suite && entry.file == test.file && entry.path == test.path;
    let own: Vec<_> = report.entries.iter().filter(own).collect();
    let passed = own.iter().all(|entry| entry.result == TestResult::Passed);
    if report.ended && passed && own.len() == test.times {
        Says::Passed
    } else if !report.ended {
        Says::Begun
    } else {
        Says::NotExecuted
    }
}

#[cfg(test)]
#[path = "node_tests.rs"]
mod tests;
