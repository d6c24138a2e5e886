//! Structured answers over both wires, in all three modes.

use gavel_domain::StopReason;
use gavel_models::{ANSWER_WORDS, AnswerMode, BadReply, Message, MessageRole, Request, Wire};
use gavel_testkit::{FakeReply, SeenRequest, fake_server};
use serde_json::{Value, json};

use crate::ask::{WIRES, bad, client_at, outcome, question, structured};

const GOOD: &str = "{\"score\": 7, \"why\": \"short\"}";

async fn asked(
    wire: Wire,
    mode: AnswerMode,
    request: Request,
    reply: FakeReply,
) -> (
    Result<gavel_models::Reply, gavel_models::CallError>,
    SeenRequest,
) {
    let server = fake_server().reply(reply).start();
    let end = outcome(&*client_at(wire, &server.url(wire), mode), request).await;
    let seen = server.requests().remove(0);
    server.finish();
    (end, seen)
}

#[tokio::test]
async fn native_answers_are_a_field_of_the_request() {
    for wire in WIRES {
        let reply = FakeReply::text(GOOD);
        let (end, seen) = asked(wire, AnswerMode::Native, structured("judge"), reply).await;
        assert_eq!(end.unwrap().text, GOOD);
        let schema = match wire {
            Wire::Anthropic => seen.body.pointer("/output_config/format/schema"),
            Wire::OpenAi => seen.body.pointer("/response_format/json_schema/schema"),
        };
        assert_eq!(
            schema,
            Some(&structured("").answer.unwrap().schema),
            "{wire:?}"
        );
        if wire == Wire::OpenAi {
            let strict = seen.body.pointer("/response_format/json_schema/strict");
            assert_eq!(strict, Some(&Value::Bool(true)));
        }
    }
}

#[tokio::test]
async fn tool_answers_are_forced_and_come_back_as_text() {
    for wire in WIRES {
        let reply = FakeReply::calls(&[("c1", "answer_verdict", GOOD)]);
        let (end, seen) = asked(wire, AnswerMode::Tool, structured("judge"), reply).await;
        let end = end.unwrap();
        assert_eq!((end.text.as_str(), end.tool_calls.len()), (GOOD, 0));
        assert_eq!(end.stop, StopReason::End);
        let forced = match wire {
            Wire::Anthropic => json!({"type": "tool", "name": "answer_verdict"}),
            Wire::OpenAi => json!({"type": "function", "function": {"name": "answer_verdict"}}),
        };
        assert_eq!(seen.body.get("tool_choice"), Some(&forced), "{wire:?}");
    }
}

#[tokio::test]
async fn beside_tools_the_model_may_work_before_it_answers() {
    for wire in WIRES {
        let request = || Request {
            tools: question("").tools,
            ..structured("judge")
        };
        let work = [("c1", "read_file", "{}"), ("c2", "answer_verdict", GOOD)];
        let (end, seen) = asked(wire, AnswerMode::Tool, request(), FakeReply::calls(&work)).await;
        let end = end.unwrap();
        let names: Vec<_> = end
            .tool_calls
            .iter()
            .map(|call| call.name.as_str())
            .collect();
        assert_eq!(
            (names.as_slice(), end.stop),
            (&["read_file"][..], StopReason::ToolUse)
        );
        let any = match wire {
            Wire::Anthropic => json!({"type": "any"}),
            Wire::OpenAi => json!("required"),
        };
        assert_eq!(seen.body.get("tool_choice"), Some(&any), "{wire:?}");
        let (end, _) = asked(
            wire,
            AnswerMode::Native,
            request(),
            FakeReply::calls(&work[..1]),
        )
        .await;
        assert_eq!(end.unwrap().tool_calls.len(), 1);
    }
}

#[tokio::test]
async fn fenced_answers_are_asked_for_in_words_and_unwrapped() {
    for wire in WIRES {
        let reply = FakeReply::text(&format!("Here:\n```json\n{GOOD}\n```\n"));
        let (end, seen) = asked(wire, AnswerMode::Fenced, structured("judge"), reply).await;
        assert_eq!(end.unwrap().text, GOOD);
        let last = seen.last_asked().unwrap();
        assert!(
            last.contains(ANSWER_WORDS) && last.contains("additionalProperties"),
            "{last}"
        );
    }
}

#[tokio::test]
async fn the_words_never_enter_the_history() {
    for wire in WIRES {
        let server = fake_server()
            .reply(FakeReply::text(GOOD))
            .reply(FakeReply::text(GOOD))
            .start();
        let model = client_at(wire, &server.url(wire), AnswerMode::Fenced);
        let mut request = structured("judge");
        let first = outcome(&*model, request.clone()).await.unwrap();
        request
            .messages
            .push(Message::text(MessageRole::Assistant, first.text));
        request
            .messages
            .push(Message::text(MessageRole::User, "again"));
        assert_eq!(outcome(&*model, request).await.unwrap().text, GOOD);
        server.finish();
    }
}

#[tokio::test]
async fn answers_that_do_not_fit_are_replies_for_whoever_asked_to_judge() {
    for wire in WIRES {
        for (mode, reply) in [
            (AnswerMode::Native, FakeReply::text("It is seven.")),
            (AnswerMode::Native, FakeReply::text("{\"score\": 7")),
            (
                AnswerMode::Native,
                FakeReply::text("{\"score\": \"7\", \"why\": \"\"}"),
            ),
            (
                AnswerMode::Fenced,
                FakeReply::text("```json\n{\"score\": 7}\n```"),
            ),
            (
                AnswerMode::Tool,
                FakeReply::calls(&[("c1", "answer_verdict", "{}")]),
            ),
            (AnswerMode::Tool, FakeReply::text("It is seven.")),
        ] {
            let (end, _) = asked(wire, mode, structured("judge"), reply).await;
            let reply = end.unwrap_or_else(|error| panic!("{wire:?}: {error}"));
            assert!(reply.usage.output.0 > 0, "it was billed as counted");
            assert_ne!(reply.text, GOOD);
        }
        let half = FakeReply::text("{\"score\": 7").out_of_room();
        let (end, _) = asked(wire, AnswerMode::Native, structured("judge"), half).await;
        assert_eq!(end.expect_err("cut off").kind, bad(BadReply::TooLong));
    }
}

#[tokio::test]
async fn a_schema_that_the_vendor_cannot_enforce_takes_the_tool() {
    let mut open = structured("judge");
    open.answer.as_mut().unwrap().schema["additionalProperties"] = Value::Bool(true);
    let mut old = structured("judge");
    old.model = "anthropic/claude-3-5-haiku-latest".parse().unwrap();
    for request in [open, old] {
        let reply = FakeReply::calls(&[("c1", "answer_verdict", GOOD)]);
        let (end, seen) = asked(Wire::Anthropic, AnswerMode::Native, request, reply).await;
        assert_eq!(end.unwrap().text, GOOD);
        assert_eq!(seen.body.get("output_config"), None);
    }
}
