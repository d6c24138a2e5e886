//! A request as the Messages API takes it.

use serde::Serialize;
use serde_json::value::RawValue;

use crate::error::unsendable;
use crate::field_order::InOrder;
use crate::{
    AnswerMode, CallError, Message, MessageRole, Part, Request, ToolChoice, ToolSpec, answer,
};

/// The most cache marks that the API takes in one request.
const MAX_CACHE_MARKS: usize = 4;

/// What the body is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// A streamed reply.
    Reply,
    /// Counting its input.
    Count,
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream: Option<bool>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    system: Vec<Block<'a>>,
    messages: Vec<Turn<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Choice<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_config: Option<OutputConfig<'a>>,
}

#[derive(Serialize)]
struct Turn<'a> {
    role: &'static str,
    content: Vec<Block<'a>>,
}

#[derive(Serialize)]
struct Block<'a> {
    #[serde(flatten)]
    content: Content<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<CacheControl>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Content<'a> {
    Text {
        text: &'a str,
    },
    ToolUse {
        id: &'a str,
        name: &'a str,
        input: Arguments<'a>,
    },
    ToolResult {
        tool_use_id: &'a str,
        content: &'a str,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
    },
}

#[derive(Serialize, Clone, Copy)]
struct CacheControl {
    #[serde(rename = "type")]
    kind: &'static str,
}

#[derive(Serialize)]
struct Tool<'a> {
    name: &'a str,
    description: &'a str,
    input_schema: InOrder<'a>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Choice<'a> {
    Auto,
    Any,
    None,
    Tool { name: &'a str },
}

#[derive(Serialize)]
struct OutputConfig<'a> {
    format: Format<'a>,
}

#[derive(Serialize)]
struct Format<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    schema: InOrder<'a>,
}

/// The bytes to send.
pub(crate) fn body(
    request: &Request,
    mode: AnswerMode,
    purpose: Purpose,
) -> Result<Vec<u8>, CallError> {
    let schema = request.answer.as_ref();
    let answer_tool = schema
        .filter(|_| mode == AnswerMode::Tool)
        .map(|schema| (answer::tool_name(schema), schema));
    let words = schema
        .filter(|_| mode == AnswerMode::Fenced)
        .map(answer::words);
    let (system, mut messages) = turns(request)?;
    if let Some(words) = &words {
        push_words(&mut messages, words);
    }
    let mut tools: Vec<Tool<'_>> = request.tools.iter().map(tool).collect();
    if let Some((name, schema)) = &answer_tool {
        tools.push(Tool {
            name,
            description: "Gives the final answer. Call it once, when the answer is complete.",
            input_schema: answer::in_order(schema),
        });
    }
    let answer_name = answer_tool.as_ref().map(|(name, _)| name.as_str());
    let body = Body {
        model: request.model.model(),
        max_tokens: (purpose == Purpose::Reply).then_some(request.limits.max_output.0),
        stream: (purpose == Purpose::Reply).then_some(true),
        system,
        messages,
        tool_choice: choice(request, answer_name),
        tools,
        output_config: schema
            .filter(|_| mode == AnswerMode::Native)
            .map(|schema| OutputConfig {
                format: Format {
                    kind: "json_schema",
                    schema: answer::in_order(schema),
                },
            }),
    };
    serde_json::to_vec(&body).map_err(|error| unsendable(&error.to_string()))
}

fn tool(spec: &ToolSpec) -> Tool<'_> {
    Tool {
        name: &spec.name,
        description: &spec.description,
        input_schema: InOrder::by_name(&spec.schema),
    }
}

