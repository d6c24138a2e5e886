//! Testable statements about a design: what a person may rely on, with an example that shows it.
//!
//! They follow from what the design means and know nothing of the code that fulfils it: words on the
//! command line, exit codes, and what is or is not in the output.

mod samples;

use gavel_domain::{Criterion, quoted_word as quoted};
use serde_json::{Value, json};

pub(crate) use self::samples::value;
use self::samples::{adding, bad, marker, parents, seen, shown, title, typed};
use crate::design::{Command, Design, Entity, Field, Group, Kind, View};
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
    let single = design.entities().len() == 1;
    let scope = json!({"calls": calls.join(" "), "entity": entities, "single": single});
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
            .map(|field| quoted(&shown(design, entity, field, n)))
            .collect();
        texts.join(" ")
    };
    let own = fields(&|field| field.target().is_none());
    let mut searched = fields(&|field| matches!(field.kind, Kind::Text | Kind::Tags));
    if searched.is_empty() {
        searched = fields(&|field| field.required && field.target().is_none());
    }
    let mut sorted = fields(&|field| is_sortable(&field.kind));
    sorted.truncate(MOST_SORTED);
    // A day by which entries are told apart could not be another one.
    let told_by_text = entity.main_text().is_some();
    let mut dated = fields(&|field| field.kind == Kind::Date && told_by_text);
    dated.truncate(1);
    let mut emptied = fields(&|field| !field.required && field.kind != Kind::Flag);
    emptied.truncate(usize::from(entity.can("edit")));
    let options = own
        .iter()
        .map(|field| format!(" --{} {}", field.name, quoted(&value(entity, field, 2))));
    let main: Vec<&Field> = entity.main_text().into_iter().collect();
    let mark = |flag: &str| json!({"flag": flag, "id": id(flag)});
    let totals = entity
        .commands
        .iter()
        .filter_map(|command| total(design, entity, command));
    let listings = entity
        .commands
        .iter()
        .filter_map(|command| listing(design, entity, command));
    let streaks = entity
        .commands
        .iter()
        .filter_map(|command| streaks(design, entity, command));
    let one = with_article(&entity.name);
    json!({
        "name": entity.name, "plural": entity.plural, "book": spoken(&entity.name), "One": capital(&one), "one": one,
        "edit": entity.can("edit"), "delete": entity.can("delete"), "search": entity.can("search"),
        "an_option": entity.fields.first().map(|field| format!("--{}", field.name)),
        "add_1": adding(design, entity, 1, |_| true), "add_2": adding(design, entity, 2, |_| true),
        "program": design.program(), "head": head_of_list(design, entity),
        "edited_again": edited_again(design, entity), "seen_1": seen(design, entity, 1), "seen_2": seen(design, entity, 2),
        "marker_1": quoted(&marker(entity, 1)), "marker_2": quoted(&marker(entity, 2)),
        "all_1": texts(&fields(&|_| true), 1), "own_2": texts(&own, 2), "options_2": options.collect::<String>(),
        "set_2": texts(&fields(&|field| field.kind != Kind::Flag), 2),
        "searched": views(&searched), "required": views(&fields(&|field| field.required)),
        "checked": views(&fields(&|field| bad(field).is_some())),
        "filtered": views(&fields(&|field| is_filtered(entity, field))), "emptied": views(&emptied), "main": views(&main),
        "sorted": views(&sorted), "dated_field": views(&dated),
        "chosen": views(&fields(&|field| matches!(field.kind, Kind::Choice { .. }))),
        "bounded": views(&fields(&|field| field.bounds.least.is_some() || field.bounds.most.is_some())),
        "order": entity.order.as_ref().map(|order| json!({"order_field": order.field,
            "first": quoted(&marker(entity, if order.down { 2 } else { 1 })),
            "last": quoted(&marker(entity, if order.down { 1 } else { 2 })),
            "down": if order.down { ", the highest or last first" } else { "" }})).into_iter().collect::<Value>(),
        "view": listings.collect::<Value>(), "streaks": streaks.collect::<Value>(),
        "reference": views(&fields(&|field| field.target().is_some())),
        "mark": entity.marks().map(mark).collect::<Value>(), "total": totals.collect::<Value>(),
    })
}

/// True if it is shown that a list can be cut down to a value of the field. One number and one day stand
/// for the others.
fn is_filtered(entity: &Entity, field: &Field) -> bool {
    let first = |is: &dyn Fn(&Field) -> bool| entity.fields.iter().find(|field| is(field));
    match &field.kind {
        Kind::Integer | Kind::Amount => first(&Field::is_number) == Some(field),
        Kind::Date => first(&|one| one.kind == Kind::Date) == Some(field),
        Kind::Flag => false,
        Kind::Text | Kind::Tags | Kind::Reference { .. } | Kind::Choice { .. } => true,
    }
}

