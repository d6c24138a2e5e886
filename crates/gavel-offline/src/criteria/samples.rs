//! Entries to try things with. The n-th value of a field is like no other value, so that finding it
//! in an output means something.

use gavel_domain::quoted_word as quoted;

use crate::design::{Design, Entity, Field, Kind};

/// The n-th value, as it is typed; there are a first and a second.
pub(super) fn value(field: &Field, n: usize) -> String {
    let pick = |first: &str, second: &str| if n == 1 { first } else { second }.to_owned();
    match &field.kind {
        Kind::Text if field.name.contains("url") || field.name.contains("link") => {
            pick("https://example.org/amber", "https://example.org/birch")
        }
        Kind::Text => format!(
            "{} {}",
            pick("Amber", "Birch"),
            field.name.replace('-', " ")
        ),
        Kind::Integer if field.name.contains("year") || field.name == "vintage" => {
            pick("1987", "1994")
        }
        // Small, and no part of any other sample: 31 to 49, then 61 to 79.
        Kind::Integer => {
            (30 * n + 1 + field.name.bytes().map(usize::from).sum::<usize>() % 19).to_string()
        }
        Kind::Amount => pick("512.50", "607.25"),
        Kind::Date => pick("2026-03-05", "2026-04-17"),
        Kind::Tags => pick("crimson,round", "navy"),
        Kind::Flag => pick("no", "yes"),
        Kind::Reference { .. } => n.to_string(),
    }
}

/// The n-th value, as it is shown.
pub(super) fn shown(field: &Field, n: usize) -> String {
    value(field, n).replace(',', ", ")
}

/// A text that is no value of the field, if there is one.
pub(super) fn bad(field: &Field) -> Option<&'static str> {
    match &field.kind {
        Kind::Integer => Some("several"),
        Kind::Amount => Some("1.005"),
        Kind::Date => Some("2026-02-29"),
        Kind::Flag => Some("perhaps"),
        Kind::Reference { .. } => Some("somebody"),
        Kind::Text | Kind::Tags => None,
    }
}

/// What the n-th entry is told by: its main text, else a value that every entry has.
pub(super) fn marker(entity: &Entity, n: usize) -> String {
    let telling = entity
        .main_text()
        .or_else(|| entity.fields.iter().find(|field| field.tells()));
    telling.map(|field| shown(field, n)).unwrap_or_default()
}

/// Adds the n-th entry with the fields that are wanted. Flags start as they are: not set.
pub(super) fn adding(entity: &Entity, n: usize, wanted: impl Fn(&Field) -> bool) -> String {
    let mut line = format!("{} add", entity.name);
    for field in entity.fields.iter().filter(|field| wanted(field)) {
        let set = match (&field.kind, field.required) {
            (Kind::Flag, false) => continue,
            (Kind::Flag, true) => value(field, 1),
            _ => value(field, n),
        };
        line += &format!(" --{} {}", field.name, quoted(&set));
    }
    line
}

/// Runs that add two entries of everything that the entity refers to, however far away.
pub(super) fn parents(design: &Design, entity: &Entity) -> String {
    let mut order: Vec<&Entity> = Vec::new();
    collect(design, entity, &mut order);
    order.pop();
    let add = |parent: &Entity, n| format!("$ {}\n", adding(parent, n, |_| true));
    order
        .into_iter()
        .map(|parent| add(parent, 1) + &add(parent, 2))
        .collect()
}

/// Parents first; a design has no circles.
fn collect<'a>(design: &'a Design, entity: &'a Entity, order: &mut Vec<&'a Entity>) {
    for parent in entity
        .fields
        .iter()
        .filter_map(|field| design.entity(field.target()?))
    {
        if !order.contains(&parent) {
            collect(design, parent, order);
        }
    }
    order.push(entity);
}
