//! Structured answers: how a schema travels, how the answer is found, and where it does not fit.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::AnswerSchema;
use crate::field_order::InOrder;

/// How an endpoint takes an answer schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerMode {
    /// A field of the request; the server holds the model to it.
    Native,
    /// A tool that the model must call with the answer as its arguments.
    Tool,
    /// Words at the end of the request; the answer comes as JSON, fenced or not.
    Fenced,
}

/// How the words of [`AnswerMode::Fenced`] begin. They stand after the history and never enter it,
/// so whoever compares two requests cuts them off here.
pub const ANSWER_WORDS: &str = "Answer with one JSON document and nothing else";

/// The words that ask for a fenced answer.
pub(crate) fn words(answer: &AnswerSchema) -> String {
    // What cannot be written in order is written as it is.
    let schema = serde_json::to_string(&in_order(answer));
    let schema = schema.unwrap_or_else(|_| answer.schema.to_string());
    format!(
        "{ANSWER_WORDS}, inside a ```json fence. It must follow this JSON schema:\n```json\n{schema}\n```"
    )
}

/// The schema as it goes out.
pub(crate) const fn in_order(answer: &AnswerSchema) -> InOrder<'_> {
    InOrder::of(&answer.schema, &answer.order)
}

/// The name of the tool that carries an answer in [`AnswerMode::Tool`].
pub(crate) fn tool_name(answer: &AnswerSchema) -> String {
    let name: String = answer
        .name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .take(48)
        .collect();
    format!("answer_{name}")
}

/// True when every object of the schema lists all its properties as required and allows no others:
/// what vendors demand of a schema that they enforce.
pub(crate) fn is_closed(schema: &Value) -> bool {
    match schema {
        Value::Object(fields) => {
            let object = fields.get("type").is_some_and(|t| t == "object")
                || fields.contains_key("properties");
            (!object || lists_all(fields)) && fields.values().all(is_closed)
        }
        Value::Array(items) => items.iter().all(is_closed),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
}

fn lists_all(object: &serde_json::Map<String, Value>) -> bool {
    let required = object.get("required").and_then(Value::as_array);
    let listed = |name: &String| required.is_some_and(|r| r.iter().any(|item| item == name));
    object.get("additionalProperties") == Some(&Value::Bool(false))
        && object
            .get("properties")
            .and_then(Value::as_object)
            .is_none_or(|properties| properties.keys().all(listed))
}

/// Finds the JSON of an answer: the whole text, or the first fence that holds JSON.
pub fn find_json(text: &str) -> Option<(&str, Value)> {
    let whole = text.trim();
    if let Ok(value) = serde_json::from_str(whole) {
        return Some((whole, value));
    }
    whole
        .split("```")
        .skip(1)
        .step_by(2)
        .map(|fence| {
            let rest = fence.trim_start_matches(|c: char| c.is_ascii_alphanumeric());
            rest.trim()
        })
        .find_map(|inside| Some((inside, serde_json::from_str(inside).ok()?)))
}

/// Where a value does not fit a schema, as far as types, required and known properties, items, fixed
/// values and local references go; nothing where it does. Everything else is left to whoever reads
/// the answer.
pub fn misfit(schema: &Value, value: &Value) -> Option<String> {
    if fits(schema, value) {
        return None;
    }
    Some(explain(schema, schema, ("", value)))
}

fn fits(schema: &Value, value: &Value) -> bool {
    fits_at(schema, schema, value, 0)
}

/// The first place that does not fit, in a sentence.
fn explain(root: &Value, schema: &Value, (path, value): (&str, &Value)) -> String {
    let schema = resolved(root, schema);
    let below = |schema: &Value, path: String, value: &Value| {
        let wrong = !fits_at(root, schema, value, 0);
        wrong.then(|| explain(root, schema, (&path, value)))
    };
    let properties = schema.get("properties").and_then(Value::as_object);
    if let (Some(known), Value::Object(fields)) = (properties, value) {
        let required = schema.get("required").and_then(Value::as_array);
        let mut names = required.into_iter().flatten().filter_map(Value::as_str);
        if let Some(missing) = names.find(|name| !fields.contains_key(*name)) {
            return format!("`{path}{missing}` is missing");
        }
        let inside = fields
            .iter()
            .find_map(|(name, field)| match known.get(name) {
                Some(schema) => below(schema, format!("{path}{name}."), field),
                None => Some(format!("`{path}{name}` is not asked for")),
            });
        if let Some(inside) = inside {
            return inside;
        }
    }
    if let (Some(schema), Value::Array(items)) = (schema.get("items"), value) {
        let mut places = (0..).zip(items);
        let inside = places.find_map(|(place, item): (usize, _)| {
            let path = path.trim_end_matches('.');
            below(schema, format!("{path}[{place}]."), item)
        });
        if let Some(inside) = inside {
            return inside;
        }
    }
    let place = match path.trim_end_matches('.') {
        "" => "the answer".to_owned(),
        path => format!("`{path}`"),
    };
    match (schema.get("enum"), schema.get("type")) {
        (Some(words), _) => format!("{place} is one of {words}"),
        (None, Some(kind)) => format!("{place} must be of type {kind}"),
        (None, None) => format!("{place} does not fit"),
    }
}

/// A schema, or what it refers to.
fn resolved<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    let path = schema.get("$ref").and_then(Value::as_str);
    let pointer = path.and_then(|path| path.strip_prefix('#'));
    pointer
        .and_then(|pointer| root.pointer(pointer))
        .unwrap_or(schema)
}

