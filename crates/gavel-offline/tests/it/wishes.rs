//! What people wish for, and what the rules say about it: words that are true and plain.

use serde_json::json;

use crate::desk::{ask, ask_for, shaped};
use crate::wire::{IDEA, answers, discovery, spec};

#[test]
fn a_wish_for_another_language_is_beyond_reach_and_libraries_are_named() {
    for other in ["Go", "Zig", "C", "C++", "Swift", "Kotlin", "Frobnicate"] {
        let asked = discovery(&format!("{IDEA}\n\nStack: {other}"), "");
        assert_eq!(asked["reach"], "beyond", "{other}: {asked}");
        let told = asked["reach_reason"].as_str().unwrap();
        assert!(
            told.starts_with(&format!("Rule: \"{other}\" is not what")),
            "{told}"
        );
        assert!(told.contains("they write Rust alone"), "{told}");
    }
    let idea = format!("{IDEA}\n\nStack: Rust with clap");
    let clap = discovery(&idea, "");
    assert_eq!(clap, discovery(IDEA, ""));
    let spec = spec(&idea, &answers(&clap));
    assert!(
        spec.out_of_scope[0].starts_with("clap is not used"),
        "{:?}",
        spec.out_of_scope
    );
    assert!(spec.stack.starts_with("Rust, standard library only"));
}

#[test]
fn a_spec_says_what_is_built_whatever_was_answered() {
    let known = answers(&discovery(IDEA, ""));
    for (wanted, why) in [
        ("Python", "Rust alone"),
        ("Go", "Rust alone"),
        ("Rust, axum", "axum is not used"),
    ] {
        let mut answers = known.clone();
        answers.retain(|one| one["question"] != "backend-stack");
        answers.push(json!({"question": "backend-stack", "answer": wanted, "by_person": true}));
        answers.push(json!({"question": "ba-status", "answer": "also ratings", "by_person": true}));
        let made = spec(IDEA, &answers);
        assert!(
            made.stack.starts_with("Rust, standard library only"),
            "{}",
            made.stack
        );
        let out = &made.out_of_scope[0];
        assert!(out.contains(wanted) && out.contains(why), "{out}");
        let assumed = format!("{:?}", made.assumptions);
        assert!(!assumed.contains("rating"), "{assumed}");
        let settled = ask_for(
            "council_synthesis",
            &[
                ("topic", IDEA),
                ("answers", &json!(answers).to_string()),
                ("votes", "[]"),
            ],
        );
        let decisions = settled["settled"].as_array().unwrap();
        let stack = decisions
            .iter()
            .find(|one| one["title"] == "backend-stack")
            .unwrap();
        assert_eq!(stack["choice"], "Rust, standard library only", "{stack}");
        assert!(stack["why"].as_str().unwrap().contains(wanted), "{stack}");
    }
    let more = spec(&format!("{IDEA}\n\nalso priorities"), &known);
    let assumed = format!("{:?}", more.assumptions);
    assert!(more.in_scope[0].contains("priority"), "{:?}", more.in_scope);
    assert!(!assumed.contains("priority"), "{assumed}");
}

#[test]
fn what_is_not_understood_is_told_in_the_words_that_were_said() {
    let asked = discovery("tell me how many sheep sleep on a hill of snoring", "");
    assert_eq!(asked["reach"], "beyond", "{asked}");
    let told = asked["reach_reason"].as_str().unwrap();
    assert!(told.contains("how many") && !told.contains('#'), "{told}");
}

#[test]
fn a_refusal_of_the_rules_is_one_sentence() {
    let idea = format!("{IDEA}\n\nChange: make it shine");
    let error = ask(&shaped(
        "spec",
        &[
            ("idea", &idea),
            ("answers", "[]"),
            ("decisions", "[]"),
            ("memory", "[]"),
        ],
    ))
    .unwrap_err();
    let told = error.to_string();
    assert!(told.starts_with("the offline rules add"), "{told}");
    assert!(
        !told.contains("refused") && !told.contains("cannot do this"),
        "{told}"
    );
}

#[test]
fn a_change_of_a_file_that_is_not_there_says_so() {
    let asked = discovery("rename a to b in src/gone.rs", "src/main.rs\n");
    assert_eq!(asked["reach"], "beyond");
    let told = "Rule: there is no file src/gone.rs here: check its name.";
    assert_eq!(asked["reach_reason"], told);
}
