//! pytest, unittest and Django, driven by programs of ours that come on the command line.
//!
//! What they must know is in a file that they remove before anything of the project is loaded; each line
//! of their report carries a token from it. The report is removed too, and written by a descriptor.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use gavel_domain::test_without_parameters;
use serde::Serialize;
use serde_json::Value;

use super::super::python::{self, PythonInstall, TestFolder};
use super::process::{Runs, Scratch, Start, broken, judged};
use super::report::Says;
use super::{LoneRun, LoneTest, TestListing};
use crate::{Argv, Exit, VerifyError};

const PYTEST: &str = include_str!("pytest_alone.py");
const UNITTEST: &str = include_str!("unittest_alone.py");

/// Who runs the tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Framework {
    Pytest(PythonInstall),
    Django(PythonInstall),
    Unittest(TestFolder),
}

/// One test, with the names of all of its runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PythonTest {
    framework: Framework,
    /// The name that the runner finds it by.
    test: String,
    /// How often each of its runs is listed.
    runs: BTreeMap<String, usize>,
}

impl PythonTest {
    /// How many runs of it are listed.
    pub(super) fn runs(&self) -> usize {
        self.runs.values().sum()
    }
}

/// What the program must know.
#[derive(Debug, Serialize)]
struct Order<'a> {
    report: &'a str,
    token: &'a str,
    /// None: list.
    tests: &'a [&'a str],
    start: &'a str,
    django: bool,
}

