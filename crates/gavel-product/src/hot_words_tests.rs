use std::collections::BTreeSet;

use gavel_domain::Blob;

use super::*;

#[test]
fn a_small_change_has_two_criteria() {
    let idea = "Fix typo in README.md. Then rest.\nMore";
    let spec = spec_of((idea, &[]), &fact(3, 0), CriterionIds::of_flow(5));
    let criteria: Vec<_> = spec
        .criteria
        .iter()
        .map(|one| format!("{}: {}", one.id, one.statement))
        .collect();
    assert_eq!(
        criteria,
        [
            "tests-still-pass: Every test passes after the change, as 3 did before it.",
            "change-made: This was done: Fix typo in README.md.",
        ]
    );
    assert_eq!(spec.title, "Fix typo in README.md");
}

#[test]
fn a_small_change_is_held_to_all_that_was_asked_for() {
    let idea = "Fix typo in README.md. Then sort\nthe list and\nmend it.";
    let said = [
        (AskSource::Idea, idea.to_owned()),
        (AskSource::Interjection, "keep the title".to_owned()),
    ];
    let asked = gavel_rules::number_asks(said);
    let spec = spec_of((idea, &asked), &fact(3, 0), CriterionIds::of_flow(8));
    assert_eq!(
        spec.criteria[1].statement,
        "This was done: Fix typo in README.md. Then sort the list and mend it.; also: keep the title"
    );
    assert_eq!(spec.title, "Fix typo in README.md");
    let claimed = claims(&asked, &spec);
    assert_eq!(claimed.len(), asked.len(), "{asked:?}");
    // What no criterion has room for is claimed by none.
    let long = format!("add {} and a logo", "more ".repeat(600));
    let asked = gavel_rules::number_asks([(AskSource::Idea, long.clone())]);
    let spec = spec_of((&long, &asked), &fact(3, 0), CriterionIds::of_flow(8));
    assert!(claims(&asked, &spec).is_empty(), "{asked:?}");
}

#[test]
fn no_test_speaks_for_a_criterion_of_a_small_change_in_any_flow() {
    for flow in [4, 5] {
        let spec = spec_of(("add x", &[]), &fact(1, 0), CriterionIds::of_flow(flow));
        for criterion in &spec.criteria {
            let tests = [criterion.id.clone(), criterion.id.replace('-', "_")];
            let passed = BTreeSet::from(tests);
            let failed = BTreeSet::new();
            let word = gavel_rules::shown_by_test(&criterion.id, &passed, &failed);
            assert_eq!(word, gavel_rules::TestWord::NoTest, "{flow}: {criterion:?}");
        }
    }
}

#[test]
fn titles_fit_a_commit() {
    for (idea, title) in [
        ("rename a.b to c in x.rs", "rename a.b to c in x.rs"),
        ("  add\ttabs\nand more", "add tabs"),
        (
            "sửa lỗi chính tả trong README.md",
            "sửa lỗi chính tả trong README.md",
        ),
    ] {
        assert_eq!(title_of(idea), title);
    }
    assert_eq!(title_of(&"ä".repeat(200)).chars().count(), 60);
    assert_eq!(title_of(""), "");
}

fn fact(passed: u32, failed: u32) -> VerifyFinished {
    VerifyFinished {
        recipe: "cargo".to_owned(),
        verdict: if failed == 0 {
            VerifyVerdict::Passed
        } else {
            VerifyVerdict::Failed
        },
        reason: "tests".to_owned(),
        executed: passed + failed,
        passed,
        failed,
        skipped: 0,
        output: Blob::new("").name(),
        tree: None,
        level: None,
        coverage: None,
        smoke: None,
        install: Vec::new(),
    }
}

fn names(passed: &[&str], failed: &[&str]) -> TestNames {
    let set = |names: &[&str]| {
        names
            .iter()
            .map(|name| (*name).to_owned())
            .collect::<BTreeSet<_>>()
    };
    TestNames {
        passed: set(passed),
        failed: set(failed),
    }
}

#[test]
fn failed_and_lost_tests_stand_against_a_change() {
    let before = (fact(2, 0), names(&["a", "b"], &[]));
    let against = |idea: &str, passed: &[&str], failed: &[&str]| {
        let count = |names: &[&str]| u32::try_from(names.len()).unwrap();
        let after = (fact(count(passed), count(failed)), names(passed, failed));
        troubles(
            (idea, PROVEN_FLOW),
            ((&before.0, &before.1), (&after.0, &after.1)),
            &[],
        )
    };
    assert_eq!(against("rename x", &["a", "b"], &[]), [""; 0]);
    assert_eq!(against("rename x", &["a"], &["b"]), ["the test b failed"]);
    assert_eq!(
        against("rename x", &["a"], &[]),
        ["2 tests passed before and 1 now; these are gone: b"]
    );
    for asked in ["remove the test b", "Fix the Tests", "rename test_b"] {
        assert_eq!(against(asked, &["a"], &[]), [""; 0], "{asked}");
    }
    for other in ["add testimonials", "show the latest entry", "untested"] {
        assert_eq!(against(other, &["a"], &[]).len(), 1, "{other}");
    }
}

#[test]
fn one_test_does_not_stand_in_for_another() {
    let before = (fact(2, 0), names(&["m::a", "m::b"], &[]));
    let against = |passed: &[&str]| {
        let after = (fact(3, 0), names(passed, &[]));
        let both = ((&before.0, &before.1), (&after.0, &after.1));
        // What was renamed is the gate's to tell, where it compares the code of tests.
        assert_eq!(troubles(("x", PROVEN_FLOW), both, &[]), [""; 0]);
        troubles(("x", PROVEN_FLOW - 1), both, &[])
    };
    assert_eq!(
        against(&["m::a", "m::c", "m::d"]),
        ["2 tests passed before and 3 now; these are gone: m::b"]
    );
    assert_eq!(against(&["n::a", "n::b", "n::c"]), [""; 0], "moved");
    assert_eq!(
        against(&["m::b", "n::b", "n::c"]),
        ["2 tests passed before and 3 now; these are gone: m::a"]
    );
    // Without names, their number must do.
    let (none, fewer) = (names(&[], &[]), fact(1, 0));
    let counted = ((&before.0, &none), (&fewer, &none));
    assert_eq!(
        troubles(("x", PROVEN_FLOW), counted, &[]),
        ["2 tests passed before and 1 now"]
    );
}

#[test]
fn files_of_gavel_are_not_the_changes_to_touch() {
    let whole = (fact(1, 0), names(&["a"], &[]));
    let saw = (&whole.0, &whole.1);
    let touched = [
        Touched::new(".gavel/contracts/stack.md".to_owned(), ChangeKind::Modified),
        Touched::new("gavel.toml".to_owned(), ChangeKind::Added),
        Touched::new("src/gavel.toml".to_owned(), ChangeKind::Added),
    ];
    assert_eq!(
        troubles(("x", PROVEN_FLOW), (saw, saw), &touched),
        [
            ".gavel/contracts/stack.md was modified, which is Gavel's own: put it back",
            "gavel.toml was added, which is Gavel's own: put it back",
        ]
    );
}
