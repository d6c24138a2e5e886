use super::*;

fn setting(name: &str, value: &str, chooses: RunnerChoice) -> RunnerSetting {
    RunnerSetting::new("f", name, value, chooses)
}

/// What is left to say: the name and what was done.
fn compared(
    base: Option<&[RunnerSetting]>,
    tree: &[RunnerSetting],
    consent: RunnerConsent,
) -> Vec<(String, RunnerStanding)> {
    let base = base.map_or(RunnerBase::NewProject, RunnerBase::Project);
    let notes = compare_runners(base, tree, (consent, RunnerRules::ProgramsAndReach));
    notes
        .into_iter()
        .map(|note| (note.name, note.standing))
        .collect()
}

#[test]
fn what_was_there_is_accepted_and_what_the_run_brought_is_not() {
    use RunnerChoice::{Known, Other};
    use RunnerStanding::{AllowedByPerson, BaseUsed, Refused, Unchanged};
    let other = |value| setting("runner", value, Other);
    let known = |value| setting("runner", value, Known);
    let one = |standing| vec![("runner".to_owned(), standing)];
    let table: [(Option<Vec<_>>, Vec<_>, RunnerStanding, RunnerStanding); 4] = [
        (
            Some(vec![other("a")]),
            vec![other("a")],
            Unchanged,
            Unchanged,
        ),
        (
            Some(vec![other("a")]),
            vec![other("b")],
            BaseUsed,
            AllowedByPerson,
        ),
        (Some(vec![]), vec![other("b")], BaseUsed, AllowedByPerson),
        (None, vec![other("b")], Refused, Refused),
    ];
    for (base, tree, alone, agreed) in table {
        let base = base.as_deref();
        assert_eq!(compared(base, &tree, RunnerConsent::NotGiven), one(alone));
        assert_eq!(compared(base, &tree, RunnerConsent::Person), one(agreed));
    }
    // Taking a setting away chooses another runner, too.
    let was = [other("a")];
    assert_eq!(
        compared(Some(&was), &[], RunnerConsent::NotGiven),
        one(BaseUsed)
    );
    // Another known runner needs nobody.
    for (base, tree) in [
        (Some(vec![known("a")]), vec![known("b")]),
        (Some(vec![known("a")]), vec![]),
        (Some(vec![other("a")]), vec![known("b")]),
        (Some(vec![]), vec![known("b")]),
        (None, vec![known("b")]),
    ] {
        let notes = compared(base.as_deref(), &tree, RunnerConsent::NotGiven);
        assert_eq!(notes, [], "{base:?} {tree:?}");
    }
    // A known runner that is replaced by another program does.
    assert_eq!(
        compared(Some(&[known("a")]), &[other("b")], RunnerConsent::NotGiven),
        one(BaseUsed)
    );
}

#[test]
fn long_values_differ_in_their_ends_and_are_shown_on_one_line() {
    let long = |end: &str| {
        setting(
            "x",
            &format!("{}\n{end}", "a".repeat(500)),
            RunnerChoice::Other,
        )
    };
    let notes = compare_runners(
        RunnerBase::Project(&[long("b")]),
        &[long("c")],
        (RunnerConsent::NotGiven, RunnerRules::ProgramsAndReach),
    );
    assert_eq!(notes.len(), 1);
    assert!(notes[0].line().len() < 250, "{}", notes[0].line());
    assert!(!notes[0].line().contains('\n'));
}

#[test]
fn a_known_runner_that_asks_for_fewer_tests_than_before_is_a_change() {
    use RunnerChoice::{Known, Other};
    let below = |value: &str| {
        let paths = value.split(' ').skip(2).map(str::to_owned).collect();
        setting("scripts.test", value, Known).selecting(Selected::Below(paths))
    };
    let all = || setting("scripts.test", "node --test", Known);
    let vitest = || setting("scripts.test", "vitest", Known);
    let own = || setting("scripts.test", "tsc && vitest", Other);
    let one = vec![("scripts.test".to_owned(), RunnerStanding::BaseUsed)];
    for (base, tree, narrower) in [
        (vec![all()], below("node --test a.js"), true),
        (vec![vitest()], below("node --test a.js"), true),
        (vec![own()], below("node --test a.js"), true),
        (vec![], below("node --test a.js"), true),
        (
            vec![below("node --test a.js b.js")],
            below("node --test a.js"),
            true,
        ),
        (
            vec![below("node --test test/a.js")],
            below("node --test test/"),
            false,
        ),
        (
            vec![below("node --test a.js")],
            below("node --test a.js b.js"),
            false,
        ),
        (
            vec![below("node --test a.js")],
            below("node --test a.js"),
            false,
        ),
        (vec![below("node --test a.js")], all(), false),
        (vec![all()], vitest(), false),
        (vec![], all(), false),
    ] {
        let seen = compared(
            Some(&base),
            std::slice::from_ref(&tree),
            RunnerConsent::NotGiven,
        );
        let wanted = if narrower { one.clone() } else { Vec::new() };
        assert_eq!(seen, wanted, "{base:?} {tree:?}");
    }
    // A new project's own choice.
    let tree = below("node --test a.js");
    assert_eq!(compared(None, &[tree], RunnerConsent::NotGiven), []);
}

#[test]
fn a_runner_that_can_run_no_test_alone_in_the_place_of_one_that_can_is_a_change() {
    use RunnerReach::{Each, Whole};
    let script =
        |value: &str, reach| setting("scripts.test", value, RunnerChoice::Known).reaching(reach);
    let changed = |base: &[RunnerSetting], now: RunnerSetting, rules| {
        let base = RunnerBase::Project(base);
        let notes = compare_runners(base, &[now], (RunnerConsent::NotGiven, rules));
        notes
            .into_iter()
            .map(|note| note.standing)
            .collect::<Vec<_>>()
    };
    let now = RunnerRules::ProgramsAndReach;
    let node = [script("node --test", Each)];
    let mocha = || script("mocha", Whole);
    assert_eq!(changed(&node, mocha(), now), [RunnerStanding::BaseUsed]);
    assert_eq!(changed(&node, mocha(), RunnerRules::Programs), []);
    assert_eq!(changed(&node, script("vitest run", Each), now), []);
    assert_eq!(changed(&[script("tap", Whole)], mocha(), now), []);
    assert_eq!(changed(&[mocha()], script("node --test", Each), now), []);
    // Tests that come in beside others take nobody's place.
    assert_eq!(changed(&[], mocha(), now), []);
}
