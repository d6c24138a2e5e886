//! Maven's surefire: `Tests run: 3, Failures: 0, Errors: 0, Skipped: 1` for each class, with a time,
//! and once for all, without. The plain report names every test in a line of its own.

use super::super::counts::Counts;
use super::super::names::TestNames;

pub(in super::super) fn closings(output: &str) -> Vec<Counts> {
    output.lines().filter_map(closing).collect()
}

fn closing(line: &str) -> Option<Counts> {
    let line = without_level(line);
    let mut counts = Counts::default();
    let mut ran = 0;
    let mut known = 0;
    for part in line.split(", ") {
        let (word, number) = part.split_once(": ")?;
        let number: u32 = number.trim().parse().ok()?;
        match word {
            "Tests run" => ran = number,
            "Failures" | "Errors" => counts.failed += number,
            "Skipped" => counts.skipped = number,
            "Flakes" => continue,
            _ => return None,
        }
        known += 1;
    }
    let others = counts.failed.saturating_add(counts.skipped);
    counts.passed = ran.saturating_sub(others);
    (known == 4).then_some(counts)
}

/// `com.example.AppTest.adds  Time elapsed: 0.001 s`, and more behind it when it did not pass.
pub(in super::super) fn names(output: &str) -> TestNames {
    let mut names = TestNames::default();
    for line in output.lines().map(without_level) {
        let Some((name, rest)) = line.split_once("Time elapsed: ") else {
            continue;
        };
        // Parameters stand in parentheses, and their types hold dots of their own.
        let (name, _) = name.split_once('(').unwrap_or((name, ""));
        let name = name.trim_end_matches([' ', '-']);
        // The line of the class, which has counts in it.
        if name.contains(' ') || !name.contains('.') {
            continue;
        }
        names.take(&name.replace('.', "::"), !rest.contains("<<<"));
    }
    names.bounded_by(&closings(output))
}

fn without_level(line: &str) -> &str {
    let levels = ["[INFO] ", "[ERROR] ", "[WARNING] "];
    let rest = levels.iter().find_map(|level| line.strip_prefix(level));
    rest.unwrap_or(line).trim()
}
