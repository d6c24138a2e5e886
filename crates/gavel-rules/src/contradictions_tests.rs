use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

fn answer(question: &str, answer: &str) -> DiscoveryAnswer {
    DiscoveryAnswer {
        question: question.to_owned(),
        answer: answer.to_owned(),
        by_person: false,
        ..DiscoveryAnswer::default()
    }
}

fn found(idea: &str, answers: &[(&str, &str)]) -> Vec<&'static str> {
    let answers: Vec<_> = answers.iter().map(|(q, a)| answer(q, a)).collect();
    let found = contradictions(idea, &answers);
    found
        .into_iter()
        .map(|contradiction| contradiction.id)
        .collect()
}

/// For each rule: an idea and two answers that contradict each other, and a change of one answer
/// after which they do not.
#[expect(clippy::type_complexity, reason = "a table of plain texts")]
const CASES: [(&str, &str, [(&str, &str); 2], (&str, &str)); 13] = [
    (
        "terminal_with_frontend",
        "a timer",
        [
            ("target-platform", "CLI"),
            ("frontend-approach", "React with shadcn"),
        ],
        ("frontend-approach", "none; plain text, no React"),
    ),
    (
        "web_without_frontend",
        "a timer",
        [("target-platform", "web"), ("frontend-approach", "none")],
        ("frontend-approach", "none beyond server-rendered HTML"),
    ),
    (
        "kept_without_storage",
        "a bookmark manager with tags",
        [("db-strategy", "none"), ("audience", "one person")],
        ("db-strategy", "no database, one text file"),
    ),
    (
        "serverless_on_own_machines",
        "a timer",
        [
            ("backend-architecture", "serverless"),
            ("deployment", "self-hosted"),
        ],
        ("deployment", "cloud"),
    ),
    (
        "own_machines_in_a_cloud",
        "a timer",
        [
            ("backend-stack", "TypeScript on Vercel"),
            ("deployment", "self-host"),
        ],
        ("deployment", "hybrid: self-host and cloud"),
    ),
    (
        "served_without_backend",
        "a timer",
        [("product-type", "saas"), ("backend-architecture", "none")],
        ("product-type", "cli-tool"),
    ),
    (
        "served_in_a_terminal",
        "a timer",
        [
            ("product-type", "marketplace"),
            ("target-platform", "terminal"),
        ],
        ("target-platform", "terminal and web"),
    ),
    (
        "tool_of_services",
        "a timer",
        [
            ("product-type", "cli-tool"),
            ("backend-architecture", "microservices"),
        ],
        ("backend-architecture", "a monolith, no microservices"),
    ),
    (
        "tool_in_a_cluster",
        "a timer",
        [("product-type", "library"), ("deployment", "Kubernetes")],
        ("deployment", "a package registry"),
    ),
    (
        "database_server_without_backend",
        "a timer",
        [
            ("backend-architecture", "none"),
            ("db-strategy", "PostgreSQL 17"),
        ],
        ("db-strategy", "SQLite"),
    ),
    (
        "backend_without_stack",
        "a timer",
        [
            ("backend-architecture", "modular-monolith"),
            ("backend-stack", "none"),
        ],
        (
            "backend-stack",
            "no framework: Rust and its standard library",
        ),
    ),
    (
        "crowd_on_one_file",
        "a timer",
        [
            ("audience", "1M+ people everywhere"),
            ("db-strategy", "one text file"),
        ],
        ("audience", "1-100 people"),
    ),
    (
        "design_without_surface",
        "a timer",
        [
            ("target-platform", "cli"),
            ("design-status", "mockups-only"),
        ],
        ("design-status", "none"),
    ),
];

#[test]
fn each_rule_finds_its_case_and_lets_its_neighbour_be() {
    let ids: BTreeSet<_> = CASES.iter().map(|case| case.0).collect();
    let rules: BTreeSet<_> = RULES.iter().map(|rule| rule.id).collect();
    assert_eq!(ids, rules, "every rule has a case");
    for (id, idea, mut answers, (question, better)) in CASES {
        assert_eq!(found(idea, &answers), [id]);
        for (at, answer) in &mut answers {
            if *at == question {
                *answer = better;
            }
        }
        assert_eq!(found(idea, &answers), [""; 0], "{id}: {better}");
    }
}

#[test]
fn a_plain_set_of_answers_contradicts_nothing() {
    let answers = [
        ("product-type", "cli-tool"),
        ("target-platform", "cli"),
        ("audience", "one person at a terminal, 1-100, anywhere"),
        ("backend-architecture", "none: one program, no server"),
        ("backend-stack", "Rust, standard library only"),
        ("db-strategy", "one text file, no database"),
        ("frontend-approach", "none: text in a terminal"),
        ("ba-status", "none"),
        ("design-status", "none"),
        (
            "deployment",
            "self-host: built with cargo on one's own machine",
        ),
    ];
    assert_eq!(found("a bookmark manager with tags", &answers), [""; 0]);
    assert_eq!(found("", &[]), [""; 0]);
}

#[test]
fn both_sides_must_be_said() {
    assert_eq!(found("a timer", &[("target-platform", "cli")]), [""; 0]);
    assert_eq!(found("a bookmark manager", &[]), [""; 0]);
}

proptest! {
    #[test]
    fn any_words_can_be_read(text in ".{0,80}", question in 0_usize..10) {
        let questions = ["product-type", "target-platform", "audience", "backend-architecture",
            "backend-stack", "db-strategy", "frontend-approach", "ba-status", "design-status", "deployment"];
        let given = [answer(questions[question], &text)];
        prop_assert_eq!(contradictions(&text, &given), contradictions(&text, &given));
    }
}
