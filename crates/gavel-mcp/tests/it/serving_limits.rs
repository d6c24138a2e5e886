//! The server over HTTP, and clients that take more than their share.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use gavel_mcp::{HttpDoor, HttpLimits, Offered};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::bench::Bench;
use crate::serving_http::TwoKeys;

/// Deadlines that a test can wait for. The grace is what tells who waits from who just came.
const SHORT: HttpLimits = HttpLimits {
    head: Duration::from_millis(200),
    body: Duration::from_millis(200),
    turn: Duration::from_millis(200),
    grace: Duration::from_millis(100),
    ..HttpLimits::DEFAULT
};

struct Door {
    address: SocketAddr,
    bench: Bench,
    _serving: JoinSet<()>,
}

impl Door {
    async fn open(limits: HttpLimits) -> Self {
        let door = HttpDoor {
            address: "127.0.0.1:0".parse().unwrap(),
            keys: Arc::new(TwoKeys),
            key_required: false,
            hosts: Vec::new(),
            limits,
        };
        let open = door.open().await.unwrap();
        let address = open.address();
        let bench = Bench::new(Offered::all());
        let mut serving = JoinSet::new();
        serving.spawn(open.serve(bench.server.clone(), CancellationToken::new()));
        Self {
            address,
            bench,
            _serving: serving,
        }
    }

    async fn connect(&self) -> Connection {
        Connection(TcpStream::connect(self.address).await.unwrap())
    }

    /// A request and its answer on a connection of its own.
    async fn ask(&self, request: &Request<'_>) -> Answer {
        let mut connection = self.connect().await;
        connection.send(&request.text(self.address)).await;
        connection.answer().await
    }

    /// The session that a greeting opens.
    async fn greet(&self, key: Option<&str>) -> String {
        let params = json!({
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}
        });
        let request = Request {
            key,
            ..Request::of("initialize", params)
        };
        let answer = self.ask(&request).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.header("mcp-session-id").unwrap().to_owned()
    }
}

struct Request<'a> {
    method: &'a str,
    params: Value,
    key: Option<&'a str>,
    session: Option<&'a str>,
}

impl Request<'_> {
    fn of(method: &'static str, params: Value) -> Self {
        Self {
            method,
            params,
            key: None,
            session: None,
        }
    }

    fn text(&self, address: SocketAddr) -> String {
        let (method, params) = (self.method, &self.params);
        let mut message = json!({"jsonrpc": "2.0", "method": method, "params": params});
        if !method.starts_with("notifications/") {
            message["id"] = json!(1);
        }
        let body = message.to_string();
        let mut head = format!(
            "POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n",
            body.len()
        );
        if let Some(key) = self.key {
            head.push_str(&format!("Authorization: Bearer {key}\r\n"));
        }
        if let Some(session) = self.session {
            head.push_str(&format!("Mcp-Session-Id: {session}\r\n"));
            head.push_str("MCP-Protocol-Version: 2025-11-25\r\n");
        }
        format!("{head}\r\n{body}")
    }
}

#[derive(Debug)]
struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    fn header(&self, name: &str) -> Option<&str> {
        let named = |line: &&str| line.to_lowercase().starts_with(&format!("{name}:"));
        let line = self.head.lines().find(named)?;
        Some(line.split_once(':')?.1.trim())
    }
}

struct Connection(TcpStream);

impl Connection {
    async fn send(&mut self, text: &str) {
        self.0.write_all(text.as_bytes()).await.unwrap();
    }

    /// The next answer; the connection may stay open after it.
    async fn answer(&mut self) -> Answer {
        let mut text = String::new();
        loop {
            let whole = text.split_once("\r\n\r\n").is_some_and(|(head, body)| {
                let head = head.to_lowercase();
                let length = head.split("content-length: ").nth(1);
                let length = length.and_then(|rest| rest.lines().next()?.parse::<usize>().ok());
                length.map_or_else(
                    || body.ends_with("0\r\n\r\n"),
                    |length| body.len() >= length,
                )
            });
            if whole {
                break;
            }
            let mut piece = [0; 4096];
            let read = self.0.read(&mut piece).await.unwrap();
            assert!(read > 0, "the answer broke off: {text:?}");
            text.push_str(&String::from_utf8_lossy(&piece[..read]));
        }
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let (head, body) = (head.to_owned(), body.to_owned());
        Answer { status, head, body }
    }

    /// Waits until the other side hangs up; gives what it said before.
    async fn ended(&mut self) -> String {
        let mut rest = Vec::new();
        match self.0.read_to_end(&mut rest).await {
            Ok(_) => {}
            Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset),
        }
        String::from_utf8_lossy(&rest).into_owned()
    }
}

const HALF_HEAD: &str = "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Ty";

fn half_body(address: SocketAddr) -> String {
    format!("POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Length: 1000\r\n\r\n{{")
}

fn slow_call(session: &str) -> Request<'_> {
    let params = json!({"name": "gavel_memory_add", "arguments": {"text": "until released"}});
    Request {
        method: "tools/call",
        params,
        key: None,
        session: Some(session),
    }
}

#[tokio::test]
async fn whoever_does_not_go_on_is_ended_in_time() {
    let door = Door::open(SHORT).await;
    let mut silent = door.connect().await;
    assert_eq!(silent.ended().await, "");
    let mut slow_head = door.connect().await;
    slow_head.send(HALF_HEAD).await;
    let said = slow_head.ended().await;
    assert!(
        said.is_empty() || said.starts_with("HTTP/1.1 408"),
        "{said}"
    );
    let mut slow_body = door.connect().await;
    slow_body.send(&half_body(door.address)).await;
    let said = slow_body.ended().await;
    assert!(said.starts_with("HTTP/1.1 408"), "{said}");
    let mut idle = door.connect().await;
    let list = Request::of("server/discover", json!({}));
    idle.send(&list.text(door.address)).await;
    idle.answer().await;
    assert_eq!(idle.ended().await, "");
}

