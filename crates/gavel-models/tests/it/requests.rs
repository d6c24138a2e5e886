//! What goes over the wire.

use gavel_models::{
    Anthropic, CallErrorKind, Endpoint, Http, Message, MessageRole, Part, Request, ToolChoice, Wire,
};
use gavel_testkit::{FakeReply, fake_server};
use serde_json::Value;

use crate::ask::{WIRES, client, outcome, question};

fn message(role: MessageRole, parts: Vec<Part>) -> Message {
    Message {
        role,
        parts,
        cache_here: false,
    }
}

fn text(text: &str) -> Part {
    Part::Text {
        text: text.to_owned(),
    }
}

/// A conversation with parallel calls, results in two messages, and an interjection.
fn long_conversation() -> Request {
    let mut request = question("look around");
    let call = |id: &str, arguments: &str| Part::ToolCall {
        id: id.to_owned(),
        name: "read_file".to_owned(),
        arguments: arguments.to_owned(),
    };
    let result = |id: &str, ok| Part::ToolResult {
        id: id.to_owned(),
        ok,
        text: format!("result of {id}"),
    };
    request.messages.extend([
        message(
            MessageRole::Assistant,
            vec![
                text("I look."),
                call("c1", "{\"z\":1, \"a\":2}"),
                call("c2", "{}"),
            ],
        ),
        message(MessageRole::User, vec![result("c2", false)]),
        message(
            MessageRole::User,
            vec![text("and hurry"), result("c1", true)],
        ),
    ]);
    for at in [0, 1, 2, 3, 4] {
        request.messages[at].cache_here = true;
    }
    request
}

async fn sent(wire: Wire, request: Request) -> Value {
    let server = fake_server()
        .reply(FakeReply::calls(&[("c9", "read_file", "{}")]))
        .start();
    outcome(&*client(wire, &server), request).await.unwrap();
    let body = server.requests().remove(0).body;
    server.finish();
    body
}

/// One line for each field, and for each item of a list.
fn lines(body: &Value) -> String {
    let mut lines = String::new();
    for (name, value) in body.as_object().unwrap() {
        let items = value.as_array().map(Vec::as_slice);
        let name = if items.is_some() {
            format!("{name}[]")
        } else {
            name.clone()
        };
        for item in items.unwrap_or(std::slice::from_ref(value)) {
            lines.push_str(&format!("{name} {item}\n"));
        }
    }
    lines
}

