//! `dotnet test` with its console logger: `  Passed Demo.Sums.Adds [2 ms]` for each test, then
//! `Total tests: 3`, `     Passed: 2`, … for each project.

use super::super::counts::Counts;
use super::super::names::TestNames;

pub(in super::super) fn closings(output: &str) -> Vec<Counts> {
    let mut found: Vec<Counts> = Vec::new();
    let mut open = false;
    for line in output.lines().map(str::trim) {
        let Some((word, number)) = line.split_once(": ") else {
            open = false;
            continue;
        };
        let number = number.trim().parse::<u32>();
        match (word, number, found.last_mut()) {
            ("Total tests", Ok(_), _) => {
                found.push(Counts::default());
                open = true;
            }
            ("Passed", Ok(number), Some(counts)) if open => counts.passed = number,
            ("Failed", Ok(number), Some(counts)) if open => counts.failed = number,
            ("Skipped", Ok(number), Some(counts)) if open => counts.skipped = number,
            (_, _, _) => open = false,
        }
    }
    found
}

pub(in super::super) fn names(output: &str) -> TestNames {
    let mut names = TestNames::default();
    for line in output.lines() {
        let Some((word, rest)) = line.trim_start().split_once(' ') else {
            continue;
        };
        let passed = match word {
            "Passed" => true,
            "Failed" => false,
            _ => continue,
        };
        let Some((name, time)) = rest.rsplit_once(" [") else {
            continue;
        };
        if time.ends_with("s]") {
            // What stands in parentheses are the values of one case.
            let (name, _) = name.split_once('(').unwrap_or((name, ""));
            names.take(&name.replace('.', "::"), passed);
        }
    }
    names.bounded_by(&closings(output))
}
