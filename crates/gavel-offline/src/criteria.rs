//! Testable statements about a design: what a person may rely on, with a transcript that shows it.
//!
//! They follow from what the design means and know nothing of the code that fulfils it: words on the
//! command line, exit codes, and what is or is not in the output.

mod samples;

use gavel_domain::Criterion;

use self::samples::{adding, bad, marker, parents, shown, value};
use crate::design::{Command, Design, Entity, Field, Group, Kind};
use crate::template::Scope;
use crate::transcript::quoted;

/// What one may rely on, entity by entity, then for the whole program.
pub fn criteria(design: &Design) -> Vec<Criterion> {
    let mut all = Vec::new();
    for entity in design.entities() {
        let text = about(design, entity).render(include_str!("criteria/entity.txt"));
        let prefix = format!("{}_", id(&entity.name));
        all.extend(read(&text, &prefix, &parents(design, entity)));
    }
    all.extend(read(&whole(design), "", ""));
    all
}

/// A criterion is a line `# id: statement`, and the lines of its transcript.
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

/// `a book`, `an idea`.
pub(crate) fn with_article(name: &str) -> String {
    let vowel = name.starts_with(['a', 'e', 'i', 'o', 'u']);
    let article = if vowel { "an" } else { "a" };
    format!("{article} {}", name.replace('-', " "))
}

fn whole(design: &Design) -> String {
    let command = |entity: &Entity, command: &Command| {
        let fields = entity.fields.iter().filter(|_| *command == Command::Add);
        let options = fields.map(|field| format!(" --{}", field.name));
        let scope = Scope::default().text("word", command.word());
        scope.text("options", options.collect::<String>())
    };
    let calls = |entity: &Entity| {
        let call = |command: &Command| format!("\"{} {}\"", entity.name, command.word());
        entity.commands.iter().map(call).collect::<Vec<_>>()
    };
    let calls: Vec<String> = design.entities().iter().flat_map(calls).collect();
    let entity = |entity: &Entity| {
        let commands = entity.commands.iter().map(|one| command(entity, one));
        Scope::default()
            .text("name", &entity.name)
            .each("command", commands)
    };
    let scope = Scope::default().text("calls", calls.join(" "));
    let scope = scope.each("entity", design.entities().iter().map(entity));
    scope.render(include_str!("criteria/whole.txt"))
}

fn about(design: &Design, entity: &Entity) -> Scope {
    let fields = |wanted: &dyn Fn(&Field) -> bool| -> Vec<&Field> {
        entity.fields.iter().filter(|field| wanted(field)).collect()
    };
    let scopes = |fields: Vec<&Field>| -> Vec<Scope> {
        fields
            .into_iter()
            .map(|field| about_field(design, entity, field))
            .collect()
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
        .map(|field| format!("--{} {}", field.name, quoted(&value(field, 2))));
    let texts = |fields: &[&Field], n: usize| {
        let texts: Vec<String> = fields
            .iter()
            .map(|field| quoted(&shown(field, n)))
            .collect();
        texts.join(" ")
    };
    let name = with_article(&entity.name);
    let mark = |flag: &str| Scope::default().text("flag", flag).text("id", id(flag));
    let scope = ["edit", "delete", "search"]
        .into_iter()
        .fold(Scope::default(), |scope, word| {
            scope.flag(word, entity.can(word))
        });
    scope
        .text("name", &entity.name)
        .text("plural", &entity.plural)
        .text("book", entity.name.replace('-', " "))
        .text("One", name.replacen('a', "A", 1))
        .text("one", name)
        .text("add_1", adding(entity, 1, |_| true))
        .text("add_2", adding(entity, 2, |_| true))
        .text("marker_1", quoted(&marker(entity, 1)))
        .text("marker_2", quoted(&marker(entity, 2)))
        .text("all_1", texts(&fields(&|_| true), 1))
        .text(
            "set_2",
            texts(&fields(&|field| field.kind != Kind::Flag), 2),
        )
        .text("own_2", texts(&own, 2))
        .text("options_2", options.collect::<Vec<_>>().join(" "))
        .each("searched", scopes(searched))
        .each("required", scopes(fields(&|field| field.required)))
        .each("checked", scopes(fields(&|field| bad(field).is_some())))
        .each("filtered", scopes(fields(&|field| filtered(&field.kind))))
        .each("emptied", scopes(emptied))
        .each("main", scopes(entity.main_text().into_iter().collect()))
        .each(
            "reference",
            scopes(fields(&|field| field.target().is_some())),
        )
        .each("mark", entity.marks().map(mark))
        .each(
            "total",
            entity
                .commands
                .iter()
                .filter_map(|command| total(entity, command)),
        )
}

fn about_field(design: &Design, entity: &Entity, field: &Field) -> Scope {
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
    Scope::default()
        .flag("guarded", guarded)
        .text(
            "keeps",
            if guarded {
                ", and keeps it from being deleted"
            } else {
                ""
            },
        )
        .text("parent", parent)
        .text("a_parent", with_article(parent))
        .text("field", &field.name)
        .text("id", id(&field.name))
        .text("bad", bad(field).unwrap_or_default())
        .text("upper_1", quoted(&shown(field, 1).to_uppercase()))
        .text("last_1", quoted(last))
        .text("kept_1", quoted(&shown(kept, 1)))
        .text(
            "add_without",
            adding(entity, 1, |other| other.name != field.name),
        )
}

/// Three entries: two in March, and the first and the third in one group.
fn total(entity: &Entity, command: &Command) -> Option<Scope> {
    let Command::Total { of, day, by } = command else {
        return None;
    };
    let decimal = entity.field(of)?.kind == Kind::Amount;
    let [first, second, third, march, in_group, sum] = if decimal {
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
        let day = day
            .as_ref()
            .map(|day| format!(" --{day} {date}"))
            .unwrap_or_default();
        format!("{add} --{of} {number}{day}")
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
        let scope = Scope::default().text("by", group.word()).text("part", part);
        scope.text("label", quoted(&label))
    };
    let scope = Scope::default()
        .flag("dated", day.is_some())
        .text("of", of)
        .text("three_1", add(1, first, "2026-03-02"))
        .text("three_2", add(2, second, "2026-03-31"))
        .text("three_3", add(1, third, "2026-04-01"))
        .text("march", march)
        .text("sum", sum);
    Some(scope.each("group", by.iter().map(group)))
}
