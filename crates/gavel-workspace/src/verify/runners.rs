//! The closing lines of each test runner.
//!
//! Each function returns one [`Counts`] for each closing that it finds: cargo prints one for each
//! test binary, and a script may call several runners.

pub(super) mod bun;
pub(super) mod dotnet;
pub(super) mod go;
pub(super) mod surefire;

use super::counts::{Counts, number_and_word};

/// `test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s`
pub(super) fn cargo(output: &str) -> Vec<Counts> {
    output.lines().filter_map(cargo_line).collect()
}

fn cargo_line(line: &str) -> Option<Counts> {
    let (_, parts) = line.strip_prefix("test result: ")?.split_once(". ")?;
    let mut counts = Counts::default();
    let mut known = 0;
    for part in parts.split(';') {
        match number_and_word(part) {
            Some((number, "passed")) => counts.passed = number,
            Some((number, "failed")) => counts.failed = number,
            Some((number, "ignored")) => counts.skipped = number,
            Some(_) | None => continue,
        }
        known += 1;
    }
    (known == 3).then_some(counts)
}

/// `# tests 5`, `# pass 3`, … in TAP; the same with `ℹ` in the reporter for people.
pub(super) fn node(output: &str) -> Vec<Counts> {
    let mut found = Vec::new();
    let mut open: Option<Counts> = None;
    for line in output.lines() {
        let Some(rest) = line.strip_prefix("# ").or(line.strip_prefix("ℹ ")) else {
            continue;
        };
        let Some((word, number)) = rest.split_once(' ') else {
            continue;
        };
        let number = number.trim();
        if word == "duration_ms" {
            found.extend(open.take());
            continue;
        }
        let Ok(number) = number.parse::<u32>() else {
            continue;
        };
        if word == "tests" {
            open = Some(Counts::default());
        }
        let Some(counts) = open.as_mut() else {
            continue;
        };
        match word {
            "pass" => counts.passed = number,
            "fail" | "cancelled" => counts.failed += number,
            "skipped" | "todo" => counts.skipped += number,
            _ => {}
        }
    }
    found
}

/// `Tests  1 failed | 1 passed | 1 skipped | 1 todo (4)`, after a line about the files.
pub(super) fn vitest(output: &str) -> Vec<Counts> {
    let mut found = Vec::new();
    let mut failed_files = 0;
    for line in output.lines().map(str::trim) {
        if line.starts_with("No test files found") {
            found.push(Counts::default());
        } else if let Some(rest) = line.strip_prefix("Test Files  ") {
            failed_files = listed(rest, '|').failed;
        } else if let Some(rest) = line.strip_prefix("Tests  ") {
            let counts = match rest.trim() {
                "no tests" => Counts::default(),
                rest => listed(rest, '|'),
            };
            found.push(with_broken_files(counts, failed_files));
            failed_files = 0;
        }
    }
    found
}

/// `Tests:       1 failed, 1 skipped, 1 todo, 1 passed, 4 total`, after a line about the files.
pub(super) fn jest(output: &str) -> Vec<Counts> {
    let mut found = Vec::new();
    let mut failed_files = 0;
    for line in output.lines().map(str::trim) {
        if line.starts_with("No tests found, exiting") {
            found.push(Counts::default());
        } else if let Some(rest) = line.strip_prefix("Test Suites: ") {
            failed_files = listed(rest, ',').failed;
        } else if let Some(rest) = line.strip_prefix("Tests: ")
            && rest.trim_end().ends_with(" total")
        {
            found.push(with_broken_files(listed(rest, ','), failed_files));
            failed_files = 0;
        }
    }
    found
}

