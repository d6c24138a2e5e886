//! What Gavel proved by itself at a gate: examples, tests against broken code, what was there before.

use gavel_domain::{
    ExampleOutcome, ExampleReport, FaultCount, PlantedFault, TestOutcome, TestReport, missed_faults,
};
use gavel_rules::work::WorkFinding;
use serde::Serialize;

use crate::Text;

/// What Gavel proved by itself at one gate.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ProofView {
    /// The examples that were executed.
    pub examples: Vec<ExampleView>,
    /// The tests that were run alone and tried with faults.
    pub tests: Vec<TestView>,
    /// The tests from before the run, on the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_tests: Option<BaseTestsView>,
    /// The tests from before the run, with faults in the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept_tests: Option<KeptTestsView>,
    /// New tests on the code from before the run: how many, and how many fail there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_tests: Option<NewTestsView>,
    /// What the work did to tests and settings.
    pub findings: Vec<WorkFinding>,
    /// Findings that somebody released.
    pub released: Vec<ReleaseView>,
    /// Rules of the contracts that were applied, and places that break them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contracts: Option<ContractsView>,
}

/// An example that was executed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExampleView {
    /// The criterion.
    pub criterion: String,
    /// What it came to.
    pub outcome: ExampleOutcome,
    /// How often it was executed.
    pub runs: u32,
    /// What did not hold, and what was run.
    pub report: Text<ExampleReport>,
}

/// A test that was tried with faults.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TestView {
    /// The criterion.
    pub criterion: String,
    /// What it came to.
    pub outcome: TestOutcome,
    /// Faults that it was tried with.
    pub faults: u32,
    /// Those that it caught.
    pub caught: u32,
    /// Each fault, and why it came to this.
    pub report: Text<TestReport>,
}

/// The tests from before the run, on the result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BaseTestsView {
    /// True when they pass.
    pub held: bool,
    /// How many were executed.
    pub executed: u32,
    /// How many failed.
    pub failed: u32,
    /// What it came to, in words.
    pub report: Text,
}

/// The tests from before the run, with faults in the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct KeptTestsView {
    /// True when none notices less than before the run.
    pub held: bool,
    /// How many were tried.
    pub tried: u32,
    /// How many noticed a fault.
    pub biting: u32,
    /// How many noticed none before the run either.
    pub hollow_before: u32,
    /// Of how many nothing could be told.
    pub not_measured: u32,
}

/// New tests on the code from before the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct NewTestsView {
    /// How many there are.
    pub tests: u32,
    /// How many fail there.
    pub fail_before: u32,
}

/// A finding that somebody released.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReleaseView {
    /// Which.
    pub finding: String,
    /// `person` or `auditor`.
    pub by: String,
    /// Why.
    pub reason: Text,
}

/// Contracts, compared with the code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ContractsView {
    /// Rules that were applied.
    pub checked: u32,
    /// Places that break them.
    pub errors: u32,
    /// What no rule can check.
    pub not_checked: u32,
    /// The places, `file:line: …` each, as far as they are still kept.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub broken: Vec<String>,
}

impl ProofView {
    /// True while nothing was proven.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Faults that tests of criteria were tried with, each counted once.
    pub fn faults(&self) -> FaultCount {
        let reports = self.tests.iter().filter_map(|test| test.report.kept());
        FaultCount::of(reports.flat_map(|report| &report.faults))
    }

    /// Faults that no test of a criterion caught.
    pub fn missed(&self) -> Vec<&PlantedFault> {
        let reports = self.tests.iter().filter_map(|test| test.report.kept());
        missed_faults(reports.flat_map(|report| &report.faults)).collect()
    }

    /// Criteria whose test no fault made fail.
    pub fn hollow(&self) -> impl Iterator<Item = &TestView> {
        let tests = self.tests.iter();
        tests.filter(|test| test.outcome == TestOutcome::Hollow)
    }
}
