//! How many tests a runner's adapter lists: what a suite printed about itself is held against it.
//!
//! Any test can print lines that look like the end of a run, and end the process after them. So more tests
//! than are listed did not run, whatever was printed.

use std::collections::BTreeSet;

use super::alone::{TestListing, list_doc_tests, list_tests, lists_without_running};
use super::counts::Counts;
use super::run::{VerifyError, VerifyPlan};
use crate::Commands;

/// What listing says about counts that were printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ListedCount {
    /// So many tests are there.
    Tests(u32),
    /// They cannot be listed: such a suite counts by the exit status of the whole.
    Unlisted,
    /// This runner lists nothing without running all of it once more; its one closing is taken.
    NotAsked,
}

/// Lists the tests of a tree whose suite passed. Tests in documentation are listed only where more
/// passed than there are others: that takes rustdoc.
pub async fn count_listed(
    commands: &Commands,
    plan: &VerifyPlan,
    printed: Counts,
) -> Result<ListedCount, VerifyError> {
    if !lists_without_running(&plan.recipe) {
        return Ok(ListedCount::NotAsked);
    }
    let tests = match Box::pin(list_tests(commands, plan)).await? {
        TestListing::Listed(tests) => tests,
        TestListing::Broken { .. } | TestListing::NoAdapter => return Ok(ListedCount::Unlisted),
    };
    let mut listed = tests.iter().map(super::LoneTest::runs).sum::<usize>();
    if exceeds(printed.passed, listed) {
        let documented: BTreeSet<String> = Box::pin(list_doc_tests(commands, plan)).await?;
        listed = listed.saturating_add(documented.len());
    }
    Ok(match u32::try_from(listed).unwrap_or(u32::MAX) {
        // A suite of other kinds of tests alone, or no suite at all.
        0 => ListedCount::Unlisted,
        listed => ListedCount::Tests(listed),
    })
}

fn exceeds(printed: u32, listed: usize) -> bool {
    usize::try_from(printed).is_ok_and(|printed| printed > listed)
}

impl Counts {
    /// The same without what was printed beyond the tests that are listed, and how many that were.
    #[must_use]
    pub fn bounded_by(self, listed: u32) -> (Self, u32) {
        let passed = self.passed.min(listed.saturating_sub(self.failed));
        let beyond = self.passed.saturating_sub(passed);
        (Self { passed, ..self }, beyond)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_tests_count_than_are_listed() {
        let counts = |passed, failed| Counts {
            passed,
            failed,
            skipped: 1,
        };
        for (printed, listed, passed, beyond) in [
            (counts(502, 0), 2, 2, 500),
            (counts(2, 0), 2, 2, 0),
            (counts(1, 0), 3, 1, 0),
            (counts(4, 1), 3, 2, 2),
            (counts(4, 9), 3, 0, 4),
        ] {
            let wanted = Counts { passed, ..printed };
            assert_eq!(printed.bounded_by(listed), (wanted, beyond), "{printed:?}");
        }
    }
}