/// A line of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Line {
    Listed(String),
    /// A file of tests that cannot be loaded.
    Broken,
    Begun(String),
    /// What a test raised, as it was.
    Called {
        raised: bool,
    },
    Report {
        test: String,
        outcome: Outcome,
    },
    /// Setting up or taking down.
    Around {
        outcome: Outcome,
    },
    End {
        code: i64,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Outcome {
    Passed,
    Skipped,
    Failed,
}

pub(super) async fn list(
    runs: &Runs<'_>,
    framework: Framework,
) -> Result<TestListing, VerifyError> {
    let scratch = runs.scratch()?;
    let argv = command(runs, &scratch, framework, &[])?;
    let start = Start::of(argv).isolated(&scratch);
    let outcome = runs.start(start).await?;
    let lines = read(scratch);
    // pytest's word for "there are none".
    let none = outcome.exit == Exit::Code(5) && lines == [Line::End { code: 5 }];
    if none {
        return Ok(TestListing::Listed(Vec::new()));
    }
    let complete = lines.last() == Some(&Line::End { code: 0 });
    if outcome.exit != Exit::Code(0) || !complete || lines.contains(&Line::Broken) {
        return Ok(broken(outcome));
    }
    Ok(TestListing::Listed(listed(framework, &lines)))
}

pub(super) async fn run(
    runs: &Runs<'_>,
    test: &PythonTest,
    wall: Duration,
) -> Result<LoneRun, VerifyError> {
    let scratch = runs.scratch()?;
    let argv = command(runs, &scratch, test.framework, &[&test.test])?;
    let outcome = runs.start(Start::of_test(argv, wall, &scratch)).await?;
    let says = says(test, &read(scratch));
    Ok(judged(&outcome, says))
}

fn command(
    runs: &Runs<'_>,
    scratch: &Scratch,
    framework: Framework,
    tests: &[&str],
) -> Result<Argv, VerifyError> {
    let (start, django) = match framework {
        Framework::Pytest(_) | Framework::Unittest(TestFolder::Root) => (".", false),
        Framework::Unittest(TestFolder::Tests) => ("tests", false),
        Framework::Unittest(TestFolder::Test) => ("test", false),
        Framework::Django(_) => (".", true),
    };
    let order = Order {
        report: &scratch.report(),
        token: scratch.token(),
        tests,
        start,
        django,
    };
    let order = serde_json::json!(order).to_string();
    let order = runs.write(scratch, "order", &order)?;
    let cache = &runs.plan.cache;
    runs.fit(match framework {
        Framework::Pytest(install) => {
            python::in_environment(install, cache, &["-c", PYTEST, &order])
        }
        Framework::Django(install) => {
            python::in_environment(install, cache, &["-c", UNITTEST, &order])
        }
        Framework::Unittest(_) => Argv::new(["python3", "-s", "-c", UNITTEST, &order]),
    })
}

/// The lines of a report; none when one of them is not ours or not known.
fn read(scratch: Scratch) -> Vec<Line> {
    let lines = scratch.read_lines().unwrap_or_default();
    let lines: Option<Vec<_>> = lines.iter().map(Line::read).collect();
    lines.unwrap_or_default()
}

impl Line {
    fn read(line: &Value) -> Option<Self> {
        let text = |key: &str| line.get(key).and_then(Value::as_str);
        let test = text("test").unwrap_or_default().to_owned();
        let outcome = || match text("outcome") {
            Some("passed") => Outcome::Passed,
            Some("skipped") => Outcome::Skipped,
            // Failed, or run again by a plugin because it failed.
            Some(_) | None => Outcome::Failed,
        };
        Some(match text("kind")? {
            "listed" => Self::Listed(test),
            "broken" => Self::Broken,
            "begun" => Self::Begun(test),
            "called" => Self::Called {
                raised: line.get("raised").and_then(Value::as_bool) != Some(false),
            },
            "report" => match text("when") {
                Some("call") | None => Self::Report {
                    test,
                    outcome: outcome(),
                },
                Some(_) => Self::Around { outcome: outcome() },
            },
            "end" => Self::End {
                code: line.get("code").and_then(Value::as_i64)?,
            },
            _ => return None,
        })
    }

    /// True for a result of this kind.
    fn is(&self, wanted: Outcome) -> bool {
        match self {
            Self::Report { outcome, .. } | Self::Around { outcome, .. } => *outcome == wanted,
            Self::Called { .. }
            | Self::Listed(_)
            | Self::Broken
            | Self::Begun(_)
            | Self::End { .. } => false,
        }
    }

    const fn has_raised(&self) -> bool {
        matches!(self, Self::Called { raised: true, .. })
    }
}

/// Runs of a test with several parameters are one test.
fn listed(framework: Framework, lines: &[Line]) -> Vec<LoneTest> {
    let mut tests: Vec<PythonTest> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for line in lines {
        let Line::Listed(run) = line else { continue };
        let whole = match framework {
            Framework::Pytest(_) => test_without_parameters(run).to_owned(),
            Framework::Django(_) | Framework::Unittest(_) => run.clone(),
        };
        let place = *places.entry(whole.clone()).or_insert_with(|| {
            tests.push(PythonTest {
                framework,
                test: whole,
                runs: BTreeMap::new(),
            });
            tests.len() - 1
        });
        if let Some(test) = tests.get_mut(place) {
            *test.runs.entry(run.clone()).or_default() += 1;
        }
    }
    let named = |test: PythonTest| LoneTest {
        name: match framework {
            Framework::Pytest(_) => test.test.clone(),
            Framework::Django(_) | Framework::Unittest(_) => test.test.replace('.', "::"),
        },
        start: super::Start::Python(test),
    };
    tests.into_iter().map(named).collect()
}

/// Every run that was listed must have been executed, as often as it was listed, and passed; nothing else
/// may be there.
fn says(test: &PythonTest, lines: &[Line]) -> Says {
    let any = |wanted: Outcome| lines.iter().any(|line| line.is(wanted));
    let skipped = any(Outcome::Skipped);
    let raised = lines.iter().any(Line::has_raised);
    let mut begun: BTreeMap<String, usize> = BTreeMap::new();
    let mut passed = BTreeSet::new();
    for line in lines {
        if let Line::Begun(run) = line {
            *begun.entry(run.clone()).or_default() += 1;
        }
        if let (Line::Report { test, .. }, true) = (line, line.is(Outcome::Passed)) {
            passed.insert(test.clone());
        }
    }
    // A hook can make a pass of what was raised; a skip is raised too.
    if any(Outcome::Failed) || raised && !passed.is_empty() && !skipped {
        return Says::Failed;
    }
    let ended = lines.last() == Some(&Line::End { code: 0 });
    let all = begun == test.runs && passed.iter().eq(test.runs.keys());
    if all && ended && !skipped {
        Says::Passed
    } else if !ended && !begun.is_empty() {
        Says::Begun
    } else {
        Says::NotExecuted
    }
}

#[cfg(test)]
#[path = "python_tests.rs"]
mod tests;
