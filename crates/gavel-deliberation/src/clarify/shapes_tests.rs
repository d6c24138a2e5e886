use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{check_matter, check_questions, check_readiness, plain};

/// What is wrong with an answer; empty when it can be used.
fn wrong<T: DeserializeOwned>(value: Value, check: fn(&T) -> Result<(), String>) -> String {
    check(&serde_json::from_value(value).unwrap())
        .err()
        .unwrap_or_default()
}

#[test]
fn a_question_has_a_few_different_options_and_recommends_one_of_them() {
    let asked = |labels: &[&str], recommended: u32| {
        let options: Vec<_> = labels.iter().map(|label| json!({"label": label})).collect();
        let one = json!({
            "question": "In what?", "why": "", "options": options, "recommended": recommended,
        });
        wrong(json!({"questions": [one]}), check_questions)
    };
    assert_eq!(asked(&["C++", "C#"], 2), "");
    assert_eq!(
        asked(&["C"], 0),
        "`questions[0].options` must have 2 to 4 entries; `questions[0].recommended` must be the \
         place of an option, counted from one"
    );
    assert_eq!(
        asked(&["C", "c ", " "], 4),
        "`questions[0].recommended` must be the place of an option, counted from one; \
         `questions[0].options[1].label` is there twice; `questions[0].options[2].label` must not \
         be empty"
    );
    assert_eq!(wrong(json!({"questions": []}), check_questions), "");
}

#[test]
fn readiness_does_not_contradict_itself() {
    let judged = |ready: bool, confidence: u32, gaps: &[&str]| {
        let judged = json!({"ready": ready, "confidence": confidence, "gaps": gaps});
        wrong(judged, check_readiness)
    };
    assert_eq!(judged(true, 100, &[]), "");
    assert_eq!(judged(false, 0, &["The load."]), "");
    assert_eq!(
        judged(true, 101, &["The load."]),
        "`confidence` must be 0 to 100; `ready` is true, so `gaps` must be empty"
    );
    assert_eq!(
        judged(false, 50, &[]),
        "`ready` is false, so `gaps` must say what is not known"
    );
    assert_eq!(judged(false, 50, &[" "]), "`gaps[0]` must not be empty");
}

#[test]
fn a_brief_has_a_problem_and_one_to_eight_criteria() {
    let written = |problem: &str, criteria: usize| {
        let criteria = vec!["It is told."; criteria];
        wrong(
            json!({"problem": problem, "criteria": criteria}),
            check_matter,
        )
    };
    assert_eq!(written("Jobs need a place.", 8), "");
    assert_eq!(
        written(" ", 0),
        "`problem` must not be empty; `criteria` must have 1 to 8 entries"
    );
    assert_eq!(
        written(&"x".repeat(3_001), 9),
        "`problem` may have 3000 characters; `criteria` must have 1 to 8 entries"
    );
}

#[test]
fn two_of_the_same_are_found_by_their_words() {
    assert_eq!(plain("May a job  be LOST?"), plain("may a job be lost"));
    assert_ne!(plain("Is it C++?"), plain("Is it C#?"));
}
