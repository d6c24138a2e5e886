use proptest::prelude::*;

use super::*;

/// A stance with what it weighs and what it chooses of `store`.
type Seat = (&'static str, u32, u32);

fn decision(id: &str, options: &[&str]) -> OpenDecision {
    OpenDecision {
        id: id.to_owned(),
        question: format!("which {id}?"),
        options: options.iter().map(|&option| option.to_owned()).collect(),
    }
}

fn store() -> OpenDecision {
    decision("store", &["SQLite", "PostgreSQL", "files"])
}

fn choice(decision: &str, option: u32) -> Choice {
    Choice {
        decision: decision.to_owned(),
        option,
        confidence: 70,
        cites: vec!["memory:trap-1".to_owned()],
        broken: Vec::new(),
    }
}

fn tags(confirmed: u32, refuted: u32, unverified: u32, broken: u32) -> TagCount {
    TagCount {
        confirmed,
        refuted,
        unverified,
        broken,
    }
}

/// The vote on `store`.
fn count(finals: &[Seat], openings: &[Seat]) -> DecisionVote {
    let chosen = |seats: &[Seat]| -> Vec<Vec<Choice>> {
        let choices = seats
            .iter()
            .map(|(_, _, option)| vec![choice("store", *option)]);
        choices.collect()
    };
    let (last, first) = (chosen(finals), chosen(openings));
    let last = positions(finals, &last);
    let first = positions(openings, &first);
    vote(&[store()], &last, &first).remove(0)
}

fn positions<'a>(seats: &[Seat], choices: &'a [Vec<Choice>]) -> Vec<Position<'a>> {
    let placed = seats.iter().zip(choices);
    placed
        .map(|((stance, weight, _), choices)| Position {
            stance,
            weight: *weight,
            choices,
        })
        .collect()
}

#[test]
fn a_word_weighs_what_held() {
    let table = [
        (tags(0, 0, 0, 0), 500),
        (tags(2, 1, 0, 0), 1_000),
        (tags(3, 0, 1, 0), 750),
        (tags(1, 0, 0, 1), 500),
        (tags(1, 0, 1, 1), 333),
        (tags(0, 0, 0, 2), 0),
        (tags(0, 0, 3, 1), 0),
        // Nothing broke: no less than somebody who tags nothing.
        (tags(0, 0, 3, 0), 500),
        (tags(1, 0, 3, 0), 500),
        (tags(u32::MAX, u32::MAX, 0, 0), 1_000),
    ];
    for (tags, wanted) in table {
        assert_eq!(weight(tags), wanted, "{tags:?}");
    }
}

#[test]
fn weight_decides_and_not_heads() {
    let vote = count(&[("one", 200, 0), ("two", 200, 0), ("three", 900, 1)], &[]);
    assert_eq!(vote.option, Some(1));
    assert_eq!(vote.weights, [307, 692, 0]);
    assert_eq!(vote.voters, [vec!["one", "two"], vec!["three"], vec![]]);
    assert!(!vote.agreed);
    assert_eq!(vote.changed, None);
    assert_eq!(vote.question, "which store?");
    assert_eq!(vote.options, ["SQLite", "PostgreSQL", "files"]);
}

#[test]
fn a_decision_stays_open_without_a_clear_answer() {
    let tie = count(&[("one", 500, 0), ("two", 500, 2)], &[]);
    assert_eq!(
        (tie.option, tie.weights, tie.agreed),
        (None, vec![500, 0, 500], false)
    );
    let nobody = count(&[], &[]);
    assert_eq!(
        (nobody.option, nobody.weights, nobody.agreed),
        (None, vec![0; 3], false)
    );
    let weightless = count(&[("one", 0, 1), ("two", 0, 2)], &[]);
    assert_eq!((weightless.option, weightless.weights), (None, vec![0; 3]));
    let no_such_option = count(&[("one", 900, 3)], &[]);
    assert_eq!(no_such_option.option, None);
    assert_eq!(no_such_option.voters, vec![Vec::<String>::new(); 3]);
}

#[test]
fn agreement_takes_two() {
    assert!(!count(&[("one", 500, 0)], &[]).agreed);
    assert!(count(&[("one", 500, 0), ("two", 0, 0)], &[]).agreed);
    // Who chooses nothing that there is does not stand against it.
    assert!(count(&[("one", 500, 0), ("two", 500, 0), ("three", 500, 7)], &[]).agreed);
}

