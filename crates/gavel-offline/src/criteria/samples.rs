//! Entries to try things with. The n-th value of a field is like no other value, so that finding it
//! in an output means something.

use super::Step;
use crate::design::{Design, Entity, Field, Kind};

/// An id that no criterion gives away.
pub(super) const ABSENT: &str = "77";

/// The n-th value, as it is typed; n starts at 1.
pub(super) fn value(field: &Field, n: usize) -> String {
    let pick = |values: [&str; 3]| values.get(n - 1).copied().unwrap_or_default().to_owned();
    match &field.kind {
        Kind::Text if field.name.contains("url") || field.name.contains("link") => {
            format!("https://example.org/{}", pick(["amber", "birch", "cedar"]))
        }
        Kind::Text => format!(
            "{} {}",
            pick(["Amber", "Birch", "Cedar"]),
            field.name.replace('-', " ")
        ),
        Kind::Integer => pick(["4101", "4202", "4303"]),
        Kind::Amount => pick(["512.50", "607.25", "703.10"]),
        Kind::Date => pick(["2026-03-05", "2026-04-17", "2025-12-31"]),
        Kind::Tags => pick(["crimson,round", "navy", "olive"]),
        Kind::Flag => pick(["no", "yes", "no"]),
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
        Kind::Date => Some("2026-02-30"),
        Kind::Flag => Some("perhaps"),
        Kind::Reference { .. } => Some("somebody"),
        Kind::Text | Kind::Tags => None,
    }
}

/// What the n-th entry is told by: its main text, else another value that is its own.
pub(super) fn marker(entity: &Entity, n: usize) -> String {
    let telling = |field: &&Field| field.target().is_none() && field.kind != Kind::Flag;
    let required = |field: &&Field| telling(field) && field.required;
    let field = entity
        .main_text()
        .or_else(|| entity.fields.iter().find(required));
    let field = field.or_else(|| entity.fields.iter().find(telling));
    field.map_or_else(|| format!("{} {n}", entity.name), |field| shown(field, n))
}

/// Adds the n-th entry with the fields that are wanted. Flags start as they are: not set.
pub(super) fn adding(entity: &Entity, n: usize, wanted: impl Fn(&Field) -> bool) -> Step {
    let fields = entity
        .fields
        .iter()
        .filter(|field| field.kind != Kind::Flag || field.required);
    let step = Step::new([entity.name.as_str(), "add"]);
    fields
        .filter(|field| wanted(field))
        .fold(step, |step, field| step.with(&field.name, &value(field, n)))
}

/// Adds two entries of everything that the entity refers to, however far away.
pub(super) fn parents(design: &Design, entity: &Entity) -> Vec<Step> {
    let mut order: Vec<&Entity> = Vec::new();
    collect(design, entity, &mut order);
    order.pop();
    let twice = order
        .into_iter()
        .flat_map(|parent| [adding(parent, 1, |_| true), adding(parent, 2, |_| true)]);
    twice.collect()
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
