//! How many tests did what.

use std::ops::AddAssign;

/// Counts of one verification, over all its runners.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Tests that passed.
    pub passed: u32,
    /// Tests that failed, and files of tests that could not be loaded.
    pub failed: u32,
    /// Tests that were skipped, are to be written, or are expected to fail.
    pub skipped: u32,
}

impl Counts {
    /// Tests that were executed.
    pub const fn executed(self) -> u32 {
        self.passed.saturating_add(self.failed)
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.passed = self.passed.saturating_add(other.passed);
        self.failed = self.failed.saturating_add(other.failed);
        self.skipped = self.skipped.saturating_add(other.skipped);
    }
}

/// Reads `3 passed` and the like; `None` when the text is anything else.
pub(super) fn number_and_word(text: &str) -> Option<(u32, &str)> {
    let (number, word) = text.trim().split_once(' ')?;
    Some((number.parse().ok()?, word.trim()))
}
