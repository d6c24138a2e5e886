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
fn a_plain_yes_is_an_agreement_and_everything_else_a_wish() {
    for words in ["yes", "OK", " Build it. ", "looks good!"] {
        assert_eq!(meant(words.to_owned()), Agreed::Yes, "{words}");
    }
    for words in ["no", "Stop"] {
        assert_eq!(meant(words.to_owned()), Agreed::Stop, "{words}");
    }
    let wish = "yes, but with a note";
    assert_eq!(meant(wish.to_owned()), Agreed::Change(wish.to_owned()));
}
