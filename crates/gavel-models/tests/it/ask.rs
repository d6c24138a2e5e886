//! Requests, clients and outcomes, in short.

use std::sync::Arc;

use futures_util::StreamExt;
use gavel_domain::Tokens;
use gavel_models::{
    AnswerMode, AnswerSchema, Anthropic, BadReply, CallError, CallErrorKind, Deadlines, Delta,
    Endpoint, Http, Limits, MaxTokensField, Message, MessageRole, Model, OpenAi, OpenAiFlavour,
    Reply, Request, ToolChoice, ToolSpec, Wire,
};
use gavel_testkit::{FakeReply, FakeServer, fake_server};
use serde_json::json;

/// Both wires: most tests hold for each.
pub(crate) const WIRES: [Wire; 2] = [Wire::Anthropic, Wire::OpenAi];

/// The key that tests use.
pub(crate) const KEY: &str = "sk-test-0123456789abcdef";

pub(crate) fn client_at(wire: Wire, url: &str, answers: AnswerMode) -> Box<dyn Model> {
    let http = Arc::new(Http::default());
    let endpoint = Endpoint::new(url, Some(KEY.into())).unwrap();
    match wire {
        Wire::Anthropic => Box::new(Anthropic::new(http, endpoint, answers)),
        Wire::OpenAi => {
            let flavour = OpenAiFlavour {
                answers,
                max_tokens: MaxTokensField::MaxTokens,
            };
            Box::new(OpenAi::new(http, endpoint, flavour))
        }
    }
}

pub(crate) fn client(wire: Wire, server: &FakeServer) -> Box<dyn Model> {
    client_at(wire, &server.url(wire), AnswerMode::Native)
}

/// Asks one question; two tools are on offer.
pub(crate) fn question(text: &str) -> Request {
    Request {
        model: "test/fake-model".parse().unwrap(),
        messages: vec![
            Message::text(MessageRole::System, "You are brief."),
            Message::text(MessageRole::User, text),
        ],
        tools: vec![tool("read_file"), tool("list_directory")],
        tool_choice: ToolChoice::Auto,
        answer: None,
        limits: Limits {
            max_output: Tokens(1000),
            deadlines: Deadlines::default(),
        },
    }
}

fn tool(name: &str) -> ToolSpec {
    ToolSpec {
        name: name.to_owned(),
        description: format!("The tool {name}."),
        schema: json!({"type": "object", "properties": {"path": {"type": "string"}}}),
    }
}

/// Asks for a structured answer; no tools are on offer.
pub(crate) fn structured(text: &str) -> Request {
    Request {
        tools: Vec::new(),
        answer: Some(AnswerSchema {
            order: gavel_models::FieldOrder::default(),
            name: "verdict".to_owned(),
            schema: json!({
                "type": "object",
                "properties": {"score": {"type": "integer"}, "why": {"type": "string"}},
                "required": ["score", "why"],
                "additionalProperties": false,
            }),
        }),
        ..question(text)
    }
}

/// Everything that came before the end, and the end.
pub(crate) async fn streamed(
    model: &dyn Model,
    request: Request,
) -> (Vec<Delta>, Result<Reply, CallError>) {
    let mut items: Vec<_> = model.stream(request).collect().await;
    let end = match items.pop().expect("a stream never ends silently") {
        Ok(Delta::Finished(reply)) => Ok(reply),
        Ok(other) => panic!("the stream ended with {other:?}"),
        Err(error) => Err(error),
    };
    let deltas = items.into_iter().map(|item| match item {
        Ok(delta @ (Delta::Text(_) | Delta::ToolStarted { .. })) => delta,
        other => panic!("{other:?} before the end"),
    });
    (deltas.collect(), end)
}

pub(crate) async fn outcome(model: &dyn Model, request: Request) -> Result<Reply, CallError> {
    streamed(model, request).await.1
}

/// One reply of a fresh server to one question.
pub(crate) async fn answered(wire: Wire, reply: FakeReply) -> Result<Reply, CallError> {
    let server = fake_server().reply(reply).start();
    let reply = outcome(&*client(wire, &server), question("hello")).await;
    server.finish();
    reply
}

pub(crate) const fn bad(problem: BadReply) -> CallErrorKind {
    CallErrorKind::BadReply(problem)
}
