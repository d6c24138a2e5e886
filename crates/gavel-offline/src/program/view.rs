//! A design as templates see it.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::layout::{arm, choices, imports, kinds, names, sorted, values};
use super::rust::{has_default, ident, is_optional, is_special, kind_name, type_name, value_type};
use super::usage::{call, example, meaning, purpose, view_purpose};
use crate::design::{Bounds, Command, Design, Entity, Field, Group, Kind, View};
use crate::english::{capital, listed, spoken, with_article};
use crate::template::merge;

/// The whole design. What is the same for every template has one name in all of them.
pub(crate) fn view(design: &Design) -> Value {
    let entities = design.entities();
    let fields = || entities.iter().flat_map(|entity| &entity.fields);
    let commands = || entities.iter().flat_map(|entity| &entity.commands);
    let any = |kind: &Kind| fields().any(|field| field.kind == *kind);
    let can = |word: &str| entities.iter().any(|entity| entity.can(word));
    let dated = |command: &Command| matches!(command, Command::Total { day: Some(_), .. });
    let purpose = design
        .purpose()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let purpose = if purpose.is_empty() {
        design.program().to_owned()
    } else {
        purpose
    };
    let description: String = purpose.replace('\\', "\\\\").replace('"', "\\\"");
    let description: String = description.chars().filter(|c| !c.is_control()).collect();
    let special = fields().filter(|field| is_special(&field.kind));
    let special = special.map(|field| format!("use crate::values::{};", value_type(&field.kind)));
    let names: Vec<String> = entities
        .iter()
        .map(|entity| format!("`{}`", entity.name))
        .collect();
    let plurals: Vec<String> = entities
        .iter()
        .map(|entity| spoken(&entity.plural))
        .collect();
    let mut scope = json!({
        "program": design.program(), "purpose": purpose, "description": description,
        "variable": format!("{}_FILE", design.program().to_uppercase().replace('-', "_")),
        "things": listed(&plurals), "entries": names.join(" or "),
        "amount": any(&Kind::Amount), "date": any(&Kind::Date), "tags": any(&Kind::Tags),
        "flag": any(&Kind::Flag), "integer": any(&Kind::Integer),
        "values": fields().any(|field| is_special(&field.kind)),
        "references": fields().any(|field| field.target().is_some()),
        "default": fields().any(has_default), "optional": fields().any(is_optional),
        "edit": can("edit"), "delete": can("delete"), "search": can("search"), "totals": can("total"),
        "change": can("edit") || entities.iter().any(|entity| entity.marks().count() > 0),
        "period": commands().any(dated), "command_count": commands().count(),
        "single": entities.len() == 1, "several": entities.len() > 1,
        "only": entities.first().map(|entity| ident(&entity.name)),
        "mods": sorted(entities.iter().map(|entity| format!("mod {};", ident(&entity.name)))),
        "value_types": sorted(special),
        "entity": entities.iter().map(|entity| entity_view(design, entity)).collect::<Value>(),
    });
    merge(&mut scope, parts_used(design));
    scope
}

/// Which parts of the templates a program needs.
fn parts_used(design: &Design) -> Value {
    let entities = design.entities();
    let fields = || entities.iter().flat_map(|entity| &entity.fields);
    let commands = || entities.iter().flat_map(|entity| &entity.commands);
    let any = |kind: &Kind| fields().any(|field| field.kind == *kind);
    let targets = || {
        let refers_to = |one: &&Entity| design.referring(&one.name).next().is_some();
        entities.iter().filter(refers_to)
    };
    json!({
        "texts": any(&Kind::Text), "tagless": !any(&Kind::Tags),
        "choices": fields().any(is_choice),
        "some_choice": fields().any(|field| is_choice(field) && !field.required),
        "needed_choice": fields().any(|field| is_choice(field) && field.required),
        "bounded_below": fields().any(is_bounded),
        "bounded_below_needed": fields().any(|field| field.required && is_bounded(field) && !is_bounded_above(field)),
        "bounded_above": fields().any(is_bounded_above),
        "bounded_above_needed": fields().any(|field| field.required && is_bounded_above(field)),
        "needed": fields().any(is_needed), "shaped": fields().any(is_shaped), "shapeless": !fields().any(is_shaped),
        "main_text": entities.iter().any(|one| one.main_text().is_some()),
        "joined": entities.iter().any(|one| one.can("search")) || commands().any(joins_words),
        "store_imports": store_imports(design), "kind_variant": kind_variants(design),
        "unreferenced": !fields().any(|field| field.target().is_some()),
        "ranked": fields().any(|field| field.is_number() || is_choice(field)),
        "unranked": !fields().any(|field| field.is_number() || is_choice(field)),
        "upcoming": commands().any(|one| is_upcoming(one, false)),
        "yearly": commands().any(|one| is_upcoming(one, true)),
        "target": targets().map(|one| json!({"name": one.name, "table": ident(&one.plural)})).collect::<Value>(),
    })
}

