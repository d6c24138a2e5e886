use proptest::prelude::*;

use super::*;

/// A second round of three after which nothing speaks against a third.
const USUAL: RoundSeen = RoundSeen {
    round: 2,
    allowed: 3,
    kind: OutputKind::Decision,
    voices: Voices::Several,
    by_votes: false,
    agreed_twice: false,
    converged: 0,
    unresolved: Some(2),
    leader_goes_on: Some(true),
    wants_more: 0,
    criterion_moved: false,
    half_failed: false,
    half_failed_before: false,
    seats_left: 3,
    affordable: true,
};

const GO: AfterRound = AfterRound::Go { extended: 0 };

/// A name, what is different, and what follows.
type Case = (&'static str, fn(&mut RoundSeen), AfterRound);

fn hold(usual: &RoundSeen, cases: &[Case]) {
    for (name, change, wanted) in cases {
        let mut seen = *usual;
        change(&mut seen);
        assert_eq!(after_round(&seen), *wanted, "{name}");
    }
}

#[test]
fn what_is_planned_is_read_as_one_to_five_and_cut_to_the_kind() {
    let table = [
        (OutputKind::Decision, 0, 1),
        (OutputKind::Decision, 2, 2),
        (OutputKind::Decision, 5, 3),
        (OutputKind::Evaluation, 9, 3),
        (OutputKind::Investigation, 4, 3),
        (OutputKind::ImplementationPlan, 3, 3),
        (OutputKind::ResolveQuestion, 4, 4),
        (OutputKind::ResolveQuestion, 100, 5),
        (OutputKind::ActionItems, 5, 5),
    ];
    for (kind, planned, wanted) in table {
        assert_eq!(
            first_rounds(kind, planned, Voices::Several),
            wanted,
            "{kind:?} {planned}"
        );
        assert_eq!(first_rounds(kind, planned, Voices::OneModel), 1);
        assert_eq!(first_rounds(kind, planned, Voices::Rules), 0);
    }
}

#[test]
fn a_debate_stops_for_one_reason_at_a_time() {
    use DebateStop::{Budget, Converged, FailedPairs, Leader, Rounds, SeatsLeft};
    let stop = AfterRound::Stop;
    let table: [Case; 14] = [
        ("nothing speaks against it", |_| {}, GO),
        ("one seat", |seen| seen.seats_left = 1, stop(SeatsLeft)),
        ("half failed once", |seen| seen.half_failed = true, GO),
        (
            "half failed before",
            |seen| seen.half_failed_before = true,
            GO,
        ),
        (
            "half failed twice",
            |seen| (seen.half_failed, seen.half_failed_before) = (true, true),
            stop(FailedPairs),
        ),
        ("no money", |seen| seen.affordable = false, stop(Budget)),
        (
            "the leader",
            |seen| seen.leader_goes_on = Some(false),
            stop(Leader),
        ),
        (
            "no evaluation",
            |seen| (seen.leader_goes_on, seen.unresolved) = (None, None),
            GO,
        ),
        ("most agree", |seen| seen.converged = 80, stop(Converged)),
        ("many agree", |seen| seen.converged = 79, GO),
        (
            "all agree at once",
            |seen| (seen.round, seen.converged) = (1, 100),
            GO,
        ),
        (
            "all agree at once, and nobody says whether something is open",
            |seen| (seen.round, seen.converged, seen.unresolved) = (1, 100, None),
            GO,
        ),
        (
            "all agree at once and nothing is open",
            |seen| (seen.round, seen.converged, seen.unresolved) = (1, 100, Some(0)),
            stop(Converged),
        ),
        ("the last round", |seen| seen.round = 3, stop(Rounds)),
    ];
    hold(&USUAL, &table);
}

#[test]
fn the_gravest_reason_is_named() {
    let mut seen = RoundSeen {
        round: 3,
        converged: 100,
        leader_goes_on: Some(false),
        half_failed: true,
        half_failed_before: true,
        seats_left: 0,
        affordable: false,
        ..USUAL
    };
    assert_eq!(after_round(&seen), AfterRound::Stop(DebateStop::SeatsLeft));
    seen.seats_left = 2;
    assert_eq!(
        after_round(&seen),
        AfterRound::Stop(DebateStop::FailedPairs)
    );
    seen.half_failed_before = false;
    assert_eq!(after_round(&seen), AfterRound::Stop(DebateStop::Budget));
    seen.affordable = true;
    assert_eq!(after_round(&seen), AfterRound::Stop(DebateStop::Leader));
    seen.leader_goes_on = Some(true);
    assert_eq!(after_round(&seen), AfterRound::Stop(DebateStop::Converged));
    seen.converged = 0;
    assert_eq!(after_round(&seen), AfterRound::Stop(DebateStop::Rounds));
}

#[test]
fn the_last_round_is_extended_while_something_moves() {
    let last = RoundSeen {
        round: 3,
        wants_more: 1,
        criterion_moved: true,
        ..USUAL
    };
    let rounds = AfterRound::Stop(DebateStop::Rounds);
    let go = |extended| AfterRound::Go { extended };
    let table: [Case; 10] = [
        ("one more", |_| {}, go(1)),
        ("never more than two", |seen| seen.wants_more = 9, go(2)),
        ("nothing moved", |seen| seen.criterion_moved = false, rounds),
        ("nobody wants it", |seen| seen.wants_more = 0, rounds),
        ("not before the last round", |seen| seen.round = 2, GO),
        (
            "a short plan grows",
            |seen| (seen.round, seen.allowed, seen.wants_more) = (1, 1, 2),
            go(2),
        ),
        (
            "one is left below cap + 2",
            |seen| (seen.round, seen.allowed, seen.wants_more) = (4, 4, 2),
            go(1),
        ),
        (
            "cap + 2",
            |seen| (seen.round, seen.allowed, seen.wants_more) = (5, 5, 2),
            rounds,
        ),
        (
            "the longer kinds end at seven",
            |seen| {
                (seen.round, seen.allowed, seen.wants_more) = (6, 6, 2);
                seen.kind = OutputKind::ActionItems;
            },
            go(1),
        ),
        (
            "samples of one model",
            |seen| (seen.round, seen.allowed, seen.voices) = (1, 1, Voices::OneModel),
            rounds,
        ),
    ];
    hold(&last, &table);
}

proptest! {
    /// However eager a leader is, a debate ends in time, and it grows only while something moves.
    #[test]
    fn no_debate_passes_its_limit(
        kind in prop::sample::select(OutputKind::ALL.to_vec()),
        planned in 0_u32..12,
        one_model in any::<bool>(),
        wishes in prop::collection::vec((0_u32..6, any::<bool>()), 16),
    ) {
        let voices = if one_model { Voices::OneModel } else { Voices::Several };
        let first = first_rounds(kind, planned, voices);
        let mut allowed = first;
        let mut held = 0;
        for (round, (wants_more, criterion_moved)) in (1_u32..).zip(wishes) {
            held = round;
            let seen = RoundSeen { round, allowed, kind, voices, wants_more, criterion_moved, ..USUAL };
            match after_round(&seen) {
                AfterRound::Go { extended } => {
                    prop_assert!(extended == 0 || (round == allowed && criterion_moved));
                    prop_assert!(extended <= wants_more.min(2));
                    allowed += extended;
                }
                AfterRound::Stop(stop) => {
                    prop_assert_eq!(stop, DebateStop::Rounds);
                    break;
                }
            }
        }
        prop_assert!(held >= first);
        prop_assert_eq!(held, allowed);
        prop_assert!(held <= (round_cap(kind) + 2).min(ROUND_CEILING));
        prop_assert!(!one_model || held == 1);
    }

    /// Whatever is claimed to be allowed, the ceiling stands.
    #[test]
    fn the_ceiling_stands(round in 0_u32..20, allowed in any::<u32>(), wants_more in any::<u32>()) {
        let seen = RoundSeen { round, allowed, wants_more, criterion_moved: true, ..USUAL };
        if let AfterRound::Go { extended } = after_round(&seen) {
            prop_assert!(round < 5 && extended <= 5 - round);
        }
    }
}

#[test]
fn votes_end_a_debate_and_phrases_are_a_hint() {
    let agreed = RoundSeen {
        by_votes: true,
        agreed_twice: true,
        converged: 0,
        leader_goes_on: None,
        ..USUAL
    };
    assert_eq!(
        after_round(&agreed),
        AfterRound::Stop(DebateStop::Converged)
    );
    let said = RoundSeen {
        agreed_twice: false,
        converged: 100,
        round: 1,
        allowed: 3,
        unresolved: Some(0),
        ..agreed
    };
    assert_eq!(after_round(&said), AfterRound::Go { extended: 0 });
}
