//! JSON with comments and trailing commas, edited where it stands: everything that is not ours keeps
//! its bytes.

mod read;

use serde_json::{Map, Value};

use self::read::{Member, Node};
use super::client::{ENTRY, Field};
use super::{MergeError, Merged};

/// Our entry with nothing around it.
pub(super) fn alone(table: &str, entry: &[Field]) -> String {
    let table = Value::from(table);
    format!("{{\n{UNIT}{table}: {}\n}}\n", servers(entry, UNIT, UNIT))
}

/// Puts our entry into a text, or brings the one that is there up to date.
pub(super) fn merge(old: &str, table: &'static str, entry: &[Field]) -> Result<Merged, MergeError> {
    if old.trim().is_empty() {
        return Ok(Merged::Changed(alone(table, entry)));
    }
    let before = read::document(old)?;
    if !before.is_object() {
        return Err(MergeError::NoTable(table));
    }
    let wanted = with_entry(&before.value, table, entry)?;
    if wanted == before.value {
        return Ok(Merged::Same);
    }
    let (mut new, mut node) = (old.to_owned(), before);
    // One more than there are fields: each edit puts at least one in.
    for _edit in 0..=entry.len() {
        new = edit(&new, &node, table, entry);
        node = read::document(&new).map_err(|_unreadable| MergeError::Harmful)?;
        if node.value == wanted {
            return Ok(Merged::Changed(new));
        }
    }
    // Whatever the editing did, it must say what was wanted and nothing else.
    Err(MergeError::Harmful)
}

/// What the file must say afterwards.
fn with_entry(before: &Value, table: &'static str, entry: &[Field]) -> Result<Value, MergeError> {
    let mut whole = before.clone();
    let fields = whole.as_object_mut().ok_or(MergeError::NoTable(table))?;
    let servers = fields
        .entry(table)
        .or_insert_with(|| Value::Object(Map::new()));
    let servers = servers.as_object_mut().ok_or(MergeError::NoTable(table))?;
    let ours = servers
        .entry(ENTRY)
        .or_insert_with(|| Value::Object(Map::new()));
    match ours {
        Value::Object(fields) => fields.extend(owned(entry)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            *ours = owned(entry).collect();
        }
    }
    Ok(whole)
}

fn owned(entry: &[Field]) -> impl Iterator<Item = (String, Value)> {
    entry
        .iter()
        .map(|(name, value)| ((*name).to_owned(), value.clone()))
}

/// The indentation where the file shows none.
const UNIT: &str = "  ";

/// One change of a text.
struct Change {
    at: usize,
    end: usize,
    text: String,
}

fn edit(old: &str, before: &Node, table: &str, entry: &[Field]) -> String {
    let unit = unit(old, before);
    let mut changes = Vec::new();
    match before.member(table) {
        None => {
            let text = |indent: &str| servers(entry, indent, unit);
            insert((old, unit), before, (table, &text), &mut changes);
        }
        Some(servers) => match servers.value.member(ENTRY) {
            None => {
                let text = |indent: &str| object(entry, indent, unit);
                insert((old, unit), &servers.value, (ENTRY, &text), &mut changes);
            }
            Some(ours) if ours.value.is_object() => {
                set_fields((old, unit), &ours.value, entry, &mut changes);
            }
            Some(ours) => {
                let text = object(entry, indent_at(old, ours.start), unit);
                changes.push(Change {
                    at: ours.value.start,
                    end: ours.value.end,
                    text,
                });
            }
        },
    }
    apply(old, changes)
}

/// Brings the fields of our entry up to date; those of others stay.
fn set_fields((old, unit): (&str, &str), ours: &Node, entry: &[Field], changes: &mut Vec<Change>) {
    let mut missing = Vec::new();
    for (name, value) in entry {
        match ours.member(name) {
            Some(member) if member.value.value == *value => {}
            Some(member) => changes.push(Change {
                at: member.value.start,
                end: member.value.end,
                text: flat(value),
            }),
            None => missing.push((*name, value)),
        }
    }
    // Several would fight for the same place; whoever calls this puts one in after the other.
    if let Some((name, value)) = missing.first() {
        insert((old, unit), ours, (name, &|_indent| flat(value)), changes);
    }
}

