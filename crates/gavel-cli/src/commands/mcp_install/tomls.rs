//! TOML, edited where it stands: comments and everything that is not ours stay.

use serde_json::Value;
use toml_edit::{Array, DocumentMut, Item, Table};

use super::client::{ENTRY, Field};
use super::{MergeError, Merged};

/// Our entry with nothing around it.
pub(super) fn alone(table: &str, entry: &[Field]) -> String {
    let fields = entry.iter().map(|(name, value)| {
        let value = toml_value(value);
        format!("{name} = {}\n", value.to_string().trim())
    });
    format!("[{table}.{ENTRY}]\n{}", fields.collect::<String>())
}

/// Puts our entry into a text, or brings the one that is there up to date.
pub(super) fn merge(old: &str, table: &'static str, entry: &[Field]) -> Result<Merged, MergeError> {
    let mut document: DocumentMut = old.parse()?;
    let before = document.to_string();
    let servers = document.entry(table).or_insert_with(|| {
        let mut servers = Table::new();
        // Only its own tables are written, not an empty one before them.
        servers.set_implicit(true);
        Item::Table(servers)
    });
    let servers = servers
        .as_table_like_mut()
        .ok_or(MergeError::NoTable(table))?;
    if servers.get(ENTRY).is_none() {
        servers.insert(ENTRY, Item::Table(Table::new()));
    }
    let ours = servers.get_mut(ENTRY).and_then(Item::as_table_like_mut);
    let ours = ours.ok_or(MergeError::NoTable(table))?;
    for (name, value) in entry {
        let wanted = toml_value(value);
        let there = ours.get(name).and_then(Item::as_value);
        let same = |there: &toml_edit::Value| {
            let plain = |value: &toml_edit::Value| value.clone().decorated("", "").to_string();
            plain(there) == plain(&wanted)
        };
        if there.is_some_and(same) {
            continue;
        }
        ours.insert(name, Item::Value(wanted));
    }
    let new = document.to_string();
    if new == before {
        return Ok(Merged::Same);
    }
    Ok(Merged::Changed(new))
}

fn toml_value(value: &Value) -> toml_edit::Value {
    match value {
        Value::Array(items) => {
            let texts = items.iter().filter_map(Value::as_str);
            toml_edit::Value::Array(texts.collect::<Array>())
        }
        Value::String(text) => text.as_str().into(),
        Value::Bool(yes) => (*yes).into(),
        Value::Null | Value::Number(_) | Value::Object(_) => value.to_string().into(),
    }
}

#[cfg(test)]
#[path = "tomls_tests.rs"]
mod tests;