#[test]
fn a_seat_that_chooses_twice_chooses_when_it_means_the_same() {
    let contrary = [choice("store", 0), choice("store", 1)];
    let same = [choice("store", 1), choice("other", 0), choice("store", 1)];
    let seat = |stance, choices| Position {
        stance,
        weight: 500,
        choices,
    };
    let votes = vote(
        &[store()],
        &[seat("one", &contrary), seat("two", &same)],
        &[],
    );
    assert_eq!(votes[0].option, Some(1));
    assert_eq!(votes[0].voters[1], ["two"]);
}

#[test]
fn whether_a_debate_changed_anything_is_told_when_it_is_known() {
    let sqlite = [("one", 500, 0), ("two", 400, 0)];
    let postgres = [("one", 500, 1), ("two", 400, 1)];
    let split = [("one", 500, 0), ("two", 500, 1)];
    assert_eq!(count(&sqlite, &sqlite).changed, Some(false));
    assert_eq!(count(&postgres, &sqlite).changed, Some(true));
    assert_eq!(count(&postgres, &sqlite[..1]).changed, None);
    assert_eq!(count(&postgres, &split).changed, None);
    assert_eq!(count(&split, &sqlite).changed, None);
    assert_eq!(count(&sqlite, &[]).changed, None);
}

#[test]
fn every_decision_is_counted_by_itself() {
    let decisions = [decision("api", &["a", "b"]), store()];
    let one = [choice("api", 1), choice("store", 0)];
    let two = [choice("api", 1)];
    let seat = |stance, choices| Position {
        stance,
        weight: 500,
        choices,
    };
    let votes = vote(&decisions, &[seat("one", &one), seat("two", &two)], &[]);
    let read: Vec<_> = votes
        .iter()
        .map(|vote| (vote.id.as_str(), vote.option, vote.agreed))
        .collect();
    assert_eq!(read, [("api", Some(1), true), ("store", Some(0), false)]);
}

#[test]
fn drafts_spare_a_debate_when_everything_is_the_same_and_holds() {
    let decisions = [decision("api", &["a", "b"]), store()];
    let draft = || vec![choice("api", 1), choice("store", 0)];
    let with = |change: fn(&mut Vec<Choice>)| {
        let mut choices = draft();
        change(&mut choices);
        choices
    };
    let result = |same, evidence_holds, skip| DraftsSame {
        same,
        decisions: 2,
        evidence_holds,
        skip,
    };
    let table = [
        ("the same", draft(), result(2, true, true)),
        (
            "in another order",
            with(|draft| draft.reverse()),
            result(2, true, true),
        ),
        (
            "another option",
            with(|draft| draft[0].option = 0),
            result(1, true, false),
        ),
        (
            "nothing cited",
            with(|draft| draft[1].cites.clear()),
            result(2, false, false),
        ),
        (
            "something broken beside what holds",
            with(|draft| draft[1].broken.push("tool:9 (no such result)".to_owned())),
            result(2, false, false),
        ),
        (
            "a decision left out",
            with(|draft| draft.truncate(1)),
            result(1, false, false),
        ),
        ("nothing at all", Vec::new(), result(0, false, false)),
    ];
    for (name, other, wanted) in table {
        assert_eq!(
            compare_drafts(&decisions, &draft(), &other),
            wanted,
            "{name}"
        );
        assert_eq!(
            compare_drafts(&decisions, &other, &draft()),
            wanted,
            "{name}, swapped"
        );
    }
}

#[test]
fn drafts_of_no_such_option_are_not_the_same() {
    let same = compare_drafts(&[store()], &[choice("store", 5)], &[choice("store", 5)]);
    assert_eq!((same.same, same.skip), (0, false));
}

#[test]
fn without_decisions_there_is_nothing_to_be_the_same_in() {
    let same = compare_drafts(&[], &[choice("x", 0)], &[choice("x", 0)]);
    let wanted = DraftsSame {
        same: 0,
        decisions: 0,
        evidence_holds: false,
        skip: false,
    };
    assert_eq!(same, wanted);
}

#[test]
fn dissent_keeps_its_names() {
    let against = |votes: &[DecisionVote]| -> Vec<String> {
        dissenters(votes)
            .into_iter()
            .map(|(who, decision)| format!("{who} on {decision}"))
            .collect()
    };
    let decided = count(&[("one", 900, 0), ("two", 900, 0), ("three", 100, 2)], &[]);
    assert_eq!(against(&[decided]), ["three on store"]);
    let open = count(&[("one", 500, 1), ("two", 500, 0)], &[]);
    assert_eq!(against(&[open]), ["two on store", "one on store"]);
    let agreed = count(&[("one", 0, 1), ("two", 0, 1)], &[]);
    let alone = count(&[("one", 0, 1)], &[]);
    assert_eq!(against(&[agreed, alone]), Vec::<String>::new());
}

