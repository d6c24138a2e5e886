use proptest::prelude::*;

use super::*;

fn debate(voices: Voices, rounds: u32, decisions: &[(Option<bool>, DecisionEnd)]) -> DebateSeen {
    let stop = match rounds {
        0 => DebateStop::DraftsAgree,
        _ => DebateStop::Leader,
    };
    let decisions = decisions.iter().zip(0..);
    DebateSeen {
        run: "r".to_owned(),
        voices,
        stop: Some(stop),
        rounds,
        badge: Some(Badge::High),
        cost: MicroUsd(100),
        decisions: decisions
            .map(|((changed, outcome), n)| DecisionSeen {
                id: format!("d{n}"),
                changed: *changed,
                outcome: *outcome,
            })
            .collect(),
    }
}

#[test]
fn debates_are_added_up() {
    use DecisionEnd::{Right, Unknown, Wrong};
    let all = [
        debate(
            Voices::Several,
            2,
            &[(Some(true), Right), (Some(true), Wrong)],
        ),
        debate(Voices::OneModel, 1, &[(Some(false), Right), (None, Right)]),
        debate(
            Voices::Several,
            0,
            &[(Some(false), Wrong), (Some(false), Unknown)],
        ),
        debate(Voices::Rules, 0, &[(Some(true), Right)]),
        debate(Voices::Several, 3, &[(Some(true), Unknown)]),
    ];
    let expected = CouncilScore {
        debates: 4,
        reviews: 1,
        skipped: 1,
        one_model: 1,
        rounds_median: Some(1),
        cost: MicroUsd(400),
        decisions: 7,
        changed: 3,
        unchanged: 3,
        right: 3,
        wrong: 2,
        unknown: 2,
        right_when_changed: 1,
        wrong_when_changed: 1,
        right_when_unchanged: 1,
        wrong_when_unchanged: 1,
    };
    assert_eq!(score(&all), expected);
    assert_eq!(score(&[]), CouncilScore::default());
}

fn any_debate() -> impl Strategy<Value = DebateSeen> {
    let ends = prop::sample::select(vec![
        DecisionEnd::Right,
        DecisionEnd::Wrong,
        DecisionEnd::Unknown,
    ]);
    let voices = prop::sample::select(vec![Voices::Several, Voices::OneModel, Voices::Rules]);
    let decisions = prop::collection::vec((any::<Option<bool>>(), ends), 0..4);
    (voices, 0_u32..9, decisions).prop_map(|(voices, rounds, all)| debate(voices, rounds, &all))
}

proptest! {
    #[test]
    fn figures_fit_together_in_any_order(debates in prop::collection::vec(any_debate(), 0..12)) {
        let found = score(&debates);
        prop_assert_eq!(found.right + found.wrong + found.unknown, found.decisions);
        prop_assert!(found.changed + found.unchanged <= found.decisions);
        prop_assert!(found.right_when_changed + found.wrong_when_changed <= found.changed);
        prop_assert!(found.right_when_unchanged + found.wrong_when_unchanged <= found.unchanged);
        prop_assert_eq!((found.debates + found.reviews) as usize, debates.len());
        let back: Vec<DebateSeen> = debates.into_iter().rev().collect();
        prop_assert_eq!(score(&back), found);
    }
}
