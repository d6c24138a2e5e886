//! How firmly something was shown: what Gavel executed itself, what a test caught, what somebody read.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// How firmly a criterion was shown, from the weakest to the strongest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceRank {
    /// The model that did the work says so.
    Said,
    /// Somebody else read it.
    Read,
    /// A test of the work ran and passed; whether it can fail was not measured.
    TestRan,
    /// Gavel executed the criterion's example with the written values alone: a program that knows these keeps
    /// it.
    AsWritten,
    /// A test of the work passed, and failed when the code was broken.
    TestBites,
    /// Gavel executed the criterion's example against what was built.
    Executed,
}

impl EvidenceRank {
    /// All of them, the strongest first.
    pub const ALL: [Self; 6] = [
        Self::Executed,
        Self::TestBites,
        Self::AsWritten,
        Self::TestRan,
        Self::Read,
        Self::Said,
    ];

    /// The words that people read.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Executed => "executed by Gavel",
            Self::TestBites => "test that was proven to bite",
            Self::AsWritten => "executed as written",
            Self::TestRan => "test that ran",
            Self::Read => "read by a judge",
            Self::Said => "said",
        }
    }

    /// True for what a certified run needs of every criterion.
    pub const fn certifies(self) -> bool {
        match self {
            Self::Executed | Self::TestBites => true,
            Self::AsWritten | Self::TestRan | Self::Read | Self::Said => false,
        }
    }
}

/// What executing the example of a criterion came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExampleOutcome {
    /// It held as written, and with other values.
    Held,
    /// It did not hold as written, or only with the values that it names.
    Failed,
    /// It could not be executed.
    NotRun,
}

/// What was found out about the test of a criterion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TestOutcome {
    /// It passed alone, and failed when the code that it executes was broken.
    Bites,
    /// Nothing that was broken made it fail, so it shows nothing.
    Hollow,
    /// It did not pass when it was run alone.
    Failed,
    /// It passed alone; whether it can fail could not be measured.
    NotMeasured,
}

/// A fault that was planted, and what a test made of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlantedFault {
    /// The file.
    pub file: String,
    /// The line, counted from one.
    pub line: u32,
    /// The function that it is in.
    pub function: String,
    /// What stood there.
    pub before: String,
    /// What it became.
    pub after: String,
    /// What the test made of it.
    pub outcome: FaultOutcome,
}

/// What a test made of a planted fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultOutcome {
    /// The test failed with it, and passed with a change at that place that changes nothing.
    Caught,
    /// The test passed.
    Missed,
    /// The test failed also with a change that changes nothing, so that this says nothing.
    FailedAnyway,
    /// The test did not come to that place this time.
    NotReached,
}

/// A test from before the run that noticed faults before it and does not notice them in the result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlindedTest {
    /// The test's full name.
    pub test: String,
    /// A fault that it does not notice any more.
    pub missed: PlantedFault,
}

/// Faults that tests were tried with, each counted once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FaultCount {
    /// Those that at least one test came to.
    pub tried: u32,
    /// Those of them that at least one test caught.
    pub caught: u32,
}

/// The faults of several tests, each once: one that any of them caught counts as caught.
fn each_once<'a>(faults: impl Iterator<Item = &'a PlantedFault>) -> Vec<&'a PlantedFault> {
    let mut all = BTreeMap::<_, &PlantedFault>::new();
    for fault in faults {
        let place = (&fault.file, fault.line, &fault.before, &fault.after);
        match fault.outcome {
            FaultOutcome::Caught => drop(all.insert(place, fault)),
            FaultOutcome::Missed => drop(all.entry(place).or_insert(fault)),
            FaultOutcome::FailedAnyway | FaultOutcome::NotReached => {}
        }
    }
    all.into_values().collect()
}

/// The faults that no test caught of those that several tests came to.
pub fn missed_faults<'a>(
    faults: impl Iterator<Item = &'a PlantedFault>,
) -> impl Iterator<Item = &'a PlantedFault> {
    let all = each_once(faults).into_iter();
    all.filter(|fault| fault.outcome == FaultOutcome::Missed)
}

impl FaultCount {
    /// Counts the faults of several tests: one that any of them caught is caught.
    pub fn of<'a>(faults: impl Iterator<Item = &'a PlantedFault>) -> Self {
        let all = each_once(faults);
        let caught = all.iter().filter(|one| one.outcome == FaultOutcome::Caught);
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Self {
            tried: number(all.len()),
            caught: number(caught.count()),
        }
    }
}

/// How the proof of a criterion's test went: the detail of [`crate::TestProven`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestReport {
    /// Why it came to what it came to, in a sentence.
    pub why: String,
    /// The faults that were planted.
    #[serde(default)]
    pub faults: Vec<PlantedFault>,
    /// The end of what the test printed, when it did not pass.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub output: String,
}

/// How the example of a criterion went: the detail of [`crate::ExampleExecuted`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExampleReport {
    /// What did not hold, or why it could not be executed, a sentence each.
    pub problems: Vec<String>,
    /// Values that were put in the place of written ones: `(written, used)`.
    #[serde(default)]
    pub varied: Vec<(String, String)>,
    /// In what the executions differ; none in reports from before it was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<crate::ExampleChanges>,
    /// What was run and what came.
    #[serde(default)]
    pub transcript: String,
}