/// Adds a member behind the last one.
fn insert(
    (old, unit): (&str, &str),
    object: &Node,
    (name, value): (&str, &dyn Fn(&str) -> String),
    changes: &mut Vec<Change>,
) {
    let outer = indent_at(old, object.start);
    let Some(last) = object.members.last() else {
        let inner = format!("{outer}{unit}");
        let member = format!("{}: {}", Value::from(name), value(&inner));
        let begins = object.start + 1;
        let rest = old.get(begins..object.end.saturating_sub(1));
        // A comment in an empty object stays in front of what is added.
        let kept = rest.unwrap_or_default().trim_end();
        let text = format!("{kept}\n{inner}{member}\n{outer}");
        changes.push(Change {
            at: begins,
            end: object.end.saturating_sub(1),
            text,
        });
        return;
    };
    let inner = match own_line(old, last.start) {
        true => indent_at(old, last.start).to_owned(),
        false => format!("{outer}{unit}"),
    };
    let member = format!("{}: {}", Value::from(name), value(&inner));
    let (comma, behind) = match last.comma {
        Some(comma) => (None, comma + 1),
        None => (Some(last.value.end), last.value.end),
    };
    if let Some(at) = comma {
        let text = ",".to_owned();
        changes.push(Change { at, end: at, text });
    }
    // A comment behind the last member belongs to it.
    let at = read::end_of_remark(old, behind);
    let trailing = if last.comma.is_some() { "," } else { "" };
    let closing = if own_line(old, object.end.saturating_sub(1)) {
        String::new()
    } else {
        format!("\n{outer}")
    };
    let text = format!("\n{inner}{member}{trailing}{closing}");
    changes.push(Change { at, end: at, text });
}

/// Our entry in its table; lines after the first are moved in.
fn servers(entry: &[Field], indent: &str, unit: &str) -> String {
    let inner = format!("{indent}{unit}");
    let name = Value::from(ENTRY);
    format!(
        "{{\n{inner}{name}: {}\n{indent}}}",
        object(entry, &inner, unit)
    )
}

/// Our entry; lines after the first are moved in.
fn object(entry: &[Field], indent: &str, unit: &str) -> String {
    let fields = entry
        .iter()
        .map(|(name, value)| format!("{indent}{unit}{}: {}", Value::from(*name), flat(value)));
    format!("{{\n{}\n{indent}}}", fields.collect::<Vec<_>>().join(",\n"))
}

/// A value on one line.
fn flat(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(Value::to_string).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(_) | Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            value.to_string()
        }
    }
}

fn apply(old: &str, mut changes: Vec<Change>) -> String {
    changes.sort_by_key(|change| change.at);
    let mut new = String::with_capacity(old.len() + 256);
    let mut from = 0;
    for change in changes {
        new.push_str(old.get(from..change.at).unwrap_or_default());
        new.push_str(&change.text);
        from = change.end;
    }
    new.push_str(old.get(from..).unwrap_or_default());
    new
}

/// The white space that the line of a place begins with.
fn indent_at(text: &str, place: usize) -> &str {
    let line = line_before(text, place);
    let width = line.len() - line.trim_start().len();
    line.get(..width).unwrap_or_default()
}

/// True when nothing but white space stands before a place on its line.
fn own_line(text: &str, place: usize) -> bool {
    line_before(text, place).trim().is_empty()
        && text.get(..place).is_some_and(|t| t.contains('\n'))
}

fn line_before(text: &str, place: usize) -> &str {
    let before = text.get(..place).unwrap_or_default();
    before.rsplit('\n').next().unwrap_or_default()
}

/// One step of indentation, as the file has it.
fn unit<'a>(text: &'a str, before: &Node) -> &'a str {
    let first = before.members.first();
    let first = first.filter(|Member { start, .. }| own_line(text, *start));
    let seen = first.map(|member| indent_at(text, member.start));
    seen.filter(|indent| !indent.is_empty()).unwrap_or(UNIT)
}

#[cfg(test)]
#[path = "jsonc_tests.rs"]
mod tests;
