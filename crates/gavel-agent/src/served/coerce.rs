//! Arguments as models write them: a string where a number, a yes or no, or a list is wanted.
//!
//! What can mean only one thing is taken; what could mean two is left as it is, and refused later
//! with a sentence that names the field.

use serde_json::{Map, Value};

/// Reads strings as what the schema wants, and drops nulls of fields that may be left out.
pub(super) fn coerce(schema: &Value, value: Value) -> Value {
    match value {
        // One thing where a list of such things is wanted.
        Value::Object(fields) if kinds(schema) == ["array"] && lists(schema, "object") => {
            Value::Array(coerce_items(schema, vec![Value::Object(fields)]))
        }
        Value::Object(fields) => Value::Object(coerce_fields(schema, fields)),
        Value::Array(items) => Value::Array(coerce_items(schema, items)),
        Value::String(text) => coerce_text(schema, text),
        // Some clients read what was typed before they send it: an answer `1` comes as a number.
        plain @ (Value::Bool(_) | Value::Number(_)) if kinds(schema) == ["string"] => {
            Value::String(plain.to_string())
        }
        other @ (Value::Null | Value::Bool(_) | Value::Number(_)) => other,
    }
}

/// What a field wants, for a sentence: its type and an example.
pub(super) fn wanted(schema: &Value) -> String {
    if let Some(Value::Array(words)) = schema.get("enum") {
        let words: Vec<_> = words.iter().map(Value::to_string).collect();
        return format!("one of {}", words.join(", "));
    }
    match kinds(schema).as_slice() {
        ["integer"] => "a whole number, such as 3".to_owned(),
        ["number"] => "a number, such as 0.5".to_owned(),
        ["boolean"] => "true or false".to_owned(),
        ["array"] => match schema.get("items").map(kinds).as_deref() {
            Some(["object"]) => "a list of objects, such as [{…}]".to_owned(),
            Some(["integer" | "number"]) => "a list of numbers, such as [1, 2]".to_owned(),
            _ => "a list, such as [\"a\", \"b\"]".to_owned(),
        },
        ["object"] => "an object, such as {…}".to_owned(),
        ["string"] => "a text, such as \"…\"".to_owned(),
        _ => "another value".to_owned(),
    }
}

/// The schema of the value at a path such as `items[2].name`.
pub(super) fn at_path<'a>(schema: &'a Value, path: &str) -> Option<&'a Value> {
    let mut here = schema;
    for part in path.split('.') {
        let (name, places) = part
            .split_once('[')
            .map_or((part, 0), |(name, rest)| (name, rest.matches(']').count()));
        if !name.is_empty() {
            here = here.get("properties")?.get(name)?;
        }
        for _place in 0..places {
            here = here.get("items")?;
        }
    }
    Some(here)
}

fn coerce_fields(schema: &Value, fields: Map<String, Value>) -> Map<String, Value> {
    let schema = branch_for(schema, &fields);
    let required = |name: &str| {
        let names = schema.get("required").and_then(Value::as_array);
        names.is_some_and(|names| names.iter().any(|required| required == name))
    };
    let known = schema.get("properties").and_then(Value::as_object);
    let mut taken = Map::new();
    for (name, value) in fields {
        let inner = known.and_then(|known| known.get(&name));
        if value.is_null() && inner.is_some() && !required(&name) {
            continue;
        }
        let value = match inner {
            Some(inner) => coerce(inner, value),
            None => value,
        };
        taken.insert(name, value);
    }
    taken
}

fn coerce_items(schema: &Value, items: Vec<Value>) -> Vec<Value> {
    let Some(inner) = schema.get("items") else {
        return items;
    };
    items.into_iter().map(|item| coerce(inner, item)).collect()
}

