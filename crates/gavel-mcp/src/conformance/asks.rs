//! Fixtures that ask the client's user something, in the ways of both revisions.

use gavel_domain::Digest;
use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ElicitRequestParams, ElicitResult,
    GetPromptRequestParams, GetPromptResponse, GetPromptResult, InputRequiredResult,
    InputResponses,
};
use serde_json::{Value, json};

use super::{Context, complete, wire};

/// What states of this fixture are signed with; it guards nothing.
fn seed() -> Digest {
    Digest::of("conformance fixture")
}

pub(super) async fn call(
    request: CallToolRequestParams,
    context: &Context,
) -> Result<CallToolResponse, ErrorData> {
    let responses = request.input_responses.unwrap_or_default();
    let state = request.request_state;
    match request.name.as_ref() {
        "test_missing_capability" => missing_capability(),
        "test_elicitation" => {
            let arguments = request.arguments.unwrap_or_default();
            let message = arguments.get("message").and_then(Value::as_str);
            let form = form(message.unwrap_or("Please answer"), &username());
            let said = put(form, context).await?;
            text(&format!("User response: {said}"))
        }
        "test_elicitation_sep1034_defaults" => {
            let said = put(form("Please check", &defaults()), context).await?;
            text(&format!("Elicitation completed: {said}"))
        }
        "test_elicitation_sep1330_enums" => {
            let said = put(form("Please choose", &enums()), context).await?;
            text(&format!("Elicitation completed: {said}"))
        }
        "test_streaming_elicitation" | "test_input_required_result_elicitation" => {
            match answer(&responses, "user_name", "name") {
                Some(name) => text(&format!("Hello, {name}!")),
                None => ask(("user_name", "What is your name?", "name"), None),
            }
        }
        "test_input_required_result_request_state"
        | "test_input_required_result_tampered_state" => confirmed(&responses, state.as_deref()),
        "test_input_required_result_multi_round" => rounds(&responses, state.as_deref()),
        name => {
            let unknown = format!("unknown tool: `{name}`");
            Err(ErrorData::invalid_params(unknown, None))
        }
    }
}

pub(super) fn prompt(
    request: &GetPromptRequestParams,
    _context: &Context,
) -> Result<GetPromptResponse, ErrorData> {
    if request.name != "test_input_required_result_prompt" {
        let unknown = format!("unknown prompt: `{}`", request.name);
        return Err(ErrorData::invalid_params(unknown, None));
    }
    let responses = request.input_responses.clone().unwrap_or_default();
    let Some(said) = answer(&responses, "user_context", "context") else {
        let question = (
            "user_context",
            "What context should the prompt use?",
            "context",
        );
        return Ok(required(question, None)?.into());
    };
    let message = json!({ "role": "user", "content": { "type": "text", "text": said } });
    let filled: GetPromptResult = complete(json!({ "messages": [message] }))?;
    Ok(filled.into())
}

fn missing_capability() -> Result<CallToolResponse, ErrorData> {
    let wanted = wire(json!({ "sampling": {} }))?;
    Err(ErrorData::missing_required_client_capability(wanted))
}

fn confirmed(
    responses: &InputResponses,
    state: Option<&str>,
) -> Result<CallToolResponse, ErrorData> {
    let Some(state) = state else {
        return ask(("confirm", "Please confirm", "ok"), Some("confirm"));
    };
    if opened(state)? == "confirm" && responses.contains_key("confirm") {
        return text("state-ok");
    }
    ask(("confirm", "Please confirm", "ok"), Some("confirm"))
}

fn rounds(responses: &InputResponses, state: Option<&str>) -> Result<CallToolResponse, ErrorData> {
    let state = state.map(opened).transpose()?;
    match state {
        Some("one") if responses.contains_key("step1") => {
            let question = ("step2", "Step 2: What is your favorite color?", "color");
            ask(question, Some("two"))
        }
        Some("two") if responses.contains_key("step2") => text("all rounds are done"),
        _ => ask(("step1", "Step 1: What is your name?", "name"), Some("one")),
    }
}

