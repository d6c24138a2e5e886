use super::*;

fn fault(outcome: FaultOutcome) -> PlantedFault {
    PlantedFault {
        file: "src/store.rs".to_owned(),
        line: 12,
        function: "total".to_owned(),
        before: "a + b".to_owned(),
        after: "a - b".to_owned(),
        outcome,
    }
}

#[test]
fn a_test_bites_when_it_caught_something_and_is_hollow_otherwise() {
    use FaultOutcome::{Caught, FailedAnyway, Missed, NotReached};
    use TestOutcome::{Bites, Hollow, NotMeasured};
    let table: [(&[FaultOutcome], FaultsEnd, TestOutcome, u32, &str); 9] = [
        (
            &[Caught],
            FaultsEnd::All,
            Bites,
            1,
            "it caught 1 of 1 faults",
        ),
        (
            &[Missed, Caught, NotReached],
            FaultsEnd::All,
            Bites,
            2,
            "it caught 1 of 2 faults",
        ),
        (
            &[Caught],
            FaultsEnd::Time,
            Bites,
            1,
            "it caught 1 of 1 faults",
        ),
        (
            &[Missed, Missed],
            FaultsEnd::All,
            Hollow,
            2,
            "it passed although src/store.rs:12 (total): a + b became a - b",
        ),
        (
            &[Missed, FailedAnyway],
            FaultsEnd::All,
            Hollow,
            1,
            "it passed although src/store.rs:12 (total): a + b became a - b",
        ),
        (
            &[FailedAnyway],
            FaultsEnd::All,
            Hollow,
            0,
            "it fails as soon as the code is edited, whether or not that changes anything",
        ),
        (
            &[],
            FaultsEnd::All,
            Hollow,
            0,
            "it comes to no place of the product that could be broken",
        ),
        (
            &[NotReached],
            FaultsEnd::All,
            Hollow,
            0,
            "it comes to no place of the product that could be broken",
        ),
        (
            &[],
            FaultsEnd::Time,
            NotMeasured,
            0,
            "the time for the proof was over",
        ),
    ];
    for (outcomes, end, outcome, tried, why) in table {
        let faults: Vec<_> = outcomes.iter().map(|one| fault(*one)).collect();
        let judged = judge_faults(&faults, end);
        assert_eq!(judged.outcome, outcome, "{outcomes:?}");
        assert_eq!(judged.tried, tried, "{outcomes:?}");
        assert_eq!(judged.why, why, "{outcomes:?}");
    }
}

fn example(outcome: ExampleOutcome) -> Option<ExampleProof> {
    Some(ExampleProof {
        outcome,
        runs: 2,
        changes: None,
        problem: "nothing was listed".to_owned(),
    })
}

fn test(outcome: TestOutcome) -> Option<TestProof> {
    Some(TestProof {
        test: "cli::listed".to_owned(),
        outcome,
        faults: Vec::new(),
        why: "why".to_owned(),
    })
}

/// How firmly a proof shows its criterion, or why it does not.
fn said(example: Option<ExampleProof>, test: Option<TestProof>) -> String {
    match (CriterionProof { example, test }).word() {
        ProofWord::Shown { rank, .. } => rank.label().to_owned(),
        ProofWord::Refuted(why) => why,
        ProofWord::Silent => "silent".to_owned(),
    }
}

#[test]
fn what_gavel_executed_comes_before_what_tests_say() {
    use ExampleOutcome::{Failed, Held, NotRun};
    for (example, test, expected) in [
        (None, None, "silent"),
        (example(Held), None, "executed by Gavel"),
        (
            example(Held),
            test(TestOutcome::Hollow),
            "executed by Gavel",
        ),
        (
            example(Held),
            test(TestOutcome::Failed),
            "its test cli::listed does not pass when run alone: why",
        ),
        (
            example(Failed),
            test(TestOutcome::Bites),
            "its example does not hold: nothing was listed",
        ),
        (
            example(NotRun),
            None,
            "its example could not be executed: nothing was listed",
        ),
        (
            example(NotRun),
            test(TestOutcome::Bites),
            "its example could not be executed: nothing was listed",
        ),
        (None, test(TestOutcome::NotMeasured), "test that ran"),
        (
            None,
            test(TestOutcome::Hollow),
            "its test cli::listed is hollow: why",
        ),
        (
            None,
            test(TestOutcome::Failed),
            "its test cli::listed does not pass when run alone: why",
        ),
    ] {
        assert_eq!(said(example, test), expected);
    }
}
