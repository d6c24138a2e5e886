use proptest::prelude::*;

use super::*;

fn dollars(amounts: &[u64]) -> Vec<MicroUsd> {
    amounts.iter().copied().map(MicroUsd::dollars).collect()
}

fn projected(costs: &[u64], cap: u64, spent: u64) -> Option<i64> {
    let trip = cost_projection(
        &dollars(costs),
        MicroUsd::dollars(cap),
        MicroUsd::dollars(spent),
    )?;
    trip.numbers.get("projected").copied()
}

#[test]
fn cb_1_projects_by_the_reference_formula() {
    assert_eq!(projected(&[1, 2, 4], 50, 45), None, "2.532 of 7.5");
    assert_eq!(projected(&[8, 8, 8], 50, 45), Some(9_600_000));
    // The smoothed cost itself, where nothing is left.
    assert_eq!(projected(&[1, 2, 4], 50, 50), Some(2_532_000));
    // Only the last three count, the oldest of them first.
    assert_eq!(projected(&[90, 1, 2, 4], 50, 50), Some(2_532_000));
    assert_eq!(projected(&[], 50, 50), None, "nothing was spent yet");
    assert_eq!(projected(&[0], 5, 5), None, "free sprints never trip");
    assert_eq!(projected(&[1], 5, 9), Some(1_200_000), "beyond the cap");
}

#[test]
fn cb_2_needs_three_sprints_and_two_steps_that_do_not_rise() {
    for (scores, trips) in [
        (&[500, 500, 400][..], true),
        (&[500, 600, 600], false),
        (&[500, 500], false),
        (&[500, 400], false),
        (&[500, 500, 500], true),
        (&[900, 100, 500, 500], false),
        (&[100, 500, 500, 500], true),
        (&[], false),
    ] {
        assert_eq!(oscillation(scores).is_some(), trips, "{scores:?}");
    }
    let trip = oscillation(&[500, 500, 400]).unwrap();
    assert_eq!(trip.breaker.word(), "cb_2");
    assert_eq!(trip.numbers["delta_last"], -100);
}

#[test]
fn cb_3_trips_on_source_that_nothing_verifies() {
    let reason = |standing| blank_verification(true, standing).map(|trip| trip.reason);
    assert_eq!(reason(RecipeStanding::NoRecipe), Some("no_recipe"));
    assert_eq!(reason(RecipeStanding::NoTests), Some("no_test_commands"));
    assert_eq!(reason(RecipeStanding::Unseen), Some("search_stopped"));
    let tests = |coverage| RecipeStanding::Tests { coverage };
    assert_eq!(reason(tests(Some(0))), Some("zero_coverage"));
    assert_eq!(reason(tests(Some(1))), None);
    assert_eq!(reason(tests(None)), None, "unmeasured is not zero");
    assert_eq!(
        blank_verification(false, RecipeStanding::NoRecipe),
        None,
        "a tree without source may bring its tests"
    );
}

#[test]
fn cb_6_to_cb_10_trip_and_do_not() {
    assert!(no_provider(true, 2).is_none());
    assert_eq!(no_provider(false, 2).unwrap().numbers["tried"], 2);
    let refusal = |reasons: &[&str]| -> Vec<String> {
        reasons.iter().map(|reason| (*reason).to_owned()).collect()
    };
    assert!(ship_refused(&[refusal(&["a"])]).is_none());
    assert!(ship_refused(&[refusal(&["a"]), refusal(&["b"])]).is_none());
    assert!(ship_refused(&[refusal(&["a", "b"]), refusal(&["b", "a"])]).is_some());
    assert!(ship_refused(&[refusal(&["a"]), refusal(&["b"]), refusal(&["a"])]).is_none());
    assert!(stall(&[]).is_none());
    assert!(stall(&[true, false]).is_none());
    assert!(stall(&[false, true]).is_none());
    assert!(stall(&[true, false, false]).is_some());
    let hour = Duration::from_hours(1);
    assert!(wall_clock(hour, hour).is_none());
    let late = wall_clock(hour + Duration::from_secs(1), hour).unwrap();
    assert_eq!(late.numbers["driven_seconds"], 3_601);
    let trip = repeated_action(Repetition::SameCall { times: 5 });
    assert_eq!((trip.reason, trip.numbers["times"]), ("same_call", 5));
    let trip = repeated_action(Repetition::PingPong { rounds: 4 });
    assert_eq!((trip.reason, trip.numbers["times"]), ("ping_pong", 4));
}

#[test]
fn whoever_is_asked_can_always_stop_and_finds_every_word() {
    for breaker in Breaker::ALL {
        assert_eq!(breaker.options().last(), Some(&BreakerOption::Stop));
        assert!(breaker.options().len() > 1, "{breaker} leaves a choice");
        assert_eq!(Breaker::from_word(breaker.word()), Some(breaker));
    }
    for option in BreakerOption::ALL {
        assert_eq!(BreakerOption::from_id(option.id()), Some(option));
    }
    let words: Vec<&str> = Breaker::ALL.iter().map(|b| b.word()).collect();
    assert_eq!(
        words.join(" "),
        "cb_1 cb_2 cb_3 cb_4 cb_5 cb_6 cb_7 cb_8 cb_9 cb_10"
    );
}

proptest! {
    #[test]
    fn a_rising_score_never_trips(mut scores in proptest::collection::vec(0_u32..1000, 0..12)) {
        scores.sort_unstable();
        scores.dedup();
        prop_assert!(oscillation(&scores).is_none());
    }

    #[test]
    fn more_money_left_never_trips_what_less_did_not(
        costs in proptest::collection::vec(0_u64..u64::MAX, 0..6),
        cap in 0_u64..u64::MAX, spent in 0_u64..u64::MAX, more in 0_u64..1_000_000,
    ) {
        let costs: Vec<MicroUsd> = costs.into_iter().map(MicroUsd).collect();
        let at = |cap: u64| cost_projection(&costs, MicroUsd(cap), MicroUsd(spent)).is_some();
        prop_assert!(at(cap) || !at(cap.saturating_add(more)));
    }
}
