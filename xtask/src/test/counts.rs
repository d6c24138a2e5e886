//! Counts taken from the runners' own closing lines.

use std::fmt;

/// Who ran the tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Runner {
    /// `cargo nextest run`
    Nextest,
    /// `cargo test`
    CargoTest,
}

/// How many tests ended how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Counts {
    /// Ran and held.
    pub(crate) passed: u64,
    /// Ran and did not hold, timeouts and crashes included.
    pub(crate) failed: u64,
    /// Did not run.
    pub(crate) skipped: u64,
}

impl Counts {
    /// Reads the closing lines of one runner. A failed test's own output may hold the closing line
    /// of another one, so nextest is believed in its last word, and `cargo test` at the line's start.
    pub(crate) fn read(runner: Runner, said: &[String]) -> Self {
        let lines = said.iter().map(|line| without_colours(line));
        match runner {
            Runner::Nextest => lines
                .filter_map(|line| nextest_line(line.trim()))
                .next_back()
                .unwrap_or_default(),
            Runner::CargoTest => lines
                .filter_map(|line| cargo_test_line(&line))
                .fold(Self::default(), Self::plus),
        }
    }

    /// Adds.
    pub(crate) const fn plus(self, other: Self) -> Self {
        Self {
            passed: self.passed + other.passed,
            failed: self.failed + other.failed,
            skipped: self.skipped + other.skipped,
        }
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            passed,
            failed,
            skipped,
        } = self;
        write!(f, "{passed} passed, {failed} failed, {skipped} skipped")
    }
}

fn cargo_test_line(line: &str) -> Option<Counts> {
    let (_, parts) = line.strip_prefix("test result: ")?.split_once(". ")?;
    Some(sum(parts))
}

fn nextest_line(line: &str) -> Option<Counts> {
    let (_, parts) = line.strip_prefix("Summary [")?.split_once(" run: ")?;
    Some(sum(parts))
}

fn sum(parts: &str) -> Counts {
    let mut counts = Counts::default();
    for (number, word) in numbers(parts) {
        match word {
            "passed" => counts.passed += number,
            "failed" | "timed" | "exec" => counts.failed += number,
            "skipped" | "ignored" => counts.skipped += number,
            _ => {}
        }
    }
    counts
}

/// Drops terminal colours, `ESC [ … m`.
fn without_colours(line: &str) -> String {
    let mut pieces = line.split("\u{1b}[");
    let first = pieces.next().unwrap_or_default();
    let rest = pieces.filter_map(|piece| piece.split_once('m').map(|(_, text)| text));
    std::iter::once(first).chain(rest).collect()
}

/// The pairs of number and word: `3 passed (1 slow), 2 timed out` is 3 passed, 1 slow, 2 timed.
fn numbers(parts: &str) -> impl Iterator<Item = (u64, &str)> {
    let words: Vec<&str> = parts
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let pairs = words.windows(2).filter_map(|pair| match pair {
        &[number, word] => Some((number.parse().ok()?, word)),
        _ => None,
    });
    pairs.collect::<Vec<_>>().into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cargo_test(lines: &[&str]) -> Counts {
        let lines: Vec<String> = lines.iter().map(|&line| line.to_owned()).collect();
        Counts::read(Runner::CargoTest, &lines)
    }

    fn nextest(lines: &[&str]) -> Counts {
        let lines: Vec<String> = lines.iter().map(|&line| line.to_owned()).collect();
        Counts::read(Runner::Nextest, &lines)
    }

    fn counts(passed: u64, failed: u64, skipped: u64) -> Counts {
        Counts {
            passed,
            failed,
            skipped,
        }
    }

    const GOOD: &str = "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 3 filtered out; finished in 0.01s";
    const BAD: &str = "test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured";

    #[test]
    fn the_results_of_cargo_test_add_up() {
        assert_eq!(
            cargo_test(&[GOOD, "running 12 tests", BAD]),
            counts(13, 2, 1)
        );
        assert_eq!(cargo_test(&["test key::tests::ok ... ok"]), counts(0, 0, 0));
    }

    #[test]
    fn the_summary_of_nextest_is_read() {
        let slow = "     Summary [   0.012s] 31 tests run: 31 passed (2 slow), 4 skipped";
        assert_eq!(nextest(&[slow]), counts(31, 0, 4));
        let mixed = "     Summary [  30.1s] 9 tests run: 5 passed, 1 failed, 2 timed out, 1 exec failed, 0 skipped";
        assert_eq!(nextest(&[mixed]), counts(5, 4, 0));
        let cancelled = "Summary [   1.0s] 3/9 tests run: 2 passed, 1 failed, 0 skipped";
        assert_eq!(nextest(&[cancelled]), counts(2, 1, 0));
    }

    #[test]
    fn the_output_of_a_failed_test_is_not_counted() {
        let inner = format!("    {BAD}");
        let closing = "     Summary [   1.0s] 3 tests run: 2 passed, 1 failed, 0 skipped";
        assert_eq!(nextest(&[BAD, &inner, closing, &inner]), counts(2, 1, 0));
        assert_eq!(cargo_test(&[&inner, GOOD]), counts(12, 0, 1));
    }

    #[test]
    fn colours_do_not_hide_a_count() {
        let line = "\u{1b}[32;1m     Summary\u{1b}[0m [   0.1s] \u{1b}[1m2\u{1b}[0m tests run: \
                    \u{1b}[1m2\u{1b}[0m \u{1b}[32;1mpassed\u{1b}[0m, \u{1b}[1m0\u{1b}[0m skipped";
        assert_eq!(nextest(&[line]), counts(2, 0, 0));
    }
}
