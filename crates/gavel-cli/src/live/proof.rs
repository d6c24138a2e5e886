//! The proof under way, folded from its facts.

use gavel_domain::{ExampleOutcome, FaultCount, ProofFact, TestOutcome};

use super::progress::Left;

/// What the proof of one gate has come to so far.
#[derive(Debug, Default)]
pub(crate) struct ProofNow {
    examples: u32,
    tests: u32,
    hollow: Vec<String>,
}

impl ProofNow {
    /// Takes a fact; what is worth a line stays.
    pub(crate) fn take(&mut self, fact: &ProofFact) -> Option<Left> {
        let first = self.examples + self.tests == 0;
        match fact {
            ProofFact::ExampleExecuted(executed) => {
                self.examples += 1;
                match executed.outcome {
                    ExampleOutcome::Failed => Some(Left::Told(sentence(fact), true)),
                    ExampleOutcome::Held | ExampleOutcome::NotRun if first => Some(Left::Told(
                        "executing the examples of the criteria".to_owned(),
                        false,
                    )),
                    ExampleOutcome::Held | ExampleOutcome::NotRun => None,
                }
            }
            ProofFact::TestProven(proven) => {
                self.tests += 1;
                match proven.outcome {
                    TestOutcome::Hollow => {
                        self.hollow.push(proven.criterion.clone());
                        Some(Left::Told(sentence(fact), true))
                    }
                    TestOutcome::Failed => Some(Left::Told(sentence(fact), true)),
                    TestOutcome::Bites | TestOutcome::NotMeasured if self.tests == 1 => {
                        let text = "trying the tests of the criteria with broken code";
                        Some(Left::Told(text.to_owned(), false))
                    }
                    TestOutcome::Bites | TestOutcome::NotMeasured => None,
                }
            }
            ProofFact::BaseTestsRun(ran) => Some(Left::Told(sentence(fact), !ran.held)),
            ProofFact::KeptTestsTried(tried) => {
                let is_warning = !tried.held || tried.not_measured > 0;
                Some(Left::Told(sentence(fact), is_warning))
            }
            ProofFact::WorkInspected(inspected) if inspected.findings > 0 => {
                Some(Left::Told(sentence(fact), true))
            }
            ProofFact::ContractsCompared(compared) if compared.errors > 0 => {
                Some(Left::Told(sentence(fact), true))
            }
            ProofFact::WorkInspected(_)
            | ProofFact::ContractsCompared(_)
            | ProofFact::NewTestsRun(_)
            | ProofFact::FindingReleased(_) => None,
        }
    }

    /// What goes on, once the tests of the checkout are through.
    pub(crate) fn doing(&self) -> Option<String> {
        match (self.examples, self.tests) {
            (0, 0) => None,
            (examples, 0) => Some(format!("executed {examples} examples of criteria")),
            (_, tests) => Some(format!("{tests} tests of criteria tried with broken code")),
        }
    }

    /// What it came to, when it is through: `41 of 46 mutants killed; hollow: …`.
    pub(crate) fn result(&self, faults: Option<FaultCount>) -> Option<Left> {
        let FaultCount { tried, caught } = faults?;
        let hollow = match self.hollow.as_slice() {
            [] => String::new(),
            some => format!("; hollow: {}", some.join(", ")),
        };
        let text = format!("{caught} of {tried} mutants killed{hollow}");
        Some(Left::Told(text, !self.hollow.is_empty()))
    }
}

/// A fact of the proof as people read it.
pub(crate) fn sentence(fact: &ProofFact) -> String {
    match fact {
        ProofFact::ExampleExecuted(executed) => {
            let how = match executed.outcome {
                ExampleOutcome::Held => "holds",
                ExampleOutcome::Failed => "does not hold",
                ExampleOutcome::NotRun => "could not be executed",
            };
            format!("the example of {} {how}", executed.criterion)
        }
        ProofFact::TestProven(proven) => {
            let (criterion, caught, faults) = (&proven.criterion, proven.caught, proven.faults);
            match proven.outcome {
                TestOutcome::Bites => {
                    format!("the test of {criterion} caught {caught} of {faults} faults")
                }
                TestOutcome::Hollow => {
                    format!("the test of {criterion} is hollow: no fault made it fail")
                }
                TestOutcome::Failed => {
                    format!("the test of {criterion} does not pass when it is run alone")
                }
                TestOutcome::NotMeasured => {
                    format!("whether the test of {criterion} can fail was not measured")
                }
            }
        }
        ProofFact::WorkInspected(inspected) => match inspected.findings {
            0 => "the work took nothing away from tests and settings".to_owned(),
            1 => "1 finding about tests and settings from before the run".to_owned(),
            some => format!("{some} findings about tests and settings from before the run"),
        },
        ProofFact::BaseTestsRun(ran) => {
            let held = if ran.held { "pass" } else { "do not pass" };
            format!("tests from before the run {held} on the result")
        }
        ProofFact::KeptTestsTried(tried) if tried.held && tried.tried == 0 => {
            "no test from before the run could be tried with a fault".to_owned()
        }
        ProofFact::KeptTestsTried(tried) if tried.held => {
            let (biting, all) = (tried.biting, tried.tried);
            let unmeasured = match tried.not_measured {
                0 => String::new(),
                some => format!("; {some} could not be measured"),
            };
            format!(
                "{biting} of {all} tests from before the run noticed a fault in the result{unmeasured}"
            )
        }
        ProofFact::KeptTestsTried(_) => {
            "tests from before the run notice less in the result than they did before".to_owned()
        }
        ProofFact::NewTestsRun(ran) => format!(
            "{} of {} new tests fail on the code from before",
            ran.fail_before, ran.tests
        ),
        ProofFact::ContractsCompared(compared) => format!(
            "contracts: {} rules applied to the code, {} places break them",
            compared.checked, compared.errors
        ),
        ProofFact::FindingReleased(released) => {
            format!("a finding was released by the {}", released.by)
        }
    }
}