/// References may turn in circles; a value can only be as deep as a JSON reader allows.
const MAX_DEPTH: usize = 160;

fn fits_at(root: &Value, schema: &Value, value: &Value, depth: usize) -> bool {
    let Value::Object(rules) = schema else {
        return schema != &Value::Bool(false);
    };
    if depth > MAX_DEPTH {
        return false;
    }
    let within = |schema: &Value, value: &Value| fits_at(root, schema, value, depth + 1);
    let referred = rules
        .get("$ref")
        .and_then(Value::as_str)
        .is_none_or(|path| {
            path.strip_prefix('#')
                .and_then(|pointer| root.pointer(pointer))
                .is_none_or(|target| within(target, value))
        });
    let any_of = ["anyOf", "oneOf"].iter().all(|word| {
        rules
            .get(*word)
            .and_then(Value::as_array)
            .is_none_or(|choices| choices.iter().any(|choice| within(choice, value)))
    });
    let all_of = rules
        .get("allOf")
        .and_then(Value::as_array)
        .is_none_or(|parts| parts.iter().all(|part| within(part, value)));
    let items = match (rules.get("items"), value) {
        (Some(schema), Value::Array(items)) => items.iter().all(|item| within(schema, item)),
        _ => true,
    };
    referred && any_of && all_of && items && fits_plainly(rules, value) && {
        let Value::Object(fields) = value else {
            return true;
        };
        fits_object(rules, fields, &within)
    }
}

fn fits_plainly(rules: &serde_json::Map<String, Value>, value: &Value) -> bool {
    let typed = match rules.get("type") {
        Some(Value::String(name)) => is_of(name, value),
        Some(Value::Array(names)) => names
            .iter()
            .filter_map(Value::as_str)
            .any(|name| is_of(name, value)),
        _ => true,
    };
    let listed = rules
        .get("enum")
        .and_then(Value::as_array)
        .is_none_or(|values| values.contains(value));
    typed && listed && rules.get("const").is_none_or(|fixed| fixed == value)
}

fn fits_object(
    rules: &serde_json::Map<String, Value>,
    fields: &serde_json::Map<String, Value>,
    within: &dyn Fn(&Value, &Value) -> bool,
) -> bool {
    let required = rules
        .get("required")
        .and_then(Value::as_array)
        .is_none_or(|names| {
            names
                .iter()
                .filter_map(Value::as_str)
                .all(|name| fields.contains_key(name))
        });
    let known = rules.get("properties").and_then(Value::as_object);
    let closed = rules.get("additionalProperties") == Some(&Value::Bool(false));
    required
        && fields.iter().all(
            |(name, field)| match known.and_then(|known| known.get(name)) {
                Some(schema) => within(schema, field),
                None => !closed,
            },
        )
}

fn is_of(name: &str, value: &Value) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => {
            value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|n| n.fract() == 0.0)
        }
        _ => true,
    }
}

#[cfg(test)]
#[path = "answer_tests.rs"]
mod tests;
