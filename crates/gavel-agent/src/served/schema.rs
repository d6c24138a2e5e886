//! Schemas of served tools: short, inlined, and true.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// What only costs tokens.
const NOISE: [&str; 4] = ["$schema", "title", "format", "default"];

/// The schema of arguments. A field that may be left out may also be null, which is not said.
pub(super) fn input_schema<T: JsonSchema>() -> Value {
    let mut schema = derived::<T>(inlined());
    if let Value::Object(fields) = &mut schema {
        // What the whole is for stands in the tool's purpose.
        fields.remove("description");
        // A tool without arguments has no fields to list, and still takes an object.
        fields.entry("type").or_insert_with(|| "object".into());
        fields
            .entry("properties")
            .or_insert_with(|| Value::Object(Map::new()));
    }
    tidy(&mut schema, Side::Input);
    schema
}

/// The schema of an answer: what is really sent, since clients check it.
pub(super) fn output_schema<T: JsonSchema>() -> Value {
    let mut schema = derived::<T>(inlined().for_serialize());
    if let Value::Object(fields) = &mut schema {
        fields.remove("description");
    }
    tidy(&mut schema, Side::Output);
    if let Value::Object(fields) = &mut schema {
        let properties = fields.get_mut("properties").and_then(Value::as_object_mut);
        properties
            .into_iter()
            .flatten()
            .for_each(|(_, field)| outline(field));
        or_refused(fields);
    }
    schema
}

/// What a field is, and not what stands in it: every conversation pays for this list, and whoever has
/// the answer sees the rest.
fn outline(field: &mut Value) {
    let Value::Object(fields) = field else {
        return;
    };
    fields.retain(|name, _| matches!(name.as_str(), "type" | "items"));
    if let Some(Value::Object(items)) = fields.get_mut("items") {
        items.retain(|name, _| name == "type");
    }
}

/// Some clients hold a refusal against the same schema (the official TypeScript client does), so it
/// allows both: the whole answer, or an error.
fn or_refused(fields: &mut Map<String, Value>) {
    if let Some(required) = fields.remove("required") {
        let either = json!([{ "required": required }, { "required": ["error"] }]);
        fields.insert("anyOf".to_owned(), either);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Input,
    Output,
}

fn inlined() -> SchemaSettings {
    SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    })
}

fn derived<T: JsonSchema>(settings: SchemaSettings) -> Value {
    settings
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value()
}

fn tidy(schema: &mut Value, side: Side) {
    // Some clients know no schema but an object.
    if *schema == Value::Bool(true) {
        *schema = Value::Object(Map::new());
    }
    let Value::Object(fields) = schema else {
        return;
    };
    for name in NOISE {
        fields.remove(name);
    }
    if fields.get("minimum") == Some(&Value::from(0)) {
        fields.remove("minimum");
    }
    if side == Side::Input {
        forget_null(fields);
    } else {
        // Descriptions of answers are read by nobody before the answer is there.
        fields.remove("description");
        fields.remove("additionalProperties");
    }
    if is_array(fields) && !fields.contains_key("items") && !fields.contains_key("prefixItems") {
        fields.insert("items".to_owned(), Value::Object(Map::new()));
    }
    for name in ["properties", "$defs"] {
        if let Some(Value::Object(properties)) = fields.get_mut(name) {
            properties.values_mut().for_each(|value| tidy(value, side));
        }
    }
    for name in ["items", "additionalProperties"] {
        if let Some(inner) = fields.get_mut(name)
            && !inner.is_boolean()
        {
            tidy(inner, side);
        }
    }
    if fields.get("items") == Some(&Value::Bool(true)) {
        fields.insert("items".to_owned(), Value::Object(Map::new()));
    }
    for name in ["anyOf", "oneOf", "allOf", "prefixItems"] {
        if let Some(Value::Array(inner)) = fields.get_mut(name) {
            inner.iter_mut().for_each(|value| tidy(value, side));
        }
    }
    short_choice(fields);
}

fn is_array(fields: &Map<String, Value>) -> bool {
    fields.get("type").is_some_and(|kind| kind == "array")
}

/// `null` as one of the types of an argument: leaving it out says the same.
fn forget_null(fields: &mut Map<String, Value>) {
    if let Some(kind) = fields.get_mut("type")
        && let Value::Array(kinds) = kind
    {
        kinds.retain(|kind| kind != "null");
        if let [only] = kinds.as_slice() {
            *kind = only.clone();
        }
    }
    if let Some(Value::Array(values)) = fields.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    let Some(Value::Array(choices)) = fields.get_mut("anyOf") else {
        return;
    };
    choices.retain(|choice| choice.get("type").is_none_or(|kind| kind != "null"));
    if let [Value::Object(only)] = choices.as_slice() {
        let only = only.clone();
        fields.remove("anyOf");
        for (name, value) in only {
            fields.entry(name).or_insert(value);
        }
    }
}

/// A choice of documented constants is shorter as one list; what they mean stands in the purpose of
/// the field.
fn short_choice(fields: &mut Map<String, Value>) {
    let Some(Value::Array(choices)) = fields.get("oneOf") else {
        return;
    };
    let mut words = Vec::new();
    for choice in choices {
        if choice.get("type").is_none_or(|kind| kind != "string") {
            return;
        }
        match (choice.get("const"), choice.get("enum")) {
            (Some(word), None) => words.push(word.clone()),
            (None, Some(Value::Array(more))) => words.extend(more.iter().cloned()),
            _ => return,
        }
    }
    fields.remove("oneOf");
    fields.insert("type".to_owned(), "string".into());
    fields.insert("enum".to_owned(), Value::Array(words));
}
