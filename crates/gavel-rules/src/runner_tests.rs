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
    let notes = compare_runners(base, tree, consent);
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
        RunnerConsent::NotGiven,
    );
    assert_eq!(notes.len(), 1);
    assert!(notes[0].line().len() < 250, "{}", notes[0].line());
    assert!(!notes[0].line().contains('\n'));
}