/// The fields above a list, and the beginning of its first line.
fn head_of_list(design: &Design, entity: &Entity) -> String {
    let names = entity.fields.iter().map(|field| field.name.clone());
    let first = entity.fields.first();
    let first = first.map(|field| format!("1   {}", shown(design, entity, field, 1)));
    let first = first.map(|text| quoted(&text));
    names.chain(first).collect::<Vec<_>>().join(" ")
}

/// The first field of an edited entry, set back to what it was, and what the others stay.
fn edited_again(design: &Design, entity: &Entity) -> Value {
    let mut own = entity
        .fields
        .iter()
        .filter(|field| field.target().is_none());
    let (Some(first), rest) = (own.next(), own) else {
        return json!([]);
    };
    let rest: Vec<String> = rest
        .map(|field| quoted(&shown(design, entity, field, 2)))
        .collect();
    if rest.is_empty() {
        return json!([]);
    }
    let set = quoted(&value(entity, first, 1));
    json!([{"field": first.name, "set": set, "rest_2": rest.join(" ")}])
}

fn about_field(design: &Design, entity: &Entity, field: &Field) -> Value {
    let parent = field.target().and_then(|target| design.entity(target));
    // If others refer to the parent, too, one of them could keep it.
    let guarded = parent.is_some_and(|parent| {
        let mut referring = design.referring(&parent.name);
        parent.can("delete") && entity.can("delete") && referring.all(|(other, _)| other == entity)
    });
    let title = parent.and_then(|parent| Some((parent, title(parent)?)));
    let title = title.filter(|(_, field)| field.kind == Kind::Text);
    let parent_title = title.map(|(parent, field)| value(parent, field, 1));
    let again = title.map(|(parent, _)| adding(design, parent, 1, |_| true));
    let parent = parent.map_or("", |parent| &parent.name);
    let kept = entity
        .fields
        .iter()
        .find(|other| other.required)
        .unwrap_or(field);
    let first = typed(design, entity, field, 1);
    let last = first.split(',').next_back().unwrap_or_default();
    let of = field.kind.choices();
    let part = if field.kind == Kind::Text {
        first.split(' ').next().unwrap_or_default().to_uppercase()
    } else if of.is_empty() {
        last.to_owned()
    } else {
        first.to_uppercase()
    };
    let last_choice = of.last().cloned().unwrap_or_default();
    let beyond =
        |bound: Option<i64>, by: i64| bound.map(|bound| bound.saturating_add(by).to_string());
    json!({
        "field": field.name, "id": id(&field.name), "parent": parent, "a_parent": with_article(parent),
        "guarded": guarded, "keeps": if guarded { ", and keeps it from being deleted" } else { "" },
        "bad": bad(field), "upper_1": quoted(&shown(design, entity, field, 1).to_uppercase()), "part_1": quoted(&part),
        "leap": field.kind == Kind::Date, "least": beyond(field.bounds.least, 0), "most": beyond(field.bounds.most, 0),
        "amount": field.kind == Kind::Amount,
        "too_low": beyond(field.bounds.least, -1), "too_high": beyond(field.bounds.most, 1),
        "title_1": parent_title.as_deref().map(quoted), "title_upper": parent_title.map(|text| quoted(&text.to_uppercase())),
        "all": of.join(", "), "last": quoted(&last_choice), "last_upper": quoted(&last_choice.to_uppercase()),
        "again": again, "kept_1": quoted(&shown(design, entity, kept, 1)), "add_without": adding(design, entity, 1, |other| other.name != field.name),
    })
}

