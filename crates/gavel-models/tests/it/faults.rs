//! Everything that can go wrong on the way ends as a typed error.

use gavel_domain::Billed;
use gavel_models::{AnswerMode, BadReply, CallErrorKind, DeadlineKind, ToolChoice, Wire};
use gavel_testkit::{FakeReply, fake_server};

use crate::ask::{KEY, WIRES, answered, bad, client, client_at, outcome, question, streamed};

/// Long enough that half of it is still a good start, short enough to be read.
const LONG: &str = "The quick brown fox jumps over the lazy dog.";

#[tokio::test]
async fn damaged_streams_are_bad_replies_that_may_be_billed() {
    for wire in WIRES {
        for (name, reply, problem) in [
            ("cut", FakeReply::text(LONG).cut_mid_event(), BadReply::Cut),
            (
                "ended",
                FakeReply::text(LONG).end_mid_event(),
                BadReply::Cut,
            ),
            (
                "no end mark",
                FakeReply::text(LONG).no_end_mark(),
                BadReply::Cut,
            ),
            (
                "bytes",
                FakeReply::text(LONG).invalid_utf8(),
                BadReply::NotUtf8,
            ),
            (
                "no JSON",
                FakeReply::text(LONG).not_json(),
                BadReply::Malformed,
            ),
            (
                "no usage",
                FakeReply::text(LONG).without_usage(),
                BadReply::NoUsage,
            ),
            (
                "zero usage",
                FakeReply::text(LONG).usage(gavel_domain::TokenUsage::default()),
                BadReply::NoUsage,
            ),
            ("empty", FakeReply::empty(), BadReply::Empty),
            ("blank", FakeReply::text(" \n "), BadReply::Empty),
            (
                "half arguments",
                FakeReply::calls(&[("c1", "read_file", "{\"path\":\"a")]),
                BadReply::ToolArguments,
            ),
            (
                "no object",
                FakeReply::calls(&[("c1", "read_file", "[1]")]),
                BadReply::ToolArguments,
            ),
            (
                "unknown tool",
                FakeReply::calls(&[("c1", "rm_rf", "{}")]),
                BadReply::UnknownTool,
            ),
            (
                "arguments out of room",
                FakeReply::calls(&[("c1", "read_file", "{\"path\":\"a")]).out_of_room(),
                BadReply::TooLong,
            ),
            (
                "nothing out of room",
                FakeReply::empty().out_of_room(),
                BadReply::TooLong,
            ),
            ("empty body", FakeReply::raw(Vec::new()), BadReply::Cut),
            (
                "another type",
                FakeReply::raw_of("application/json", "{}"),
                BadReply::Malformed,
            ),
        ] {
            let error = answered(wire, reply).await.expect_err(name);
            assert_eq!(
                (error.kind, error.billed),
                (bad(problem), Billed::Unknown),
                "{wire:?} {name}"
            );
        }
    }
}

#[tokio::test]
async fn an_echo_is_no_answer() {
    let task = "Write the contract for the login page. Name every field, and give its type.";
    for wire in WIRES {
        let server = fake_server().reply(FakeReply::text(task)).start();
        let error = outcome(&*client(wire, &server), question(task))
            .await
            .expect_err("an echo");
        assert_eq!(error.kind, bad(BadReply::Echo), "{wire:?}");
        server.finish();
    }
}

#[tokio::test]
async fn words_are_no_answer_where_a_call_was_demanded() {
    for wire in WIRES {
        for choice in [
            ToolChoice::Required,
            ToolChoice::Named("read_file".to_owned()),
        ] {
            let server = fake_server()
                .reply(FakeReply::text("I would read it."))
                .reply(FakeReply::calls(&[("c1", "read_file", "{}")]))
                .start();
            let model = client(wire, &server);
            let request = gavel_models::Request {
                tool_choice: choice,
                ..question("hello")
            };
            let error = outcome(&*model, request.clone())
                .await
                .expect_err("no call");
            assert_eq!(error.kind, bad(BadReply::NoToolCall), "{wire:?}");
            assert_eq!(outcome(&*model, request).await.unwrap().tool_calls.len(), 1);
            server.finish();
        }
    }
}

#[tokio::test]
async fn what_came_before_the_fault_is_shown() {
    for wire in WIRES {
        let server = fake_server()
            .reply(FakeReply::text(LONG).cut_mid_event())
            .start();
        let (deltas, end) = streamed(&*client(wire, &server), question("hello")).await;
        assert!(!deltas.is_empty(), "{wire:?}");
        assert!(end.is_err());
    }
}