#[tokio::test]
async fn a_conversation_as_anthropic_takes_it() {
    insta::assert_snapshot!(lines(&sent(Wire::Anthropic, long_conversation()).await), @r#"
    max_tokens 1000
    messages[] {"content":[{"cache_control":{"type":"ephemeral"},"text":"look around","type":"text"}],"role":"user"}
    messages[] {"content":[{"text":"I look.","type":"text"},{"id":"c1","input":{"a":2,"z":1},"name":"read_file","type":"tool_use"},{"cache_control":{"type":"ephemeral"},"id":"c2","input":{},"name":"read_file","type":"tool_use"}],"role":"assistant"}
    messages[] {"content":[{"cache_control":{"type":"ephemeral"},"content":"result of c2","is_error":true,"tool_use_id":"c2","type":"tool_result"},{"content":"result of c1","tool_use_id":"c1","type":"tool_result"},{"cache_control":{"type":"ephemeral"},"text":"and hurry","type":"text"}],"role":"user"}
    model "fake-model"
    stream true
    system[] {"text":"You are brief.","type":"text"}
    tool_choice {"type":"auto"}
    tools[] {"description":"The tool read_file.","input_schema":{"properties":{"path":{"type":"string"}},"type":"object"},"name":"read_file"}
    tools[] {"description":"The tool list_directory.","input_schema":{"properties":{"path":{"type":"string"}},"type":"object"},"name":"list_directory"}
    "#);
}

#[tokio::test]
async fn a_conversation_as_chat_completions_take_it() {
    insta::assert_snapshot!(lines(&sent(Wire::OpenAi, long_conversation()).await), @r#"
    max_tokens 1000
    messages[] {"content":"You are brief.","role":"system"}
    messages[] {"content":"look around","role":"user"}
    messages[] {"content":"I look.","role":"assistant","tool_calls":[{"function":{"arguments":"{\"z\":1, \"a\":2}","name":"read_file"},"id":"c1","type":"function"},{"function":{"arguments":"{}","name":"read_file"},"id":"c2","type":"function"}]}
    messages[] {"content":"result of c2","role":"tool","tool_call_id":"c2"}
    messages[] {"content":"result of c1","role":"tool","tool_call_id":"c1"}
    messages[] {"content":"and hurry","role":"user"}
    model "fake-model"
    stream true
    stream_options {"include_usage":true}
    tool_choice "auto"
    tools[] {"function":{"description":"The tool read_file.","name":"read_file","parameters":{"properties":{"path":{"type":"string"}},"type":"object"}},"type":"function"}
    tools[] {"function":{"description":"The tool list_directory.","name":"list_directory","parameters":{"properties":{"path":{"type":"string"}},"type":"object"}},"type":"function"}
    "#);
}

#[tokio::test]
async fn arguments_keep_their_bytes() {
    let server = fake_server().reply(FakeReply::text("fine")).start();
    outcome(&*client(Wire::OpenAi, &server), long_conversation())
        .await
        .unwrap();
    let body = &server.requests()[0].body;
    let arguments = body.pointer("/messages/2/tool_calls/0/function/arguments");
    assert_eq!(arguments, Some(&Value::from("{\"z\":1, \"a\":2}")));
}

#[tokio::test]
async fn tool_choice_is_said_in_the_words_of_the_wire() {
    for (choice, anthropic, openai) in [
        (ToolChoice::Auto, r#"{"type":"auto"}"#, r#""auto""#),
        (ToolChoice::Required, r#"{"type":"any"}"#, r#""required""#),
        (ToolChoice::None, r#"{"type":"none"}"#, r#""none""#),
        (
            ToolChoice::Named("read_file".to_owned()),
            r#"{"name":"read_file","type":"tool"}"#,
            r#"{"function":{"name":"read_file"},"type":"function"}"#,
        ),
    ] {
        for (wire, expected) in [(Wire::Anthropic, anthropic), (Wire::OpenAi, openai)] {
            let request = Request {
                tool_choice: choice.clone(),
                ..question("hello")
            };
            let body = sent(wire, request).await;
            assert_eq!(body["tool_choice"].to_string(), expected);
        }
    }
}

#[tokio::test]
async fn a_request_that_no_wire_can_carry_is_refused_before_it_is_sent() {
    let mut late_system = question("hello");
    let rule = Message::text(MessageRole::System, "One more rule.");
    late_system.messages.push(rule);
    for wire in WIRES {
        let server = fake_server().start();
        let end = outcome(&*client(wire, &server), late_system.clone()).await;
        assert_eq!(end.expect_err("misplaced").kind, CallErrorKind::Refused);
        assert!(server.requests().is_empty());
    }
}

#[tokio::test]
async fn an_unexpected_request_is_answered_with_the_difference() {
    for wire in WIRES {
        let server = fake_server().rule(|_| FakeReply::text("fine")).start();
        let model = client(wire, &server);
        let mut request = question("first");
        request
            .messages
            .push(Message::text(MessageRole::Assistant, "yes"));
        request
            .messages
            .push(Message::text(MessageRole::User, "second"));
        outcome(&*model, request.clone()).await.unwrap();
        request.messages[2] = Message::text(MessageRole::Assistant, "no");
        let error = outcome(&*model, request)
            .await
            .expect_err("history changed");
        assert!(
            error
                .message
                .starts_with("417 request 1: the history changed"),
            "{error}"
        );
        assert!(error.message.contains("Said(\"no\")"), "{error}");
        assert_eq!(server.problems().len(), 1);
    }
}

#[tokio::test]
async fn the_request_log_is_a_file_that_outlives_the_server() {
    let place = tempfile::tempdir().unwrap();
    let log = place.path().join("requests.jsonl");
    for wire in WIRES {
        let server = fake_server()
            .log_to(&log)
            .rule(|_| FakeReply::text("fine"))
            .start();
        outcome(&*client(wire, &server), question("hello"))
            .await
            .unwrap();
        let digest = server.requests()[0].digest.to_string();
        server.finish();
        let text = std::fs::read_to_string(&log).unwrap();
        let last: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
        assert_eq!(last["digest"], digest);
    }
}

#[tokio::test]
async fn anthropic_counts_tokens_on_request() {
    let server = fake_server().counted(321).start();
    let endpoint = Endpoint::new(&server.anthropic_url(), None).unwrap();
    let client = Anthropic::new(
        Http::default().into(),
        endpoint,
        gavel_models::AnswerMode::Native,
    );
    let counted = client.count_tokens(&question("hello")).await.unwrap();
    assert_eq!(counted, gavel_domain::Tokens(321));
    server.finish();
}
