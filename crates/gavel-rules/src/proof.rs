//! What Gavel proved by itself about a criterion, and what that comes to.

use gavel_domain::{
    ByHeart, EvidenceRank, EvidenceRef, ExampleChanges, ExampleOutcome, FaultOutcome, PlantedFault,
    TestOutcome,
};
use serde::Serialize;

/// What executing a criterion's example came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExampleProof {
    /// What it came to.
    pub outcome: ExampleOutcome,
    /// How often it was executed.
    pub runs: u32,
    /// In what these executions differ; none where it was not kept.
    pub changes: Option<ExampleChanges>,
    /// What did not hold, or why it was not executed.
    pub problem: String,
}

/// What was found out about a criterion's test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TestProof {
    /// The test's full name.
    pub test: String,
    /// What it came to.
    pub outcome: TestOutcome,
    /// The faults that it was tried with.
    pub faults: Vec<PlantedFault>,
    /// Why it came to that.
    pub why: String,
}

impl TestProof {
    /// A fault that it caught, as people read it; empty when it caught none.
    fn caught(&self) -> String {
        let caught = |fault: &&PlantedFault| fault.outcome == FaultOutcome::Caught;
        let first = self.faults.iter().find(caught);
        first.map(fault_text).unwrap_or_default()
    }
}

/// What Gavel proved by itself about a criterion.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct CriterionProof {
    /// Its example; none when it has none that can be executed.
    pub example: Option<ExampleProof>,
    /// Its test; none when no test has its name.
    pub test: Option<TestProof>,
}

/// What a proof says about a criterion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProofWord {
    /// It holds.
    Shown {
        /// How firmly.
        rank: EvidenceRank,
        /// By what, the firmest first.
        evidence: Vec<EvidenceRef>,
        /// A fault that its test caught.
        caught: String,
    },
    /// It does not hold, or nothing shows it; no judge can say otherwise.
    Refuted(String),
    /// It says nothing.
    Silent,
}

impl CriterionProof {
    /// What it comes to. An example that fails, or cannot be executed, refutes whatever a test says; a
    /// hollow test shows nothing, and where there is nothing else, nobody may say that it does.
    pub fn word(&self) -> ProofWord {
        if let Some(example) = &self.example {
            match example.outcome {
                ExampleOutcome::Failed => {
                    return ProofWord::Refuted(format!(
                        "its example does not hold: {}",
                        example.problem
                    ));
                }
                ExampleOutcome::Held if self.test_failed() => {}
                ExampleOutcome::Held => {
                    let by_heart = example.changes.unwrap_or_default().by_heart;
                    let example = EvidenceRef::Example {
                        runs: example.runs,
                        changes: example.changes,
                    };
                    let biting = self.biting();
                    return ProofWord::Shown {
                        rank: rank_of_example(by_heart, biting.is_some()),
                        evidence: [example].into_iter().chain(biting).collect(),
                        caught: self.caught(),
                    };
                }
                // What was to be executed and was not is shown by nothing else: who writes the code could
                // otherwise choose that it is not.
                ExampleOutcome::NotRun => {
                    return ProofWord::Refuted(format!(
                        "its example could not be executed: {}",
                        example.problem
                    ));
                }
            }
        }
        self.test.as_ref().map_or(ProofWord::Silent, test_word)
    }

    /// Its test, where that was proven to bite.
    fn biting(&self) -> Option<EvidenceRef> {
        let bites = |test: &&TestProof| test.outcome == TestOutcome::Bites;
        let test = self.test.as_ref().filter(bites)?;
        Some(EvidenceRef::Test {
            name: test.test.clone(),
        })
    }

    fn test_failed(&self) -> bool {
        let failed = |test: &TestProof| test.outcome == TestOutcome::Failed;
        self.test.as_ref().is_some_and(failed)
    }

