//! What the suite expects to find, as it looks on the wire.

use serde_json::{Value, json};

/// A picture of one red dot.
const PICTURE: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==";
/// A sound of no length.
const SOUND: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";

const PLAIN: [&str; 19] = [
    "test_simple_text",
    "test_image_content",
    "test_audio_content",
    "test_embedded_resource",
    "test_multiple_content_types",
    "test_error_handling",
    "test_tool_with_progress",
    "test_logging_tool",
    "test_custom_headers",
    "test_missing_capability",
    "test_streaming_elicitation",
    "test_elicitation",
    "test_elicitation_sep1034_defaults",
    "test_elicitation_sep1330_enums",
    "test_input_required_result_elicitation",
    "test_input_required_result_request_state",
    "test_input_required_result_multi_round",
    "test_input_required_result_tampered_state",
    "json_schema_2020_12_tool",
];

pub(super) fn tools() -> Vec<Value> {
    let tool = |name: &str| {
        let schema = match name {
            "test_elicitation" => json!({
                "type": "object",
                "properties": { "message": { "type": "string" } },
                "required": ["message"]
            }),
            "test_custom_headers" => json!({
                "type": "object",
                "properties": { "region": { "type": "string", "x-mcp-header": "Region" } },
                "required": ["region"]
            }),
            "json_schema_2020_12_tool" => full_schema(),
            _ => json!({ "type": "object", "properties": {} }),
        };
        json!({ "name": name, "description": format!("Fixture {name}"), "inputSchema": schema })
    };
    PLAIN.into_iter().map(tool).collect()
}

/// A schema with the keywords that must reach the client as they are.
fn full_schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": { "street": { "type": "string" }, "city": { "type": "string" } }
            }
        },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "phone": { "type": "string" },
            "email": { "type": "string" }
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": { "required": ["phone"] },
        "then": { "properties": { "phone": { "minLength": 3 } } },
        "else": { "required": ["email"] },
        "additionalProperties": false
    })
}

/// Results that need nothing from anybody.
pub(super) fn result(name: &str) -> Option<Value> {
    let picture = json!({ "type": "image", "data": PICTURE, "mimeType": "image/png" });
    let content = match name {
        "test_simple_text" => json!([text("This is a simple text response for testing.")]),
        "test_image_content" => json!([picture]),
        "test_audio_content" => {
            json!([{ "type": "audio", "data": SOUND, "mimeType": "audio/wav" }])
        }
        "test_embedded_resource" => json!([embedded(
            "test://embedded-resource",
            "text/plain",
            "This is an embedded resource content."
        )]),
        "test_multiple_content_types" => json!([
            text("Multiple content types test:"),
            picture,
            embedded(
                "test://mixed-content-resource",
                "application/json",
                r#"{"test":"data","value":123}"#
            )
        ]),
        "test_error_handling" => {
            let said = text("This tool intentionally returns an error for testing");
            return Some(json!({ "isError": true, "content": [said] }));
        }
        "test_tool_with_progress"
        | "test_logging_tool"
        | "test_custom_headers"
        | "json_schema_2020_12_tool" => json!([text("done")]),
        _ => return None,
    };
    Some(json!({ "content": content }))
}

fn text(words: &str) -> Value {
    json!({ "type": "text", "text": words })
}

fn embedded(uri: &str, mime: &str, words: &str) -> Value {
    json!({ "type": "resource", "resource": { "uri": uri, "mimeType": mime, "text": words } })
}

pub(super) fn prompts() -> Vec<Value> {
    let prompt = |name: &str, arguments: &[&str]| {
        let argument = |name: &&str| json!({ "name": name, "description": name, "required": true });
        let arguments: Vec<Value> = arguments.iter().map(argument).collect();
        json!({ "name": name, "description": format!("Fixture {name}"), "arguments": arguments })
    };
    vec![
        prompt("test_simple_prompt", &[]),
        prompt("test_prompt_with_arguments", &["arg1", "arg2"]),
        prompt("test_prompt_with_embedded_resource", &["resourceUri"]),
        prompt("test_prompt_with_image", &[]),
        prompt("test_input_required_result_prompt", &[]),
    ]
}

/// The messages of prompts that need nothing from anybody.
pub(super) fn prompt(name: &str, arguments: &Value) -> Option<Value> {
    let given = |name: &str| {
        arguments
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let said = |content: Value| json!({ "role": "user", "content": content });
    let messages = match name {
        "test_simple_prompt" => vec![text("This is a simple prompt for testing.")],
        "test_prompt_with_arguments" => {
            let (one, two) = (given("arg1"), given("arg2"));
            vec![text(&format!(
                "Prompt with arguments: arg1='{one}', arg2='{two}'"
            ))]
        }
        "test_prompt_with_embedded_resource" => vec![
            embedded(
                given("resourceUri"),
                "text/plain",
                "Embedded resource content for testing.",
            ),
            text("Please process the embedded resource above."),
        ],
        "test_prompt_with_image" => vec![
            json!({ "type": "image", "data": PICTURE, "mimeType": "image/png" }),
            text("Please analyze the image above."),
        ],
        _ => return None,
    };
    Some(messages.into_iter().map(said).collect())
}

pub(super) fn resources() -> Value {
    json!([
        {
            "uri": "test://static-text", "name": "text", "description": "A text",
            "mimeType": "text/plain"
        },
        {
            "uri": "test://static-binary", "name": "picture", "description": "A picture",
            "mimeType": "image/png"
        }
    ])
}

pub(super) fn templates() -> Value {
    json!([{
        "uriTemplate": "test://template/{id}/data", "name": "data", "description": "Data of an id",
        "mimeType": "application/json"
    }])
}

pub(super) fn resource(uri: &str) -> Option<Value> {
    if let Some(rest) = uri.strip_prefix("test://template/") {
        let id = rest.strip_suffix("/data")?;
        let data = json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
        let found = json!({ "uri": uri, "mimeType": "application/json", "text": data.to_string() });
        return Some(found);
    }
    match uri {
        "test://static-text" => Some(json!({
            "uri": uri, "mimeType": "text/plain",
            "text": "This is the content of the static text resource."
        })),
        "test://static-binary" => {
            Some(json!({ "uri": uri, "mimeType": "image/png", "blob": PICTURE }))
        }
        _ => None,
    }
}
