//! Entries to try things with. The n-th value of a field is like no other value, so that finding it
//! in an output means something.

use gavel_domain::quoted_word as quoted;

use crate::design::{Bounds, Design, Entity, Field, Kind};

/// What values look like in life: `book title: Dune | Middlemarch`.
const LIFE: &str = include_str!("samples.txt");
/// Fields that say what an entry is called.
const NAMES: [&str; 3] = ["name", "title", "description"];

/// The n-th value, as it is typed; there are a first and a second.
pub(crate) fn value(entity: &Entity, field: &Field, n: usize) -> String {
    let pick = |first: &str, second: &str| if n == 1 { first } else { second }.to_owned();
    match &field.kind {
        Kind::Text if field.name.contains("url") || field.name.contains("link") => {
            pick("https://example.org/amber", "https://example.org/birch")
        }
        Kind::Text => match from_life(&entity.name, &field.name) {
            Some((first, second)) => pick(first, second),
            None => {
                let is_name = NAMES.contains(&field.name.as_str());
                let what = if is_name { &entity.name } else { &field.name };
                format!("{} {}", pick("Amber", "Birch"), what.replace('-', " "))
            }
        },
        Kind::Choice { of } => of.get(n.saturating_sub(1)).cloned().unwrap_or_default(),
        Kind::Integer if field.name.contains("year") || field.name == "vintage" => {
            pick("1987", "1994")
        }
        Kind::Integer | Kind::Amount => number(field, n),
        Kind::Date => pick("2026-03-05", "2026-04-17"),
        Kind::Tags => pick("crimson,round", "navy"),
        Kind::Flag => pick("no", "yes"),
        Kind::Reference { .. } => n.to_string(),
    }
}

fn from_life(entity: &str, field: &str) -> Option<(&'static str, &'static str)> {
    let own = format!("{entity} {field}");
    let values = |wanted: &str| {
        let mut lines = LIFE.lines().filter_map(|line| line.split_once(": "));
        lines.find_map(|(name, values)| (name == wanted).then_some(values))
    };
    values(&own).or_else(|| values(field))?.split_once(" | ")
}

/// A number within the bounds; the second is greater, and yet stands first in the alphabet where
/// there is room.
fn number(field: &Field, n: usize) -> String {
    const ROOM: i64 = 2_000;
    let Bounds { least, most } = field.bounds;
    let least = least.unwrap_or_default();
    let step = most.map_or(ROOM, |most| most.saturating_sub(least));
    let is_narrow = step < ROOM;
    let own: i64 = field.name.bytes().map(i64::from).sum::<i64>() % 19;
    let whole = match (n, is_narrow, &field.kind) {
        (1, true, _) => least.saturating_add(step / 3),
        (_, true, _) => least.saturating_add(step / 3 * 2),
        // Small, and no part of any other sample: 31 to 49, then 161 to 179.
        (1, false, Kind::Integer) => 31 + own,
        (_, false, Kind::Integer) => 161 + own,
        (1, false, _) => 512,
        (_, false, _) => 1_607,
    };
    match (&field.kind, n) {
        (Kind::Integer, _) => whole.to_string(),
        (_, 1) => format!("{whole}.50"),
        _ => format!("{whole}.25"),
    }
}

/// The n-th value, as it is shown; what it refers to is shown by what it is called.
pub(super) fn shown(design: &Design, entity: &Entity, field: &Field, n: usize) -> String {
    let parent = field.target().and_then(|target| design.entity(target));
    let title = parent.and_then(|parent| Some((parent, title(parent)?)));
    match title {
        Some((parent, title)) => shown(design, parent, title, n),
        None => value(entity, field, n).replace(',', ", "),
    }
}

/// The field that an entry is called by.
pub(super) fn title(entity: &Entity) -> Option<&Field> {
    let telling = entity.fields.iter().find(|field| field.tells());
    entity.main_text().or(telling)
}

/// A text that is no value of the field, if there is one.
pub(super) fn bad(field: &Field) -> Option<&'static str> {
    match &field.kind {
        Kind::Integer => Some("several"),
        Kind::Amount => Some("1.005"),
        Kind::Date => Some("2026-02-29"),
        Kind::Flag => Some("perhaps"),
        Kind::Reference { .. } => Some("nobody-like-that"),
        Kind::Choice { .. } => Some("something-else"),
        Kind::Text | Kind::Tags => None,
    }
}

/// What the n-th entry is told by: its main text, else a value that every entry has.
pub(super) fn marker(entity: &Entity, n: usize) -> String {
    let telling = || entity.fields.iter().filter(|field| field.tells());
    let day = telling().find(|field| field.kind == Kind::Date);
    let telling = entity.main_text().or(day).or_else(|| telling().next());
    telling.map_or_else(String::new, |field| {
        value(entity, field, n).replace(',', ", ")
    })
}

/// Adds the n-th entry with the fields that are wanted. Flags start as they are: not set.
pub(super) fn adding(
    design: &Design,
    entity: &Entity,
    n: usize,
    wanted: impl Fn(&Field) -> bool,
) -> String {
    let mut line = format!("{} add", entity.name);
    for field in entity.fields.iter().filter(|field| wanted(field)) {
        let set = match (&field.kind, field.required) {
            (Kind::Flag, false) => continue,
            (Kind::Flag, true) => value(entity, field, 1),
            _ => typed(design, entity, field, n),
        };
        line += &format!(" --{} {}", field.name, quoted(&set));
    }
    line
}

/// The n-th value, as a person types it: what belongs to something says what that is called.
pub(super) fn typed(design: &Design, entity: &Entity, field: &Field, n: usize) -> String {
    called(design, field, n).unwrap_or_else(|| value(entity, field, n))
}

/// What the n-th entry that a field refers to is called, if a text says it.
fn called(design: &Design, field: &Field, n: usize) -> Option<String> {
    let parent = design.entity(field.target()?)?;
    let title = title(parent).filter(|title| title.kind == Kind::Text)?;
    Some(value(parent, title, n))
}

/// What the n-th entry is told by, and what those are called that it belongs to.
pub(super) fn seen(design: &Design, entity: &Entity, n: usize) -> String {
    let others = entity
        .fields
        .iter()
        .filter_map(|field| called(design, field, n));
    let all: Vec<String> = std::iter::once(marker(entity, n)).chain(others).collect();
    let all: Vec<String> = all.iter().map(|text| quoted(text)).collect();
    all.join(" ")
}

/// Runs that add two entries of everything that the entity refers to, however far away.
pub(super) fn parents(design: &Design, entity: &Entity) -> String {
    let mut order: Vec<&Entity> = Vec::new();
    collect(design, entity, &mut order);
    let fixed = fixed_words(&order);
    order.pop();
    let add = |parent: &Entity, n| format!("$ {}\n", adding(design, parent, n, |_| true));
    let added = order
        .into_iter()
        .map(|parent| add(parent, 1) + &add(parent, 2));
    fixed + &added.collect::<String>()
}

/// Lines that say which words cannot be others: the choices.
fn fixed_words(entities: &[&Entity]) -> String {
    let mut lines: Vec<String> = Vec::new();
    for field in entities.iter().flat_map(|entity| &entity.fields) {
        let Kind::Choice { of } = &field.kind else {
            continue;
        };
        for word in of.iter().flat_map(|words| words.split([' ', '-'])) {
            let line = format!("fixed {}: one of few words\n", quoted(word));
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
    }
    lines.concat()
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
