//! What counts as an answer to the discovery.

use serde_json::{Value, json};

use super::*;

fn reply(change: impl Fn(&mut Value)) -> Result<(), String> {
    let recommendations: Vec<Value> = QUESTIONS
        .iter()
        .map(|question| {
            json!({"question": question.id, "answer": "this", "why": "so", "alternatives": []})
        })
        .collect();
    let mut reply = json!({
        "reach": "within", "reach_reason": "", "title": "x", "recommendations": recommendations,
    });
    change(&mut reply);
    check(&serde_json::from_value(reply).unwrap())
}

#[test]
fn every_question_is_answered_once() {
    assert_eq!(reply(|_| {}), Ok(()));
    let told = reply(|r| r["recommendations"][3]["answer"] = json!("")).unwrap_err();
    assert!(told.contains("backend-architecture"), "{told}");
    let told = reply(|r| r["recommendations"][3]["question"] = json!("audience")).unwrap_err();
    assert!(
        told.contains("backend-architecture") && told.contains("several answers for `audience`"),
        "{told}"
    );
}

#[test]
fn what_is_out_of_reach_says_why_and_needs_no_answers() {
    for reach in ["beyond", "vague"] {
        let bare = |reason: &str| {
            let reason = reason.to_owned();
            reply(move |r| {
                r["reach"] = json!(reach);
                r["reach_reason"] = json!(reason);
                r["recommendations"] = json!([]);
            })
        };
        assert_eq!(bare("a web shop needs a server"), Ok(()));
        assert!(bare(" ").unwrap_err().contains("reach_reason"));
    }
}