#[tokio::test]
async fn statuses_are_typed_and_cost_nothing_when_the_client_was_at_fault() {
    for wire in WIRES {
        let limited =
            FakeReply::status(429, "{\"error\":{\"message\":\"slow\"}}").header("retry-after", "7");
        let error = answered(wire, limited).await.expect_err("limited");
        assert_eq!(error.retry_after(), Some(std::time::Duration::from_secs(7)));
        assert_eq!(error.billed, Billed::No);
        assert_eq!(error.to_string(), "rate limited: 429 slow");

        let overloaded = FakeReply::status(529, "{}").header("retry-after-ms", "50");
        let error = answered(wire, overloaded).await.expect_err("overloaded");
        assert_eq!(
            error.retry_after(),
            Some(std::time::Duration::from_millis(50))
        );
        assert_eq!(error.billed, Billed::Unknown);

        for (status, kind) in [
            (401, CallErrorKind::Unauthorized),
            (404, CallErrorKind::WrongAddress),
            (413, CallErrorKind::ContextTooLong),
        ] {
            let error = answered(wire, FakeReply::status(status, "{}"))
                .await
                .expect_err("refused");
            assert_eq!(
                (error.kind, error.billed),
                (kind, Billed::No),
                "{wire:?} {status}"
            );
        }
    }
}

#[tokio::test]
async fn the_vendor_may_decline() {
    for wire in WIRES {
        let error = answered(wire, FakeReply::text("I").declined())
            .await
            .expect_err("declined");
        assert_eq!(
            (error.kind, error.billed),
            (CallErrorKind::Refused, Billed::Unknown),
            "{wire:?}"
        );
    }
}

#[tokio::test]
async fn errors_inside_a_stream_are_typed() {
    let anthropic = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\
        \"overloaded_error\",\"message\":\"Overloaded\"}}\n\n";
    let openai = "data: {\"error\":{\"code\":503,\"message\":\"Overloaded\"}}\n\n";
    for (wire, bytes) in [(Wire::Anthropic, anthropic), (Wire::OpenAi, openai)] {
        let error = answered(wire, FakeReply::raw(bytes))
            .await
            .expect_err("overloaded");
        assert_eq!(error.kind, CallErrorKind::Overloaded { after: None });
        assert_eq!(
            (error.billed, error.message.as_str()),
            (Billed::Unknown, "Overloaded")
        );
    }
}

#[tokio::test]
async fn without_a_connection_nothing_was_billed() {
    // A port that was just given back: nobody listens there.
    let free = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    for wire in WIRES {
        for url in [
            format!("http://{free}"),
            "http://no-such-host.invalid".to_owned(),
        ] {
            let model = client_at(wire, &url, AnswerMode::Native);
            let error = outcome(&*model, question("hello"))
                .await
                .expect_err("nobody there");
            assert_eq!(
                (error.kind, error.billed),
                (CallErrorKind::Network, Billed::No),
                "{url}"
            );
            assert!(!error.message.is_empty());
        }
        let error = answered(wire, FakeReply::close_before_headers())
            .await
            .expect_err("closed");
        assert_eq!(
            (error.kind, error.billed),
            (CallErrorKind::Network, Billed::Unknown)
        );
    }
}

#[tokio::test]
async fn a_reply_without_end_is_cut_and_the_connection_closed() {
    for wire in WIRES {
        let server = fake_server().reply(FakeReply::endless("word ")).start();
        let mut request = question("hello");
        request.limits.max_output = gavel_domain::Tokens(50);
        let (deltas, end) = streamed(&*client(wire, &server), request).await;
        let error = end.expect_err("too long");
        assert_eq!(
            (error.kind, error.billed),
            (bad(BadReply::TooLong), Billed::Unknown)
        );
        assert!(deltas.len() < 500, "{wire:?} {}", deltas.len());
        server.until_closed(1).await;
    }
}

#[tokio::test]
async fn the_key_is_sent_in_the_way_of_the_wire_and_never_shown() {
    for wire in WIRES {
        let server = fake_server()
            .key(KEY)
            .reply(FakeReply::text("fine"))
            .start();
        let model = client(wire, &server);
        assert_eq!(
            outcome(&*model, question("hello")).await.unwrap().text,
            "fine"
        );
        server.finish();

        let server = fake_server().key("another").start();
        let error = outcome(&*client(wire, &server), question("hello"))
            .await
            .expect_err("wrong key");
        assert_eq!(
            (error.kind, error.billed),
            (CallErrorKind::Unauthorized, Billed::No)
        );

        let parrot = FakeReply::status(400, &format!("{{\"error\":\"bad key {KEY} in header\"}}"));
        let error = answered(wire, parrot).await.expect_err("refused");
        assert_eq!(error.message, "400 bad key *** in header");
        assert!(!format!("{error:?}").contains(KEY));

        let error =
            format!("data: {{\"type\":\"error\",\"error\":{{\"message\":\"key {KEY}\"}}}}\n\n");
        let error = answered(wire, FakeReply::raw(error))
            .await
            .expect_err("an error");
        assert_eq!(error.message, "key ***");
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    for wire in WIRES {
        let elsewhere = fake_server().start();
        let reply = FakeReply::status(307, "").header("location", &elsewhere.url(wire));
        let error = answered(wire, reply).await.expect_err("a redirect");
        assert_eq!(error.kind, CallErrorKind::Refused, "{wire:?}");
        assert!(elsewhere.requests().is_empty());
    }
}

#[test]
fn deadlines_name_what_did_not_come() {
    let shown = |kind| CallErrorKind::Deadline(kind).to_string();
    assert_eq!(shown(DeadlineKind::FirstByte), "no first byte in time");
}
