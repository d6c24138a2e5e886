//! The readers of both wires, fed with bytes: a corpus as plain tests, and anything at all.

use gavel_domain::{StopReason, Tokens};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::json;

use super::*;
use crate::{CallErrorKind, Limits, Message, MessageRole, ToolChoice, ToolSpec};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Anthropic,
    OpenAi,
}

fn request() -> Request {
    Request {
        model: "test/model".parse().unwrap(),
        messages: vec![Message::text(MessageRole::User, "hello")],
        tools: vec![ToolSpec {
            name: "look".to_owned(),
            description: "Looks.".to_owned(),
            schema: json!({"type": "object"}),
        }],
        tool_choice: ToolChoice::Auto,
        answer: None,
        limits: Limits {
            max_output: Tokens(1000),
            deadlines: Deadlines::default(),
        },
    }
}

/// Reads a whole stream, as the call does.
fn read(kind: Kind, bytes: &[u8]) -> Result<Reply, CallError> {
    match kind {
        Kind::Anthropic => read_by(anthropic::Decoder::new(request(), None), bytes),
        Kind::OpenAi => read_by(openai::Decoder::new(request(), None), bytes),
    }
}

fn read_by(mut decoder: impl Decoder, bytes: &[u8]) -> Result<Reply, CallError> {
    let mut reader = SseReader::default();
    let (mut events, mut deltas) = (Vec::new(), Vec::new());
    let read = reader.push(bytes, &mut events);
    for event in events {
        if decoder.event(&event, &mut deltas)? == Progress::Done {
            return decoder.reply();
        }
    }
    let end = read.and_then(|()| reader.finish());
    Err(bad_reply(end.err().unwrap_or(BadReply::Cut), ""))
}

fn stream(events: &[&str]) -> Vec<u8> {
    let lines = events.iter().map(|event| format!("data: {event}\n\n"));
    lines.collect::<String>().into_bytes()
}

/// A reply holds text or a call, and a count.
fn has_content(reply: &Reply) -> bool {
    let said = !reply.text.trim().is_empty() || !reply.tool_calls.is_empty();
    let objects = reply.tool_calls.iter().all(|call| {
        serde_json::from_str::<serde_json::Value>(&call.arguments)
            .is_ok_and(|json| json.is_object())
    });
    said && objects && reply.usage.output > Tokens(0)
}

const A_START: &str =
    r#"{"type":"message_start","message":{"usage":{"input_tokens":9,"output_tokens":1}}}"#;
const A_TEXT: &str =
    r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#;
const A_HI: &str =
    r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"hi"}}"#;
const A_CALL: &str = r#"{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t","name":"look","input":{}}}"#;
const A_END: &str =
    r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":5}}"#;
const A_STOP: &str = r#"{"type":"message_stop"}"#;

const O_HI: &str = r#"{"choices":[{"index":0,"delta":{"content":"hi"}}]}"#;
const O_END: &str = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#;
const O_USAGE: &str = r#"{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":5}}"#;
const O_DONE: &str = "[DONE]";

#[test]
fn plain_streams_are_read() {
    let reply = read(
        Kind::Anthropic,
        &stream(&[A_START, A_TEXT, A_HI, A_END, A_STOP]),
    )
    .unwrap();
    assert_eq!((reply.text.as_str(), reply.stop), ("hi", StopReason::End));
    assert_eq!(
        (reply.usage.input, reply.usage.output),
        (Tokens(9), Tokens(5))
    );
    let reply = read(Kind::OpenAi, &stream(&[O_HI, O_END, O_USAGE, O_DONE])).unwrap();
    assert_eq!((reply.text.as_str(), reply.stop), ("hi", StopReason::End));
    assert_eq!(
        (reply.usage.input, reply.usage.output),
        (Tokens(9), Tokens(5))
    );
}