const NAMES: [&str; 5] = ["one", "two", "three", "four", "five"];

proptest! {
    #[test]
    fn the_order_of_seats_changes_nothing(
        seats in prop::collection::vec((0_u32..=1_000, 0_u32..4), 0..5),
        turn in 0_usize..5,
    ) {
        let seats: Vec<Seat> = NAMES.iter().zip(&seats)
            .map(|(name, (weight, option))| (*name, *weight, *option))
            .collect();
        let mut turned = seats.clone();
        turned.rotate_left(turn.min(seats.len()));
        let (vote, again) = (count(&seats, &turned), count(&turned, &seats));
        prop_assert_eq!(vote.option, again.option);
        prop_assert_eq!(&vote.weights, &again.weights);
        prop_assert_eq!(vote.agreed, again.agreed);
        prop_assert_eq!(vote.changed, again.changed);
        prop_assert!(vote.changed != Some(true));
        prop_assert!(vote.weights.iter().sum::<u32>() <= 1_000);
        if let Some(option) = vote.option {
            let most = vote.weights.iter().max();
            prop_assert_eq!(vote.weights.get(usize::try_from(option).unwrap()), most);
        }
        let sorted = |vote: &DecisionVote| {
            let mut dissenters = dissenters(std::slice::from_ref(vote));
            dissenters.sort();
            dissenters
        };
        prop_assert_eq!(sorted(&vote), sorted(&again));
    }

    #[test]
    fn a_broken_tag_never_adds_weight(held in 0_u32..9, unverified in 0_u32..9, broken in 0_u32..9) {
        let before = weight(tags(held, 0, unverified, broken));
        prop_assert!(before <= 1_000);
        prop_assert!(weight(tags(held, 0, unverified, broken + 1)) <= before);
        prop_assert!(weight(tags(held + 1, 0, unverified, broken)) >= before || held + unverified + broken == 0);
        // To say that one did not look costs no more than to name what is not there.
        prop_assert!(weight(tags(held, 0, unverified + 1, broken)) >= weight(tags(held, 0, unverified, broken + 1)));
    }
}

#[test]
fn what_everybody_chose_is_decided_though_nothing_held() {
    let decisions = [OpenDecision {
        id: "store".to_owned(),
        question: "Which?".to_owned(),
        options: vec!["SQLite".to_owned(), "PostgreSQL".to_owned()],
    }];
    let (one, other) = ([choice("store", 1)], [choice("store", 0)]);
    let seat = |stance, choices| Position {
        stance,
        weight: 0,
        choices,
    };
    let [vote] = vote(&decisions, &[seat("a", &one[..]), seat("b", &one[..])], &[])
        .try_into()
        .unwrap();
    assert_eq!((vote.option, vote.weights), (Some(1), vec![0, 0]));
    let split = super::vote(
        &decisions,
        &[seat("a", &one[..]), seat("b", &other[..])],
        &[],
    );
    assert_eq!(split[0].option, None);
    let alone = super::vote(&decisions, &[seat("a", &one[..])], &[]);
    assert_eq!(alone[0].option, None);
}

#[test]
fn drafts_spare_a_debate_only_with_quotes_that_fit() {
    let decisions = [OpenDecision {
        id: "store".to_owned(),
        question: "Which?".to_owned(),
        options: vec!["SQLite".to_owned(), "PostgreSQL".to_owned()],
    }];
    let with = |cite: &str| {
        [Choice {
            cites: vec![cite.to_owned()],
            ..choice("store", 1)
        }]
    };
    let tally = |text: &str| {
        let mut tally = Tally::of(&decisions);
        tally.add_text(text);
        with("a.md:1 \"PostgreSQL\"")
            .iter()
            .for_each(|choice| tally.add_choice(choice));
        tally
    };
    let (quoted, bare) = (with("a.md:1 \"PostgreSQL\""), with("a.md:1"));
    let whole = tally("Four writers fit [CONFIRMED via a.md:1 \"four writers\"].");
    let half = tally("It is forty times faster [CONFIRMED via a.md:1].");
    let skips = |one: &[Choice], other: &[Choice], tallies| {
        compare_shown(&decisions, (one, other), tallies).skip
    };
    assert!(skips(&quoted, &quoted, [&whole, &whole]));
    assert!(!skips(&quoted, &bare, [&whole, &whole]));
    assert!(!skips(&quoted, &quoted, [&whole, &half]));
    assert!(goes_along(&decisions, &quoted, &bare));
    assert!(!goes_along(&decisions, &quoted, &[choice("store", 0)]));
    assert!(!goes_along(&decisions, &quoted, &[]));
}
