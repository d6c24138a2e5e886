//! What has to be laid out as rustfmt does it.

use super::rust::{ident, is_optional, is_special, is_typed, type_name, value_type};
use crate::design::{Entity, Field, Kind};

const ARRAY_WIDTH: usize = 60;
const SHORT_ITEM: usize = 10;
const LINE: usize = 100;

/// Lines in order, each once.
pub(super) fn sorted(lines: impl Iterator<Item = String>) -> String {
    let mut lines: Vec<String> = lines.collect();
    lines.sort();
    lines.dedup();
    lines.join("\n")
}

/// A list between brackets.
fn array(indent: usize, start: &str, items: &[String], end: &str) -> String {
    let (pad, inner) = (" ".repeat(indent), " ".repeat(indent + 4));
    let one_line = items.join(", ");
    if one_line.len() <= ARRAY_WIDTH && indent + start.len() + one_line.len() + end.len() <= LINE {
        return format!("{pad}{start}{one_line}{end}");
    }
    let short = items.iter().all(|item| item.len() <= SHORT_ITEM);
    let mut lines: Vec<String> = Vec::new();
    for item in items {
        match lines.last_mut() {
            Some(line) if short && line.len() + item.len() + 2 <= LINE => {
                *line += &format!(" {item},");
            }
            Some(_) | None => lines.push(format!("{inner}{item},")),
        }
    }
    format!("{pad}{start}\n{}\n{pad}{end}", lines.join("\n"))
}

/// A constant that names the wanted fields.
pub(super) fn names(entity: &Entity, name: &str, wanted: impl Fn(&Field) -> bool) -> String {
    let fields = entity.fields.iter().filter(|field| wanted(field));
    let quoted: Vec<String> = fields.map(|field| format!("\"{}\"", field.name)).collect();
    array(
        4,
        &format!("const {name}: &'static [&'static str] = &["),
        &quoted,
        "];",
    )
}

/// All fields as texts.
pub(super) fn values(entity: &Entity) -> String {
    let text = |field: &Field| match (&field.kind, is_optional(field), ident(&field.name)) {
        (_, true, name) => format!("text(&self.{name})"),
        (Kind::Text, false, name) => format!("self.{name}.clone()"),
        (_, false, name) => format!("self.{name}.to_string()"),
    };
    let texts: Vec<String> = entity.fields.iter().map(text).collect();
    array(8, "vec![", &texts, "]")
}

pub(super) fn imports(entity: &Entity, children: &[(&Entity, &Field)]) -> String {
    let special = |field: &&Field| is_typed(field) && is_special(&field.kind);
    let values = entity.fields.iter().filter(special);
    let values = values.map(|field| format!("values::{}", value_type(&field.kind)));
    let models = children.iter().map(|(child, _)| *child).chain([entity]);
    let models = models.map(|entity| format!("model::{}", type_name(&entity.name)));
    let fixed = ["args::Args", "layout", "model::Record", "store::Store"].map(str::to_owned);
    let paths = fixed.into_iter().chain(values).chain(models);
    sorted(paths.map(|path| format!("use crate::{path};"))) + "\nuse crate::{Error, help};"
}

/// The match arm of an entity, in braces if it is too long for a line.
pub(super) fn arm(entity: &Entity) -> String {
    let (name, plural, module) = (&entity.name, &entity.plural, ident(&entity.name));
    let many = if name == plural {
        String::new()
    } else {
        format!(" | \"{plural}\"")
    };
    let pattern = format!("            \"{name}\"{many} =>");
    let line = format!("{pattern} {module}::run(&file, rest),");
    if line.len() <= LINE {
        return line;
    }
    format!("{pattern} {{\n                {module}::run(&file, rest)\n            }}")
}
