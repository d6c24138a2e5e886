//! A request as chat completions take it.

use serde::Serialize;

use super::{MaxTokensField, OpenAiFlavour};
use crate::error::unsendable;
use crate::field_order::InOrder;
use crate::{
    AnswerMode, AnswerSchema, CallError, Message, MessageRole, Part, Request, ToolChoice, answer,
};

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u64>,
    stream: bool,
    stream_options: StreamOptions,
    messages: Vec<Entry<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Choice<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<ResponseFormat<'a>>,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize)]
#[serde(tag = "role", rename_all = "snake_case")]
enum Entry<'a> {
    System {
        content: String,
    },
    User {
        content: String,
    },
    Assistant {
        #[serde(skip_serializing_if = "Option::is_none")]
        content: Option<String>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<Call<'a>>,
    },
    Tool {
        tool_call_id: &'a str,
        content: &'a str,
    },
}

#[derive(Serialize)]
struct Call<'a> {
    id: &'a str,
    #[serde(rename = "type")]
    kind: &'static str,
    function: Called<'a>,
}

#[derive(Serialize)]
struct Called<'a> {
    name: &'a str,
    arguments: &'a str,
}

#[derive(Serialize)]
struct Tool<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    name: &'a str,
    description: &'a str,
    parameters: InOrder<'a>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Choice<'a> {
    Word(&'static str),
    Named {
        #[serde(rename = "type")]
        kind: &'static str,
        function: Named<'a>,
    },
}

#[derive(Serialize)]
struct Named<'a> {
    name: &'a str,
}

#[derive(Serialize)]
struct ResponseFormat<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    json_schema: NamedSchema<'a>,
}

#[derive(Serialize)]
struct NamedSchema<'a> {
    name: &'a str,
    schema: InOrder<'a>,
    /// The vendor enforces closed schemas only and refuses the flag on others.
    strict: bool,
}

/// The bytes to send.
pub(crate) fn body(request: &Request, flavour: OpenAiFlavour) -> Result<Vec<u8>, CallError> {
    let max = request.limits.max_output.0;
    let schema_in = |mode| request.answer.as_ref().filter(|_| flavour.answers == mode);
    let mut messages = entries(request)?;
    if let Some(schema) = schema_in(AnswerMode::Fenced) {
        push_words(&mut messages, &answer::words(schema));
    }
    let answer_tool = schema_in(AnswerMode::Tool).map(|schema| (answer::tool_name(schema), schema));
    let mut tools: Vec<Tool<'_>> = request
        .tools
        .iter()
        .map(|spec| {
            tool(
                &spec.name,
                &spec.description,
                InOrder::by_name(&spec.schema),
            )
        })
        .collect();
    if let Some((name, schema)) = &answer_tool {
        let purpose = "Gives the final answer. Call it once, when the answer is complete.";
        tools.push(tool(name, purpose, answer::in_order(schema)));
    }
    let body = Body {
        model: request.model.model(),
        max_tokens: (flavour.max_tokens == MaxTokensField::MaxTokens).then_some(max),
        max_completion_tokens: (flavour.max_tokens == MaxTokensField::MaxCompletionTokens)
            .then_some(max),
        stream: true,
        stream_options: StreamOptions {
            include_usage: true,
        },
        messages,
        tool_choice: choice(request, answer_tool.as_ref().map(|(name, _)| name.as_str())),
        tools,
        response_format: schema_in(AnswerMode::Native).map(response_format),
    };
    serde_json::to_vec(&body).map_err(|error| unsendable(&error.to_string()))
}

fn response_format(schema: &AnswerSchema) -> ResponseFormat<'_> {
    ResponseFormat {
        kind: "json_schema",
        json_schema: NamedSchema {
            name: &schema.name,
            schema: answer::in_order(schema),
            strict: answer::is_closed(&schema.schema),
        },
    }
}

fn tool<'a>(name: &'a str, description: &'a str, parameters: InOrder<'a>) -> Tool<'a> {
    Tool {
        kind: "function",
        function: Function {
            name,
            description,
            parameters,
        },
    }
}

fn choice<'a>(request: &'a Request, answer_tool: Option<&'a str>) -> Option<Choice<'a>> {
    let named = |name| Choice::Named {
        kind: "function",
        function: Named { name },
    };
    match (&request.tool_choice, answer_tool) {
        (ToolChoice::None, Some(name)) => Some(named(name)),
        (ToolChoice::Auto | ToolChoice::Required, Some(name)) if request.tools.is_empty() => {
            Some(named(name))
        }
        // The model may go on with its tools, or answer; plain words are neither.
        (ToolChoice::Auto | ToolChoice::Required, Some(_)) => Some(Choice::Word("required")),
        (ToolChoice::Named(name), _) => Some(named(name)),
        (_, None) if request.tools.is_empty() => None,
        (ToolChoice::Auto, None) => Some(Choice::Word("auto")),
        (ToolChoice::Required, None) => Some(Choice::Word("required")),
        (ToolChoice::None, None) => Some(Choice::Word("none")),
    }
}

fn entries(request: &Request) -> Result<Vec<Entry<'_>>, CallError> {
    let mut entries: Vec<Entry<'_>> = Vec::new();
    for message in &request.messages {
        match message.role {
            MessageRole::System => {
                if !entries.iter().all(|e| matches!(e, Entry::System { .. })) {
                    return Err(unsendable("a system message after the first turn"));
                }
                entries.extend(text_of(message).map(|content| Entry::System { content }));
            }
            MessageRole::User => {
                // Results must follow their calls at once, words come after them.
                entries.extend(results_of(message));
                entries.extend(text_of(message).map(|content| Entry::User { content }));
            }
            MessageRole::Assistant => {
                let (content, tool_calls) = (text_of(message), calls_of(message));
                if content.is_some() || !tool_calls.is_empty() {
                    entries.push(Entry::Assistant {
                        content,
                        tool_calls,
                    });
                }
            }
        }
    }
    Ok(entries)
}

/// All text of a message, joined by blank lines; `None` when there is none.
fn text_of(message: &Message) -> Option<String> {
    let texts: Vec<&str> = message
        .parts
        .iter()
        .filter_map(|part| match part {
            Part::Text { text } if !text.is_empty() => Some(text.as_str()),
            Part::Text { .. } | Part::ToolCall { .. } | Part::ToolResult { .. } => None,
        })
        .collect();
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}

fn calls_of<'a>(message: &'a Message) -> Vec<Call<'a>> {
    let call = |part: &'a Part| match part {
        Part::ToolCall {
            id,
            name,
            arguments,
        } => Some(Call {
            id,
            kind: "function",
            function: Called { name, arguments },
        }),
        Part::Text { .. } | Part::ToolResult { .. } => None,
    };
    message.parts.iter().filter_map(call).collect()
}

fn results_of(message: &Message) -> impl Iterator<Item = Entry<'_>> {
    message.parts.iter().filter_map(|part| match part {
        Part::ToolResult { id, text, .. } => Some(Entry::Tool {
            tool_call_id: id,
            content: text,
        }),
        Part::Text { .. } | Part::ToolCall { .. } => None,
    })
}

/// Adds the words to the last question: many chat templates refuse two user turns in a row.
fn push_words(entries: &mut Vec<Entry<'_>>, words: &str) {
    if let Some(Entry::User { content }) = entries.last_mut() {
        content.push_str("\n\n");
        content.push_str(words);
    } else {
        entries.push(Entry::User {
            content: words.to_owned(),
        });
    }
}