fn coerce_text(schema: &Value, text: String) -> Value {
    let kinds = kinds(schema);
    if kinds.is_empty() || kinds.contains(&"string") {
        return Value::String(text);
    }
    let short = text.trim();
    for kind in &kinds {
        let read = match *kind {
            "integer" => short.parse::<i64>().ok().map(Value::from),
            "number" => read_number(short),
            "boolean" => match short {
                "true" => Some(Value::Bool(true)),
                "false" => Some(Value::Bool(false)),
                _ => None,
            },
            "array" => read_list(schema, short),
            "object" if short.starts_with('{') => serde_json::from_str(short)
                .ok()
                .map(|value| coerce(schema, value)),
            _ => None,
        };
        if let Some(read) = read {
            return read;
        }
    }
    Value::String(text)
}

fn read_number(text: &str) -> Option<Value> {
    if let Ok(whole) = text.parse::<i64>() {
        return Some(Value::from(whole));
    }
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
    number.map(Value::from)
}

/// True for lists of that type.
fn lists(schema: &Value, kind: &str) -> bool {
    schema.get("items").map(kinds).as_deref() == Some(&[kind])
}

/// A list written as JSON, with or without quotes; or words, ids and numbers with commas, semicolons or
/// line breaks between them, each line with or without a bullet. No list that is served holds texts
/// with such signs in them.
fn read_list(schema: &Value, text: &str) -> Option<Value> {
    let listed = |list: Vec<Value>| Some(Value::Array(coerce_items(schema, list)));
    if text.starts_with('[')
        && let Ok(list) = serde_json::from_str::<Vec<Value>>(text)
    {
        return listed(list);
    }
    if text.starts_with('{') && lists(schema, "object") {
        let one: Value = serde_json::from_str(text).ok()?;
        return listed(vec![one]);
    }
    let of_numbers = lists(schema, "integer") || lists(schema, "number");
    if !of_numbers && !lists(schema, "string") {
        return None;
    }
    let inner = match (text.strip_prefix('['), text.ends_with(']')) {
        (Some(rest), true) => rest.trim_end_matches(']'),
        (Some(_), false) => return None,
        (None, _) => text,
    };
    let mut list = Vec::new();
    for part in inner.split([',', ';', '\n']) {
        let part = part.trim();
        let bullets = ["- ", "* ", "• "];
        let part = bullets
            .iter()
            .find_map(|bullet| part.strip_prefix(bullet))
            .unwrap_or(part);
        let part = part.trim().trim_matches(['"', '\'', '`']);
        if of_numbers && !part.is_empty() {
            list.push(read_number(part)?);
        } else if !part.is_empty() {
            list.push(Value::String(part.to_owned()));
        }
    }
    (!list.is_empty()).then_some(Value::Array(list))
}

/// The types that a schema takes, through its choices.
fn kinds(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(kind)) => return vec![kind.as_str()],
        Some(Value::Array(kinds)) => {
            let kinds = kinds.iter().filter_map(Value::as_str);
            return kinds.filter(|kind| *kind != "null").collect();
        }
        _ => {}
    }
    let mut all = Vec::new();
    for name in ["anyOf", "oneOf"] {
        for choice in schema
            .get(name)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            all.extend(kinds(choice));
        }
    }
    all.dedup();
    all
}

/// The branch of a choice between objects whose constants the fields have; else the whole.
fn branch_for<'a>(schema: &'a Value, fields: &Map<String, Value>) -> &'a Value {
    let choices = ["oneOf", "anyOf"].into_iter().find_map(|name| {
        let choices = schema.get(name)?.as_array()?;
        choices.iter().find(|choice| fits(choice, fields))
    });
    choices.unwrap_or(schema)
}

fn fits(choice: &Value, fields: &Map<String, Value>) -> bool {
    let Some(properties) = choice.get("properties").and_then(Value::as_object) else {
        return false;
    };
    let mut constants = properties
        .iter()
        .filter_map(|(name, schema)| Some((name, schema.get("const")?)))
        .peekable();
    constants.peek().is_some() && constants.all(|(name, word)| fields.get(name) == Some(word))
}

#[cfg(test)]
#[path = "coerce_tests.rs"]
mod tests;
