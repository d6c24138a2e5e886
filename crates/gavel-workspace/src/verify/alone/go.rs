//! `go test -json`: the events of the tool, which takes them from the test's process by marks that a
//! printed line does not carry.

use std::time::Duration;

use serde::Deserialize;

use super::process::{Runs, Start, broken, judged};
use super::report::Says;
use super::script::escaped;
use super::{LoneRun, LoneTest, TestListing};
use crate::{Argv, Exit, VerifyError};

/// One test function of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GoTest {
    package: String,
    test: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Event {
    action: String,
    #[serde(default)]
    package: String,
    test: Option<String>,
    #[serde(default)]
    output: String,
}

pub(super) async fn list(runs: &Runs<'_>) -> Result<TestListing, VerifyError> {
    let words = ["go", "test", "-json", "-list", ".", "./..."];
    let argv = runs.fit(Argv::new(words))?;
    let outcome = runs.start(Start::of(argv)).await?;
    if outcome.exit != Exit::Code(0) {
        return Ok(broken(outcome));
    }
    Ok(TestListing::Listed(listed(&outcome.output.text)))
}

pub(super) async fn run(
    runs: &Runs<'_>,
    test: &GoTest,
    wall: Duration,
) -> Result<LoneRun, VerifyError> {
    let pattern = format!("^{}$", escaped(&test.test));
    let words = [
        "go",
        "test",
        "-json",
        "-count=1",
        "-run",
        &pattern,
        &test.package,
    ];
    let argv = runs.fit(Argv::new(words))?;
    let outcome = runs.start(Start::of(argv).within(wall)).await?;
    let says = says(test, &outcome.output.text);
    Ok(judged(&outcome, says))
}

fn events(output: &str) -> impl Iterator<Item = Event> {
    let lines = output.split('\n').filter(|line| line.starts_with('{'));
    lines.filter_map(|line| serde_json::from_str(line).ok())
}

/// Names are printed one a line; benchmarks, examples and fuzz targets among them.
fn listed(output: &str) -> Vec<LoneTest> {
    let is_test = |name: &str| {
        let letter = |c: char| c.is_alphanumeric() || c == '_';
        name.starts_with("Test") && name.chars().all(letter)
    };
    let mut tests: Vec<LoneTest> = Vec::new();
    for event in events(output).filter(|event| event.action == "output") {
        let name = event.output.trim_end();
        if !is_test(name) {
            continue;
        }
        let start = super::Start::Go(GoTest {
            package: event.package,
            test: name.to_owned(),
        });
        if !tests.iter().any(|test| test.start == start) {
            let name = name.to_owned();
            tests.push(LoneTest { name, start });
        }
    }
    tests
}

/// The test began once, it and all of its own tests passed, and so did the package.
fn says(test: &GoTest, output: &str) -> Says {
    let below = format!("{}/", test.test);
    let is_own = |name: &str| name == test.test || name.starts_with(&below);
    let (mut begun, mut passed, mut package_passed, mut others) = (0, 0, 0, 0);
    for event in events(output).filter(|event| event.package == test.package) {
        let whole = event.test.as_deref() == Some(test.test.as_str());
        match (event.action.as_str(), event.test.as_deref()) {
            ("fail", Some(_)) => return Says::Failed,
            ("run", Some(_)) if whole => begun += 1,
            ("pass", Some(_)) if whole => passed += 1,
            ("pass", None) => package_passed += 1,
            ("skip", Some(_)) => others += 1,
            ("run", Some(name)) if !is_own(name) => others += 1,
            _ => {}
        }
    }
    match (begun, passed, package_passed, others) {
        (1, 1, 1, 0) => Says::Passed,
        (0, ..) | (_, _, _, 1..) => Says::NotExecuted,
        _ => Says::Begun,
    }
}

#[cfg(test)]
#[path = "go_tests.rs"]
mod tests;
