//! `--- PASS: TestA (0.00s)`, tests of a test indented, then `ok` or `FAIL` with the package.
//!
//! Go prints no counts: the lines are counted.

use super::super::counts::Counts;
use super::super::names::TestNames;

pub(in super::super) fn closings(output: &str) -> Vec<Counts> {
    let mut found = Vec::new();
    let mut open = Counts::default();
    for line in output.lines() {
        match result(line) {
            Some((Outcome::Passed, _)) => open.passed += 1,
            Some((Outcome::Failed, _)) => open.failed += 1,
            Some((Outcome::Skipped, _)) => open.skipped += 1,
            None => {
                if let Some(passed) = package(line) {
                    // It does not build, or its tests ended before one could fail.
                    if !passed && open.failed == 0 {
                        open.failed = 1;
                    }
                    found.push(std::mem::take(&mut open));
                }
            }
        }
    }
    found
}

pub(in super::super) fn names(output: &str) -> TestNames {
    let mut names = TestNames::default();
    for (outcome, name) in output.lines().filter_map(result) {
        match outcome {
            Outcome::Passed => names.take(&name.replace('/', "::"), true),
            Outcome::Failed => names.take(&name.replace('/', "::"), false),
            Outcome::Skipped => {}
        }
    }
    names.bounded_by(&closings(output))
}

enum Outcome {
    Passed,
    Failed,
    Skipped,
}

fn result(line: &str) -> Option<(Outcome, &str)> {
    let rest = line.trim_start_matches(' ').strip_prefix("--- ")?;
    let (word, rest) = rest.split_once(": ")?;
    let (name, time) = rest.rsplit_once(" (")?;
    time.strip_suffix("s)")?.parse::<f64>().ok()?;
    let outcome = match word {
        "PASS" => Outcome::Passed,
        "FAIL" => Outcome::Failed,
        "SKIP" => Outcome::Skipped,
        _ => return None,
    };
    Some((outcome, name))
}

/// `ok  \texample.org/demo\t0.004s`, or the same with `FAIL`.
fn package(line: &str) -> Option<bool> {
    let (word, rest) = line.split_once('\t')?;
    let told = rest.contains('\t') || rest.contains(" [");
    match word.trim_end() {
        "ok" if told => Some(true),
        "FAIL" if told => Some(false),
        _ => None,
    }
}
