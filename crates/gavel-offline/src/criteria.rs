//! Testable statements about a design: what a person may rely on, with an example that shows it.
//!
//! They follow from what the design means and know nothing of the code that fulfils it: words on the
//! command line, exit codes, and what is or is not in the output.

mod samples;

use gavel_domain::{Criterion, quoted_word as quoted};
use serde_json::{Value, json};

use self::samples::{adding, bad, marker, parents, shown, value};
use crate::design::{Command, Design, Entity, Field, Group, Kind};
use crate::english::{capital, spoken, with_article};
use crate::template::render;

/// What one may rely on, entity by entity, then for the whole program.
pub fn criteria(design: &Design) -> Vec<Criterion> {
    let mut all = Vec::new();
    for entity in design.entities() {
        let text = render(include_str!("criteria/entity.txt"), &about(design, entity));
        let prefix = format!("{}_", id(&entity.name));
        all.extend(read(&text, &prefix, &parents(design, entity)));
    }
    all.extend(read(&whole(design), "", ""));
    all
}

/// A criterion is a line `# id: statement`, and the lines of its example.
fn read(text: &str, prefix: &str, before: &str) -> Vec<Criterion> {
    let one = |part: &str| {
        let (head, steps) = part.split_once('\n')?;
        let (what, statement) = head.split_once(": ")?;
        Some(Criterion {
            id: format!("{prefix}{what}"),
            statement: statement.to_owned(),
            example: format!("{before}{}", steps.trim_end()),
        })
    };
    format!("\n{text}").split("\n# ").filter_map(one).collect()
}

fn id(name: &str) -> String {
    name.replace('-', "_")
}

fn whole(design: &Design) -> String {
    let calls = |entity: &Entity| {
        let call = |command: &Command| format!("\"{} {}\"", entity.name, command.word());
        entity.commands.iter().map(call).collect::<Vec<_>>()
    };
    let command = |entity: &Entity, command: &Command| {
        let fields = entity.fields.iter().filter(|_| *command == Command::Add);
        let options: String = fields.map(|field| format!(" --{}", field.name)).collect();
        json!({"word": command.word(), "options": options})
    };
    let entity = |entity: &Entity| {
        let commands = entity.commands.iter().map(|one| command(entity, one));
        json!({"name": entity.name, "command": commands.collect::<Value>()})
    };
    let calls: Vec<String> = design.entities().iter().flat_map(calls).collect();
    let entities: Value = design.entities().iter().map(entity).collect();
    let scope = json!({"calls": calls.join(" "), "entity": entities});
    render(include_str!("criteria/whole.txt"), &scope)
}

fn about(design: &Design, entity: &Entity) -> Value {
    let fields = |wanted: &dyn Fn(&Field) -> bool| -> Vec<&Field> {
        entity.fields.iter().filter(|field| wanted(field)).collect()
    };
    let views = |fields: &[&Field]| -> Value {
        fields
            .iter()
            .map(|field| about_field(design, entity, field))
            .collect()
    };
    let texts = |fields: &[&Field], n: usize| {
        let texts: Vec<String> = fields
            .iter()
            .map(|field| quoted(&shown(field, n)))
            .collect();
        texts.join(" ")
    };
    let own = fields(&|field| field.target().is_none());
    let mut searched = fields(&|field| matches!(field.kind, Kind::Text | Kind::Tags));
    if searched.is_empty() {
        searched = fields(&|field| field.required && field.target().is_none());
    }
    let filtered = |kind: &Kind| matches!(kind, Kind::Text | Kind::Tags | Kind::Reference { .. });
    let mut emptied = fields(&|field| !field.required && field.kind != Kind::Flag);
    emptied.truncate(usize::from(entity.can("edit")));
    let options = own
        .iter()
        .map(|field| format!(" --{} {}", field.name, quoted(&value(field, 2))));
    let main: Vec<&Field> = entity.main_text().into_iter().collect();
    let mark = |flag: &str| json!({"flag": flag, "id": id(flag)});
    let totals = entity
        .commands
        .iter()
        .filter_map(|command| total(entity, command));
    let one = with_article(&entity.name);
    json!({
        "name": entity.name, "plural": entity.plural, "book": spoken(&entity.name), "One": capital(&one), "one": one,
        "edit": entity.can("edit"), "delete": entity.can("delete"), "search": entity.can("search"),
        "an_option": entity.fields.first().map(|field| format!("--{}", field.name)),
        "add_1": adding(entity, 1, |_| true), "add_2": adding(entity, 2, |_| true),
        "marker_1": quoted(&marker(entity, 1)), "marker_2": quoted(&marker(entity, 2)),
        "all_1": texts(&fields(&|_| true), 1), "own_2": texts(&own, 2), "options_2": options.collect::<String>(),
        "set_2": texts(&fields(&|field| field.kind != Kind::Flag), 2),
        "searched": views(&searched), "required": views(&fields(&|field| field.required)),
        "checked": views(&fields(&|field| bad(field).is_some())),
        "filtered": views(&fields(&|field| filtered(&field.kind))), "emptied": views(&emptied), "main": views(&main),
        "reference": views(&fields(&|field| field.target().is_some())),
        "mark": entity.marks().map(mark).collect::<Value>(), "total": totals.collect::<Value>(),
    })
}

