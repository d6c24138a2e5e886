//! The texts of the nine contracts: templates, filled in from a plan.

use gavel_domain::{ContractKind, Criterion, Phase};
use serde_json::Value;

use super::phases::{phase_of, phases_of};
use super::{Plan, capital, listed, things};
use crate::criteria::with_article;
use crate::design::{Command, Design, Entity, Field, Group, Kind};
use crate::program::{call, meaning, one_line, purpose};
use crate::template::Scope;

const BY_RULES: &str = "Written by Gavel's offline rules, without a language model.";
/// What people and memory say is quoted up to here.
const LONGEST_QUOTE: usize = 300;
/// Instructions before those that memory adds.
const INSTRUCTIONS: usize = 5;

/// The text of one contract.
pub fn write_contract(kind: ContractKind, plan: &Plan) -> String {
    let scope = scope(plan);
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
    scope.render(template)
}

fn scope(plan: &Plan) -> Scope {
    let design = &plan.design;
    let entities = design.entities();
    let of_kind = |kind: &Kind| {
        let fields = entities.iter().flat_map(|entity| &entity.fields);
        let mut names: Vec<String> = fields
            .filter(|field| field.kind == *kind)
            .map(|field| format!("`{}`", field.name))
            .collect();
        names.dedup();
        listed(&names)
    };
    let (amounts, dates) = (of_kind(&Kind::Amount), of_kind(&Kind::Date));
    let answer = |id: &str| {
        plan.answers
            .iter()
            .find(|(question, _)| question == id)
            .map(|(_, answer)| clean(answer))
    };
    let names = |wrap: &str| -> Vec<String> {
        entities
            .iter()
            .map(|entity| format!("{wrap}{}{wrap}", entity.name))
            .collect()
    };
    let (purpose, things) = (one_line(design), things(design));
    let all_known: Vec<String> = entities.iter().map(known).collect();
    let description = format!(
        "{BY_RULES} The layers of {}, which keeps {things}.",
        design.program()
    );
    let model = format!("what {} is can be tested without files", listed(&names("")));
    let numbered = |(number, text): (usize, &String)| {
        Scope::default()
            .text("number", number.to_string())
            .text("text", clean(text))
    };
    let settled = |(question, answer): &(String, String)| {
        Scope::default()
            .text("question", clean(question))
            .text("said", clean(answer).replace('"', "'"))
    };
    let [audience, deployment] =
        ["audience", "deployment"].map(|id| answer(id).unwrap_or_default());
    let relevant = |id: &str| ["backend-stack", "db-strategy"].contains(&id);
    Scope::default()
        .flag(
            "reference",
            entities
                .iter()
                .any(|entity| entity.fields.iter().any(|field| field.target().is_some())),
        )
        .flag("amount", !amounts.is_empty())
        .flag("date", !dates.is_empty())
        .flag("audience", !audience.is_empty())
        .flag("deployment", !deployment.is_empty())
        .text("audience", audience)
        .text("deployment", deployment)
        .text("amounts", amounts)
        .text("dates", dates)
        .text("by_rules", BY_RULES)
        .text("program", design.program())
        .text("variable", crate::program::variable(design))
        .text("quoted_purpose", quoted(&purpose))
        .text("purpose", purpose.trim_end_matches('.'))
        .text(
            "first",
            entities
                .first()
                .map(|entity| with_article(&entity.name))
                .unwrap_or_default(),
        )
        .text("all_known", all_known.join(" "))
        .text("types", listed(&names("")))
        .text("entries", names("`").join(" or "))
        .text("quoted_boundaries", quoted(&description))
        .text("quoted_model", quoted(&model))
        .text("things", things)
        .each(
            "entity",
            entities.iter().map(|entity| about(design, entity)),
        )
        .each("phase", phases_of(plan).iter().map(phase))
        .each(
            "answer",
            plan.answers
                .iter()
                .filter(|(id, _)| relevant(id))
                .map(settled),
        )
        .each(
            "memory",
            (INSTRUCTIONS + 1..).zip(&plan.memory).map(numbered),
        )
}

/// One line that cannot be taken for anything but text.
fn clean(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line: String = words
        .join(" ")
        .chars()
        .filter(|c| !c.is_control())
        .take(LONGEST_QUOTE)
        .collect();
    line.trim_end_matches(['.', ' ']).to_owned()
}

/// A text as JSON and YAML quote it.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

fn names<'a>(fields: impl Iterator<Item = &'a Field>) -> Vec<String> {
    fields.map(|field| field.name.replace('-', " ")).collect()
}

