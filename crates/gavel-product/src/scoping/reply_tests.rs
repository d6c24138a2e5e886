//! What counts as a spec.

use serde_json::{Value, json};

use super::*;

fn spec(change: impl Fn(&mut Value)) -> Result<(), String> {
    let mut reply = json!({
        "title": "bookmarks", "purpose": "keeps bookmarks", "users": [], "in_scope": [],
        "out_of_scope": [], "assumptions": [],
        "criteria": [
            {"id": "bookmark_is_listed", "statement": "it is listed", "example": ""},
            {"id": "bookmark_is_found", "statement": "it is found", "example": "$ search x"},
        ],
    });
    change(&mut reply);
    check(&serde_json::from_value(reply).unwrap())
}

#[test]
fn a_spec_needs_a_name_a_purpose_and_criteria_that_can_be_tests() {
    assert_eq!(spec(|_| {}), Ok(()));
    let refused = [
        (spec(|s| s["title"] = json!(" ")), "`title` and `purpose`"),
        (spec(|s| s["criteria"] = json!([])), "0 criteria"),
        (
            spec(|s| s["criteria"][0]["id"] = json!("Bookmark listed")),
            "no id",
        ),
        (
            spec(|s| s["criteria"][1]["id"] = json!("bookmark_is_listed")),
            "two criteria",
        ),
        (
            spec(|s| s["criteria"][1]["statement"] = json!("")),
            "states nothing",
        ),
        (
            spec(|s| s["criteria"][1]["statement"] = json!("The search is fast.")),
            "no test can show `fast` in the criterion `bookmark_is_found`",
        ),
        (
            spec(|s| s["criteria"][1]["statement"] = json!("Users find it easily")),
            "no test can show `easily`",
        ),
        (
            spec(|s| s["criteria"][0]["weight"] = json!(0)),
            "`bookmark_is_listed` weighs 1 to 5, not 0",
        ),
        (
            spec(|s| s["criteria"][0]["weight"] = json!(6)),
            "weighs 1 to 5, not 6",
        ),
        (
            spec(|s| {
                let nothing = json!({"claim": " ", "confidence": "low", "how_to_validate": ""});
                s["assumptions"] = json!([nothing]);
            }),
            "`assumptions[0].claim` must not be empty",
        ),
    ];
    for (judged, why) in refused {
        let told = judged.unwrap_err();
        assert!(told.contains(why), "{told}");
    }
}

#[test]
fn everything_that_is_wrong_is_told_at_once() {
    let told = spec(|s| {
        s["criteria"][0]["id"] = json!("9");
        s["criteria"][1]["statement"] = json!("");
    });
    let told = told.unwrap_err();
    assert!(
        told.contains("`9`") && told.contains("bookmark_is_found"),
        "{told}"
    );
}

#[test]
fn a_number_makes_a_word_of_taste_testable() {
    let fine = spec(|s| {
        s["criteria"][0]["statement"] = json!("A search of 1000 bookmarks is fast: under 100 ms.");
    });
    assert_eq!(fine, Ok(()));
}

fn reply() -> Reply {
    let reply = json!({
        "title": "bookmarks", "purpose": "keeps bookmarks", "users": ["one person"],
        "in_scope": ["keep"], "out_of_scope": ["share"], "later": ["tags"],
        "architecture": "one program", "interface": "commands", "folders": ["src: the program"],
        "stack": "Rust", "sprint_estimate": 2,
        "assumptions": [
            {"claim": "One person uses it", "confidence": "high", "how_to_validate": "is_listed"},
        ],
        "criteria": [
            {"id": "is_listed", "statement": "it is listed", "example": "", "weight": 5},
            {"id": "is_found", "statement": "it is found", "example": ""},
        ],
    });
    serde_json::from_value(reply).unwrap()
}

#[test]
fn a_reply_becomes_a_spec_with_all_that_it_says() {
    let spec = spec_of(reply());
    assert_eq!((spec.weight("is_listed"), spec.weight("is_found")), (5, 1));
    assert_eq!(spec.assumptions, ["One person uses it"]);
    assert_eq!(
        (spec.later, spec.sprint_estimate),
        (vec!["tags".to_owned()], 2)
    );
    assert_eq!(
        [
            spec.architecture,
            spec.interface,
            spec.stack,
            spec.folders.concat()
        ],
        ["one program", "commands", "Rust", "src: the program"]
    );
    let mut even = reply();
    even.criteria[0].weight = 1;
    assert!(spec_of(even).weights.is_empty());
}
