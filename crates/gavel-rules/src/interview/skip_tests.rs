use gavel_domain::AnswerSource::{Idea, NotNeeded, Repository};

use super::*;
use crate::{Ecosystem, ManifestFound};

const WEB: [(&str, &str); 10] = [
    ("product-type", "consumer-app"),
    ("target-platform", "web"),
    ("audience", "a few hundred people"),
    ("backend-architecture", "monolith"),
    ("backend-stack", "Python with Flask"),
    ("db-strategy", "SQLite"),
    ("frontend-approach", "server-rendered HTML"),
    ("ba-status", "partial"),
    ("design-status", "none"),
    ("deployment", "docker on one server"),
];

fn tool() -> Vec<(&'static str, &'static str)> {
    let mut all = WEB.to_vec();
    all[0].1 = "a CLI tool";
    all[1].1 = "a terminal on Linux, macOS or Windows";
    all
}

fn plan(idea: &str, depth: Depth, proposed: &[(&'static str, &str)]) -> CardPlan {
    let repository = RepositoryFound::default();
    plan_cards(&SkipCase {
        idea,
        depth,
        repository: &repository,
        proposed,
    })
}

fn settled(plan: &CardPlan) -> Vec<(&'static str, AnswerSource)> {
    plan.settled
        .iter()
        .map(|one| (one.question, one.source))
        .collect()
}

#[test]
fn every_rule_is_about_one_of_the_ten_and_says_why() {
    for rule in RULES {
        assert!(
            QUESTIONS
                .iter()
                .any(|question| question.id == rule.question),
            "{rule:?}"
        );
        assert!(rule.why.len() > 10 && !rule.why.ends_with('.'), "{rule:?}");
    }
    for question in &QUESTIONS {
        assert!(!question.used_by.is_empty(), "{}", question.id);
        assert!(
            RULES.iter().any(|rule| rule.question == question.id),
            "{}",
            question.id
        );
        assert!(WEIGHT.contains(&question.id), "{}", question.id);
    }
}

#[test]
fn a_trivial_idea_is_asked_nothing() {
    let plan = plan("an expense tracker", Depth::Trivial, &tool());
    assert!(plan.ask.is_empty(), "{plan:?}");
    assert_eq!(plan.settled.len() + plan.left.len(), 10);
}

#[test]
fn a_clear_brief_gets_two_questions_and_what_is_left_is_known() {
    let plan = plan("a guest book", Depth::Standard, &WEB);
    assert_eq!(plan.ask, ["product-type", "target-platform"]);
    assert_eq!(settled(&plan), [("ba-status", NotNeeded)]);
    assert_eq!(plan.left.len(), 7);
}

#[test]
fn a_large_one_is_asked_as_much_as_helps() {
    let plan = plan("a guest book", Depth::Complex, &WEB);
    assert_eq!(plan.ask.len(), 8, "{plan:?}");
    assert_eq!(plan.left, ["ba-status", "design-status"]);
}

#[test]
fn the_kind_of_product_makes_questions_moot() {
    let plan = plan("an expense tracker", Depth::Complex, &tool());
    assert_eq!(
        settled(&plan),
        [
            ("target-platform", NotNeeded),
            ("backend-architecture", NotNeeded),
            ("frontend-approach", NotNeeded),
            ("design-status", NotNeeded),
            ("deployment", NotNeeded),
        ]
    );
    assert!(
        plan.settled
            .iter()
            .all(|one| !one.why.is_empty() && one.answer.is_none())
    );
}

#[test]
fn what_the_idea_names_is_asked_only_when_the_recommendation_says_otherwise() {
    let idea = "a web guest book in Python with SQLite for my team";
    let agreed = plan(idea, Depth::Complex, &WEB);
    let by_idea: Vec<_> = settled(&agreed)
        .into_iter()
        .filter(|(_, by)| *by == Idea)
        .collect();
    assert_eq!(
        by_idea,
        [
            ("target-platform", Idea),
            ("audience", Idea),
            ("backend-stack", Idea),
            ("db-strategy", Idea),
        ]
    );
    let mut other = WEB;
    other[4].1 = "Rust";
    other[5].1 = "PostgreSQL";
    let asked = plan(idea, Depth::Complex, &other).ask;
    assert!(
        asked.contains(&"backend-stack") && asked.contains(&"db-strategy"),
        "{asked:?}"
    );
}

#[test]
fn a_word_that_the_idea_says_no_to_settles_nothing() {
    let asked = plan(
        "a guest book, not in Python and without SQLite",
        Depth::Complex,
        &WEB,
    )
    .ask;
    assert!(
        asked.contains(&"backend-stack") && asked.contains(&"db-strategy"),
        "{asked:?}"
    );
}

#[test]
fn a_repository_answers_for_itself() {
    let repository = RepositoryFound {
        kind: RepositoryKind::Existing,
        manifests: vec![ManifestFound {
            path: "package.json".to_owned(),
            ecosystem: Ecosystem::Node,
            dependencies: vec!["react".to_owned(), "pg".to_owned()],
        }],
        readme: "For teachers.".to_owned(),
        ..RepositoryFound::default()
    };
    let plan = plan_cards(&SkipCase {
        idea: "add a guest book",
        depth: Depth::Standard,
        repository: &repository,
        proposed: &WEB,
    });
    let by_repository: Vec<_> = plan
        .settled
        .iter()
        .filter(|one| one.source == Repository)
        .map(|one| (one.question, one.answer.as_deref().unwrap_or_default()))
        .collect();
    assert_eq!(
        by_repository,
        [
            ("product-type", ""),
            ("target-platform", ""),
            ("audience", ""),
            (
                "backend-stack",
                "TypeScript or JavaScript on Node, as the repository has it"
            ),
            ("db-strategy", "PostgreSQL, as the repository has it (pg)"),
            (
                "frontend-approach",
                "React, as the repository has it (react)"
            ),
            ("deployment", ""),
        ]
    );
    assert_eq!(plan.ask, ["backend-architecture", "design-status"]);
}

#[test]
fn what_nobody_could_recommend_is_asked_whatever_the_depth() {
    let proposed: Vec<_> = WEB
        .into_iter()
        .filter(|(id, _)| {
            !["audience", "db-strategy", "deployment", "frontend-approach"].contains(id)
        })
        .collect();
    let plan = plan("a guest book", Depth::Trivial, &proposed);
    assert_eq!(
        plan.ask,
        ["audience", "db-strategy", "frontend-approach"],
        "web needs pages"
    );
    assert!(
        plan.left.contains(&"deployment"),
        "an optional one stays open"
    );
    let nothing = super::plan_cards(&SkipCase {
        idea: "a guest book",
        depth: Depth::Standard,
        repository: &RepositoryFound::default(),
        proposed: &[],
    });
    assert_eq!(
        nothing.ask.len(),
        6 + 2,
        "six required and two more: {nothing:?}"
    );
}
