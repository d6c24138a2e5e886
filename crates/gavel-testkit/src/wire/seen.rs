//! A request as the server saw it.

use gavel_domain::Digest;
use gavel_models::Wire;
use serde_json::Value;

use super::http1::Incoming;
use crate::conversation::Piece;

/// A request, parsed.
#[derive(Debug, Clone)]
pub struct SeenRequest {
    /// Its number, from 0.
    pub n: usize,
    /// The client's port: requests over one connection share it.
    pub client: u16,
    /// The wire.
    pub wire: Wire,
    /// The path.
    pub path: String,
    /// The headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Value,
    /// The digest of the body's bytes.
    pub digest: Digest,
}

impl SeenRequest {
    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(header, _)| header == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The conversation, in order.
    pub fn pieces(&self) -> Vec<Piece> {
        match self.wire {
            Wire::Anthropic => anthropic_pieces(&self.body),
            Wire::OpenAi => openai_pieces(&self.body),
        }
    }

    /// The last words of whoever asks.
    pub fn last_asked(&self) -> Option<String> {
        self.pieces()
            .into_iter()
            .rev()
            .find_map(|piece| match piece {
                Piece::Asked(text) => Some(text),
                Piece::System(_) | Piece::Said(_) | Piece::Called { .. } | Piece::Result { .. } => {
                    None
                }
            })
    }

    pub(super) fn parse(n: usize, wire: Wire, incoming: &Incoming) -> Result<Self, String> {
        let body = serde_json::from_slice(&incoming.body)
            .map_err(|error| format!("the body is no JSON: {error}"))?;
        Ok(Self {
            n,
            client: incoming.client,
            wire,
            path: incoming.path.clone(),
            headers: incoming.headers.clone(),
            body,
            digest: Digest::of(&incoming.body),
        })
    }
}

fn text_in(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(blocks)) => {
            let texts: Vec<String> = blocks
                .iter()
                .map(|block| text_in(block.get("text")))
                .collect();
            texts.join("\n\n")
        }
        Some(_) | None => String::new(),
    }
}

fn each<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    value
        .get(name)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

fn anthropic_pieces(body: &Value) -> Vec<Piece> {
    let mut pieces = Vec::new();
    match body.get("system") {
        Some(Value::Array(blocks)) => {
            let texts = blocks.iter().map(|block| text_in(block.get("text")));
            pieces.extend(texts.map(Piece::System));
        }
        Some(other) => pieces.push(Piece::System(text_in(Some(other)))),
        None => {}
    }
    for message in each(body, "messages") {
        let user = message.get("role").is_some_and(|role| role == "user");
        if let Some(Value::String(text)) = message.get("content") {
            pieces.push(words(user, text.clone()));
        }
        for block in each(message, "content") {
            let field = |name: &str| text_in(block.get(name));
            let kind = field("type");
            pieces.push(match kind.as_str() {
                "tool_use" => {
                    let input = block.get("input").map(ToString::to_string);
                    Piece::called(&field("id"), &field("name"), &input.unwrap_or_default())
                }
                "tool_result" => Piece::Result {
                    id: field("tool_use_id"),
                    text: field("content"),
                },
                _ => words(user, field("text")),
            });
        }
    }
    pieces
}

fn openai_pieces(body: &Value) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for message in each(body, "messages") {
        let field = |name: &str| text_in(message.get(name));
        let content = field("content");
        match field("role").as_str() {
            "system" => pieces.push(Piece::System(content)),
            "user" => pieces.push(Piece::Asked(content)),
            "tool" => pieces.push(Piece::Result {
                id: field("tool_call_id"),
                text: content,
            }),
            _ => {
                if !content.is_empty() {
                    pieces.push(Piece::Said(content));
                }
                for call in each(message, "tool_calls") {
                    let of = |path: &str| text_in(call.pointer(path));
                    let arguments = of("/function/arguments");
                    pieces.push(Piece::called(&of("/id"), &of("/function/name"), &arguments));
                }
            }
        }
    }
    pieces
}

const fn words(user: bool, text: String) -> Piece {
    if user {
        Piece::Asked(text)
    } else {
        Piece::Said(text)
    }
}
