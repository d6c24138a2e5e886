//! `(pass) group > name [0.04ms]`, then ` 3 pass`, ` 1 skip`, … and `Ran 5 tests across 1 file.`

use super::super::counts::{Counts, number_and_word};
use super::super::names::TestNames;

pub(in super::super) fn closings(output: &str) -> Vec<Counts> {
    let mut found = Vec::new();
    let mut open = Counts::default();
    let mut bun = false;
    for line in output.lines() {
        if line.starts_with("bun test v") {
            (open, bun) = (Counts::default(), true);
        } else if !bun {
            continue;
        } else if line.starts_with("No tests found!") {
            found.push(Counts::default());
            bun = false;
        } else if line.starts_with("Ran ") && line.contains(" across ") {
            found.push(open);
            bun = false;
        } else if let Some((number, word)) = line.strip_prefix(' ').and_then(number_and_word) {
            match word {
                "pass" => open.passed = number,
                "fail" | "error" | "errors" => open.failed += number,
                "skip" | "todo" => open.skipped += number,
                _ => {}
            }
        }
    }
    found
}

pub(in super::super) fn names(output: &str) -> TestNames {
    let mut names = TestNames::default();
    for line in output.lines() {
        let (rest, passed) = match line.strip_prefix("(pass) ") {
            Some(rest) => (rest, true),
            None => match line.strip_prefix("(fail) ") {
                Some(rest) => (rest, false),
                None => continue,
            },
        };
        let name = match rest.rsplit_once(" [") {
            Some((name, time)) if time.ends_with("s]") => name,
            Some(_) | None => rest,
        };
        names.take(&name.replace(" > ", "::"), passed);
    }
    names.bounded_by(&closings(output))
}