    fn caught(&self) -> String {
        self.test
            .as_ref()
            .map(TestProof::caught)
            .unwrap_or_default()
    }
}

/// How firmly an example that holds shows something. Where no value of it could be another one, a test that
/// notices faults stands beside it. A number that does not follow from what goes in is nothing that a test of
/// the same numbers could make good.
pub(crate) const fn rank_of_example(by_heart: ByHeart, has_biting_test: bool) -> EvidenceRank {
    match by_heart {
        ByHeart::Nothing => EvidenceRank::Executed,
        ByHeart::Values if has_biting_test => EvidenceRank::Executed,
        ByHeart::Values | ByHeart::Numbers => EvidenceRank::AsWritten,
    }
}

fn test_word(test: &TestProof) -> ProofWord {
    let shown = |rank| ProofWord::Shown {
        rank,
        evidence: vec![EvidenceRef::Test {
            name: test.test.clone(),
        }],
        caught: test.caught(),
    };
    let TestProof {
        test: name, why, ..
    } = test;
    match test.outcome {
        TestOutcome::Bites => shown(EvidenceRank::TestBites),
        TestOutcome::NotMeasured => shown(EvidenceRank::TestRan),
        TestOutcome::Hollow => ProofWord::Refuted(format!("its test {name} is hollow: {why}")),
        TestOutcome::Failed => ProofWord::Refuted(format!(
            "its test {name} does not pass when run alone: {why}"
        )),
    }
}

/// What runs of a test with planted faults come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FaultsJudged {
    /// Whether the test bites.
    pub outcome: TestOutcome,
    /// Faults that count: those that the test came to.
    pub tried: u32,
    /// Those that it caught.
    pub caught: u32,
    /// Why it came to that.
    pub why: String,
}

/// Why no more faults were tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultsEnd {
    /// All that were chosen were tried.
    All,
    /// The time was over.
    Time,
}

/// Judges a test by the faults that it was tried with. A fault that also fails where nothing was
/// broken says nothing; one that the test did not come to says nothing either.
pub fn judge_faults(faults: &[PlantedFault], end: FaultsEnd) -> FaultsJudged {
    let of = |wanted: FaultOutcome| faults.iter().filter(move |one| one.outcome == wanted);
    let number = |wanted| u32::try_from(of(wanted).count()).unwrap_or(u32::MAX);
    let caught = number(FaultOutcome::Caught);
    let missed = number(FaultOutcome::Missed);
    let anyway = number(FaultOutcome::FailedAnyway);
    let tried = caught.saturating_add(missed);
    let (outcome, why) = if caught > 0 {
        let why = format!("it caught {caught} of {tried} faults");
        (TestOutcome::Bites, why)
    } else if let Some(first) = of(FaultOutcome::Missed).next() {
        let why = format!("it passed although {}", fault_text(first));
        (TestOutcome::Hollow, why)
    } else if anyway > 0 {
        let why = "it fails as soon as the code is edited, whether or not that changes anything";
        (TestOutcome::Hollow, why.to_owned())
    } else {
        match end {
            FaultsEnd::Time => (
                TestOutcome::NotMeasured,
                "the time for the proof was over".to_owned(),
            ),
            FaultsEnd::All => (
                TestOutcome::Hollow,
                "it comes to no place of the product that could be broken".to_owned(),
            ),
        }
    };
    FaultsJudged {
        outcome,
        tried,
        caught,
        why,
    }
}

/// A planted fault as people read it: `src/store.rs:12 (total): a + b became a - b`.
pub fn fault_text(fault: &PlantedFault) -> String {
    let PlantedFault {
        file,
        line,
        function,
        before,
        after,
        ..
    } = fault;
    let place = if function.is_empty() {
        format!("{file}:{line}")
    } else {
        format!("{file}:{line} ({function})")
    };
    format!("{place}: {before} became {after}")
}

#[cfg(test)]
#[path = "proof_tests.rs"]
mod tests;
