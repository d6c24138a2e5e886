//! Secrets inside a JSON document, which stays one.

use serde_json::{Map, Value};

use super::KnownSecrets;

/// The document without secrets, as it came when it holds none; `None` when it is no object or list.
pub(super) fn scrub(secrets: &KnownSecrets, text: &str) -> Option<String> {
    let document: Value = serde_json::from_str(text).ok()?;
    if !document.is_object() && !document.is_array() {
        return None;
    }
    let clean = value(secrets, document.clone());
    // A name that stands twice is read once: what its first value was is seen in the text alone.
    if clean == document && secrets.scrub(text) == text {
        return Some(text.to_owned());
    }
    Some(clean.to_string())
}

fn value(secrets: &KnownSecrets, found: Value) -> Value {
    match found {
        Value::String(text) => Value::String(secrets.scrub(&text)),
        Value::Number(number) => {
            let (text, clean) = (number.to_string(), secrets.scrub(&number.to_string()));
            match clean == text {
                true => Value::Number(number),
                false => Value::String(clean),
            }
        }
        Value::Array(items) => items.into_iter().map(|item| value(secrets, item)).collect(),
        Value::Object(fields) => {
            let field =
                |(name, inside): (String, Value)| (secrets.scrub(&name), value(secrets, inside));
            Value::Object(fields.into_iter().map(field).collect::<Map<_, _>>())
        }
        same @ (Value::Null | Value::Bool(_)) => same,
    }
}
