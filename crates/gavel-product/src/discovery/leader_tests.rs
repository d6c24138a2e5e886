use serde_json::{Value, json};

use super::*;

fn answer_of(id: &str) -> &'static str {
    match id {
        "product-type" => "cli-tool",
        "target-platform" => "a terminal",
        "backend-architecture" => "one program",
        "db-strategy" => "one text file",
        "design-status" => "none needed",
        "deployment" => "cargo install",
        _ => "x",
    }
}

fn reply(change: impl FnOnce(&mut Value)) -> Reply {
    let recommendations: Vec<Value> = QUESTIONS
        .iter()
        .map(|one| {
            json!({"question": one.id, "answer": answer_of(one.id), "why": "y", "alternatives": ["blorb", "none"]})
        })
        .collect();
    let mut reply = json!({
        "reach": "within", "reach_reason": "", "title": "x", "size": "standard",
        "recommendations": recommendations,
    });
    change(&mut reply);
    serde_json::from_value(reply).unwrap()
}

fn checked(change: impl FnOnce(&mut Value)) -> Result<(), String> {
    check(&reply(change), 0)
}

#[test]
fn every_question_is_answered_once() {
    assert_eq!(checked(|_| {}), Ok(()));
    let told = checked(|r| r["recommendations"][3]["answer"] = json!("")).unwrap_err();
    assert!(told.contains("backend-architecture"), "{told}");
    let told = checked(|r| r["recommendations"][3]["question"] = json!("audience")).unwrap_err();
    assert!(
        told.contains("backend-architecture") && told.contains("several answers for `audience`"),
        "{told}"
    );
}

#[test]
fn a_value_that_cannot_be_read_is_told_with_those_that_can() {
    let told = checked(|r| r["recommendations"][0]["answer"] = json!("a blorb")).unwrap_err();
    assert!(
        told.contains("a blorb") && told.contains("cli-tool"),
        "{told}"
    );
}

#[test]
fn what_a_leader_cannot_answer_in_the_end_is_left_to_a_person() {
    let weak = reply(|r| {
        r["recommendations"][0]["answer"] = json!("a blorb");
        r["recommendations"].as_array_mut().unwrap().pop();
    });
    assert!(check(&weak, STRICT_TRIES - 1).is_err());
    assert_eq!(check(&weak, STRICT_TRIES), Ok(()));
    let proposals = weak.proposals();
    assert_eq!(proposals.len(), 10);
    let open: Vec<_> = proposals
        .iter()
        .filter(|one| one.answer.is_none())
        .map(|one| (one.question.id, one.source))
        .collect();
    assert_eq!(
        open,
        [
            ("product-type", AnswerSource::Open),
            ("deployment", AnswerSource::Open)
        ]
    );
}

#[test]
fn alternatives_that_cannot_be_read_are_not_offered() {
    let proposals = reply(|_| {}).proposals();
    assert_eq!(proposals[3].alternatives, ["none"]);
    assert_eq!(proposals[2].alternatives, ["blorb", "none"], "free words");
}

#[test]
fn the_depth_may_be_left_out_as_older_replies_do() {
    assert_eq!(reply(|_| {}).depth(), Some(Depth::Standard));
    let older = reply(|r| {
        r.as_object_mut().unwrap().remove("size");
    });
    assert_eq!(older.depth(), None);
}

#[test]
fn what_is_out_of_reach_says_why_and_needs_no_answers() {
    for reach in ["beyond", "vague"] {
        let bare = |reason: &str| {
            let reason = reason.to_owned();
            checked(move |r| {
                r["reach"] = json!(reach);
                r["reach_reason"] = json!(reason);
                r["recommendations"] = json!([]);
            })
        };
        assert_eq!(bare("a web shop needs a server"), Ok(()));
        assert!(bare(" ").unwrap_err().contains("reach_reason"));
    }
}
