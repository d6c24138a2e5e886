//! The proof: what Gavel finds out by itself about a commit, before anybody is asked.
//!
//! Examples of criteria are executed against what was built; the tests of criteria are run alone, and
//! against code that was broken on purpose. Everything happens in a fresh checkout; each result is a
//! fact of its own, so that a run that is cut goes on with the next one.

mod bench;
mod examples;
mod faults;
mod kept;
mod kept_faults;
mod lanes;
mod tests;

pub use bench::ProofBench;
pub use examples::{ExampleCase, execute_examples};
pub use faults::TouchedLines;
pub use kept::{KeptCase, run_kept_tests};
pub use kept_faults::{Hiding, KeptTestsSeen, KeptTrial, try_kept_tests};
pub use tests::{ProofBudget, TestCase, Unlisted, prove_tests};