/// `A bookmark has url and, if known, title and tags.`
fn known(entity: &Entity) -> String {
    let own = || {
        entity
            .fields
            .iter()
            .filter(|field| field.target().is_none())
    };
    let mut said = listed(&names(own().filter(|field| field.required)));
    let more = names(own().filter(|field| !field.required));
    if !more.is_empty() {
        said += &format!(" and, if known, {}", listed(&more));
    }
    let parents: Vec<String> = entity
        .fields
        .iter()
        .filter_map(Field::target)
        .map(with_article)
        .collect();
    if !parents.is_empty() {
        said += &format!("; it belongs to {}", listed(&parents));
    }
    format!("{} has {said}.", capital(&with_article(&entity.name)))
}

fn about(design: &Design, entity: &Entity) -> Scope {
    let title = entity.plural.replace('-', " ");
    let one = entity.name.replace('-', " ");
    let children: Vec<String> = design
        .referring(&entity.name)
        .map(|(child, _)| child.plural.replace('-', " "))
        .collect();
    let children = if children.is_empty() {
        String::new()
    } else {
        format!(", then its {}", listed(&children))
    };
    let words: Vec<String> = entity
        .commands
        .iter()
        .map(|command| command.word().to_owned())
        .collect();
    let reference = |field: &Field| {
        let scope = Scope::default().text("field", field.name.replace('-', " "));
        let maybe = if field.required {
            ""
        } else {
            ", if there is one,"
        };
        Some(
            scope
                .text("maybe", maybe)
                .text("a_target", with_article(field.target()?)),
        )
    };
    let row = |field: &Field| {
        let kind = match &field.kind {
            Kind::Text => "text".to_owned(),
            Kind::Integer => "integer".to_owned(),
            Kind::Amount => "amount".to_owned(),
            Kind::Date => "date".to_owned(),
            Kind::Tags => "tags".to_owned(),
            Kind::Flag => "flag".to_owned(),
            Kind::Reference { entity } => format!("reference to {entity}"),
        };
        let scope = Scope::default()
            .text("field", &field.name)
            .text("type", kind);
        scope
            .text("required", if field.required { "yes" } else { "no" })
            .text("notes", meaning(&field.kind))
    };
    Scope::default()
        .text("name", &entity.name)
        .text("plural", &entity.plural)
        .text("Title", capital(&title))
        .text("title", title)
        .text("one", with_article(&entity.name))
        .text("words", listed(&words))
        .text(
            "needed",
            listed(&names(entity.fields.iter().filter(|field| field.required))),
        )
        .text("columns", listed(&names(entity.fields.iter())))
        .text(
            "a_card",
            format!("all that is known about one {one}{children}"),
        )
        .text("title_one", one)
        .each("reference", entity.fields.iter().filter_map(reference))
        .each("field", entity.fields.iter().map(row))
        .each(
            "command",
            entity
                .commands
                .iter()
                .map(|command| interface(design, entity, command)),
        )
}

fn interface(design: &Design, entity: &Entity, command: &Command) -> Scope {
    let (one, many) = (
        entity.name.replace('-', " "),
        entity.plural.replace('-', " "),
    );
    let scope = Scope::default();
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
    let scope = if let Command::Total { of, day, by } = command {
        let by: Vec<&str> = by.iter().map(Group::word).collect();
        let scope = scope.flag("total", true).text("of", of);
        let scope = scope.flag("dated", day.is_some()).text("by", by.join(", "));
        scope.text("day", day.as_deref().unwrap_or_default())
    } else {
        scope.flag("mark", matches!(command, Command::Mark { .. }))
    };
    let usage = call(entity, command);
    scope
        .text("word", command.word())
        .text("phase", phase_of(command).to_string())
        .text("quoted_summary", quoted(&purpose(design, entity, command)))
        .text("quoted_usage", quoted(&usage))
        .text("call", usage)
        .text("aim", aim)
        .text("done", done)
        .text("refused", quoted(&refused))
}

fn phase(phase: &Phase) -> Scope {
    let deliverable = |text: &String| Scope::default().text("text", text);
    Scope::default()
        .text("number", phase.number.to_string())
        .text("phase_name", &phase.name)
        .text("objective", &phase.objective)
        .text("coverage", phase.schema_coverage.join(", "))
        .each("deliverable", phase.deliverables.iter().map(deliverable))
        .each("criterion", phase.criteria.iter().map(criterion))
}

fn criterion(criterion: &Criterion) -> Scope {
    let words: Vec<&str> = criterion.statement.split_whitespace().collect();
    let mut fence = String::from("```");
    while criterion.example.contains(&fence) {
        fence.push('`');
    }
    let lines = criterion.example.lines().map(|line| format!("  {line}\n"));
    let example = format!("  {fence}\n{}  {fence}", lines.collect::<String>());
    let example = if criterion.example.trim().is_empty() {
        String::new()
    } else {
        example
    };
    Scope::default()
        .text("id", &criterion.id)
        .text("statement", words.join(" "))
        .text("example", example)
}
