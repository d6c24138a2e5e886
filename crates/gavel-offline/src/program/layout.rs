//! What has to be laid out as rustfmt does it.

use super::rust::{ident, is_optional, kind_name, type_name};
use crate::design::{Command, Entity, Field, Kind, View};

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
    // What fits into a line of its own goes there.
    if one_line.len() <= ARRAY_WIDTH
        && let Some(head) = start.strip_suffix(" &[")
    {
        return format!("{pad}{head}\n{inner}&[{one_line}{end}");
    }
    let is_short = |item: &String| item.len() <= SHORT_ITEM && !item.contains("::");
    let short = items.iter().all(is_short);
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
        (Kind::Text | Kind::Choice { .. }, false, name) => format!("self.{name}.clone()"),
        (_, false, name) => format!("self.{name}.to_string()"),
    };
    let texts: Vec<String> = entity.fields.iter().map(text).collect();
    array(8, "vec![", &texts, "]")
}

/// What each field holds.
pub(super) fn kinds(entity: &Entity) -> String {
    let kind = |field: &Field| match field.target() {
        Some(target) => format!("Kind::Entry(\"{target}\")"),
        None => format!("Kind::{}", kind_name(&field.kind)),
    };
    let kinds: Vec<String> = entity.fields.iter().map(kind).collect();
    array(4, "const KINDS: &'static [Kind] = &[", &kinds, "];")
}

/// A match arm for each field that is one of a few words.
pub(super) fn choices(entity: &Entity) -> String {
    let arm = |field: &Field| {
        let Kind::Choice { of } = &field.kind else {
            return None;
        };
        let words: Vec<String> = of.iter().map(|word| format!("\"{word}\"")).collect();
        let start = format!("\"{}\" => &[", field.name);
        Some(array(12, &start, &words, "],"))
    };
    let arms: Vec<String> = entity.fields.iter().filter_map(arm).collect();
    arms.join("\n")
}

pub(super) fn imports(entity: &Entity, children: &[(&Entity, &Field)]) -> String {
    let models = children.iter().map(|(child, _)| *child).chain([entity]);
    let models = models.map(|entity| format!("model::{}", type_name(&entity.name)));
    let fixed = ["args::Args", "layout", "model::Record", "store::Store"];
    let used = entity.commands.iter();
    let used = used.flat_map(|command| used_by(entity, command));
    let paths = fixed.into_iter().chain(used).map(str::to_owned);
    let paths = paths.chain(models);
    sorted(paths.map(|path| format!("use crate::{path};"))) + "\nuse crate::{Error, help};"
}

/// What the code of a command names of the rest of the program.
fn used_by(entity: &Entity, command: &Command) -> Vec<&'static str> {
    match command {
        Command::Search => vec!["model::Row"],
        Command::Total { of, day, .. } => {
            let number = entity.field(of);
            let amount = number.is_some_and(|field| field.kind == Kind::Amount);
            let mut used = Vec::new();
            used.extend(amount.then_some("values::Amount"));
            used.extend(day.as_ref().map(|_| "values::Date"));
            used
        }
        Command::View { view, .. } => match view {
            View::Overdue { .. } => vec!["values::today"],
            View::Upcoming { .. } => vec!["values::Date"],
            View::Below { .. } | View::Unmarked { .. } => Vec::new(),
        },
        Command::Streaks { .. } => vec!["values::Date", "values::today"],
        Command::Add
        | Command::List
        | Command::Show
        | Command::Edit
        | Command::Delete
        | Command::Mark { .. } => Vec::new(),
    }
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
