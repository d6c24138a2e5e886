//! A design as templates see it.

use serde_json::{Value, json};

use super::layout::{arm, imports, names, sorted, values};
use super::rust::{has_default, ident, is_optional, is_special, is_typed, type_name, value_type};
use super::usage::{call, example, meaning, purpose};
use crate::design::{Command, Design, Entity, Field, Group, Kind};
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
    let structs = entities.iter().map(|entity| type_name(&entity.name));
    let models = structs
        .chain(["Record".to_owned()])
        .map(|name| format!("use crate::model::{name};"));
    let names: Vec<String> = entities
        .iter()
        .map(|entity| format!("`{}`", entity.name))
        .collect();
    let plurals: Vec<String> = entities
        .iter()
        .map(|entity| spoken(&entity.plural))
        .collect();
    json!({
        "program": design.program(), "purpose": purpose, "description": description,
        "variable": format!("{}_FILE", design.program().to_uppercase().replace('-', "_")),
        "things": listed(&plurals), "entries": names.join(" or "),
        "amount": any(&Kind::Amount), "date": any(&Kind::Date), "tags": any(&Kind::Tags),
        "flag": any(&Kind::Flag), "integer": any(&Kind::Integer),
        "values": fields().any(|field| is_special(&field.kind)),
        "references": fields().any(|field| field.target().is_some()),
        "typed": fields().any(is_typed), "default": fields().any(has_default), "optional": fields().any(is_optional),
        "edit": can("edit"), "delete": can("delete"), "search": can("search"), "totals": can("total"),
        "change": can("edit") || entities.iter().any(|entity| entity.marks().count() > 0),
        "period": commands().any(dated),
        "single": entities.len() == 1, "several": entities.len() > 1,
        "only": entities.first().map(|entity| ident(&entity.name)),
        "mods": sorted(entities.iter().map(|entity| format!("mod {};", ident(&entity.name)))),
        "models": sorted(models), "value_types": sorted(special),
        "entity": entities.iter().map(|entity| entity_view(design, entity)).collect::<Value>(),
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
        let [quoted_call, quoted_does] =
            [&call, &does].map(|text| Value::from(text.as_str()).to_string());
        json!({"word": one.word(), "cell": call.replace('|', "\\|"), "call": call, "does": does,
            "adds": *one == Command::Add, "quoted_call": quoted_call, "quoted_does": quoted_does})
    };
    let mark = |flag: &str| json!({"flag": flag, "function": flag.replace('-', "_")});
    let words: Vec<String> = entity
        .commands
        .iter()
        .map(|one| one.word().to_owned())
        .collect();
    let typed = entity.fields.iter().any(is_typed);
    let tagged = entity
        .fields
        .iter()
        .find(|field| has_default(field) && field.kind == Kind::Tags);
    json!({
        "name": entity.name, "plural": entity.plural, "title": spoken(&entity.plural),
        "Title": capital(&spoken(&entity.plural)), "one": spoken(&entity.name), "a_one": with_article(&entity.name),
        "Struct": type_name(&entity.name), "table": ident(&entity.plural), "module": ident(&entity.name),
        "main": entity.main_text().map_or("", |field| &field.name), "words": listed(&words),
        "known": listed(&fields(&|field| field.required && field.target().is_none())),
        "more": listed(&fields(&|field| !field.required && field.target().is_none())),
        "needed": listed(&fields(&|field| field.required)), "columns": listed(&fields(&|_| true)),
        "imports": imports(entity, &children), "arm": arm(entity), "values": values(entity),
        "fields": names(entity, "FIELDS", |_| true),
        "tag_fields": names(entity, "TAGS", |field| field.kind == Kind::Tags),
        "edit": entity.can("edit"), "delete": entity.can("delete"), "search": entity.can("search"),
        "filtered": typed, "plain": !typed, "childless": children.is_empty(), "parent": !children.is_empty(),
        "example": example(entity), "tagged": tagged.map_or("", |field| &field.name),
        "field": entity.fields.iter().map(field).collect::<Value>(),
        "reference": entity.fields.iter().filter_map(reference).collect::<Value>(),
        "child": children.iter().map(child).collect::<Value>(),
        "command": entity.commands.iter().map(command).collect::<Value>(),
        "mark": entity.marks().map(mark).collect::<Value>(),
        "total": entity.commands.iter().filter_map(|command| total(entity, command)).collect::<Value>(),
    })
}

fn field_view(field: &Field, width: usize) -> Value {
    let bare = value_type(&field.kind);
    let optional = is_optional(field);
    let getter = match (field.required, optional) {
        (true, _) => "required",
        (false, true) => "optional",
        (false, false) => "or_default",
    };
    let kind = field.kind.words();
    let needed = if field.required { ", required" } else { "" };
    json!({
        "field": field.name, "spoken": spoken(&field.name), "ident": ident(&field.name), "kind": kind,
        "padded": format!("{:width$}", field.name), "meaning": meaning(&field.kind), "needed": needed,
        "yes_or_no": if field.required { "yes" } else { "no" },
        "typed": is_typed(field), "optional": optional, "required": !optional, "getter": getter,
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
