use proptest::prelude::*;

use super::*;
use crate::gate::tests::Build;

#[test]
fn only_a_whole_run_is_certified() {
    let (verdict, reasons) = seal_verdict(&Build::good().judge(), &LeftOut::default());
    assert_eq!(verdict, SealVerdict::Certified);
    assert_eq!(reasons, ["every condition holds, and nothing was left out"]);
}

#[test]
fn whatever_was_left_out_makes_it_conditional_and_is_named() {
    for omission in Omission::ALL {
        let left_out = LeftOut::from_iter([omission]);
        let (verdict, reasons) = seal_verdict(&Build::good().judge(), &left_out);
        let told = format!("left out: {omission}");
        if [Omission::Coverage, Omission::OwnRunner].contains(&omission) {
            assert_eq!(verdict, SealVerdict::Certified);
            assert_eq!(reasons, ["every condition holds".to_owned(), told]);
        } else {
            assert_eq!(verdict, SealVerdict::Conditional, "{omission}");
            assert_eq!(reasons, [told]);
        }
    }
}

#[test]
fn what_nobody_looked_at_is_not_what_a_person_put_off() {
    let told = |omission: Omission| LeftOut::from_iter([omission]).lines();
    for (omission, wanted) in [
        (
            Omission::Assumptions,
            "assumptions: a person put some off that the plan rests on",
        ),
        (
            Omission::UnseenAssumptions(1),
            "assumptions: nobody looked at 1 assumption that the plan rests on",
        ),
        (
            Omission::UnseenAssumptions(3),
            "assumptions: nobody looked at 3 assumptions that the plan rests on",
        ),
    ] {
        assert_eq!(told(omission), [wanted]);
    }
}

#[test]
fn a_criterion_that_the_threshold_excuses_makes_it_conditional_and_is_named() {
    let gate = Build::with_missing(1, 900).judge();
    let (verdict, reasons) = seal_verdict(&gate, &LeftOut::default());
    assert_eq!(verdict, SealVerdict::Conditional);
    assert_eq!(reasons, ["weighted_score: 1 criteria are not met: c_9"]);
}

#[test]
fn a_gate_that_did_not_pass_is_flagged_with_its_reasons() {
    let gate = Build::good().without(8).judge();
    let left_out = LeftOut::from_iter([Omission::Debate]);
    let (verdict, reasons) = seal_verdict(&gate, &left_out);
    assert_eq!(verdict, SealVerdict::Flagged);
    assert_eq!(
        reasons,
        [
            "no_open_errors: 1 errors are open: test tag_found failed",
            "left out: debate: rule-based review only",
        ]
    );
}

#[test]
fn a_gate_that_contradicts_itself_is_flagged() {
    let mut empty = Build::good().judge();
    empty.conditions.clear();
    let (verdict, reasons) = seal_verdict(&empty, &LeftOut::default());
    assert_eq!(verdict, SealVerdict::Flagged);
    assert_eq!(reasons, ["the gate does not say which conditions hold"]);

    let mut broken = Build::good().without(10).judge();
    broken.passed = true;
    let (verdict, _) = seal_verdict(&broken, &LeftOut::default());
    assert_eq!(verdict, SealVerdict::Flagged);
}

proptest! {
    #[test]
    fn taking_something_away_never_improves_the_verdict(
        pieces in prop::collection::vec(any::<u8>(), 0..6),
        omissions in prop::collection::vec(0_usize..Omission::ALL.len(), 0..6),
    ) {
        let mut build = Build::good();
        let mut left_out = LeftOut::default();
        let mut before = seal_verdict(&build.judge(), &left_out).0;
        for piece in pieces {
            build = build.without(piece);
            let after = seal_verdict(&build.judge(), &left_out).0;
            prop_assert!(after <= before);
            before = after;
        }
        for omission in omissions {
            left_out.note(Omission::ALL[omission]);
            let after = seal_verdict(&build.judge(), &left_out).0;
            prop_assert!(after <= before);
            prop_assert!(after < SealVerdict::Certified || !Omission::ALL[omission].weighs());
            before = after;
        }
    }
}

#[test]
fn every_line_of_an_omission_is_read_again() {
    for one in Omission::ALL {
        assert_eq!(Omission::of_line(&one.to_string()), Some(one), "{one}");
    }
    for one in [
        Omission::OpenAsks(12),
        Omission::ClaimedAsks(2),
        Omission::LeftOutAsks(40),
        Omission::WeakEvidence(3),
        Omission::HollowTests(7),
        Omission::UnseenAssumptions(5),
    ] {
        assert_eq!(Omission::of_line(&one.to_string()), Some(one), "{one}");
    }
    for line in [
        "",
        "debate",
        "tests: 1 tests of criteria are hollow",
        "runner: a line of 3",
    ] {
        assert_eq!(Omission::of_line(line), None, "{line}");
    }
}