/// Three entries: two in March, and the first and the third in one group.
fn total(design: &Design, entity: &Entity, command: &Command) -> Option<Value> {
    let Command::Total { of, day, by } = command else {
        return None;
    };
    let number = entity.field(of)?;
    let fits = number.bounds.most.is_none_or(|most| most >= 100);
    let [first, second, third, march, week, in_group, sum] = match (&number.kind, fits) {
        (Kind::Amount, true) => [
            "12.50", "0.75", "100.05", "13.25", "100.80", "112.55", "113.30",
        ],
        (Kind::Amount, false) => ["2.50", "0.75", "11.05", "3.25", "11.80", "13.55", "14.30"],
        (_, true) => ["12", "5", "100", "17", "105", "112", "117"],
        (_, false) => ["2", "1", "4", "3", "5", "6", "7"],
    };
    let add = |group: usize, number: &str, date: &str| {
        let own = |field: &Field| field.name != *of && Some(&field.name) != day.as_ref();
        let grouped = |field: &Field| by.contains(&Group::Field(field.name.clone()));
        let add = adding(design, entity, group, |field| {
            own(field) && (field.required || grouped(field))
        });
        let day = day.as_ref().map(|day| format!(" --{day} {date}"));
        format!("{add} --{of} {number}{}", day.unwrap_or_default())
    };
    let group = |group: &Group| {
        let (label, part) = match group {
            Group::Day => ("2026-03-31".to_owned(), second),
            Group::Week => ("2026-W14".to_owned(), week),
            Group::Month => ("2026-03".to_owned(), march),
            Group::Year => ("2026".to_owned(), sum),
            Group::Field(name) => {
                let label = entity
                    .field(name)
                    .map(|field| shown(design, entity, field, 1));
                (label.unwrap_or_default(), in_group)
            }
        };
        json!({"by": group.word(), "part": part, "label": quoted(&label)})
    };
    let week = [Group::Week];
    let week = week
        .iter()
        .filter(|week| day.is_some() && !by.contains(week));
    let groups = by.iter().chain(week);
    Some(json!({
        "of": of, "dated": day.is_some(), "march": march, "sum": sum,
        "three_1": add(1, first, "2026-03-02"), "three_2": add(2, second, "2026-03-31"),
        "three_3": add(1, third, "2026-04-01"), "sunday": add(1, first, "2026-02-22"),
        "monday": add(2, second, "2026-02-23"), "group": groups.map(group).collect::<Value>(),
    }))
}

/// Fields for which it is shown that a list can be ordered by them.
const MOST_SORTED: usize = 4;

fn is_sortable(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::Text | Kind::Integer | Kind::Amount | Kind::Date | Kind::Choice { .. }
    )
}

/// Two entries, of which a command lists one.
fn listing(design: &Design, entity: &Entity, command: &Command) -> Option<Value> {
    let Command::View { word, view } = command else {
        return None;
    };
    let with = |n: usize, set: &[(&str, &str)]| {
        let is_set = |field: &Field| set.iter().any(|(name, _)| *name == field.name);
        let options = set.iter().map(|(name, text)| format!(" --{name} {text}"));
        adding(design, entity, n, |field| !is_set(field)) + &options.collect::<String>()
    };
    let open = |unless: &Option<String>| {
        unless.as_ref().map_or_else(String::new, |flag| {
            format!(" and that is not {}", spoken(flag))
        })
    };
    let mut scope = json!({"word": word, "view_id": id(word), "overdue": false, "soon": false, "yearly": false,
        "below": false, "unmarked": false});
    let more = match view {
        View::Overdue { day, unless } => {
            json!({"overdue": true, "day": spoken(day), "unless": unless, "open": open(unless),
            "view_1": with(1, &[(day, "2026-03-05")]), "view_2": with(2, &[(day, "2026-04-17")])})
        }
        View::Upcoming {
            day,
            yearly,
            unless,
            ..
        } => json!({"soon": !yearly, "yearly": yearly, "day": spoken(day),
            "unless": unless, "open": open(unless),
            "view_1": with(1, &[(day, "2026-03-05")]), "view_2": with(2, &[(day, "2026-04-17")])}),
        View::Below { number, least } => {
            json!({"below": true, "number": spoken(number), "least_field": spoken(least),
            "view_1": with(1, &[(number, "3"), (least, "10")]), "view_2": with(2, &[(number, "10"), (least, "10")])})
        }
        View::Unmarked { flag } => json!({"unmarked": true, "flag": flag,
            "view_1": adding(design, entity, 1, |_| true), "view_2": adding(design, entity, 2, |_| true)}),
    };
    crate::template::merge(&mut scope, more);
    Some(scope)
}

/// Entries of five days, three and two in a row, one of them twice.
fn streaks(design: &Design, entity: &Entity, command: &Command) -> Option<Value> {
    let Command::Streaks { day, by } = command else {
        return None;
    };
    const DAYS: [&str; 6] = [
        "2026-03-01",
        "2026-03-02",
        "2026-03-03",
        "2026-03-05",
        "2026-03-06",
        "2026-03-06",
    ];
    let add = |date: &str| {
        let add = adding(design, entity, 1, |field| field.name != *day);
        json!(format!("{add} --{day} {date}"))
    };
    let each = by
        .as_ref()
        .map_or_else(String::new, |by| format!(" for each {}", spoken(by)));
    Some(json!({"each_one": each, "day_added": DAYS.map(add), "day": spoken(day)}))
}
