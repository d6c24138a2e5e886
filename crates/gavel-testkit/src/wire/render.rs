//! Replies as bytes, the way each vendor writes them.

use gavel_models::Wire;
use serde_json::{Value, json};

use super::reply::{Damage, FakeReply, Kind, Stop, Turn};

/// What goes over the connection.
#[derive(Debug)]
pub(super) struct Rendered {
    pub(super) content_type: String,
    pub(super) chunks: Vec<Vec<u8>>,
    pub(super) end: End,
}

/// What comes after the chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The end that HTTP asks for.
    Neat,
    /// The connection breaks.
    Broken,
    /// Nothing, until the client goes.
    Stall,
    /// The last chunk again and again, until the client goes.
    Repeat,
}

/// The chunks of a reply; `None` for replies that are no stream.
pub(super) fn render(reply: &FakeReply, wire: Wire) -> Option<Rendered> {
    let mut rendered = match &reply.kind {
        Kind::Turn(turn) => Rendered {
            content_type: match wire {
                Wire::Anthropic => "text/event-stream; charset=utf-8".to_owned(),
                Wire::OpenAi => "text/event-stream".to_owned(),
            },
            chunks: match wire {
                Wire::Anthropic => anthropic(turn),
                Wire::OpenAi => openai(turn),
            },
            end: End::Neat,
        },
        Kind::Raw {
            content_type,
            chunks,
        } => Rendered {
            content_type: content_type.clone(),
            chunks: chunks.clone(),
            end: End::Neat,
        },
        Kind::Endless(text) => Rendered {
            content_type: "text/event-stream".to_owned(),
            chunks: endless(wire, text),
            end: End::Repeat,
        },
        Kind::Status { .. } | Kind::CloseBeforeHeaders | Kind::StallBeforeHeaders => return None,
    };
    if let Some(damage) = reply.damage {
        spoil(&mut rendered, damage);
    }
    Some(rendered)
}

fn spoil(rendered: &mut Rendered, damage: Damage) {
    let middle = rendered.chunks.len() / 2;
    let chunks = &mut rendered.chunks;
    match damage {
        Damage::CutMidEvent | Damage::EndMidEvent => {
            chunks.truncate(middle + 1);
            if let Some(last) = chunks.last_mut() {
                last.truncate(last.len() / 2);
            }
            if damage == Damage::CutMidEvent {
                rendered.end = End::Broken;
            }
        }
        Damage::NoEndMark => {
            chunks.pop();
        }
        Damage::InvalidUtf8 => {
            if let Some(event) = chunks.get_mut(middle) {
                let place = event.len().saturating_sub(4);
                event.splice(place..place, [0xff, 0xfe, 0x80]);
            }
        }
        Damage::NotJson => {
            if let Some(event) = chunks.get_mut(middle) {
                *event = b"data: {\"half\": \n\n".to_vec();
            }
        }
        Damage::StallAfter(events) => {
            chunks.truncate(events);
            rendered.end = End::Stall;
        }
        Damage::ByteByByte => {
            *chunks = chunks.concat().into_iter().map(|byte| vec![byte]).collect();
        }
    }
}

/// Cuts a text in two, at a character's border.
fn halves(text: &str) -> (&str, &str) {
    let middle = (0..=text.len() / 2)
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0);
    text.split_at(middle)
}

fn anthropic(turn: &Turn) -> Vec<Vec<u8>> {
    let mut events = vec![anthropic_start(turn), json!({"type": "ping"})];
    let mut index = 0;
    let mut block = |start: Value, deltas: Vec<Value>| {
        events.push(json!({"type": "content_block_start", "index": index, "content_block": start}));
        for delta in deltas {
            events.push(json!({"type": "content_block_delta", "index": index, "delta": delta}));
        }
        events.push(json!({"type": "content_block_stop", "index": index}));
        index += 1;
    };
    if !turn.reasoning.is_empty() {
        block(
            json!({"type": "thinking", "thinking": "", "signature": ""}),
            vec![
                json!({"type": "thinking_delta", "thinking": turn.reasoning}),
                json!({"type": "signature_delta", "signature": "c2lnbmVk"}),
            ],
        );
    }
    if !turn.text.is_empty() {
        let deltas = turn.text.iter();
        block(
            json!({"type": "text", "text": ""}),
            deltas
                .map(|text| json!({"type": "text_delta", "text": text}))
                .collect(),
        );
    }
    for call in &turn.calls {
        let (first, second) = halves(&call.arguments);
        block(
            json!({"type": "tool_use", "id": call.id, "name": call.name, "input": {}}),
            ["", first, second]
                .iter()
                .map(|json| json!({"type": "input_json_delta", "partial_json": json}))
                .collect(),
        );
    }
    let stop = match turn.stop {
        Stop::End => "end_turn",
        Stop::Tools => "tool_use",
        Stop::Length => "max_tokens",
        Stop::Policy => "refusal",
    };
    let mut end = json!({
        "type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": null}
    });
    if let (Some(usage), Value::Object(fields)) = (turn.usage, &mut end) {
        fields.insert("usage".to_owned(), json!({"output_tokens": usage.output.0}));
    }
    events.push(end);
    events.push(json!({"type": "message_stop"}));
    events
        .iter()
        .map(|event| {
            let name = event
                .get("type")
                .and_then(Value::as_str)
                .unwrap_or_default();
            format!("event: {name}\ndata: {event}\n\n").into_bytes()
        })
        .collect()
}