fn about_field(design: &Design, entity: &Entity, field: &Field) -> Value {
    let parent = field.target().and_then(|target| design.entity(target));
    // If others refer to the parent, too, one of them could keep it.
    let guarded = parent.is_some_and(|parent| {
        let mut referring = design.referring(&parent.name);
        parent.can("delete") && entity.can("delete") && referring.all(|(other, _)| other == entity)
    });
    let parent = parent.map_or("", |parent| &parent.name);
    let kept = entity
        .fields
        .iter()
        .find(|other| other.required)
        .unwrap_or(field);
    let first = value(field, 1);
    let last = first.split(',').next_back().unwrap_or_default();
    json!({
        "field": field.name, "id": id(&field.name), "parent": parent, "a_parent": with_article(parent),
        "guarded": guarded, "keeps": if guarded { ", and keeps it from being deleted" } else { "" },
        "bad": bad(field), "upper_1": quoted(&shown(field, 1).to_uppercase()), "last_1": quoted(last),
        "kept_1": quoted(&shown(kept, 1)), "add_without": adding(entity, 1, |other| other.name != field.name),
    })
}

/// Three entries: two in March, and the first and the third in one group.
fn total(entity: &Entity, command: &Command) -> Option<Value> {
    let Command::Total { of, day, by } = command else {
        return None;
    };
    let [first, second, third, march, in_group, sum] = if entity.field(of)?.kind == Kind::Amount {
        ["12.50", "0.75", "100.05", "13.25", "112.55", "113.30"]
    } else {
        ["12", "5", "100", "17", "112", "117"]
    };
    let add = |group: usize, number: &str, date: &str| {
        let own = |field: &Field| field.name != *of && Some(&field.name) != day.as_ref();
        let grouped = |field: &Field| by.contains(&Group::Field(field.name.clone()));
        let add = adding(entity, group, |field| {
            own(field) && (field.required || grouped(field))
        });
        let day = day.as_ref().map(|day| format!(" --{day} {date}"));
        format!("{add} --{of} {number}{}", day.unwrap_or_default())
    };
    let group = |group: &Group| {
        let (label, part) = match group {
            Group::Day => ("2026-03-31".to_owned(), second),
            Group::Month => ("2026-03".to_owned(), march),
            Group::Year => ("2026".to_owned(), sum),
            Group::Field(name) => {
                let label = entity.field(name).map(|field| shown(field, 1));
                (label.unwrap_or_default(), in_group)
            }
        };
        json!({"by": group.word(), "part": part, "label": quoted(&label)})
    };
    Some(json!({
        "of": of, "dated": day.is_some(), "march": march, "sum": sum,
        "three_1": add(1, first, "2026-03-02"), "three_2": add(2, second, "2026-03-31"),
        "three_3": add(1, third, "2026-04-01"), "group": by.iter().map(group).collect::<Value>(),
    }))
}
