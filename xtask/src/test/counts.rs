//! Counts taken from the runners' own closing lines.

use std::fmt;

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
    /// Reads every closing line of `cargo test` and `cargo nextest` in what a runner printed.
    pub(crate) fn read(said: &[String]) -> Self {
        let closing = said.iter().filter_map(|line| closing_line(line));
        closing.fold(Self::default(), Self::plus)
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

fn closing_line(line: &str) -> Option<Counts> {
    let plain = without_colours(line);
    let line = plain.trim();
    let parts = match line.strip_prefix("test result: ") {
        Some(rest) => rest.split_once(". ")?.1,
        None => line
            .strip_prefix("Summary [")?
            .split_once(" run: ")
            .map(|(_, parts)| parts)?,
    };
    Some(
        numbers(parts).fold(Counts::default(), |counts, (number, word)| match word {
            "passed" => Counts {
                passed: counts.passed + number,
                ..counts
            },
            "failed" | "timed" | "exec" => Counts {
                failed: counts.failed + number,
                ..counts
            },
            "skipped" | "ignored" => Counts {
                skipped: counts.skipped + number,
                ..counts
            },
            _ => counts,
        }),
    )
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

    fn read(line: &str) -> Counts {
        Counts::read(&[line.to_owned()])
    }

    fn counts(passed: u64, failed: u64, skipped: u64) -> Counts {
        Counts {
            passed,
            failed,
            skipped,
        }
    }

    #[test]
    fn both_runners_are_understood() {
        let plain = "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 3 filtered out; finished in 0.01s";
        assert_eq!(read(plain), counts(12, 0, 1));
        let bad = "test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out";
        assert_eq!(read(bad), counts(1, 2, 0));
        let nextest = "     Summary [   0.012s] 31 tests run: 31 passed (2 slow), 4 skipped";
        assert_eq!(read(nextest), counts(31, 0, 4));
        let mixed = "     Summary [  30.1s] 9 tests run: 5 passed, 1 failed, 2 timed out, 1 exec failed, 0 skipped";
        assert_eq!(read(mixed), counts(5, 4, 0));
        let cancelled = "Summary [   1.0s] 3/9 tests run: 2 passed, 1 failed, 0 skipped";
        assert_eq!(read(cancelled), counts(2, 1, 0));
    }

    #[test]
    fn colours_do_not_hide_a_count() {
        let line = "\u{1b}[32;1m     Summary\u{1b}[0m [   0.1s] \u{1b}[1m2\u{1b}[0m tests run: \
                    \u{1b}[1m2\u{1b}[0m \u{1b}[32;1mpassed\u{1b}[0m, \u{1b}[1m0\u{1b}[0m skipped";
        assert_eq!(read(line), counts(2, 0, 0));
    }

    #[test]
    fn other_lines_count_nothing() {
        assert_eq!(read("running 12 tests"), Counts::default());
        assert_eq!(read("test key::tests::ok ... ok"), Counts::default());
    }
}