fn anthropic_start(turn: &Turn) -> Value {
    let mut message = json!({
        "id": "msg_fake", "type": "message", "role": "assistant", "model": "fake",
        "content": [], "stop_reason": null, "stop_sequence": null,
    });
    if let (Some(usage), Value::Object(fields)) = (turn.usage, &mut message) {
        fields.insert(
            "usage".to_owned(),
            json!({
                "input_tokens": usage.input.0,
                "cache_creation_input_tokens": usage.cache_write.0,
                "cache_read_input_tokens": usage.cache_read.0,
                "output_tokens": 1,
                "service_tier": "standard",
            }),
        );
    }
    json!({"type": "message_start", "message": message})
}

fn openai(turn: &Turn) -> Vec<Vec<u8>> {
    let mut deltas = vec![json!({"role": "assistant", "content": null})];
    if !turn.reasoning.is_empty() {
        deltas.push(json!({"reasoning_content": turn.reasoning}));
    }
    deltas.extend(turn.text.iter().map(|text| json!({"content": text})));
    for (index, call) in turn.calls.iter().enumerate() {
        deltas.push(
            json!({"tool_calls": [{"index": index, "id": call.id, "type": "function",
            "function": {"name": call.name, "arguments": ""}}]}),
        );
    }
    for second in [false, true] {
        for (index, call) in turn.calls.iter().enumerate() {
            let (first_half, second_half) = halves(&call.arguments);
            let piece = if second { second_half } else { first_half };
            deltas
                .push(json!({"tool_calls": [{"index": index, "function": {"arguments": piece}}]}));
        }
    }
    let finish = match turn.stop {
        Stop::End => "stop",
        Stop::Tools => "tool_calls",
        Stop::Length => "length",
        Stop::Policy => "content_filter",
    };
    let mut chunks: Vec<Value> = deltas
        .into_iter()
        .map(|delta| openai_chunk(&json!([{"index": 0, "delta": delta, "finish_reason": null}])))
        .collect();
    chunks.push(openai_chunk(
        &json!([{"index": 0, "delta": {}, "finish_reason": finish}]),
    ));
    if let Some(usage) = turn.usage {
        let prompt = usage.input.0 + usage.cache_read.0 + usage.cache_write.0;
        let mut chunk = openai_chunk(&json!([]));
        if let Value::Object(fields) = &mut chunk {
            fields.insert(
                "usage".to_owned(),
                json!({
                    "prompt_tokens": prompt,
                    "completion_tokens": usage.output.0,
                    "total_tokens": prompt + usage.output.0,
                    "prompt_tokens_details": {"cached_tokens": usage.cache_read.0},
                    "completion_tokens_details": {"reasoning_tokens": 0},
                }),
            );
        }
        chunks.push(chunk);
    }
    let mut bytes: Vec<Vec<u8>> = chunks
        .iter()
        .map(|chunk| format!("data: {chunk}\n\n").into_bytes())
        .collect();
    bytes.push(b"data: [DONE]\n\n".to_vec());
    bytes
}

fn openai_chunk(choices: &Value) -> Value {
    json!({
        "id": "chatcmpl-fake", "object": "chat.completion.chunk", "created": 0, "model": "fake",
        "choices": choices,
    })
}

fn endless(wire: Wire, text: &str) -> Vec<Vec<u8>> {
    match wire {
        Wire::Anthropic => [
            json!({"type": "message_start", "message": {"usage":
                {"input_tokens": 1, "output_tokens": 1}}}),
            json!({"type": "content_block_start", "index": 0,
                "content_block": {"type": "text", "text": ""}}),
            json!({"type": "content_block_delta", "index": 0,
                "delta": {"type": "text_delta", "text": text}}),
        ]
        .iter()
        .map(|event| format!("data: {event}\n\n").into_bytes())
        .collect(),
        Wire::OpenAi => {
            let choices = json!([{"index": 0, "delta": {"content": text}, "finish_reason": null}]);
            vec![format!("data: {}\n\n", openai_chunk(&choices)).into_bytes()]
        }
    }
}