#[tokio::test]
async fn whoever_waits_goes_for_a_newcomer_and_whoever_is_answered_stays() {
    let patient = Duration::from_secs(600);
    let door = Door::open(HttpLimits {
        connections: 4,
        head: patient,
        body: patient,
        ..SHORT
    })
    .await;
    let session = door.greet(None).await;
    let mut at_work = door.connect().await;
    at_work.send(&slow_call(&session).text(door.address)).await;
    let mut held = Vec::new();
    for half in [HALF_HEAD.to_owned(), half_body(door.address), String::new()] {
        let mut connection = door.connect().await;
        connection.send(&half).await;
        held.push(connection);
    }
    let mut newcomers = Vec::new();
    for _ in &held {
        let mut connection = door.connect().await;
        let ask = Request::of("server/discover", json!({}));
        connection.send(&ask.text(door.address)).await;
        connection.answer().await;
        newcomers.push(connection);
    }
    for connection in &mut held {
        assert_eq!(connection.ended().await, "");
    }
    door.bench.released.notify_one();
    let answer = at_work.answer().await;
    assert!(answer.body.contains("added"), "{answer:?}");
}

/// The deadlines of those who do not go on are not those of work.
#[tokio::test]
async fn a_long_call_outlives_every_deadline_of_waiting() {
    let door = Door::open(SHORT).await;
    let session = door.greet(None).await;
    let mut at_work = door.connect().await;
    at_work.send(&slow_call(&session).text(door.address)).await;
    for _ in 0..3 {
        let mut silent = door.connect().await;
        assert_eq!(silent.ended().await, "");
    }
    door.bench.released.notify_one();
    let answer = at_work.answer().await;
    assert!(answer.body.contains("added"), "{answer:?}");
}

#[tokio::test]
async fn a_body_in_pieces_is_read_and_one_that_is_too_large_is_not() {
    let door = Door::open(HttpLimits::DEFAULT).await;
    let text = Request::of("server/discover", json!({})).text(door.address);
    let (first, rest) = text.split_at(text.len() - 5);
    let mut slow = door.connect().await;
    slow.send(first).await;
    // Somebody else is served meanwhile.
    door.greet(None).await;
    slow.send(rest).await;
    let whole = door.ask(&Request::of("server/discover", json!({}))).await;
    let answer = slow.answer().await;
    assert_eq!((answer.status, answer.body), (whole.status, whole.body));
    let large = json!({"text": "x".repeat(1024 * 1024)});
    let mut connection = door.connect().await;
    let large = Request::of("ping", large).text(door.address);
    // The answer comes before all of it is sent.
    let (_sent, answer) = tokio::join!(
        tokio::io::AsyncWriteExt::write_all(&mut connection.0, large.as_bytes()),
        async { door.greet(None).await }
    );
    assert!(!answer.is_empty());
    let said = connection.ended().await;
    assert!(
        said.is_empty() || said.starts_with("HTTP/1.1 413"),
        "{said}"
    );
}

#[tokio::test]
async fn sessions_are_bounded_for_each_caller() {
    let door = Door::open(HttpLimits {
        sessions: 2,
        ..HttpLimits::DEFAULT
    })
    .await;
    let with_key = door.greet(Some("gvl_read")).await;
    let first = door.greet(None).await;
    let second = door.greet(None).await;
    let status = async |session: &str| {
        let request = Request {
            session: Some(session),
            ..Request::of("ping", json!({}))
        };
        door.ask(&request).await.status
    };
    assert_eq!(status(&first).await, 200);
    let third = door.greet(None).await;
    assert_eq!(status(&second).await, 404, "it was not used for longest");
    for session in [&with_key, &first, &third] {
        assert_eq!(status(session).await, 200);
    }
}

#[tokio::test]
async fn a_session_with_a_call_under_way_is_not_the_one_that_goes() {
    let door = Door::open(HttpLimits {
        sessions: 1,
        ..HttpLimits::DEFAULT
    })
    .await;
    let session = door.greet(None).await;
    let mut at_work = door.connect().await;
    at_work.send(&slow_call(&session).text(door.address)).await;
    // The head of the answer comes once the call is under way.
    let mut byte = [0];
    at_work.0.read_exact(&mut byte).await.unwrap();
    door.greet(None).await;
    door.greet(None).await;
    door.bench.released.notify_one();
    let rest = at_work.answer().await;
    assert!(rest.body.contains("added"), "{rest:?}");
}

#[tokio::test]
async fn one_caller_has_so_many_calls_and_others_have_theirs() {
    let door = Door::open(HttpLimits { calls: 1, ..SHORT }).await;
    let session = door.greet(None).await;
    let mut at_work = door.connect().await;
    at_work.send(&slow_call(&session).text(door.address)).await;
    let mut byte = [0];
    at_work.0.read_exact(&mut byte).await.unwrap();
    let ping = Request {
        session: Some(&session),
        ..Request::of("ping", json!({}))
    };
    let refused = door.ask(&ping).await;
    assert_eq!(refused.status, 503, "{refused:?}");
    assert_eq!(refused.header("retry-after"), Some("1"));
    let note = Request {
        session: Some(&session),
        ..Request::of("notifications/initialized", json!({}))
    };
    assert_eq!(
        door.ask(&note).await.status,
        202,
        "it may be what a call waits for"
    );
    door.greet(Some("gvl_read")).await;
    door.bench.released.notify_one();
    assert!(at_work.answer().await.body.contains("added"));
    assert_eq!(door.ask(&ping).await.status, 200);
}
