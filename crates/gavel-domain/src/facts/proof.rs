//! What the done gate proves by itself, before anybody is asked.

use serde::{Deserialize, Serialize};

use crate::fact::fact_group;
use crate::{BlobRef, ExampleOutcome, TestOutcome};

fact_group!(
    /// Facts of the proof.
    ProofFact {
        /// The example of a criterion was executed against what was built.
        ExampleExecuted = "example_executed",
        /// The test of a criterion was run alone, and against broken code.
        TestProven = "test_proven",
        /// What the work did to tests and settings was looked at.
        WorkInspected = "work_inspected",
        /// The tests from before the run were run on the result.
        BaseTestsRun = "base_tests_run",
        /// Tests from before the run were tried with faults in the result.
        KeptTestsTried = "kept_tests_tried",
        /// New tests were run on the code from before the run.
        NewTestsRun = "new_tests_run",
        /// Contracts were compared with the code.
        ContractsCompared = "contracts_compared",
        /// A finding about the work was released, with a reason.
        FindingReleased = "finding_released",
    }
);

/// The example of a criterion was executed against what was built.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExampleExecuted {
    /// The criterion.
    pub criterion: String,
    /// What it came to.
    pub outcome: ExampleOutcome,
    /// How often it was executed: as written, and with other values.
    pub runs: u32,
    /// How long it took.
    pub millis: u64,
    /// A [`crate::ExampleReport`] as JSON.
    pub report: BlobRef,
}

/// The test of a criterion was run alone, and against broken code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestProven {
    /// The criterion.
    pub criterion: String,
    /// What it came to.
    pub outcome: TestOutcome,
    /// Faults that the test was tried with.
    pub faults: u32,
    /// Those that it caught.
    pub caught: u32,
    /// How long it took.
    pub millis: u64,
    /// The test's full name.
    pub test: BlobRef,
    /// A [`crate::TestReport`] as JSON.
    pub report: BlobRef,
}

/// What the work did to tests and settings was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkInspected {
    /// The judged commit.
    pub commit: String,
    /// How many findings there are.
    pub findings: u32,
    /// The findings, a JSON array.
    pub report: BlobRef,
}

/// The tests from before the run were run on the result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BaseTestsRun {
    /// The judged commit.
    pub commit: String,
    /// True when they all passed; false also when they could not be run.
    pub held: bool,
    /// Files that were laid over the result.
    pub files: u32,
    /// Tests that were executed.
    pub executed: u32,
    /// Tests that failed.
    pub failed: u32,
    /// What it came to, in words.
    pub report: BlobRef,
}

/// Tests from before the run were tried with faults in the result: one that noticed a fault before the
/// run has to notice it still.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptTestsTried {
    /// The judged commit.
    pub commit: String,
    /// True when none of them notices less than before.
    pub held: bool,
    /// Tests that were tried.
    pub tried: u32,
    /// Those that noticed a fault in the result.
    pub biting: u32,
    /// Those that noticed none before the run either.
    pub hollow_before: u32,
    /// Those of which nothing could be told: no adapter, no mutator, no time.
    pub not_measured: u32,
    /// How long it took.
    pub millis: u64,
    /// Those that notice less, a JSON array of [`crate::BlindedTest`].
    pub report: BlobRef,
}

/// New tests were run on the code from before the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewTestsRun {
    /// The judged commit.
    pub commit: String,
    /// New or changed tests that were looked at.
    pub tests: u32,
    /// Those that fail there and pass on the result.
    pub fail_before: u32,
    /// Their names, a JSON array.
    pub report: BlobRef,
    /// Those that pass on the result and were not executed there: the code from before does not build
    /// with them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub not_built: u32,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde calls it with a reference"
)]
const fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// Contracts were compared with the code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContractsCompared {
    /// The judged commit.
    pub commit: String,
    /// Rules that were applied.
    pub checked: u32,
    /// Findings that stand against the result.
    pub errors: u32,
    /// What no rule can check.
    pub not_checked: u32,
    /// The report, as JSON.
    pub report: BlobRef,
}

/// A finding about the work was released, with a reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FindingReleased {
    /// Which.
    pub finding: String,
    /// Who released it: `person` or `auditor`.
    pub by: String,
    /// Why.
    pub reason: BlobRef,
}
