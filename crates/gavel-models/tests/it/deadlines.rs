//! Deadlines and cancellation. The clock is paused once the server waits, and then runs by itself to
//! the next deadline: nothing sleeps.

use std::time::Duration;

use futures_util::StreamExt;
use gavel_domain::Billed;
use gavel_models::{AnswerMode, CallError, CallErrorKind, DeadlineKind, Deadlines, Request};
use gavel_testkit::{FakeReply, Gate, fake_server};
use tokio::time::Instant;

use crate::ask::{WIRES, client, client_at, outcome, question};

fn hurried() -> Request {
    let mut request = question("hello");
    request.limits.deadlines = Deadlines {
        connect: Duration::from_secs(3),
        first_byte: Duration::from_secs(20),
        idle: Duration::from_secs(7),
        total: Duration::from_secs(60),
    };
    request
}

fn late(kind: DeadlineKind, billed: Billed) -> CallError {
    CallError::new(CallErrorKind::Deadline(kind), billed, "")
}

/// The error, and the virtual time it took once the server had gone silent.
async fn stalled(
    wire: gavel_models::Wire,
    reply: FakeReply,
    request: Request,
) -> (CallError, Duration) {
    let server = fake_server().reply(reply).start();
    let model = client(wire, &server);
    let call = outcome(&*model, request);
    let silent = async {
        server.until_waiting(1).await;
        tokio::time::pause();
        Instant::now()
    };
    let (end, since) = tokio::join!(call, silent);
    let took = since.elapsed();
    tokio::time::resume();
    server.until_closed(1).await;
    (end.expect_err("too late"), took)
}

fn about(took: Duration, expected: u64) -> bool {
    let expected = Duration::from_secs(expected);
    took <= expected + Duration::from_millis(50) && took + Duration::from_secs(2) >= expected
}

#[tokio::test]
async fn a_server_that_never_answers_meets_the_first_byte_deadline() {
    for wire in WIRES {
        let (error, took) = stalled(wire, FakeReply::stall_before_headers(), hurried()).await;
        assert_eq!(
            error,
            late(DeadlineKind::FirstByte, Billed::Unknown),
            "{wire:?}"
        );
        assert!(about(took, 20), "{took:?}");
        let (error, took) = stalled(wire, FakeReply::text("a").stall_after(0), hurried()).await;
        assert_eq!(
            error,
            late(DeadlineKind::FirstByte, Billed::Unknown),
            "{wire:?}"
        );
        assert!(about(took, 20), "{took:?}");
    }
}

#[tokio::test]
async fn a_server_that_falls_silent_meets_the_idle_deadline() {
    for wire in WIRES {
        let (error, took) = stalled(wire, FakeReply::text("a b").stall_after(3), hurried()).await;
        assert_eq!(error, late(DeadlineKind::Idle, Billed::Unknown), "{wire:?}");
        assert!(about(took, 7), "{took:?}");
    }
}

#[tokio::test]
async fn the_total_deadline_holds_before_the_others() {
    for wire in WIRES {
        for reply in [
            FakeReply::stall_before_headers(),
            FakeReply::text("a b").stall_after(3),
        ] {
            let mut request = hurried();
            request.limits.deadlines.total = Duration::from_secs(5);
            let (error, took) = stalled(wire, reply, request).await;
            assert_eq!(
                error,
                late(DeadlineKind::Total, Billed::Unknown),
                "{wire:?}"
            );
            assert!(about(took, 5), "{took:?}");
        }
    }
}

#[tokio::test]
async fn a_handshake_that_never_ends_meets_the_connect_deadline() {
    for wire in WIRES {
        // The server accepts and says nothing, so TLS never begins.
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("https://{}", listener.local_addr().unwrap());
        let model = client_at(wire, &url, AnswerMode::Native);
        let call = outcome(&*model, hurried());
        let silent = async {
            let connection = listener.accept().await.unwrap();
            tokio::time::pause();
            connection
        };
        let (end, _connection) = tokio::join!(call, silent);
        tokio::time::resume();
        let error = end.expect_err("too late");
        assert_eq!(
            error.kind,
            CallErrorKind::Deadline(DeadlineKind::Connect),
            "{wire:?}"
        );
        assert_eq!(error.billed, Billed::No);
    }
}

#[tokio::test]
async fn dropping_the_stream_closes_the_connection() {
    for wire in WIRES {
        let gate = Gate::closed();
        let replies = [
            FakeReply::text("one two three").gated(&gate),
            FakeReply::stall_before_headers(),
            FakeReply::text("one two three").stall_after(4),
        ];
        for reply in replies {
            let server = fake_server().reply(reply).start();
            let mut stream = client(wire, &server).stream(question("hello"));
            tokio::select! {
                () = server.until_waiting(1) => {}
                () = async { while stream.next().await.is_some() {} } => panic!("it must wait"),
            }
            drop(stream);
            server.until_closed(1).await;
            server.finish();
        }
    }
}

#[tokio::test]
async fn a_call_that_is_never_polled_sends_nothing() {
    for wire in WIRES {
        let server = fake_server().start();
        drop(client(wire, &server).stream(question("hello")));
        assert!(server.requests().is_empty());
    }
}