fn entity_view(design: &Design, entity: &Entity) -> Value {
    let children: Vec<(&Entity, &Field)> = design.referring(&entity.name).collect();
    let fields = |wanted: &dyn Fn(&Field) -> bool| -> Vec<String> {
        let fields = entity.fields.iter().filter(|field| wanted(field));
        fields.map(|field| spoken(&field.name)).collect()
    };
    let width = entity
        .fields
        .iter()
        .map(|field| field.name.len())
        .max()
        .unwrap_or_default();
    let field = |field: &Field| field_view(field, width);
    let reference = |one: &Field| {
        let parent = design.entity(one.target()?)?;
        let if_any = if one.required {
            ""
        } else {
            ", if there is one,"
        };
        let mut view = field(one);
        let target = with_article(&parent.name);
        merge(
            &mut view,
            json!({"parents": ident(&parent.plural), "a_target": target, "if_any": if_any}),
        );
        Some(view)
    };
    let child = |(child, one): &(&Entity, &Field)| {
        let mut view = field(one);
        let (name, rows) = (type_name(&child.name), ident(&child.plural));
        merge(
            &mut view,
            json!({"Child": name, "children": rows, "child_title": child.plural}),
        );
        view
    };
    let command = |one: &Command| {
        let (call, does) = (call(entity, one), purpose(design, entity, one));
        json!({"word": one.word(), "cell": call.replace('|', "\\|"), "call": call, "does": does,
            "quoted_call": Value::from(call.as_str()).to_string(), "quoted_does": Value::from(does.as_str()).to_string(),
            "sentences": does.replace(". ", ".\n  "),
            "adds": *one == Command::Add})
    };
    let mark = |flag: &str| json!({"flag": flag, "function": flag.replace('-', "_")});
    let words: Vec<String> = entity
        .commands
        .iter()
        .map(|one| one.word().to_owned())
        .collect();
    let tagged = entity
        .fields
        .iter()
        .find(|field| has_default(field) && field.kind == Kind::Tags);
    let mut scope = json!({
        "name": entity.name, "plural": entity.plural, "title": spoken(&entity.plural),
        "Title": capital(&spoken(&entity.plural)), "one": spoken(&entity.name), "a_one": with_article(&entity.name),
        "Struct": type_name(&entity.name), "table": ident(&entity.plural), "module": ident(&entity.name),
        "main": entity.main_text().map_or("", |field| &field.name), "words": listed(&words),
        "known": listed(&fields(&|field| field.required && field.target().is_none())),
        "more": listed(&fields(&|field| !field.required && field.target().is_none())),
        "needed": listed(&fields(&|field| field.required)), "columns": listed(&fields(&|_| true)),
        "imports": imports(entity, &children), "arm": arm(entity), "values": values(entity),
        "fields": names(entity, "FIELDS", |_| true),
        "edit": entity.can("edit"), "delete": entity.can("delete"), "search": entity.can("search"),
        "childless": children.is_empty(), "parent": !children.is_empty(),
        "example": example(entity), "tagged": tagged.map_or("", |field| &field.name),
        "field": entity.fields.iter().map(field).collect::<Value>(),
        "reference": entity.fields.iter().filter_map(reference).collect::<Value>(),
        "child": children.iter().map(child).collect::<Value>(),
        "command": entity.commands.iter().map(command).collect::<Value>(),
        "mark": entity.marks().map(mark).collect::<Value>(),
        "total": entity.commands.iter().filter_map(|command| total(entity, command)).collect::<Value>(),
    });
    merge(&mut scope, entity_parts(design, entity));
    scope
}

