use super::*;
use crate::interview::QUESTIONS;

fn key(id: &str, text: &str) -> String {
    check_answer_value(id, text).unwrap().key()
}

#[test]
fn answers_in_words_have_a_normal_form() {
    for (id, text, normal) in [
        ("product-type", "a CLI tool", "cli-tool"),
        ("product-type", "cli-tool", "cli-tool"),
        (
            "product-type",
            "Internal-tool: a command line for us",
            "internal-tool",
        ),
        ("product-type", "a command-line program", "cli-tool"),
        (
            "product-type",
            "a web application for everybody",
            "consumer-app",
        ),
        ("product-type", "SaaS web app", "saas"),
        ("product-type", "a Rust crate", "library"),
        ("product-type", "other: a robot's firmware", "other"),
        (
            "target-platform",
            "a terminal on Linux, macOS or Windows",
            "desktop-win desktop-mac desktop-linux cli",
        ),
        ("target-platform", "web and iOS", "web mobile-ios"),
        ("target-platform", "the browser", "web"),
        ("backend-architecture", "one program, no server", "monolith"),
        (
            "backend-architecture",
            "modular monolith",
            "modular-monolith",
        ),
        ("backend-architecture", "none", "none"),
        ("backend-architecture", "No backend at all", "none"),
        ("backend-stack", "Rust, standard library only", "rust"),
        ("backend-stack", "Rust with axum", "rust"),
        ("backend-stack", "Zig 0.13", "zig 0 13"),
        ("db-strategy", "one text file", "file"),
        ("db-strategy", "greenfield: PostgreSQL", "postgres database"),
        ("db-strategy", "none, it is stateless", "none"),
        ("db-strategy", "no database", "none"),
        (
            "frontend-approach",
            "none: commands with a help text",
            "none terminal",
        ),
        ("frontend-approach", "React with shadcn", "react"),
        (
            "ba-status",
            "read from the idea: bookmark (title, url)",
            "partial",
        ),
        ("ba-status", "also ratings", "partial"),
        ("ba-status", "complete", "complete"),
        ("design-status", "none needed", "none"),
        ("design-status", "some Figma sketches", "mockups-only"),
        ("deployment", "cargo install --path .", "install"),
        (
            "deployment",
            "copy the binary from target/release",
            "install",
        ),
        ("deployment", "Docker on my own server", "self-host cloud"),
        (
            "audience",
            "one person at their own terminal",
            "one person at their own terminal",
        ),
    ] {
        assert_eq!(key(id, text), normal, "{id}: {text}");
    }
}

#[test]
fn words_that_a_list_does_not_know_are_told_with_the_list() {
    for (id, text, allowed) in [
        ("product-type", "a blorb", "cli-tool"),
        ("target-platform", "the moon", "web"),
        ("backend-architecture", "purple", "monolith"),
        ("db-strategy", "somewhere", "sqlite"),
        ("design-status", "blue", "mockups-only"),
        ("deployment", "by pigeon", "self-host"),
    ] {
        let problem = check_answer_value(id, text).unwrap_err();
        assert!(
            matches!(&problem, ValueProblem::NotAllowed { allowed: list, .. } if list.contains(&allowed)),
            "{problem}"
        );
        let told = problem.to_string();
        assert!(
            told.contains(text) && told.contains(id) && told.contains(allowed),
            "{told}"
        );
    }
}

#[test]
fn nothing_is_no_answer_and_ten_questions_are_all() {
    for question in &QUESTIONS {
        let problem = check_answer_value(question.id, " - ").unwrap_err();
        assert_eq!(
            problem,
            ValueProblem::Empty {
                question: question.id
            }
        );
    }
    let problem = check_answer_value("colour", "red").unwrap_err();
    assert_eq!(
        problem,
        ValueProblem::NoSuchQuestion {
            id: "colour".to_owned()
        }
    );
}

#[test]
fn every_value_of_a_list_is_an_answer() {
    for question in &QUESTIONS {
        for value in allowed_values(question.id) {
            let normal = check_answer_value(question.id, value);
            assert!(
                normal.is_ok_and(|normal| normal.has(value)),
                "{} {value}",
                question.id
            );
        }
    }
}

#[test]
fn pages_are_required_only_in_a_browser() {
    let pages = crate::interview::question("frontend-approach").unwrap();
    assert!(crate::interview::is_required(pages, "web"));
    assert!(!crate::interview::is_required(pages, "a terminal"));
    assert!(!crate::interview::is_required(pages, ""));
}