/// How servers differ from the vendor, and still mean well.
#[test]
fn known_deviations_are_read() {
    for (name, kind, events) in [
        (
            "counts only at the end",
            Kind::Anthropic,
            vec![
                r#"{"type":"message_start","message":{}}"#,
                A_TEXT,
                A_HI,
                r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":9,"output_tokens":5}}"#,
                A_STOP,
            ],
        ),
        (
            "events that are new to us",
            Kind::Anthropic,
            vec![
                A_START,
                r#"{"type":"brand_new","x":1}"#,
                r#"{"type":"content_block_start","index":7,"content_block":{"type":"server_tool_use","id":"s","name":"web"}}"#,
                r#"{"type":"content_block_delta","index":7,"delta":{"type":"input_json_delta","partial_json":"{}"}}"#,
                r#"{"type":"content_block_delta","index":7,"delta":{"type":"brand_new_delta"}}"#,
                A_HI,
                A_END,
                A_STOP,
            ],
        ),
        (
            "usage beside the last choice",
            Kind::OpenAi,
            vec![
                O_HI,
                r#"{"choices":[{"delta":{"content":null},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":5}}"#,
                O_DONE,
            ],
        ),
        (
            "null usage before the real one",
            Kind::OpenAi,
            vec![
                r#"{"choices":[{"delta":{"content":"hi"}}],"usage":null}"#,
                O_END,
                O_USAGE,
                O_DONE,
            ],
        ),
    ] {
        let reply = read(kind, &stream(&events)).expect(name);
        assert_eq!(
            (reply.text.as_str(), reply.usage.output),
            ("hi", Tokens(5)),
            "{name}"
        );
    }
}

#[test]
fn calls_of_servers_with_their_own_habits_are_read() {
    // Whole calls without an index, one of them without an id, and `stop` as the reason.
    let events = [
        r#"{"choices":[{"delta":{"tool_calls":[{"id":"a","function":{"name":"look","arguments":"{\"n\":1}"}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"function":{"name":"look","arguments":"{\"n\":2}"}}]}}]}"#,
        O_END,
        O_USAGE,
        O_DONE,
    ];
    let reply = read(Kind::OpenAi, &stream(&events)).unwrap();
    let calls: Vec<_> = reply
        .tool_calls
        .iter()
        .map(|c| (c.id.as_str(), c.arguments.as_str()))
        .collect();
    assert_eq!(calls, [("a", "{\"n\":1}"), ("call_1_1", "{\"n\":2}")]);
    assert_eq!(reply.stop, StopReason::ToolUse);
    // Arguments at once instead of in pieces.
    let whole = r#"{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t","name":"look","input":{"n":3}}}"#;
    let reply = read(Kind::Anthropic, &stream(&[A_START, whole, A_END, A_STOP])).unwrap();
    assert_eq!(reply.tool_calls[0].arguments, "{\"n\":3}");
}

#[test]
fn counts_are_taken_at_their_worst() {
    for (usage, expected) in [
        (
            r#"{"prompt_tokens":100,"completion_tokens":5,"total_tokens":155}"#,
            [100, 0, 0, 55],
        ),
        (
            r#"{"prompt_tokens":100,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":60}}"#,
            [40, 60, 0, 5],
        ),
        (
            r#"{"prompt_tokens":100,"completion_tokens":5,"prompt_cache_hit_tokens":64,"prompt_cache_miss_tokens":36}"#,
            [36, 64, 0, 5],
        ),
        (
            r#"{"prompt_tokens":100,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":999,"cache_write_tokens":7}}"#,
            [0, 100, 0, 5],
        ),
        (
            r#"{"prompt_tokens":100,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":10,"cache_write_tokens":20},"completion_tokens_details":{"reasoning_tokens":4}}"#,
            [70, 10, 20, 5],
        ),
    ] {
        let chunk = format!("{{\"choices\":[],\"usage\":{usage}}}");
        let found = read(Kind::OpenAi, &stream(&[O_HI, O_END, &chunk, O_DONE]))
            .unwrap()
            .usage;
        let found = [
            found.input,
            found.cache_read,
            found.cache_write,
            found.output,
        ];
        assert_eq!(found, expected.map(Tokens), "{usage}");
    }
}

