//! A request as it was before it went over the wire, as far as the wire tells.
//!
//! With it any [`Model`] can stand behind a fake server: whoever calls it over HTTP gets what a
//! direct caller gets.

use futures_util::{FutureExt, StreamExt};
use gavel_domain::Tokens;
use gavel_models::{
    ANSWER_WORDS, AnswerMode, AnswerSchema, Delta, Limits, Message, MessageRole, Model, ModelId,
    Part, Reply, Request, ToolChoice, ToolSpec, Wire,
};
use serde_json::{Value, json};

use super::reply::FakeReply;
use super::seen::SeenRequest;

/// What the tool of an answer is called: this, and the name of the answer's shape.
const ANSWER_TOOL: &str = "answer_";

/// A request, read back from its wire.
#[derive(Debug, Clone, PartialEq)]
pub struct Rebuilt {
    /// The request. Its provider is called `served`; deadlines and cache marks never travel. Chat
    /// completions do not say whether a tool refused, so every result counts as one that went well.
    pub request: Request,
    /// How the answer's schema travelled.
    pub answers: Option<AnswerMode>,
}

impl Rebuilt {
    /// The reply in the form that was asked for.
    pub fn reply(&self, reply: &Reply) -> FakeReply {
        let said = match (self.answers, &self.request.answer) {
            (Some(AnswerMode::Tool), Some(schema)) if reply.tool_calls.is_empty() => {
                let tool = format!("{ANSWER_TOOL}{}", schema.name);
                FakeReply::calls(&[("answer-1", &tool, &reply.text)])
            }
            (Some(AnswerMode::Fenced), Some(_)) => {
                FakeReply::text(&format!("Here it is.\n```json\n{}\n```", reply.text))
            }
            _ if reply.tool_calls.is_empty() => FakeReply::text(&reply.text),
            _ => {
                let calls: Vec<_> = reply
                    .tool_calls
                    .iter()
                    .map(|call| {
                        (
                            call.id.as_str(),
                            call.name.as_str(),
                            call.arguments.as_str(),
                        )
                    })
                    .collect();
                match reply.text.as_str() {
                    "" => FakeReply::calls(&calls),
                    text => FakeReply::text_and_calls(text, &calls),
                }
            }
        };
        said.usage(reply.usage)
    }
}

/// A rule that answers with a model. Where the wire carries a schema without its name, `shape`
/// finds the name.
pub fn model_rule(
    model: impl Model + 'static,
    shape: impl Fn(&Value) -> Option<&'static str> + Send + 'static,
) -> impl Fn(&SeenRequest) -> FakeReply + Send + 'static {
    move |seen| {
        let mut rebuilt = seen.rebuilt();
        if let Some(answer) = &mut rebuilt.request.answer
            && answer.name.is_empty()
        {
            answer.name = shape(&answer.schema).unwrap_or_default().to_owned();
        }
        match ask(&model, rebuilt.request.clone()) {
            Ok(reply) => rebuilt.reply(&reply),
            Err(problem) => {
                let error = json!({"type": "invalid_request_error", "message": problem});
                FakeReply::status(400, &json!({"type": "error", "error": error}).to_string())
            }
        }
    }
}

/// What a model says that does not wait for anything.
fn ask(model: &impl Model, request: Request) -> Result<Reply, String> {
    let deltas = model.stream(request).collect::<Vec<_>>().now_or_never();
    let last = deltas.and_then(|mut deltas| deltas.pop());
    match last {
        Some(Ok(Delta::Finished(reply))) => Ok(reply),
        Some(Err(error)) => Err(error.to_string()),
        Some(Ok(Delta::Text(_) | Delta::ToolStarted { .. })) | None => {
            Err("the model did not answer at once".to_owned())
        }
    }
}

impl SeenRequest {
    /// The request that its wire tells of.
    pub fn rebuilt(&self) -> Rebuilt {
        let body = &self.body;
        let (mut messages, specs, choice) = match self.wire {
            Wire::Anthropic => (
                anthropic_messages(body),
                list(body, "tools")
                    .map(|tool| spec(tool, "input_schema"))
                    .collect(),
                anthropic_choice(body),
            ),
            Wire::OpenAi => (
                openai_messages(body),
                list(body, "tools")
                    .filter_map(|tool| tool.get("function"))
                    .map(|tool| spec(tool, "parameters"))
                    .collect::<Vec<_>>(),
                openai_choice(body),
            ),
        };
        let (answers, tools): (Vec<ToolSpec>, Vec<ToolSpec>) = specs
            .into_iter()
            .partition(|tool| tool.name.starts_with(ANSWER_TOOL));
        let (answer, mode) = match answers.into_iter().next() {
            Some(tool) => {
                let name = tool.name.trim_start_matches(ANSWER_TOOL).to_owned();
                let schema = tool.schema;
                (
                    Some(AnswerSchema {
                        name,
                        schema,
                        order: gavel_models::FieldOrder::default(),
                    }),
                    Some(AnswerMode::Tool),
                )
            }
            None => match native_schema(body) {
                Some(schema) => (Some(schema), Some(AnswerMode::Native)),
                None => match take_words(&mut messages) {
                    Some(schema) => (Some(schema), Some(AnswerMode::Fenced)),
                    None => (None, None),
                },
            },
        };
        let max = ["max_tokens", "max_completion_tokens"];
        let max = max.iter().find_map(|name| body.get(name)?.as_u64());
        let request = Request {
            model: model_id(&text(body, "model")),
            messages,
            tools,
            // The choice of a request with an answer tool is that of the client.
            tool_choice: match mode {
                Some(AnswerMode::Tool) => ToolChoice::Auto,
                Some(AnswerMode::Native | AnswerMode::Fenced) | None => choice,
            },
            answer,
            limits: Limits {
                max_output: Tokens(max.unwrap_or_default()),
                deadlines: Default::default(),
            },
        };
        Rebuilt {
            request,
            answers: mode,
        }
    }
}

