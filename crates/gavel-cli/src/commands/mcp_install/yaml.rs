//! Our entry as YAML, to be put in by hand.

use super::client::{ENTRY, Field};

/// The whole file, as it would be with nothing else in it. Values are written as JSON, which YAML
/// reads.
pub(super) fn alone(table: &str, entry: &[Field]) -> String {
    let fields = entry.iter();
    let fields: String = fields
        .map(|(name, value)| format!("    {name}: {value}\n"))
        .collect();
    format!("{table}:\n  {ENTRY}:\n{fields}")
}