/// What templates need to know of the kinds and commands of an entity.
fn entity_parts(design: &Design, entity: &Entity) -> Value {
    let tags = |field: &Field| field.kind == Kind::Tags;
    let has_tags = design
        .entities()
        .iter()
        .any(|one| one.fields.iter().any(tags));
    let of_record = format!("::<{}>", type_name(&entity.name));
    let main = entity.main_text().is_some();
    let refers = entity.fields.iter().any(|field| field.target().is_some());
    let streaks = entity
        .commands
        .iter()
        .any(|one| matches!(one, Command::Streaks { .. }));
    let collections = match (streaks, entity.can("total")) {
        (true, _) => "use std::collections::{BTreeMap, BTreeSet};",
        (false, true) => "use std::collections::BTreeMap;",
        (false, false) => "",
    };
    let order = entity.order.as_ref().map_or_else(String::new, |order| {
        let down = if order.down { "-" } else { "" };
        format!("{down}{}", order.field)
    });
    json!({
        "kinds": kinds(entity), "title_field": title_field(entity), "collections": collections,
        "chooses": entity.fields.iter().any(is_choice), "chooses_not": !entity.fields.iter().any(is_choice),
        "choice_arms": choices(entity), "refers": refers, "mainless": !main,
        "of_record": if has_tags { of_record.as_str() } else { "" },
        "usual_order": if order.is_empty() { "None".to_owned() } else { format!("Some(\"{order}\")") },
        "view": entity.commands.iter().filter_map(|one| listing(entity, one)).collect::<Value>(),
        "streaks": entity.commands.iter().filter_map(|one| streaks_view(entity, one)).collect::<Value>(),
    })
}

fn is_bounded(field: &Field) -> bool {
    field.bounds != Bounds::default()
}

fn is_bounded_above(field: &Field) -> bool {
    field.bounds.most.is_some()
}

/// True for what no entry may be without, and what may have any value of its type.
fn is_needed(field: &Field) -> bool {
    field.required && !is_bounded(field)
}

/// True if what is typed may differ from what is kept.
fn is_shaped(field: &Field) -> bool {
    !matches!(field.kind, Kind::Text | Kind::Tags)
}

/// True if the words after a command are read as one text.
fn joins_words(command: &Command) -> bool {
    let is_ahead = |view: &View| matches!(view, View::Upcoming { .. });
    matches!(command, Command::Total { day: Some(_), .. })
        || matches!(command, Command::View { view, .. } if is_ahead(view))
}

/// What a field may hold, each once.
fn kind_variants(design: &Design) -> Vec<String> {
    let fields = design.entities().iter().flat_map(|entity| &entity.fields);
    let names = fields.map(|field| match field.target() {
        Some(_) => "Entry(&'static str)",
        None => kind_name(&field.kind),
    });
    let names: BTreeSet<&str> = names.collect();
    names.into_iter().map(str::to_owned).collect()
}

/// What the code that keeps entries names of the rest of the program.
fn store_imports(design: &Design) -> String {
    let entities = design.entities();
    let fields = || entities.iter().flat_map(|entity| &entity.fields);
    let any = |wanted: &dyn Fn(&Field) -> bool| fields().any(wanted);
    let is = |kind: Kind| any(&|field| field.kind == kind);
    let special = |field: &Field| is_special(&field.kind) && field.kind != Kind::Tags;
    let structs = entities.iter().map(|entity| type_name(&entity.name));
    let paths = structs
        .chain(["Record".to_owned(), "Row".to_owned()])
        .map(|name| format!("model::{name}"));
    let values = fields().filter(|field| special(field));
    let values = values.map(|field| format!("values::{}", value_type(&field.kind)));
    let read = any(&special) || is(Kind::Integer);
    let more = [
        (true, "Error"),
        (true, "form::Form"),
        (read, "form::read"),
        (any(&is_choice), "form::one_of"),
        (any(&is_shaped), "model::Kind"),
        (is(Kind::Date), "values::digits_as_zero"),
    ];
    let more = more.iter().filter(|(used, _)| *used);
    let more = more.map(|(_, path)| (*path).to_owned());
    sorted(
        paths
            .chain(values)
            .chain(more)
            .map(|path| format!("use crate::{path};")),
    )
}

/// The field that an entry is called by.
fn title_field(entity: &Entity) -> &str {
    let telling = entity.fields.iter().find(|field| field.tells());
    entity
        .main_text()
        .or(telling)
        .map_or("", |field| &field.name)
}

fn is_choice(field: &Field) -> bool {
    matches!(field.kind, Kind::Choice { .. })
}

fn is_upcoming(command: &Command, each_year: bool) -> bool {
    let Command::View { view, .. } = command else {
        return false;
    };
    matches!(view, View::Upcoming { yearly, .. } if *yearly == each_year)
}