fn ask(question: (&str, &str, &str), state: Option<&str>) -> Result<CallToolResponse, ErrorData> {
    Ok(required(question, state)?.into())
}

fn required(
    (key, message, field): (&str, &str, &str),
    state: Option<&str>,
) -> Result<InputRequiredResult, ErrorData> {
    let kind = if field == "ok" { "boolean" } else { "string" };
    let schema = json!({
        "type": "object",
        "properties": { field: { "type": kind } },
        "required": [field]
    });
    let params = json!({ "mode": "form", "message": message, "requestedSchema": schema });
    let request = json!({ "method": "elicitation/create", "params": params });
    let requests = wire(json!({ key: request }))?;
    Ok(InputRequiredResult::new(Some(requests), state.map(sealed)))
}

/// A state that nobody else can write.
fn sealed(state: &str) -> String {
    format!("{state}.{}", Digest::keyed(&seed(), state))
}

fn opened(sealed_state: &str) -> Result<&str, ErrorData> {
    let state = sealed_state.split_once('.').map(|(state, _)| state);
    let ours = state.filter(|state| sealed(state) == sealed_state);
    ours.ok_or_else(|| ErrorData::invalid_params("requestState was changed on its way", None))
}

/// The text that a form brought; `None` when it is not there or not what was asked for.
fn answer(responses: &InputResponses, key: &str, field: &str) -> Option<String> {
    let answer: ElicitResult = serde_json::from_value(responses.get(key)?.clone()).ok()?;
    let text = answer.content?.get(field)?.as_str()?.to_owned();
    Some(text)
}

async fn put(form: Value, context: &Context) -> Result<String, ErrorData> {
    let form: ElicitRequestParams = wire(form)?;
    let said = context.peer.create_elicitation(form).await;
    let said = said.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    let content = said.content.unwrap_or_default();
    Ok(format!("action={:?}, content={content}", said.action).to_lowercase())
}

fn form(message: &str, properties: &Value) -> Value {
    json!({
        "mode": "form",
        "message": message,
        "requestedSchema": { "type": "object", "properties": properties }
    })
}

fn username() -> Value {
    json!({
        "username": { "type": "string", "description": "User's response" },
        "email": { "type": "string", "description": "User's email address" }
    })
}

fn defaults() -> Value {
    json!({
        "name": { "type": "string", "default": "John Doe" },
        "age": { "type": "integer", "default": 30 },
        "score": { "type": "number", "default": 95.5 },
        "status": {
            "type": "string", "enum": ["active", "inactive", "pending"], "default": "active"
        },
        "verified": { "type": "boolean", "default": true }
    })
}

fn enums() -> Value {
    let titled = |words: [(&str, &str); 3]| {
        let all = words.map(|(word, title)| json!({ "const": word, "title": title }));
        Value::from(all.to_vec())
    };
    let options = ["option1", "option2", "option3"];
    let single = [
        ("value1", "First Option"),
        ("value2", "Second Option"),
        ("value3", "Third Option"),
    ];
    let multi = [
        ("value1", "First Choice"),
        ("value2", "Second Choice"),
        ("value3", "Third Choice"),
    ];
    json!({
        "untitledSingle": { "type": "string", "enum": options },
        "titledSingle": { "type": "string", "oneOf": titled(single) },
        "legacyEnum": {
            "type": "string", "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"]
        },
        "untitledMulti": { "type": "array", "items": { "type": "string", "enum": options } },
        "titledMulti": { "type": "array", "items": { "anyOf": titled(multi) } }
    })
}

fn text(words: &str) -> Result<CallToolResponse, ErrorData> {
    let content = json!([{ "type": "text", "text": words }]);
    let result: CallToolResult = complete(json!({ "content": content }))?;
    Ok(result.into())
}
