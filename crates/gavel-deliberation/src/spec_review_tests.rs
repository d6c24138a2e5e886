use super::*;

fn criterion(id: &str, statement: &str, example: &str) -> Criterion {
    Criterion {
        id: id.to_owned(),
        statement: statement.to_owned(),
        example: example.to_owned(),
    }
}

fn spec(in_scope: &[&str], criteria: Vec<Criterion>) -> Spec {
    Spec {
        title: "bookmarks".to_owned(),
        purpose: "keeps bookmarks".to_owned(),
        users: Vec::new(),
        in_scope: in_scope.iter().map(ToString::to_string).collect(),
        out_of_scope: Vec::new(),
        assumptions: Vec::new(),
        criteria,
        ..Spec::default()
    }
}

fn found(spec: &Spec) -> Vec<(ReviewKind, String)> {
    let items = review_spec(spec);
    assert!(
        items
            .iter()
            .all(|item| item.stance == ReviewStance::Against)
    );
    items
        .into_iter()
        .map(|item| (item.kind, item.source))
        .collect()
}

#[test]
fn a_good_spec_has_an_empty_checklist() {
    let criteria = vec![
        criterion(
            "bookmark_listed",
            "A bookmark that was added is listed.",
            "$ list",
        ),
        criterion("tag_found", "A search by tag finds it.", "$ search --tag x"),
    ];
    let spec = spec(
        &["Listing bookmarks", "Searching by tags: search", "it"],
        criteria,
    );
    assert_eq!(found(&spec), []);
}

#[test]
fn each_gap_is_named_with_its_place() {
    let criteria = vec![
        criterion("added", "A bookmark can be added.", "$ add"),
        criterion("stored", "Bookmarks, added, can be!", "$ add"),
        criterion("listed", "The list shows titles.", "  \n"),
        criterion("listed", "Sorting follows dates.", "$ list"),
    ];
    let spec = spec(&["Adding bookmarks", "Exporting to calendars"], criteria);
    assert_eq!(
        found(&spec),
        [
            (ReviewKind::NoExample, "criterion:listed".to_owned()),
            (ReviewKind::SaidTwice, "criterion:stored".to_owned()),
            (ReviewKind::SaidTwice, "criterion:listed".to_owned()),
            (ReviewKind::NotCovered, "spec".to_owned()),
        ]
    );
}

#[test]
fn a_spec_without_criteria_says_one_thing() {
    assert_eq!(
        found(&spec(&["Everything"], Vec::new())),
        [(ReviewKind::NoCriteria, "spec".to_owned())]
    );
}