/// `1 passing (22ms)`, `1 pending`, `1 failing`, each on a line of its own.
pub(super) fn mocha(output: &str) -> Vec<Counts> {
    let mut found: Vec<Counts> = Vec::new();
    for line in output.lines() {
        let Some((number, word)) = number_and_word(line) else {
            continue;
        };
        match (word, found.last_mut()) {
            (word, _) if word.starts_with("passing (") => found.push(Counts {
                passed: number,
                ..Counts::default()
            }),
            ("failing", Some(counts)) => counts.failed = number,
            ("pending", Some(counts)) => counts.skipped = number,
            (_, _) => {}
        }
    }
    found
}

/// `==== 1 failed, 2 passed, 1 skipped in 0.04s ====`, or `no tests ran in 0.01s`.
pub(super) fn pytest(output: &str) -> Vec<Counts> {
    output.lines().filter_map(pytest_line).collect()
}

fn pytest_line(line: &str) -> Option<Counts> {
    let line = line.trim_matches(['=', ' ']);
    let (parts, time) = line.rsplit_once(" in ")?;
    let seconds = time.split(' ').next()?.strip_suffix('s')?;
    seconds.parse::<f64>().ok()?;
    if parts == "no tests ran" {
        return Some(Counts::default());
    }
    let mut counts = Counts::default();
    for part in parts.split(", ") {
        let (number, word) = number_and_word(part)?;
        match word {
            "passed" | "xpassed" => counts.passed += number,
            "failed" | "error" | "errors" => counts.failed += number,
            "skipped" | "xfailed" => counts.skipped += number,
            "deselected" | "warning" | "warnings" | "rerun" | "subtests passed" => {}
            _ => return None,
        }
    }
    Some(counts)
}

/// `Ran 5 tests in 0.001s`, then `OK` or `FAILED (failures=1, errors=1, skipped=1)`.
pub(super) fn unittest(output: &str) -> Vec<Counts> {
    let mut found = Vec::new();
    let mut ran = None;
    for line in output.lines().filter(|line| !line.is_empty()) {
        if let Some(rest) = line.strip_prefix("Ran ") {
            ran = number_and_word(rest)
                .filter(|(_, word)| word.starts_with("test"))
                .map(|(number, _)| number);
        } else if let Some(number) = ran.take() {
            found.extend(unittest_end(number, line));
        }
    }
    found
}

fn unittest_end(ran: u32, line: &str) -> Option<Counts> {
    let details = line
        .strip_prefix("OK")
        .or(line.strip_prefix("FAILED"))
        .or(line.strip_prefix("NO TESTS RAN"))?;
    let details = details.trim().trim_matches(['(', ')']);
    let mut counts = Counts::default();
    for (name, number) in details.split(", ").filter_map(|part| part.split_once('=')) {
        let number = number.parse().unwrap_or(0);
        match name {
            "failures" | "errors" | "unexpected successes" => counts.failed += number,
            "skipped" | "expected failures" => counts.skipped += number,
            _ => {}
        }
    }
    let others = counts.failed.saturating_add(counts.skipped);
    counts.passed = ran.saturating_sub(others);
    Some(counts)
}

fn listed(text: &str, separator: char) -> Counts {
    let mut counts = Counts::default();
    // vitest puts the total in parentheses at the end.
    let (text, _) = text.split_once('(').unwrap_or((text, ""));
    for (number, word) in text.split(separator).filter_map(number_and_word) {
        match word {
            "passed" => counts.passed += number,
            "failed" => counts.failed += number,
            "skipped" | "todo" => counts.skipped += number,
            _ => {}
        }
    }
    counts
}

/// A file of tests that cannot be loaded has no failed test, and is a failure all the same.
const fn with_broken_files(mut counts: Counts, failed_files: u32) -> Counts {
    if counts.failed == 0 {
        counts.failed = failed_files;
    }
    counts
}

/// Takes colours away; runners are asked not to use them, and some do.
pub(super) fn without_colours(output: &str) -> String {
    let mut plain = String::with_capacity(output.len());
    let mut rest = output;
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        plain.push_str(before);
        rest = after.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == ';');
        let mut letters = rest.chars();
        letters.next();
        rest = letters.as_str();
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
#[path = "runners_tests.rs"]
mod tests;
