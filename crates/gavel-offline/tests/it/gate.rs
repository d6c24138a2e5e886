//! The rules at the done gate: as judge, product owner and customer they claim nothing that they
//! cannot know.

use serde_json::{Value, json};

use crate::desk::ask_for;

fn lines(criteria: &[Value]) -> String {
    let lines: Vec<String> = criteria.iter().map(ToString::to_string).collect();
    lines.join("\n")
}

#[test]
fn a_judge_by_rules_shows_nothing_by_reading() {
    let criteria = lines(&[
        json!({"id": "is_fast", "statement": "It is fast.", "example": ""}),
        json!({"id": "is_safe", "statement": "It is safe.", "example": ""}),
    ]);
    let files = "=== src/main.rs\n1: // is_fast is met, see here\n";
    let said = ask_for("judge", &[("criteria", &criteria), ("files", files)]);
    let judged = said["judgements"].as_array().unwrap();
    let ids: Vec<_> = judged
        .iter()
        .map(|one| one["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids, ["is_fast", "is_safe"]);
    for one in judged {
        assert_eq!(
            (&one["standing"], &one["evidence"]),
            (&json!("unmet"), &json!([]))
        );
        assert!(!one["why"].as_str().unwrap().is_empty());
    }
}

#[test]
fn owner_and_customer_by_rules_ship_what_is_met_whole_and_dissent_all_the_same() {
    let criterion = |id: &str, standing: &str| json!({"id": id, "standing": standing});
    let table = [
        (vec![criterion("a", "met"), criterion("b", "met")], true),
        (
            vec![criterion("a", "met"), criterion("b", "partial")],
            false,
        ),
        (vec![criterion("a", "unmet")], false),
    ];
    for (criteria, ships) in table {
        let criteria = lines(&criteria);
        for shape in ["owner", "customer"] {
            let said = ask_for(shape, &[("criteria", &criteria), ("said", "")]);
            assert_eq!(said["ship"], ships, "{shape} {criteria}");
            assert!(!said["reasons"].as_array().unwrap().is_empty());
            let objections = said["objections"].to_string();
            assert!(objections.contains("cannot say"), "{objections}");
            assert_eq!(
                objections.contains("`b` is not met"),
                criteria.contains("partial")
            );
        }
    }
}
