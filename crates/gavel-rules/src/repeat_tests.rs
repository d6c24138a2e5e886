use super::*;
use crate::{ExampleProof, TestProof};

fn example(outcome: ExampleOutcome) -> Option<ExampleProof> {
    Some(ExampleProof {
        outcome,
        runs: 3,
        changes: None,
        problem: "exit 1".to_owned(),
    })
}

fn test(outcome: TestOutcome) -> Option<TestProof> {
    Some(TestProof {
        test: "adds".to_owned(),
        outcome,
        faults: Vec::new(),
        why: "why".to_owned(),
    })
}

fn word(rank: Option<EvidenceRank>, now: &CriterionProof, test: TestWord<'_>) -> &'static str {
    let standing = CriterionStanding::Met;
    match compare_shown_again(SealedCriterion { standing, rank }, now, test) {
        ShownAgain::Same(_) => "same",
        ShownAgain::Different(_) => "different",
        ShownAgain::NotRun(_) => "not run",
        ShownAgain::NotRepeatable(_) => "not repeatable",
    }
}

#[test]
fn an_example_is_compared_with_what_it_comes_to_now() {
    use EvidenceRank::Executed;
    use ExampleOutcome::{Failed, Held, NotRun};
    let passed = || TestWord::Passed("adds");
    let proof = |example, test| CriterionProof { example, test };
    for (sealed, now, by_test, expected) in [
        (
            Some(Executed),
            proof(example(Held), None),
            TestWord::NoTest,
            "same",
        ),
        (
            Some(Executed),
            proof(example(Failed), None),
            passed(),
            "different",
        ),
        (
            Some(Executed),
            proof(example(NotRun), None),
            passed(),
            "not run",
        ),
        (
            Some(Executed),
            proof(example(NotRun), test(TestOutcome::Hollow)),
            passed(),
            "different",
        ),
        (
            Some(Executed),
            proof(example(Held), None),
            TestWord::Failed("adds"),
            "different",
        ),
        (
            Some(Executed),
            CriterionProof::default(),
            TestWord::NoTest,
            "not run",
        ),
    ] {
        assert_eq!(word(sealed, &now, by_test), expected, "{sealed:?} {now:?}");
    }
}

#[test]
fn a_test_is_compared_with_what_it_does_now() {
    use EvidenceRank::{Read, TestBites, TestRan};
    let passed = || TestWord::Passed("adds");
    let proof = |example, test| CriterionProof { example, test };
    for (sealed, now, by_test, expected) in [
        (
            Some(TestBites),
            proof(None, test(TestOutcome::Bites)),
            passed(),
            "same",
        ),
        (
            Some(TestBites),
            proof(None, test(TestOutcome::Hollow)),
            passed(),
            "different",
        ),
        (
            Some(TestBites),
            proof(None, test(TestOutcome::NotMeasured)),
            passed(),
            "not run",
        ),
        (
            Some(TestBites),
            CriterionProof::default(),
            TestWord::NoTest,
            "different",
        ),
        (
            Some(TestRan),
            proof(None, test(TestOutcome::NotMeasured)),
            passed(),
            "same",
        ),
        (
            Some(TestRan),
            proof(None, test(TestOutcome::Bites)),
            passed(),
            "same",
        ),
        (
            Some(Read),
            CriterionProof::default(),
            TestWord::NoTest,
            "not repeatable",
        ),
        (
            Some(Read),
            CriterionProof::default(),
            TestWord::Failed("adds"),
            "different",
        ),
        (None, CriterionProof::default(), passed(), "same"),
        (
            None,
            CriterionProof::default(),
            TestWord::NoTest,
            "not repeatable",
        ),
    ] {
        assert_eq!(word(sealed, &now, by_test), expected, "{sealed:?} {now:?}");
    }
}

#[test]
fn what_was_not_shown_stays_so_or_is_told() {
    let sealed = SealedCriterion {
        standing: CriterionStanding::Unmet,
        rank: None,
    };
    let silent = compare_shown_again(sealed, &CriterionProof::default(), TestWord::NoTest);
    assert_eq!(silent, ShownAgain::Same("not shown, as sealed".to_owned()));
    let held = CriterionProof {
        example: example(ExampleOutcome::Held),
        test: None,
    };
    let shown = compare_shown_again(sealed, &held, TestWord::NoTest);
    assert!(matches!(shown, ShownAgain::Different(_)), "{shown:?}");
}
