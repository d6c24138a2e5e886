//! Clients of `gavel mcp` that take more than their share, or send what is no message.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::bench::Bench;
use crate::mcp::{Serving, project};

/// As many connections as the server has.
const ALL: usize = 256;
/// How long a client that behaves may wait for its answer.
const SOON: Duration = Duration::from_secs(5);

/// Connections that sent this and now do nothing.
fn hold(serving: &Serving, sent: &str, count: usize) -> Vec<TcpStream> {
    let connect = |_| {
        let mut stream = TcpStream::connect(serving.address()).unwrap();
        stream.write_all(sent.as_bytes()).unwrap();
        stream
    };
    (0..count).map(connect).collect()
}

fn post(serving: &Serving, headers: &str, message: &Value) -> String {
    let body = message.to_string();
    format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\n{headers}Content-Length: {}\r\n\r\n{body}",
        serving.address(),
        body.len()
    )
}

fn greeting() -> Value {
    let params = json!({
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"}
    });
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
}

/// Sends a request on a connection of its own; gives the whole answer.
fn exchange(serving: &Serving, headers: &str, message: &Value) -> String {
    let headers = format!("Connection: close\r\n{headers}");
    let mut stream = TcpStream::connect(serving.address()).unwrap();
    let request = post(serving, &headers, message);
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

/// Opens a session; gives its id.
fn session(serving: &Serving, headers: &str) -> String {
    let answer = exchange(serving, headers, &greeting());
    let line = answer
        .lines()
        .find(|line| line.starts_with("mcp-session-id: "));
    let line = line.unwrap_or_else(|| panic!("{answer}"));
    line.trim_start_matches("mcp-session-id: ").to_owned()
}

/// The status of a call in a session.
fn pinged(serving: &Serving, session: &str) -> String {
    let headers = format!("Mcp-Session-Id: {session}\r\nMCP-Protocol-Version: 2025-11-25\r\n");
    let ping = json!({"jsonrpc": "2.0", "id": 2, "method": "ping"});
    let answer = exchange(serving, &headers, &ping);
    answer.split(' ').nth(1).unwrap().to_owned()
}

#[test]
fn half_sent_requests_and_idle_connections_keep_nobody_out() {
    let bench = project();
    let serving = Serving::start(&bench, &[]);
    let half_head = "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Ty".to_owned();
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {}});
    let whole = post(&serving, "", &message);
    let half_body = whole.get(..whole.len() - 5).unwrap().to_owned();
    for sent in [half_body, half_head, whole, String::new()] {
        let held = hold(&serving, &sent, ALL);
        for _ in 0..3 {
            let begun = Instant::now();
            assert_eq!(serving.list(None).0, 200);
            let waited = begun.elapsed();
            assert!(waited < SOON, "{waited:?} behind {sent:?}");
        }
        drop(held);
    }
}

/// Streams stay open for as long as a client likes, but not instead of another client.
#[test]
fn open_streams_keep_nobody_out() {
    let bench = project();
    let serving = Serving::start(&bench, &[]);
    let session = session(&serving, "");
    let stream = format!(
        "GET /mcp HTTP/1.1\r\nHost: {}\r\nAccept: text/event-stream\r\nMcp-Session-Id: {session}\r\n\
         MCP-Protocol-Version: 2025-11-25\r\n\r\n",
        serving.address()
    );
    let mut held = hold(&serving, &stream, ALL);
    let mut status = [0; 12];
    held.first_mut().unwrap().read_exact(&mut status).unwrap();
    assert_eq!(&status, b"HTTP/1.1 200");
    let begun = Instant::now();
    assert_eq!(serving.list(None).0, 200);
    assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
}

/// Who sends slowly but goes on is served, whatever others do meanwhile.
#[test]
fn a_client_that_sends_in_pieces_is_served() {
    let bench = project();
    let serving = Serving::start(&bench, &[]);
    let request = post(&serving, "Connection: close\r\n", &greeting());
    let mut slow = TcpStream::connect(serving.address()).unwrap();
    for piece in request.as_bytes().chunks(40) {
        slow.write_all(piece).unwrap();
        assert_eq!(serving.list(None).0, 200);
    }
    let mut answer = String::new();
    slow.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

#[test]
fn guests_have_so_many_sessions_and_keys_have_their_own() {
    let bench = project();
    let made = bench.json(&["keys", "create"]);
    let key = format!(
        "Authorization: Bearer {}\r\n",
        made["key"].as_str().unwrap()
    );
    let serving = Serving::start(&bench, &[]);
    let with_key = session(&serving, &key);
    let first = session(&serving, "");
    assert_eq!(pinged(&serving, &first), "200");
    let mut latest = String::new();
    for _ in 0..600 {
        latest = session(&serving, "");
    }
    assert_eq!(pinged(&serving, &first), "404", "it went for a later one");
    assert_eq!(pinged(&serving, &latest), "200");
    assert_eq!(
        pinged(&serving, &with_key),
        "200",
        "guests do not push it out"
    );
}

/// The kilobytes that a process has in memory.
fn resident(id: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmRSS:"))
        .unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn ten_thousand_sessions_take_no_more_than_their_bound() {
    if !gavel_testkit::asked_for("attacks") {
        return;
    }
    let bench = project();
    let serving = Serving::start(&bench, &[]);
    for _ in 0..1_000 {
        session(&serving, "");
    }
    let before = resident(serving.child.id());
    for _ in 0..9_000 {
        session(&serving, "");
    }
    let grown = resident(serving.child.id()).saturating_sub(before);
    // Without a bound these were 53 KB each.
    assert!(grown < 100_000, "{grown} kB more than {before} kB");
    assert_eq!(serving.list(None).0, 200);
}

/// Sends lines to a server on its standard input; gives the answers, one for each.
fn spoken(bench: &Bench, lines: &[Vec<u8>]) -> Vec<Value> {
    let mut command = bench.command(&["mcp"]);
    command.stdin(Stdio::piped()).stderr(Stdio::inherit());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut answers = Vec::new();
    for line in lines {
        input.write_all(line).unwrap();
        input.write_all(b"\n").unwrap();
        let mut answer = String::new();
        output.read_line(&mut answer).unwrap();
        answers.push(serde_json::from_str(&answer).unwrap());
    }
    drop(input);
    assert!(child.wait().unwrap().success());
    answers
}

#[test]
fn whatever_is_no_message_is_answered_over_stdio() {
    let bench = project();
    let ping = json!({"jsonrpc": "2.0", "id": 9, "method": "ping"}).to_string();
    let lines = [
        greeting().to_string().into_bytes(),
        b"garbage".to_vec(),
        b"\xff\xfe".to_vec(),
        b"[1,2]".to_vec(),
        vec![b'['; 200_000],
        vec![b'x'; 20 * 1024 * 1024],
        ping.into_bytes(),
    ];
    let answers = spoken(&bench, &lines);
    let codes: Vec<_> = answers
        .iter()
        .map(|answer| answer["error"]["code"].as_i64())
        .collect();
    let no_json = Some(-32_700);
    let no_request = Some(-32_600);
    assert_eq!(
        codes,
        [
            None, no_json, no_json, no_request, no_json, no_request, None
        ]
    );
    for wrong in answers.get(1..6).unwrap() {
        assert!(wrong.as_object().unwrap().contains_key("id"), "{wrong}");
        assert_eq!(wrong["id"], Value::Null);
    }
    assert_eq!(answers[5]["error"]["data"]["limit_bytes"], 4 * 1024 * 1024);
    assert_eq!(
        (&answers[6]["id"], &answers[6]["result"]),
        (&json!(9), &json!({}))
    );
}
