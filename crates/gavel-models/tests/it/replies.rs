//! Good replies: text, calls, usage, the end's reason.

use futures_util::StreamExt;
use gavel_domain::{StopReason, TokenUsage, Tokens};
use gavel_models::{Delta, ToolCall, Wire};
use gavel_testkit::{FakeReply, Gate, fake_server};

use crate::ask::{WIRES, answered, client, question, streamed};

fn call(id: &str, name: &str, arguments: &str) -> ToolCall {
    ToolCall {
        id: id.to_owned(),
        name: name.to_owned(),
        arguments: arguments.to_owned(),
    }
}

#[tokio::test]
async fn text_comes_in_pieces_and_whole() {
    for wire in WIRES {
        let server = fake_server()
            .reply(FakeReply::text("Grüße aus Köln 🦀"))
            .start();
        let (deltas, end) = streamed(&*client(wire, &server), question("hello")).await;
        let pieces = ["Grüße ", "aus ", "Köln ", "🦀"];
        assert_eq!(
            deltas,
            pieces.map(|piece| Delta::Text(piece.to_owned())),
            "{wire:?}"
        );
        let reply = end.unwrap();
        assert_eq!(reply.text, "Grüße aus Köln 🦀");
        assert_eq!(reply.stop, StopReason::End);
        assert_eq!(
            (reply.usage.input, reply.usage.output),
            (Tokens(100), Tokens(20))
        );
        server.finish();
    }
}

#[tokio::test]
async fn parallel_calls_come_in_order_with_their_own_arguments() {
    let calls = [
        ("c1", "read_file", "{\"path\":\"src/größe.rs\"}"),
        ("c2", "list_directory", "{\"path\":\".\"}"),
        ("c3", "read_file", "{\"path\":\"b\"}"),
    ];
    for wire in WIRES {
        let server = fake_server()
            .reply(FakeReply::text_and_calls("I look.", &calls))
            .start();
        let (deltas, end) = streamed(&*client(wire, &server), question("hello")).await;
        let started: Vec<_> = deltas
            .iter()
            .filter(|d| matches!(d, Delta::ToolStarted { .. }))
            .collect();
        assert_eq!(started.len(), 3, "{wire:?}");
        let reply = end.unwrap();
        assert_eq!(reply.text, "I look.");
        assert_eq!(
            reply.tool_calls,
            calls.map(|(id, name, json)| call(id, name, json))
        );
        assert_eq!(reply.stop, StopReason::ToolUse);
        server.finish();
    }
}

#[tokio::test]
async fn a_call_without_arguments_has_an_empty_object() {
    for wire in WIRES {
        let reply = answered(wire, FakeReply::calls(&[("c1", "read_file", "")]))
            .await
            .unwrap();
        assert_eq!(
            reply.tool_calls,
            [call("c1", "read_file", "{}")],
            "{wire:?}"
        );
    }
}

#[tokio::test]
async fn cached_input_is_counted_apart() {
    for wire in WIRES {
        let usage = TokenUsage {
            input: Tokens(7),
            cache_read: Tokens(900),
            // Chat completions do not report what was written.
            cache_write: Tokens(if wire == Wire::Anthropic { 50 } else { 0 }),
            output: Tokens(11),
        };
        let reply = answered(wire, FakeReply::text("fine").usage(usage))
            .await
            .unwrap();
        assert_eq!(reply.usage, usage, "{wire:?}");
    }
}

#[tokio::test]
async fn reasoning_is_no_text() {
    for wire in WIRES {
        let reply = FakeReply::text("four").reasoning("two and two");
        assert_eq!(
            answered(wire, reply).await.unwrap().text,
            "four",
            "{wire:?}"
        );
    }
}

#[tokio::test]
async fn a_reply_at_its_maximum_says_so() {
    for wire in WIRES {
        let reply = answered(wire, FakeReply::text("and then").out_of_room())
            .await
            .unwrap();
        assert_eq!(reply.stop, StopReason::MaxTokens, "{wire:?}");
    }
}

#[tokio::test]
async fn chunk_borders_do_not_matter() {
    for wire in WIRES {
        let reply =
            FakeReply::text_and_calls("Über 🦀", &[("c1", "read_file", "{\"path\":\"ä\"}")]);
        let reply = answered(wire, reply.byte_by_byte()).await.unwrap();
        assert_eq!(reply.text, "Über 🦀", "{wire:?}");
        assert_eq!(
            reply.tool_calls,
            [call("c1", "read_file", "{\"path\":\"ä\"}")]
        );
    }
}

#[tokio::test]
async fn each_piece_is_shown_when_it_comes() {
    for wire in WIRES {
        let gate = Gate::closed();
        let server = fake_server()
            .reply(FakeReply::text("one two").gated(&gate))
            .start();
        let mut stream = client(wire, &server).stream(question("hello"));
        // The wires differ in how many events stand before the first text.
        gate.release(match wire {
            Wire::Anthropic => 4,
            Wire::OpenAi => 2,
        });
        let first = stream.next().await;
        server.until_waiting(1).await;
        assert_eq!(
            first.unwrap().unwrap(),
            Delta::Text("one ".to_owned()),
            "{wire:?}"
        );
        gate.open();
        let rest: Vec<_> = stream.collect().await;
        assert!(
            matches!(rest.last(), Some(Ok(Delta::Finished(_)))),
            "{rest:?}"
        );
        server.finish();
    }
}

#[tokio::test]
async fn one_connection_carries_many_calls() {
    for wire in WIRES {
        let server = fake_server().rule(|_| FakeReply::text("fine")).start();
        let model = client(wire, &server);
        for _ in 0..3 {
            assert_eq!(
                streamed(&*model, question("hello")).await.1.unwrap().text,
                "fine"
            );
        }
        let mut ports: Vec<_> = server.requests().iter().map(|seen| seen.client).collect();
        ports.dedup();
        assert_eq!(ports.len(), 1, "{wire:?}");
        server.finish();
    }
}

#[tokio::test]
async fn deadlines_that_no_clock_can_hold_do_no_harm() {
    for wire in WIRES {
        let server = fake_server().reply(FakeReply::text("fine")).start();
        let mut request = question("hello");
        let forever = std::time::Duration::MAX;
        request.limits.deadlines.first_byte = forever;
        request.limits.deadlines.idle = forever;
        request.limits.deadlines.total = forever;
        let end = streamed(&*client(wire, &server), request).await.1;
        assert_eq!(end.unwrap().text, "fine", "{wire:?}");
    }
}
