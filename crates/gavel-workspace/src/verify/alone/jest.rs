//! jest and vitest, which write the same JSON. The runner itself is started, and not the script.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use serde::Deserialize;

use super::process::{Runs, Start, broken, by_another, judged};
use super::report::Says;
use super::script::{JestCommand, JestLike, escaped};
use super::stamp::Stamp;
use super::{LoneRun, LoneTest, TestListing};
use crate::{Argv, ArgvError, VerifyError};

/// One test of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct JestTest {
    command: JestCommand,
    file: String,
    path: Vec<String>,
    /// How many tests of this path the file has.
    times: usize,
    /// What was installed before any test ran.
    packages: Stamp,
}

/// What `--json` and `--reporter=json` write.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    success: bool,
    #[serde(default)]
    num_failed_tests: u64,
    #[serde(default)]
    num_failed_test_suites: u64,
    test_results: Vec<FileResult>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
struct FileResult {
    name: String,
    assertion_results: Vec<TestResult>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
struct TestResult {
    #[serde(default)]
    ancestor_titles: Vec<String>,
    title: String,
    status: String,
}

impl TestResult {
    /// vitest puts the file's nameless suite first.
    fn path(&self) -> Vec<String> {
        let above = self
            .ancestor_titles
            .iter()
            .filter(|title| !title.is_empty());
        above.chain([&self.title]).cloned().collect()
    }
}

impl JestTest {
    /// How often it is reported.
    pub(super) const fn times(&self) -> usize {
        self.times
    }
}

pub(super) async fn list(
    runs: &Runs<'_>,
    command: &JestCommand,
) -> Result<TestListing, VerifyError> {
    let scratch = runs.scratch()?;
    let argv = runs.fit(argv(
        runs.tree(),
        command,
        &scratch.report(),
        &command.files,
    ))?;
    let packages = packages(runs);
    let start = Start::of(argv).isolated(&scratch);
    let start = start.with_env(command.env.clone());
    let outcome = runs.start(start).await?;
    let Ok(report) = serde_json::from_str::<Report>(&scratch.read()) else {
        return Ok(broken(outcome));
    };
    // A file that cannot be loaded has no test, and fails.
    let empty = |file: &FileResult| file.assertion_results.is_empty();
    if !report.success && report.test_results.iter().any(empty) {
        return Ok(broken(outcome));
    }
    Ok(TestListing::Listed(listed(command, &report, &packages)))
}

pub(super) async fn run(
    runs: &Runs<'_>,
    test: &JestTest,
    wall: Duration,
) -> Result<LoneRun, VerifyError> {
    let scratch = runs.scratch()?;
    let name = format!("^{}$", escaped(&test.path.join(" ")));
    let mut words = match test.command.program {
        JestLike::Jest => vec!["--runTestsByPath".to_owned()],
        JestLike::Vitest => Vec::new(),
    };
    words.extend([test.file.clone(), "-t".to_owned(), name]);
    let argv = runs.fit(argv(runs.tree(), &test.command, &scratch.report(), &words))?;
    let start = Start::of_test(argv, wall, &scratch);
    let start = start.with_env(test.command.env.clone());
    let same = packages(runs) == test.packages;
    let outcome = runs.start(start).await?;
    if !same {
        return Ok(by_another(&outcome, "node_modules"));
    }
    let says = says(test, &scratch.read());
    Ok(judged(&outcome, says))
}

fn packages(runs: &Runs<'_>) -> Stamp {
    Stamp::of_packages(&runs.tree().join("node_modules"))
}

fn argv(
    tree: &Path,
    command: &JestCommand,
    report: &str,
    rest: &[String],
) -> Result<Argv, ArgvError> {
    let (program, first, own): (_, &[&str], &[&str]) = match command.program {
        JestLike::Jest => (
            "jest",
            &[],
            &[
                "--json",
                "--ci",
                "--coverage=false",
                "--passWithNoTests=false",
            ],
        ),
        JestLike::Vitest => (
            "vitest",
            &["run"],
            &[
                "--reporter=json",
                "--coverage.enabled=false",
                "--passWithNoTests=false",
            ],
        ),
    };
    let program = tree.join("node_modules/.bin").join(program);
    let mut words = vec![program.display().to_string()];
    words.extend(first.iter().map(|word| (*word).to_owned()));
    words.extend(command.options.iter().cloned());
    words.extend(own.iter().map(|word| (*word).to_owned()));
    words.push(format!("--outputFile={report}"));
    words.extend(rest.iter().cloned());
    Argv::new(words)
}

fn listed(command: &JestCommand, report: &Report, packages: &Stamp) -> Vec<LoneTest> {
    let mut tests: Vec<JestTest> = Vec::new();
    let mut places: BTreeMap<(String, Vec<String>), usize> = BTreeMap::new();
    for file in &report.test_results {
        for result in &file.assertion_results {
            let key = (file.name.clone(), result.path());
            let place = *places.entry(key).or_insert_with(|| {
                tests.push(JestTest {
                    command: command.clone(),
                    file: file.name.clone(),
                    path: result.path(),
                    times: 0,
                    packages: packages.clone(),
                });
                tests.len() - 1
            });
            if let Some(test) = tests.get_mut(place) {
                test.times += 1;
            }
        }
    }
    let named = |test: JestTest| LoneTest {
        name: test.path.join("::"),
        start: super::Start::Jest(test),
    };
    tests.into_iter().map(named).collect()
}

/// Of all tests in the report, this one alone was executed, in its file, and passed.
fn says(test: &JestTest, report: &str) -> Says {
    if report.is_empty() {
        return Says::Begun;
    }
    let Ok(report) = serde_json::from_str::<Report>(report) else {
        return Says::NotExecuted;
    };
    if report.num_failed_tests > 0 || report.num_failed_test_suites > 0 {
        return Says::Failed;
    }
    let mut own = 0;
    for file in &report.test_results {
        for result in &file.assertion_results {
            let is_own = file.name == test.file && result.path() == test.path;
            match (result.status.as_str(), is_own) {
                ("passed", true) => own += 1,
                ("pending" | "skipped" | "todo" | "disabled", false) => {}
                ("failed", _) => return Says::Failed,
                _ => return Says::NotExecuted,
            }
        }
    }
    match own == test.times && report.success {
        true => Says::Passed,
        false => Says::NotExecuted,
    }
}

#[cfg(test)]
#[path = "jest_tests.rs"]
mod tests;
