//! Whether a test from before the run still notices what it noticed before it.

use gavel_domain::{FaultOutcome, PlantedFault};

/// What is known of a test from before the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeptTest {
    /// It notices faults in the result.
    Bites,
    /// It noticed no fault before the run either.
    HollowBefore,
    /// It noticed faults before the run that it does not notice in the result; one of them.
    Blinded(PlantedFault),
    /// Nothing can be told.
    NotMeasured,
}

/// What follows where no fault in the result tells anything about a test that noticed some before.
#[derive(Debug, Clone, Copy)]
pub enum Untold<'a> {
    /// Nothing: runs from before that counted.
    Unknown,
    /// It is blinded: the code that it runs cannot be broken any more. A fault that it noticed before.
    Blinds(&'a PlantedFault),
}

/// Judges a test by what it made of faults in the result: `same` are those that it noticed in the code
/// from before the run, at the same places; `others` any that it comes to, where none of those places
/// is left. One place may have become harmless by honest work; most of them do not. What it noticed may
/// also have gone where no fault can be planted: into a text that is run as code, into a macro, into a
/// file of another kind. Whoever hides everything that a test looks at has blinded it.
pub fn judge_kept_test(
    same: &[PlantedFault],
    others: &[PlantedFault],
    untold: Untold<'_>,
) -> KeptTest {
    let compared = split(same);
    let (caught, missed) = if compared.0 + compared.1.len() > 0 {
        compared
    } else {
        match split(others) {
            // One fault that is noticed elsewhere tells that the test still sees.
            (0, missed) => (0, missed),
            (caught, _) => (caught, Vec::new()),
        }
    };
    match missed.first() {
        Some(fault) if missed.len() > caught => KeptTest::Blinded((*fault).clone()),
        Some(_) | None if caught > 0 => KeptTest::Bites,
        Some(_) | None => match untold {
            Untold::Unknown => KeptTest::NotMeasured,
            Untold::Blinds(noticed) => KeptTest::Blinded(hidden(noticed, same, others)),
        },
    }
}

/// A fault that was noticed before the run, and why no fault tells anything now.
fn hidden(noticed: &PlantedFault, same: &[PlantedFault], others: &[PlantedFault]) -> PlantedFault {
    let fails_anyway = |one: &PlantedFault| one.outcome == FaultOutcome::FailedAnyway;
    let outcome = if same.iter().chain(others).any(fails_anyway) {
        FaultOutcome::FailedAnyway
    } else {
        FaultOutcome::NotReached
    };
    PlantedFault {
        outcome,
        ..noticed.clone()
    }
}

/// How many were caught, and those that were missed.
fn split(faults: &[PlantedFault]) -> (usize, Vec<&PlantedFault>) {
    let with = |outcome: FaultOutcome| faults.iter().filter(move |one| one.outcome == outcome);
    (
        with(FaultOutcome::Caught).count(),
        with(FaultOutcome::Missed).collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use FaultOutcome::{Caught, FailedAnyway, Missed, NotReached};

    fn faults(outcomes: &[FaultOutcome]) -> Vec<PlantedFault> {
        let fault = |(line, outcome): (u32, &FaultOutcome)| PlantedFault {
            file: "shop.py".to_owned(),
            line,
            function: "total".to_owned(),
            before: "a".to_owned(),
            after: "b".to_owned(),
            outcome: *outcome,
        };
        (1..).zip(outcomes).map(fault).collect()
    }

    #[test]
    fn a_test_has_to_notice_most_of_what_it_noticed() {
        let blinded = |same: &[FaultOutcome], others: &[FaultOutcome]| {
            judge_kept_test(&faults(same), &faults(others), Untold::Unknown)
        };
        for (same, others, expected) in [
            (&[Caught, Caught][..], &[][..], "bites"),
            (&[Caught, Missed], &[], "bites"),
            (&[Caught, Missed, Missed], &[], "blinded"),
            (&[Missed], &[Caught], "blinded"),
            (&[NotReached, FailedAnyway], &[], "not measured"),
            (&[NotReached], &[Caught, Missed, Missed], "bites"),
            (&[], &[Missed, Missed], "blinded"),
            (&[], &[NotReached], "not measured"),
            (&[], &[], "not measured"),
        ] {
            let seen = match blinded(same, others) {
                KeptTest::Bites => "bites",
                KeptTest::Blinded(fault) => {
                    assert_eq!(fault.outcome, Missed);
                    "blinded"
                }
                KeptTest::HollowBefore => "hollow before",
                KeptTest::NotMeasured => "not measured",
            };
            assert_eq!(seen, expected, "{same:?} {others:?}");
        }
    }

    #[test]
    fn a_test_that_no_fault_in_the_result_tells_anything_about_is_blinded() {
        let noticed = faults(&[Caught]).remove(0);
        let judged = |same: &[FaultOutcome], others: &[FaultOutcome]| {
            judge_kept_test(&faults(same), &faults(others), Untold::Blinds(&noticed))
        };
        for (same, others, outcome) in [
            (&[][..], &[][..], NotReached),
            (&[NotReached], &[], NotReached),
            (&[], &[NotReached], NotReached),
            (&[FailedAnyway], &[], FailedAnyway),
        ] {
            let KeptTest::Blinded(fault) = judged(same, others) else {
                panic!("{same:?} {others:?}");
            };
            assert_eq!((fault.outcome, fault.line), (outcome, noticed.line));
        }
        assert_eq!(judged(&[], &[Caught]), KeptTest::Bites);
        assert_eq!(judged(&[NotReached], &[Caught]), KeptTest::Bites);
    }
}
