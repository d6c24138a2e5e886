//! The texts of the nine contracts: templates, filled in from a plan.

use gavel_domain::{ContractKind, Criterion, Phase};
use serde_json::{Value, json};

use super::Plan;
use super::phases::phases_of;
use crate::design::{Command, Entity, Kind};
use crate::english::{capital, listed, spoken, with_article};
use crate::program::view;
use crate::template::{merge, render, text};

const BY_RULES: &str = "Written by Gavel's offline rules, without a language model.";
/// What people and memory say is quoted up to here.
const LONGEST_QUOTE: usize = 300;
/// Instructions before those that memory adds.
const INSTRUCTIONS: usize = 5;
/// What was settled about these stands in the contract `stack`.
const ABOUT_STACK: [&str; 2] = ["backend-stack", "db-strategy"];

/// The text of one contract.
pub fn write_contract(kind: ContractKind, plan: &Plan) -> String {
    let template = match kind {
        ContractKind::Manifesto => include_str!("templates/manifesto.txt"),
        ContractKind::Blueprint => include_str!("templates/blueprint.txt"),
        ContractKind::Stack => include_str!("templates/stack.txt"),
        ContractKind::Schema => include_str!("templates/schema.txt"),
        ContractKind::Physics => include_str!("templates/physics.txt"),
        ContractKind::Boundaries => include_str!("templates/boundaries.txt"),
        ContractKind::Ui => include_str!("templates/ui.txt"),
        ContractKind::Phases => include_str!("templates/phases.txt"),
        ContractKind::BuilderDirective => include_str!("templates/builder_directive.txt"),
    };
    render(template, &scope(plan))
}

/// The view of the design, and what else contracts speak of.
fn scope(plan: &Plan) -> Value {
    let entities = plan.design.entities();
    let mut scope = view(&plan.design);
    let mut known = Vec::new();
    for (entity, view) in entities.iter().zip(parts(&mut scope, "entity")) {
        for (command, view) in entity.commands.iter().zip(parts(view, "command")) {
            merge(view, interface(entity, command));
        }
        let parents = entity
            .fields
            .iter()
            .filter_map(|field| field.target())
            .map(with_article);
        let children = plan
            .design
            .referring(&entity.name)
            .map(|(child, _)| spoken(&child.plural));
        let [parents, children] =
            [parents.collect(), children.collect()].map(|all: Vec<String>| listed(&all));
        merge(
            view,
            json!({"owners": after("; it belongs to ", &parents), "then": after(", then its ", &children)}),
        );
        known.push(sentence(view));
    }
    let of_kind = |kind: &Kind| {
        let fields = entities.iter().flat_map(|entity| &entity.fields);
        let names = fields
            .filter(|field| field.kind == *kind)
            .map(|field| format!("`{}`", field.name));
        let mut names: Vec<String> = names.collect();
        names.dedup();
        listed(&names)
    };
    let answer = |id: &str| {
        let answer = plan.answers.iter().find(|(question, _)| question == id);
        answer.map(|(_, answer)| clean(answer))
    };
    let settled = plan
        .answers
        .iter()
        .filter(|(id, _)| ABOUT_STACK.contains(&id.as_str()));
    let settled =
        settled.map(|(id, said)| json!({"question": id, "said": clean(said).replace('"', "'")}));
    let memory = (INSTRUCTIONS + 1..).zip(&plan.memory);
    let memory = memory.map(|(number, text)| json!({"number": number, "text": clean(text)}));
    let names: Vec<String> = entities.iter().map(|entity| spoken(&entity.name)).collect();
    let purpose = text(&scope, "purpose").to_owned();
    merge(
        &mut scope,
        json!({
            "by_rules": BY_RULES, "things_known": known.join(" "), "quoted_purpose": Value::from(purpose.as_str()).to_string(),
            "purpose": purpose.trim_end_matches('.'),
            "amounts": of_kind(&Kind::Amount), "dates": of_kind(&Kind::Date), "types": listed(&names),
            "first": entities.first().map(|entity| with_article(&entity.name)),
            "audience": answer("audience"), "deployment": answer("deployment"),
            "answer": settled.collect::<Value>(), "memory": memory.collect::<Value>(),
            "phase": phases_of(plan).iter().map(phase).collect::<Value>(),
        }),
    );
    scope
}

/// `A bookmark has url and, if known, title and tags.`
fn sentence(view: &Value) -> String {
    let text = |name: &str| text(view, name);
    let more = after(" and, if known, ", text("more"));
    format!(
        "{} has {}{more}{}.",
        capital(text("a_one")),
        text("known"),
        text("owners")
    )
}

/// The text with words before it, or nothing.
fn after(words: &str, text: &str) -> String {
    if text.is_empty() {
        String::new()
    } else {
        format!("{words}{text}")
    }
}

fn parts<'a>(view: &'a mut Value, name: &str) -> impl Iterator<Item = &'a mut Value> {
    view.get_mut(name)
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
}

/// One line that cannot be taken for anything but text.
fn clean(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let words = words.join(" ");
    let line: String = words
        .chars()
        .filter(|c| !c.is_control())
        .take(LONGEST_QUOTE)
        .collect();
    // The last argument of `cargo install --path .` is no full stop.
    if line.ends_with(" .") || line.ends_with(" ..") {
        return line;
    }
    line.trim_end_matches(['.', ' ']).to_owned()
}

/// What physics.yaml and ui.md say of a command.
fn interface(entity: &Entity, command: &Command) -> Value {
    let (one, many) = (spoken(&entity.name), spoken(&entity.plural));
    let absent = format!("no such {one}, or a damaged file");
    let damaged = "a damaged file".to_owned();
    let (aim, done, refused) = match command {
        Command::Add => (format!("store a new {one}"), "stored", damaged),
        Command::List => (
            format!("see all {many}, or those with a value"),
            "listed",
            damaged,
        ),
        Command::Show => (format!("see one {one}"), "shown", absent),
        Command::Edit => (format!("change one {one}"), "changed", absent),
        Command::Delete => (format!("remove one {one}"), "removed", absent),
        Command::Search => (format!("find {many} by their words"), "listed", damaged),
        Command::Mark { flag } => (format!("mark one {one} as {flag}"), "marked", absent),
        Command::Total { of, .. } => (format!("add up {of}"), "added up", damaged),
    };
    json!({"aim": aim, "done": done, "refused": refused,
        "adds_up": matches!(command, Command::Total { .. })})
}

fn phase(phase: &Phase) -> Value {
    json!({"number": phase.number, "phase_name": phase.name, "objective": phase.objective,
        "coverage": phase.schema_coverage.join(", "), "deliverable": phase.deliverables,
        "criterion": phase.criteria.iter().map(criterion).collect::<Value>()})
}

fn criterion(criterion: &Criterion) -> Value {
    let words: Vec<&str> = criterion.statement.split_whitespace().collect();
    let mut fence = String::from("```");
    while criterion.example.contains(&fence) {
        fence.push('`');
    }
    let lines: String = criterion
        .example
        .lines()
        .map(|line| format!("  {line}\n"))
        .collect();
    json!({"id": criterion.id, "statement": words.join(" "), "fence": fence, "example": lines})
}
