//! What a criterion came to when it was shown again, beside what was sealed about it.

use gavel_domain::{CriterionStanding, EvidenceRank, ExampleOutcome, TestOutcome};
use serde::Serialize;

use crate::{CriterionProof, ProofWord, TestWord};

/// A criterion as it was sealed.
#[derive(Debug, Clone, Copy)]
pub struct SealedCriterion {
    /// How far it held.
    pub standing: CriterionStanding,
    /// How firmly it was shown; none in seals from before ranks.
    pub rank: Option<EvidenceRank>,
}

/// How showing a criterion again compares with its seal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "outcome", content = "why", rename_all = "snake_case")]
pub enum ShownAgain {
    /// It came to the same.
    Same(String),
    /// It came to something else.
    Different(String),
    /// The seal rests on something that ran, which could not be run again.
    NotRun(String),
    /// Nothing that can be run shows it: somebody read or said it.
    NotRepeatable(String),
}

/// Compares a criterion with what its example and its test come to now.
pub fn compare_shown_again(
    sealed: SealedCriterion,
    now: &CriterionProof,
    test: TestWord<'_>,
) -> ShownAgain {
    match sealed.standing {
        CriterionStanding::Met | CriterionStanding::Partial => {
            compare_shown(sealed.rank, now, test)
        }
        CriterionStanding::Unmet => match now.word() {
            ProofWord::Shown { rank, .. } => {
                ShownAgain::Different(format!("it was not shown, and is now: {}", rank.label()))
            }
            ProofWord::Refuted(_) | ProofWord::Silent => {
                ShownAgain::Same("not shown, as sealed".to_owned())
            }
        },
    }
}

fn compare_shown(
    sealed: Option<EvidenceRank>,
    now: &CriterionProof,
    test: TestWord<'_>,
) -> ShownAgain {
    if let TestWord::Failed(name) = test {
        return ShownAgain::Different(format!("its test {name} fails"));
    }
    match now.word() {
        ProofWord::Shown { rank, .. } => match sealed {
            Some(EvidenceRank::TestBites) if rank == EvidenceRank::TestRan => {
                let why = now.test.as_ref().map(|test| test.why.clone());
                ShownAgain::NotRun(why.unwrap_or_default())
            }
            _ => ShownAgain::Same(rank.label().to_owned()),
        },
        ProofWord::Refuted(why) if could_not_run(now) => ShownAgain::NotRun(why),
        ProofWord::Refuted(why) => ShownAgain::Different(why),
        ProofWord::Silent => silent(sealed, test),
    }
}

/// True where nothing was executed that could have refuted it.
fn could_not_run(now: &CriterionProof) -> bool {
    let not_run = |outcome| outcome == ExampleOutcome::NotRun;
    let refutes = |outcome| match outcome {
        TestOutcome::Hollow | TestOutcome::Failed => true,
        TestOutcome::Bites | TestOutcome::NotMeasured => false,
    };
    let example = now.example.as_ref().is_some_and(|one| not_run(one.outcome));
    example && !now.test.as_ref().is_some_and(|test| refutes(test.outcome))
}

fn silent(sealed: Option<EvidenceRank>, test: TestWord<'_>) -> ShownAgain {
    match sealed {
        Some(EvidenceRank::Executed | EvidenceRank::AsWritten) => {
            ShownAgain::NotRun("the contracts of the branch hold no example of it".to_owned())
        }
        Some(EvidenceRank::TestBites | EvidenceRank::TestRan) => match test {
            TestWord::Passed(_) => ShownAgain::NotRun("its test was not tried alone".to_owned()),
            TestWord::Failed(_) | TestWord::NoTest => {
                ShownAgain::Different("its test was not executed".to_owned())
            }
        },
        Some(EvidenceRank::Read | EvidenceRank::Said) => {
            ShownAgain::NotRepeatable("a judge read it: there is nothing to run".to_owned())
        }
        None => match test {
            TestWord::Passed(name) => ShownAgain::Same(format!("its test {name} passes")),
            TestWord::Failed(_) | TestWord::NoTest => {
                ShownAgain::NotRepeatable("this seal does not say what ran for it".to_owned())
            }
        },
    }
}

#[cfg(test)]
#[path = "repeat_tests.rs"]
mod tests;