#[expect(
    clippy::expect_used,
    reason = "a harness that gets something else fails its test"
)]
fn model_id(name: &str) -> ModelId {
    format!("served/{name}")
        .parse()
        .expect("the request names a model")
}

fn text(value: &Value, name: &str) -> String {
    let found = value.get(name).and_then(Value::as_str);
    found.unwrap_or_default().to_owned()
}

fn list<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    let found = value.get(name).and_then(Value::as_array);
    found.into_iter().flatten()
}

fn spec(tool: &Value, schema: &str) -> ToolSpec {
    ToolSpec {
        name: text(tool, "name"),
        description: text(tool, "description"),
        schema: tool.get(schema).cloned().unwrap_or_default(),
    }
}

fn native_schema(body: &Value) -> Option<AnswerSchema> {
    let openai = body.pointer("/response_format/json_schema");
    if let Some(format) = openai {
        return Some(AnswerSchema {
            order: gavel_models::FieldOrder::default(),
            name: text(format, "name"),
            schema: format.get("schema")?.clone(),
        });
    }
    let schema = body.pointer("/output_config/format/schema")?.clone();
    Some(AnswerSchema {
        order: gavel_models::FieldOrder::default(),
        name: String::new(),
        schema,
    })
}

/// Takes the words that ask for a fenced answer off the last question.
fn take_words(messages: &mut Vec<Message>) -> Option<AnswerSchema> {
    let last = messages.last_mut()?;
    let Some(Part::Text { text }) = last.parts.last_mut() else {
        return None;
    };
    let at = text.find(ANSWER_WORDS)?;
    let words = text.split_off(at);
    let kept = text.trim_end().len();
    text.truncate(kept);
    if kept == 0 {
        last.parts.pop();
    }
    if last.parts.is_empty() {
        messages.pop();
    }
    let (_, schema) = words.rsplit_once("```json\n")?;
    let schema = schema.trim_end().strip_suffix("```")?;
    Some(AnswerSchema {
        order: gavel_models::FieldOrder::default(),
        name: String::new(),
        schema: serde_json::from_str(schema).ok()?,
    })
}

fn message(role: MessageRole, parts: Vec<Part>) -> Message {
    Message {
        role,
        parts,
        cache_here: false,
    }
}

fn anthropic_messages(body: &Value) -> Vec<Message> {
    let system: Vec<Part> = list(body, "system").map(anthropic_part).collect();
    let turns = list(body, "messages").map(|turn| {
        let role = match text(turn, "role").as_str() {
            "assistant" => MessageRole::Assistant,
            _ => MessageRole::User,
        };
        message(role, list(turn, "content").map(anthropic_part).collect())
    });
    let system = (!system.is_empty()).then(|| message(MessageRole::System, system));
    system.into_iter().chain(turns).collect()
}

fn anthropic_part(block: &Value) -> Part {
    match text(block, "type").as_str() {
        "tool_use" => Part::ToolCall {
            id: text(block, "id"),
            name: text(block, "name"),
            arguments: block.get("input").map(Value::to_string).unwrap_or_default(),
        },
        "tool_result" => Part::ToolResult {
            id: text(block, "tool_use_id"),
            ok: block.get("is_error") != Some(&Value::Bool(true)),
            text: text(block, "content"),
        },
        _ => Part::Text {
            text: text(block, "text"),
        },
    }
}

fn anthropic_choice(body: &Value) -> ToolChoice {
    let Some(choice) = body.get("tool_choice") else {
        return ToolChoice::Auto;
    };
    match text(choice, "type").as_str() {
        "any" => ToolChoice::Required,
        "none" => ToolChoice::None,
        "tool" => ToolChoice::Named(text(choice, "name")),
        _ => ToolChoice::Auto,
    }
}

fn openai_messages(body: &Value) -> Vec<Message> {
    let mut messages: Vec<Message> = Vec::new();
    for entry in list(body, "messages") {
        let role = text(entry, "role");
        let content = text(entry, "content");
        if role == "tool" {
            let result = Part::ToolResult {
                id: text(entry, "tool_call_id"),
                ok: true,
                text: content,
            };
            match messages.last_mut() {
                Some(last) if last.role == MessageRole::User => last.parts.push(result),
                Some(_) | None => messages.push(message(MessageRole::User, vec![result])),
            }
            continue;
        }
        let said = (!content.is_empty()).then_some(Part::Text { text: content });
        let calls = list(entry, "tool_calls").map(|call| Part::ToolCall {
            id: text(call, "id"),
            name: text(&call["function"], "name"),
            arguments: text(&call["function"], "arguments"),
        });
        let role = match role.as_str() {
            "system" => MessageRole::System,
            "assistant" => MessageRole::Assistant,
            _ => MessageRole::User,
        };
        messages.push(message(role, said.into_iter().chain(calls).collect()));
    }
    messages
}

fn openai_choice(body: &Value) -> ToolChoice {
    match body.get("tool_choice") {
        Some(Value::String(word)) if word == "required" => ToolChoice::Required,
        Some(Value::String(word)) if word == "none" => ToolChoice::None,
        Some(Value::Object(choice)) => {
            let function = choice.get("function").cloned().unwrap_or_default();
            ToolChoice::Named(text(&function, "name"))
        }
        Some(_) | None => ToolChoice::Auto,
    }
}

#[cfg(test)]
#[path = "rebuilt_tests.rs"]
mod tests;
