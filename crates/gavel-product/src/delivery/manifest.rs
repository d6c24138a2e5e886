//! Fields that a manifest lacks. What is there stays, to the byte; a manifest that cannot be read is
//! left alone.

use gavel_domain::Spec;
use serde_json::{Map, Value};

use super::papers::{clipped, line};

/// The longest description.
const DESCRIPTION: usize = 140;
const FIRST_VERSION: &str = "0.1.0";

/// A `package.json` with the fields that it lacks; `None` when it lacks nothing.
pub(super) fn with_package_fields(text: &str, spec: &Spec) -> Option<String> {
    let before: Map<String, Value> = serde_json::from_str(text).ok()?;
    let wanted = [
        ("name", slug(&spec.title)),
        ("version", FIRST_VERSION.to_owned()),
        ("description", description(spec)),
    ];
    let missing: Vec<(&str, String)> = wanted
        .into_iter()
        .filter(|(field, value)| !before.contains_key(*field) && !value.is_empty())
        .collect();
    if missing.is_empty() {
        return None;
    }
    let open = text.find('{')? + 1;
    let (head, rest) = text.split_at_checked(open)?;
    let indent = indent(rest);
    let mut filled = head.to_owned();
    for (place, (field, value)) in missing.iter().enumerate() {
        let value = Value::from(value.as_str());
        let comma = if place + 1 < missing.len() || !before.is_empty() {
            ","
        } else {
            ""
        };
        filled.push_str(&format!("\n{indent}\"{field}\": {value}{comma}"));
    }
    if !rest.starts_with(['\n', '\r']) {
        filled.push('\n');
    }
    filled.push_str(rest);
    // Whatever the text looked like: nothing but these fields may have changed.
    let mut expected = before;
    expected.extend(
        missing
            .into_iter()
            .map(|(field, value)| (field.to_owned(), Value::from(value))),
    );
    let after: Map<String, Value> = serde_json::from_str(&filled).ok()?;
    (after == expected).then_some(filled)
}

/// A `Cargo.toml` with a description of its package; `None` when it has one or no package.
pub(super) fn with_crate_fields(text: &str, spec: &Spec) -> Option<String> {
    let description = description(spec);
    let mut end = 0;
    let mut header = None;
    for piece in text.split_inclusive('\n') {
        end += piece.len();
        let piece = piece.trim();
        if header.is_some() {
            if piece.starts_with('[') {
                break;
            }
            if is_field(piece, "description") {
                return None;
            }
        } else if piece == "[package]" {
            header = Some(end);
        }
    }
    let (head, rest) = text.split_at_checked(header?)?;
    if description.is_empty() || !head.ends_with('\n') {
        return None;
    }
    let quoted = description.replace('\\', "\\\\").replace('"', "\\\"");
    Some(format!("{head}description = \"{quoted}\"\n{rest}"))
}

/// True for `name = …`, `name.… = …` and the quoted forms.
fn is_field(line: &str, name: &str) -> bool {
    let line = line.trim_start_matches(['"', '\'']);
    let Some(rest) = line.strip_prefix(name) else {
        return false;
    };
    let rest = rest.trim_start_matches(['"', '\'']).trim_start();
    rest.starts_with(['=', '.'])
}

/// The spaces before the first field.
fn indent(rest: &str) -> String {
    let first = rest.lines().find(|line| !line.trim().is_empty());
    let spaces: String = first
        .unwrap_or_default()
        .chars()
        .take_while(|c| matches!(c, ' ' | '\t'))
        .collect();
    if rest.starts_with(['\n', '\r']) && !spaces.is_empty() {
        spaces
    } else {
        "  ".to_owned()
    }
}

fn description(spec: &Spec) -> String {
    let purpose = line(&spec.purpose);
    let first = purpose
        .split_once(". ")
        .map_or(&*purpose, |(first, _)| first);
    clipped(first, DESCRIPTION)
}

/// A name that registries take.
fn slug(title: &str) -> String {
    let plain: String = title
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() {
                c.to_ascii_lowercase()
            } else {
                '-'
            }
        })
        .collect();
    let words: Vec<&str> = plain.split('-').filter(|word| !word.is_empty()).collect();
    words.join("-").chars().take(60).collect()
}
