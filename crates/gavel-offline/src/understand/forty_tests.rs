//! Forty ideas as people type them, and the ideas that docs/offline.md speaks of: what becomes of each.

use std::collections::BTreeMap;

use super::*;
use crate::design::Kind;

/// Twenty that were written from the README alone, before the rules that read them.
const TWENTY: &str = include_str!("../../../gavel-cli/tests/it/ideas/twenty.txt");
/// Twenty of those that somebody typed who tried the product for the first time.
const TYPED: [&str; 20] = [
    "a todo list",
    "track my expenses, with categories and a total per month",
    "recipe book where I can search by ingredient",
    "a library lending system: members borrow books and return them, show me who has overdue books",
    "habit tracker with streaks",
    "simple time tracker: start and stop work on a project, report hours per project per week",
    "inventory for my small shop. products with price and quantity, warn me when stock is low",
    "address book with birthdays, show whose birthday is coming up in the next 30 days",
    "make my life easier",
    "a clone of Slack",
    "time tracker: entries with project, day and hours; total hours per project and per month",
    "products with price, quantity and a minimum quantity",
    "books, members and loans",
    "invoice tracker with clients, show unpaid",
    "a bookmark manager with tags",
    "a list of my favourite movies, sort by rating",
    "tasks with priority (high, medium, low)",
    "recipes with several ingredients",
    "a todo list. It should be beautiful.",
    "rust cli that counts words in a file",
];
const FEWEST_BUILT: usize = 24;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    Built,
    Without,
    Refused,
}

/// What becomes of an idea, what is left out, and the design or the reason in a few words.
fn end(idea: &str) -> (End, Vec<String>, String) {
    let spans = offer(idea, understand);
    let left = gavel_rules::leave_out(idea, &spans);
    match understand(&without(&left)) {
        Understood::InReach(design) => {
            let end = if spans.is_empty() {
                End::Built
            } else {
                End::Without
            };
            (end, spans, design_line(&design))
        }
        Understood::Vague { missing } => (End::Refused, spans, missing),
        Understood::BeyondReach { reasons, .. } => {
            let reasons: Vec<String> = reasons.iter().map(ToString::to_string).collect();
            (End::Refused, spans, reasons.join("; "))
        }
    }
}

fn design_line(design: &Design) -> String {
    let entity = |entity: &Entity| {
        let field = |field: &Field| {
            if field.kind == Kind::Text {
                field.name.clone()
            } else {
                format!("{}:{}", field.name, field.kind_words())
            }
        };
        let fields: Vec<String> = entity.fields.iter().map(field).collect();
        let usual = ["add", "list", "show", "edit", "delete", "search"];
        let words = entity.commands.iter().map(Command::word);
        let words: Vec<&str> = words.filter(|word| !usual.contains(word)).collect();
        let order = entity.order.as_ref().map_or(String::new(), |order| {
            format!(
                " by {}{}",
                order.field,
                if order.down { " down" } else { "" }
            )
        });
        format!(
            "{} [{}] {}{order}",
            entity.name,
            fields.join(", "),
            words.join(" ")
        )
    };
    let entities: Vec<String> = design.entities().iter().map(entity).collect();
    entities.join("; ")
}

#[test]
fn of_forty_ideas_most_are_built_and_of_the_others_it_is_said_why() {
    let twenty = TWENTY
        .lines()
        .filter_map(|line| line.strip_prefix("idea: "));
    let all: Vec<&str> = twenty.chain(TYPED).collect();
    assert_eq!(all.len(), 40);
    let mut counts: BTreeMap<End, usize> = BTreeMap::new();
    let mut lines = Vec::new();
    for idea in all {
        let (end, spans, text) = end(idea);
        *counts.entry(end).or_default() += 1;
        let spans: Vec<String> = spans.iter().map(|span| format!("\"{span}\"")).collect();
        let out = if spans.is_empty() {
            String::new()
        } else {
            format!(" {}", spans.join(" "))
        };
        lines.push(format!("{idea}\n  {end:?}{out}: {text}"));
    }
    let refused = counts.get(&End::Refused).copied().unwrap_or_default();
    assert!(
        40 - refused >= FEWEST_BUILT,
        "{counts:?}\n{}",
        lines.join("\n")
    );
    lines.push(format!("{counts:?}"));
    insta::assert_snapshot!(lines.join("\n"));
}

/// The rows of the table below a heading: an idea, and what is said about it.
fn rows<'a>(docs: &'a str, heading: &str) -> Vec<(&'a str, &'a str)> {
    let (_, section) = docs.split_once(heading).unwrap();
    let section = section.split("\n## ").next().unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.map(|row| {
        let (idea, rest) = row.split_once("` | ").unwrap();
        (idea, rest.trim_end_matches(" |"))
    })
    .collect()
}

#[test]
fn what_the_documentation_says_of_ideas_is_so() {
    let docs = include_str!("../../../../docs/offline.md");
    let built = rows(docs, "## Tried: built");
    assert!(built.len() >= 20, "{built:?}");
    for (idea, left_out) in built {
        let (end, spans, text) = end(idea);
        let wanted: Vec<String> = match left_out {
            "nothing" => Vec::new(),
            spans => spans
                .split(", ")
                .map(|span| span.trim_matches('`').to_owned())
                .collect(),
        };
        assert_ne!(end, End::Refused, "{idea}: {text}");
        assert_eq!(spans, wanted, "{idea}");
    }
    let refused = rows(docs, "## Tried: not built");
    assert!(refused.len() >= 10, "{refused:?}");
    for (idea, _) in refused {
        let (end, _, text) = end(idea);
        assert_eq!(end, End::Refused, "{idea}: {text}");
    }
}