#[test]
fn bad_streams_are_named() {
    use BadReply::{Cut, Empty, Malformed, NoUsage, ToolArguments, UnknownTool};
    let anthropic = |events: &[&str]| read(Kind::Anthropic, &stream(events));
    let openai = |events: &[&str]| read(Kind::OpenAi, &stream(events));
    let orphan = r#"{"type":"content_block_delta","index":9,"delta":{"type":"input_json_delta","partial_json":"{}"}}"#;
    let half = r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"n\":"}}"#;
    let stranger = r#"{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t","name":"rm","input":{}}}"#;
    let odd_end =
        r#"{"type":"message_delta","delta":{"stop_reason":"tired"},"usage":{"output_tokens":5}}"#;
    let nameless =
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}}]}"#;
    for (name, end, problem) in [
        ("nothing", anthropic(&[]), Cut),
        ("only a start", anthropic(&[A_START]), Cut),
        (
            "no reason",
            anthropic(&[A_START, A_TEXT, A_HI, A_STOP]),
            Cut,
        ),
        ("no content", anthropic(&[A_START, A_END, A_STOP]), Empty),
        (
            "no count",
            anthropic(&[A_TEXT, A_HI, A_END, A_STOP]),
            NoUsage,
        ),
        ("orphan", anthropic(&[A_START, orphan]), Malformed),
        (
            "half",
            anthropic(&[A_START, A_CALL, half, A_END, A_STOP]),
            ToolArguments,
        ),
        ("stranger", anthropic(&[A_START, stranger]), UnknownTool),
        (
            "odd end",
            anthropic(&[A_START, A_TEXT, A_HI, odd_end]),
            Malformed,
        ),
        ("no type", anthropic(&["{}"]), Malformed),
        ("not JSON", anthropic(&["<html>"]), Malformed),
        ("array", anthropic(&["[]"]), Malformed),
        ("nothing", openai(&[]), Cut),
        ("no end mark", openai(&[O_HI, O_END, O_USAGE]), Cut),
        ("no reason", openai(&[O_HI, O_USAGE, O_DONE]), Cut),
        ("only an end mark", openai(&[O_DONE]), Cut),
        ("no content", openai(&[O_END, O_USAGE, O_DONE]), Empty),
        ("no count", openai(&[O_HI, O_END, O_DONE]), NoUsage),
        ("nameless", openai(&[nameless]), Malformed),
        (
            "odd end",
            openai(&[r#"{"choices":[{"finish_reason":"tired"}]}"#]),
            Malformed,
        ),
        (
            "negative",
            openai(&[r#"{"usage":{"prompt_tokens":-1}}"#]),
            Malformed,
        ),
        ("deep", openai(&[&"[".repeat(10_000)]), Malformed),
    ] {
        assert_eq!(
            end.expect_err(name).kind,
            CallErrorKind::BadReply(problem),
            "{name}"
        );
    }
}

/// Pieces of good and bad streams, to be put together in any order.
const PIECES: &[&str] = &[
    A_START,
    A_TEXT,
    A_HI,
    A_CALL,
    A_END,
    A_STOP,
    O_HI,
    O_END,
    O_USAGE,
    O_DONE,
    r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"n\":1}"}}"#,
    r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":0}}"#,
    r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"look","arguments":"{"}}]}}]}"#,
    r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"}"}}]}}]}"#,
    r#"{"choices":[{"delta":{"content":""},"finish_reason":"tool_calls"}]}"#,
    r#"{"choices":null}"#,
    r#"{"error":"x"}"#,
    "",
];

proptest! {
    #[test]
    fn arbitrary_bytes_end_as_errors(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        for kind in [Kind::Anthropic, Kind::OpenAi] {
            prop_assert!(read(kind, &bytes).is_err());
        }
    }

    #[test]
    fn shuffled_and_cut_streams_never_give_an_empty_success(
        places in proptest::collection::vec(0..PIECES.len(), 0..12),
        cut in any::<Index>(),
        flip in proptest::option::of((any::<Index>(), any::<u8>())),
    ) {
        let events: Vec<&str> = places.iter().map(|at| PIECES[*at]).collect();
        let mut bytes = stream(&events);
        if let Some((place, value)) = flip.filter(|_| !bytes.is_empty()) {
            *place.get_mut(&mut bytes) = value;
        }
        for bytes in [&bytes[..], &bytes[..cut.index(bytes.len() + 1)]] {
            for kind in [Kind::Anthropic, Kind::OpenAi] {
                if let Ok(reply) = read(kind, bytes) {
                    prop_assert!(has_content(&reply), "{reply:?}");
                }
            }
        }
    }

    #[test]
    fn a_good_stream_that_is_cut_anywhere_is_an_error(cut in any::<Index>()) {
        for (kind, whole) in [
            (Kind::Anthropic, stream(&[A_START, A_TEXT, A_HI, A_END, A_STOP])),
            (Kind::OpenAi, stream(&[O_HI, O_END, O_USAGE, O_DONE])),
        ] {
            prop_assert!(read(kind, &whole).is_ok());
            // Without its last line feed the last event is not complete.
            prop_assert!(read(kind, &whole[..cut.index(whole.len())]).is_err());
        }
    }
}
