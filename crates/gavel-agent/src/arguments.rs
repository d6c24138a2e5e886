//! Tool arguments: JSON text in, a typed input or a sentence out; and the schema that says how.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::ToolRefusal;

/// Reads arguments; what is wrong is said with the path of the value and what was expected.
pub(crate) fn decode<T: DeserializeOwned>(tool: &str, arguments: &str) -> Result<T, ToolRefusal> {
    let mut reader = serde_json::Deserializer::from_str(arguments);
    let refuse = |problem: String| {
        ToolRefusal::new(format!(
            "the arguments of `{tool}` do not fit its schema: {problem}; call it again with \
             corrected arguments"
        ))
    };
    let value = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let path = error.path().to_string();
        let problem = without_position(&error.inner().to_string());
        refuse(if path == "." {
            problem
        } else {
            format!("`{path}`: {problem}")
        })
    })?;
    match reader.end() {
        Ok(()) => Ok(value),
        Err(error) => Err(refuse(without_position(&error.to_string()))),
    }
}

/// Models see their arguments as one line; line and column of it help nobody.
fn without_position(message: &str) -> String {
    let cut = message.rfind(" at line ").unwrap_or(message.len());
    message.get(..cut).unwrap_or(message).to_owned()
}

/// The schema of an input, without what only costs tokens.
pub(crate) fn schema_of<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value();
    // What the whole is for stands in the tool's purpose.
    if let Value::Object(fields) = &mut schema {
        fields.remove("description");
    }
    slim(&mut schema);
    schema
}

/// The schema of an answer: every object lists all its fields and allows no others, which is what
/// vendors demand of a schema that they enforce.
pub(crate) fn closed_schema_of<T: JsonSchema>() -> Value {
    let mut schema = schema_of::<T>();
    close(&mut schema);
    schema
}

fn close(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            if let Some(Value::Object(properties)) = fields.get("properties") {
                let names: Vec<_> = properties.keys().cloned().map(Value::String).collect();
                fields.insert("required".to_owned(), Value::Array(names));
                fields.insert("additionalProperties".to_owned(), Value::Bool(false));
            }
            fields.values_mut().for_each(close);
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn slim(schema: &mut Value) {
    let Value::Object(fields) = schema else {
        return;
    };
    for name in [
        "$schema",
        "title",
        "format",
        "default",
        "additionalProperties",
    ] {
        fields.remove(name);
    }
    if fields.get("minimum") == Some(&Value::from(0)) {
        fields.remove("minimum");
    }
    if let Some(kind) = fields.get_mut("type")
        && let Value::Array(kinds) = kind
    {
        kinds.retain(|kind| kind != "null");
        if let [only] = kinds.as_slice() {
            *kind = only.clone();
        }
    }
    if let Some(Value::Object(properties)) = fields.get_mut("properties") {
        properties.values_mut().for_each(slim);
    }
    if let Some(items) = fields.get_mut("items") {
        slim(items);
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    /// Its arguments.
    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Input {
        /// A path.
        path: String,
        /// Lines.
        lines: Option<u32>,
        names: Option<Vec<String>>,
    }

    fn refusal(arguments: &str) -> String {
        let refusal = decode::<Input>("demo", arguments).unwrap_err();
        refusal
            .sentence
            .trim_start_matches("the arguments of `demo` do not fit its schema: ")
            .trim_end_matches("; call it again with corrected arguments")
            .to_owned()
    }

    #[test]
    fn problems_name_place_and_expectation() {
        let fine: Input = decode("demo", r#"{"path":"a","lines":3}"#).unwrap();
        assert_eq!(
            (fine.path.as_str(), fine.lines, fine.names),
            ("a", Some(3), None)
        );
        for (arguments, expected) in [
            ("{}", "missing field `path`"),
            (
                r#"{"path":5}"#,
                "`path`: invalid type: integer `5`, expected a string",
            ),
            (
                r#"{"path":"a","lines":"3"}"#,
                "`lines`: invalid type: string \"3\", expected u32",
            ),
            (
                r#"{"path":"a","lines":-1}"#,
                "`lines`: invalid value: integer `-1`, expected u32",
            ),
            (
                r#"{"path":"a","names":["x",1]}"#,
                "`names[1]`: invalid type: integer `1`, expected a string",
            ),
            (
                r#"{"path":"a","line":1}"#,
                "`line`: unknown field `line`, expected one of `path`, `lines`, `names`",
            ),
            (r#"{"path":"a"} x"#, "trailing characters"),
            (
                "[]",
                "invalid length 0, expected struct Input with 3 elements",
            ),
        ] {
            assert_eq!(refusal(arguments), expected, "{arguments}");
        }
    }

    #[test]
    fn schemas_are_short() {
        insta::assert_snapshot!(schema_of::<Input>(), @r#"{"properties":{"lines":{"description":"Lines.","type":"integer"},"names":{"items":{"type":"string"},"type":"array"},"path":{"description":"A path.","type":"string"}},"required":["path"],"type":"object"}"#);
    }
}
