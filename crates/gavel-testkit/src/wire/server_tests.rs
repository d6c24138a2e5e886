//! The server refuses what breaks its rules, and fails the test that did it.

use futures_util::StreamExt;
use gavel_domain::Tokens;
use gavel_models::{
    AnswerMode, Anthropic, CallError, Deadlines, Delta, Endpoint, Http, Limits, Message,
    MessageRole, Model, Part, Reply, Request, ToolChoice,
};

use super::*;

fn asked(text: &str) -> Request {
    Request {
        model: "test/fake".parse().unwrap(),
        messages: vec![Message::text(MessageRole::User, text)],
        tools: Vec::new(),
        tool_choice: ToolChoice::Auto,
        answer: None,
        limits: Limits {
            max_output: Tokens(100),
            deadlines: Deadlines::default(),
        },
    }
}

async fn send(server: &FakeServer, request: Request) -> Result<Reply, CallError> {
    let endpoint = Endpoint::new(&server.anthropic_url(), None).unwrap();
    let client = Anthropic::new(Arc::new(Http::default()), endpoint, AnswerMode::Native);
    match client.stream(request).collect::<Vec<_>>().await.pop() {
        Some(Ok(Delta::Finished(reply))) => Ok(reply),
        Some(Err(error)) => Err(error),
        other => panic!("{other:?}"),
    }
}

fn fails(server: FakeServer) -> String {
    let finish = std::panic::AssertUnwindSafe(|| server.finish());
    let panic = std::panic::catch_unwind(finish).expect_err("must fail");
    *panic.downcast::<String>().unwrap()
}

async fn refused(server: FakeServer, request: Request, words: &str) {
    let error = send(&server, request).await.expect_err("must be refused");
    assert!(error.message.starts_with("417 "), "{error}");
    assert!(error.message.contains(words), "{error}");
    assert!(fails(server).contains(words));
}

#[tokio::test]
async fn a_reply_that_nobody_asked_for_fails_the_test() {
    let server = fake_server().reply(FakeReply::text("one")).start();
    assert_eq!(fails(server), "1 scripted replies remain");
    let server = fake_server().reply(FakeReply::text("one")).start();
    assert_eq!(send(&server, asked("go")).await.unwrap().text, "one");
    server.finish();
}

#[tokio::test]
async fn requests_that_break_a_rule_are_refused_with_the_difference() {
    let fine = || fake_server().rule(|_| FakeReply::text("fine"));
    refused(
        fake_server().start(),
        asked("go"),
        "no reply is scripted; it asks \"go\"",
    )
    .await;
    let secret = asked("the word is hunter2");
    refused(
        fine().secret("hunter2").start(),
        secret,
        "a secret value is in the body",
    )
    .await;
    let long = asked(&"long ".repeat(100));
    refused(fine().max_bytes(400).start(), long, "larger than 400 bytes").await;
    let expecting = fake_server()
        .reply(FakeReply::text("fine").expecting("the plan"))
        .start();
    refused(expecting, asked("go"), "- the plan").await;
    let mut lonely = asked("go");
    lonely.messages.push(Message {
        role: MessageRole::User,
        parts: vec![Part::ToolResult {
            id: "c1".to_owned(),
            ok: true,
            text: "seen".to_owned(),
        }],
        cache_here: false,
    });
    refused(fine().start(), lonely, "belongs to no open call").await;
}

#[tokio::test]
async fn a_history_that_was_changed_is_refused() {
    let server = fake_server()
        .reply(FakeReply::text("yes"))
        .reply(FakeReply::text("on"))
        .start();
    let mut request = asked("go");
    send(&server, request.clone()).await.unwrap();
    request
        .messages
        .push(Message::text(MessageRole::Assistant, "no"));
    request
        .messages
        .push(Message::text(MessageRole::User, "why?"));
    refused(server, request, "the history changed at piece 1").await;
}

#[test]
fn the_server_runs_beside_a_blocking_test() {
    use std::io::{Read, Write};
    let server = fake_server().start();
    let mut stream = std::net::TcpStream::connect(server.address).unwrap();
    stream
        .write_all(b"GET /v1/models HTTP/1.1\r\nhost: x\r\n\r\n")
        .unwrap();
    let mut reply = [0; 15];
    stream.read_exact(&mut reply).unwrap();
    assert_eq!(&reply, b"HTTP/1.1 200 Fa");
    server.finish();
}
