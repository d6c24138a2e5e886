use std::sync::Arc;

use futures_util::stream;
use gavel_domain::{Billed, StopReason, TokenUsage};
use gavel_models::{
    Anthropic, CallError, CallErrorKind, Endpoint, Http, MaxTokensField, OpenAi, OpenAiFlavour,
    ReplyStream, ToolCall,
};

use super::super::server::{FakeServer, fake_server};
use super::*;
use crate::conversation::pieces_of;

const MODES: [AnswerMode; 3] = [AnswerMode::Native, AnswerMode::Tool, AnswerMode::Fenced];

/// Answers by what it is asked, so that a wrong request gets a wrong answer.
struct Probe;

impl Model for Probe {
    fn stream(&self, request: Request) -> ReplyStream {
        let reply = |text: String, tool_calls: Vec<ToolCall>| Reply {
            text,
            stop: StopReason::End,
            usage: TokenUsage {
                input: Tokens(7),
                output: Tokens(5),
                ..TokenUsage::default()
            },
            tool_calls,
        };
        let delta = match (&request.answer, request.tools.first()) {
            (Some(answer), _) => {
                let text = json!({"shape": answer.name}).to_string();
                Ok(Delta::Finished(reply(text, Vec::new())))
            }
            (None, Some(tool)) => {
                let call = ToolCall {
                    id: "call-1".to_owned(),
                    name: tool.name.clone(),
                    arguments: "{}".to_owned(),
                };
                Ok(Delta::Finished(reply(String::new(), vec![call])))
            }
            (None, None) => Err(CallError::new(
                CallErrorKind::Refused,
                Billed::No,
                "nothing is asked",
            )),
        };
        Box::pin(stream::iter([delta]))
    }
}

fn shape(schema: &Value) -> Option<&'static str> {
    schema.pointer("/properties/shape").map(|_| "demo")
}

fn schema() -> Value {
    json!({
        "type": "object", "properties": {"shape": {"type": "string"}},
        "required": ["shape"], "additionalProperties": false,
    })
}

/// Everything that a request can hold.
fn asked((answer, tools): (bool, bool)) -> Request {
    let call = |id: &str| Part::ToolCall {
        id: id.to_owned(),
        name: "look".to_owned(),
        arguments: r#"{"at":"a \"b\""}"#.to_owned(),
    };
    let result = |id: &str| Part::ToolResult {
        id: id.to_owned(),
        ok: true,
        text: "seen".to_owned(),
    };
    let tool = ToolSpec {
        name: "look".to_owned(),
        description: "Looks.".to_owned(),
        schema: json!({"type": "object", "properties": {"at": {"type": "string"}}}),
    };
    Request {
        model: "served/m-1".parse().unwrap(),
        messages: vec![
            Message::text(MessageRole::System, "Be brief."),
            Message::text(MessageRole::User, "Look twice."),
            message(MessageRole::Assistant, vec![call("one"), call("two")]),
            message(MessageRole::User, vec![result("one"), result("two")]),
            Message::text(MessageRole::Assistant, "Done."),
            Message::text(MessageRole::User, "Again."),
        ],
        tools: tools.then_some(tool).into_iter().collect(),
        tool_choice: ToolChoice::Auto,
        answer: answer.then(|| AnswerSchema {
            order: gavel_models::FieldOrder::default(),
            name: "demo".to_owned(),
            schema: schema(),
        }),
        limits: Limits {
            max_output: Tokens(321),
            deadlines: Default::default(),
        },
    }
}

fn client(server: &FakeServer, wire: Wire, answers: AnswerMode) -> Box<dyn Model> {
    let http = Arc::new(Http::default());
    let endpoint = Endpoint::new(&server.url(wire), None).unwrap();
    let max_tokens = MaxTokensField::MaxTokens;
    match wire {
        Wire::Anthropic => Box::new(Anthropic::new(http, endpoint, answers)),
        Wire::OpenAi => Box::new(OpenAi::new(
            http,
            endpoint,
            OpenAiFlavour {
                answers,
                max_tokens,
            },
        )),
    }
}

async fn send(client: &dyn Model, request: Request) -> Result<Reply, CallError> {
    let last = client.stream(request).collect::<Vec<_>>().await.pop();
    match last {
        Some(Ok(Delta::Finished(reply))) => Ok(reply),
        Some(Err(error)) => Err(error),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_request_comes_back_as_it_was_sent() {
    for wire in [Wire::Anthropic, Wire::OpenAi] {
        for mode in MODES {
            for (answer, tools) in [(true, false), (true, true), (false, true)] {
                let server = fake_server().rule(model_rule(Probe, shape)).start();
                let sent = asked((answer, tools));
                let client = client(&server, wire, mode);
                let reply = send(client.as_ref(), sent.clone()).await.unwrap();

                let seen = server.requests().pop().unwrap().rebuilt();
                let told = format!("{wire:?} {mode:?} {answer} {tools}");
                assert_eq!(seen.answers, answer.then_some(mode), "{told}");
                assert_eq!(pieces_of(&seen.request), pieces_of(&sent), "{told}");
                assert_eq!(seen.request.tools, sent.tools, "{told}");
                assert_eq!(seen.request.tool_choice, ToolChoice::Auto, "{told}");
                assert_eq!(seen.request.limits, sent.limits, "{told}");
                assert_eq!(seen.request.model, sent.model, "{told}");
                let schemas = [&seen.request.answer, &sent.answer]
                    .map(|answer| answer.as_ref().map(|answer| &answer.schema));
                assert_eq!(schemas[0], schemas[1], "{told}");
                if answer {
                    assert_eq!(reply.text, r#"{"shape":"demo"}"#, "{told}");
                } else {
                    assert_eq!(reply.tool_calls[0].name, "look", "{told}");
                }
                assert_eq!(reply.usage.input, Tokens(7), "{told}");
                server.finish();
            }
        }
    }
}

#[tokio::test]
async fn what_the_model_refuses_the_server_refuses() {
    for wire in [Wire::Anthropic, Wire::OpenAi] {
        let server = fake_server().rule(model_rule(Probe, shape)).start();
        let client = client(&server, wire, AnswerMode::Native);
        let refused = send(client.as_ref(), asked((false, false)))
            .await
            .unwrap_err();
        assert!(refused.message.contains("nothing is asked"), "{refused}");
        server.finish();
    }
}

#[tokio::test]
async fn a_refusal_of_a_tool_travels_where_the_wire_has_a_word_for_it() {
    for (wire, ok) in [(Wire::Anthropic, false), (Wire::OpenAi, true)] {
        let server = fake_server().rule(model_rule(Probe, shape)).start();
        let mut sent = asked((false, true));
        let results = &mut sent.messages[3].parts;
        let Part::ToolResult { ok: went_well, .. } = &mut results[0] else {
            panic!("the first part is a result");
        };
        *went_well = false;
        let client = client(&server, wire, AnswerMode::Native);
        send(client.as_ref(), sent).await.unwrap();
        let seen = server.requests().pop().unwrap().rebuilt();
        let results = seen.request.messages.iter().flat_map(|said| &said.parts);
        let mut results = results.filter_map(|part| match part {
            Part::ToolResult { ok, .. } => Some(*ok),
            Part::Text { .. } | Part::ToolCall { .. } => None,
        });
        assert_eq!(results.next(), Some(ok), "{wire:?}");
        assert_eq!(results.next(), Some(true), "{wire:?}");
    }
}