fn choice<'a>(request: &'a Request, answer_tool: Option<&'a str>) -> Option<Choice<'a>> {
    match (&request.tool_choice, answer_tool) {
        (ToolChoice::None, Some(name)) => Some(Choice::Tool { name }),
        (ToolChoice::Auto | ToolChoice::Required, Some(name)) if request.tools.is_empty() => {
            Some(Choice::Tool { name })
        }
        // The model may go on with its tools, or answer; plain words are neither.
        (ToolChoice::Auto | ToolChoice::Required, Some(_)) => Some(Choice::Any),
        (ToolChoice::Named(name), _) => Some(Choice::Tool { name }),
        (_, None) if request.tools.is_empty() => None,
        (ToolChoice::Auto, None) => Some(Choice::Auto),
        (ToolChoice::Required, None) => Some(Choice::Any),
        (ToolChoice::None, None) => Some(Choice::None),
    }
}

type Parts<'a> = (Vec<Block<'a>>, Vec<Turn<'a>>);

/// System blocks and turns. Messages of one role in a row become one turn, since all results of
/// parallel calls must stand in the turn right after them, results before words.
fn turns(request: &Request) -> Result<Parts<'_>, CallError> {
    let marks = marks(&request.messages);
    let mut system = Vec::new();
    let mut turns: Vec<Turn<'_>> = Vec::new();
    for (at, message) in request.messages.iter().enumerate() {
        let mut blocks = blocks(message)?;
        if let Some(last) = blocks.last_mut().filter(|_| marks.contains(&at)) {
            last.cache_control = Some(CacheControl { kind: "ephemeral" });
        }
        let role = match message.role {
            MessageRole::System if turns.is_empty() => {
                system.append(&mut blocks);
                continue;
            }
            MessageRole::System => return Err(unsendable("a system message after the first turn")),
            MessageRole::User => "user",
            MessageRole::Assistant => "assistant",
        };
        match turns.last_mut() {
            Some(turn) if turn.role == role => turn.content.append(&mut blocks),
            Some(_) | None if blocks.is_empty() => {}
            Some(_) | None => turns.push(Turn {
                role,
                content: blocks,
            }),
        }
    }
    Ok((system, turns))
}

/// Where cache marks go: the last few, if there are more than the API takes.
fn marks(messages: &[Message]) -> Vec<usize> {
    let wanted = messages.iter().enumerate().rev();
    wanted
        .filter(|(_, message)| message.cache_here)
        .map(|(at, _)| at)
        .take(MAX_CACHE_MARKS)
        .collect()
}

fn blocks(message: &Message) -> Result<Vec<Block<'_>>, CallError> {
    let mut blocks = Vec::new();
    for part in &message.parts {
        let content = match part {
            // The API refuses empty text.
            Part::Text { text } if text.trim().is_empty() => continue,
            Part::Text { text } => Content::Text { text },
            Part::ToolCall {
                id,
                name,
                arguments,
            } => Content::ToolUse {
                id,
                name,
                input: Arguments::new(arguments)?,
            },
            Part::ToolResult { id, ok, text } => Content::ToolResult {
                tool_use_id: id,
                content: text,
                is_error: !ok,
            },
        };
        blocks.push(Block {
            content,
            cache_control: None,
        });
    }
    // A stable sort: results first, everything else as it was.
    blocks.sort_by_key(|block| !matches!(block.content, Content::ToolResult { .. }));
    Ok(blocks)
}

fn push_words<'a>(turns: &mut Vec<Turn<'a>>, words: &'a str) {
    let block = Block {
        content: Content::Text { text: words },
        cache_control: None,
    };
    match turns.last_mut() {
        Some(turn) if turn.role == "user" => turn.content.push(block),
        Some(_) | None => turns.push(Turn {
            role: "user",
            content: vec![block],
        }),
    }
}

/// Arguments as they came: the bytes of the model, so that the prefix stays the same.
#[derive(Serialize)]
#[serde(transparent)]
struct Arguments<'a>(&'a RawValue);

impl<'a> Arguments<'a> {
    fn new(json: &'a str) -> Result<Self, CallError> {
        match serde_json::from_str(json) {
            Ok(raw) => Ok(Self(raw)),
            Err(_) => Err(unsendable(
                "tool arguments in the history that are not JSON",
            )),
        }
    }
}