/// A command that lists entries of one sort.
fn listing(entity: &Entity, command: &Command) -> Option<Value> {
    let Command::View { word, view } = command else {
        return None;
    };
    let open = |unless: &Option<String>| {
        let shown = |flag: &String| format!(" && entry.value(\"{flag}\") == \"no\"");
        unless.as_ref().map_or_else(String::new, shown)
    };
    let does = view_purpose(&spoken(&entity.plural), view);
    let mut scope = json!({"word": word, "function": word.replace('-', "_"), "does": does,
        "looked_at": !matches!(view, View::Unmarked { .. }),
        "past_or_present": !matches!(view, View::Upcoming { .. }), "overdue": false, "upcoming": false,
        "below": false, "unmarked": false});
    let is_optional = |name: &String| entity.field(name).is_some_and(is_optional);
    let more = match view {
        View::Overdue { day, unless } => {
            let known = if is_optional(day) {
                "!day.is_empty() && "
            } else {
                ""
            };
            json!({"overdue": true, "day": day, "and_open": open(unless), "order": day, "if_known": known})
        }
        View::Upcoming {
            day,
            within,
            yearly,
            unless,
        } => json!({"upcoming": true, "day": day, "within": within, "and_open": open(unless),
            "ahead": if *yearly { "days_ahead_each_year" } else { "days_ahead" },
            "each_year": if *yearly { " comes again" } else { "" }}),
        View::Below { number, least } => {
            // What is not known stands first in its key, and counts as nothing.
            let known = if is_optional(number) {
                "!number.0 && "
            } else {
                ""
            };
            json!({"below": true, "number": number, "least": least, "order": number, "if_known": known})
        }
        View::Unmarked { flag } => {
            let day = entity.fields.iter().find(|field| field.kind == Kind::Date);
            let order = day.map_or_else(|| title_field(entity), |day| &day.name);
            json!({"unmarked": true, "flag": flag, "order": order})
        }
    };
    merge(&mut scope, more);
    Some(scope)
}

fn streaks_view(entity: &Entity, command: &Command) -> Option<Value> {
    let Command::Streaks { day, by } = command else {
        return None;
    };
    let group = by.as_ref().map_or_else(
        || format!("\"{}\".to_string()", spoken(&entity.plural)),
        |by| {
            format!(
                "layout::cell::<{}>(&row, \"{by}\")",
                type_name(&entity.name)
            )
        },
    );
    Some(json!({"day": day, "group": group}))
}

fn field_view(field: &Field, width: usize) -> Value {
    let bare = value_type(&field.kind);
    let optional = is_optional(field);
    let getter = match (field.required, optional) {
        (true, _) if is_choice(field) => "required_choice",
        (true, _) if is_bounded_above(field) => "required_in",
        (true, _) if is_bounded(field) => "required_from",
        (true, _) => "required",
        (false, true) if is_choice(field) => "optional_choice",
        (false, true) if is_bounded_above(field) => "optional_in",
        (false, true) if is_bounded(field) => "optional_from",
        (false, true) => "optional",
        (false, false) => "or_default",
    };
    let bound = |bound: Option<i64>| bound.map_or_else(String::new, |number| number.to_string());
    let arguments = if is_choice(field) {
        format!(", Self::choices(\"{}\")", field.name)
    } else if is_bounded_above(field) {
        let Bounds { least, most } = field.bounds;
        format!(", \"{}\", \"{}\"", bound(least), bound(most))
    } else if is_bounded(field) {
        format!(", \"{}\"", bound(field.bounds.least))
    } else {
        String::new()
    };
    let kind = field.kind_words();
    let needed = if field.required { ", required" } else { "" };
    json!({
        "field": field.name, "spoken": spoken(&field.name), "ident": ident(&field.name), "kind": kind,
        "padded": format!("{:width$}", field.name), "meaning": meaning(field), "needed": needed,
        "yes_or_no": if field.required { "yes" } else { "no" },
        "optional": optional, "required": !optional, "getter": getter, "getter_arguments": arguments,
        "bare_type": bare, "type": if optional { format!("Option<{bare}>") } else { bare.to_owned() },
        "id": if optional { "Some(id)" } else { "id" },
    })
}

fn total(entity: &Entity, command: &Command) -> Option<Value> {
    let Command::Total { of, day, by } = command else {
        return None;
    };
    let number = entity.field(of)?;
    let place = if is_optional(number) {
        "number".to_owned()
    } else {
        format!("entry.{}", ident(of))
    };
    let (number_text, shown) = if number.kind == Kind::Amount {
        (format!("{place}.0"), "Amount(sum).to_string()")
    } else {
        (format!("i128::from({place})"), "sum.to_string()")
    };
    let words = |groups: &[Group]| {
        groups
            .iter()
            .map(Group::word)
            .collect::<Vec<_>>()
            .join(", ")
    };
    let groups = command.groups();
    Some(json!({
        "of": of, "day": day, "dated": day.is_some(), "undated": day.is_none(), "by": words(by),
        "optional_number": is_optional(number), "number_ident": ident(of), "number": number_text, "shown": shown,
        "default_group": groups.first().map(Group::word), "groups": words(&groups),
        "example": if day.is_some() { " 2026-03" } else { "" },
    }))
}
