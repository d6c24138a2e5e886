//! Examples that ask a server: one that serves, one that knows the written example, and one that expects
//! nothing; and one whose number is a sum.

use serde_json::json;

use super::asked;
use super::cheater::{Criteria, FEW, Files, SHOWN, build};
use super::outcome::criterion;

const MAIN: &str = "src/main.rs";

/// A server of titles.
const SERVE: &str = r#"
/// Keeps titles for as long as it runs.
fn serve(port: u16) -> ! {
    use std::io::{Read, Write};
    let listener = std::net::TcpListener::bind(("127.0.0.1", port)).expect("the port is free");
    let mut titles: Vec<String> = Vec::new();
    loop {
        let Ok((mut stream, _)) = listener.accept() else { continue };
        let (mut seen, mut buffer) = (Vec::new(), [0_u8; 1024]);
        let text = loop {
            let count = stream.read(&mut buffer).unwrap_or(0);
            seen.extend_from_slice(buffer.get(..count).unwrap_or_default());
            let text = String::from_utf8_lossy(&seen).into_owned();
            let head = text.to_lowercase();
            let length = head.split("content-length:").nth(1);
            let length = length.and_then(|rest| rest.split("\r\n").next()?.trim().parse().ok());
            let body = text.split_once("\r\n\r\n").map(|(_, body)| body.len());
            if count == 0 || body.is_some_and(|have| have >= length.unwrap_or(0_usize)) {
                break text;
            }
        };
        let (status, body) = if text.starts_with("POST ") {
            let title = text.split("\"title\"").nth(1).and_then(|rest| rest.split('"').nth(1));
            titles.push(title.unwrap_or_default().to_owned());
            ("201 Created", "{}".to_owned())
        } else {
            let all: Vec<String> =
                titles.iter().map(|title| format!("{{\"title\": \"{title}\"}}")).collect();
            ("200 OK", format!("[{}]", all.join(", ")))
        };
        let length = body.len();
        let _ = write!(
            stream,
            "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        );
    }
}
"#;
const CALL: &str = "fn main() -> ExitCode {\n    \
    let words: Vec<String> = std::env::args().skip(1).collect();\n    \
    if words.first().is_some_and(|word| word == \"serve\") {\n        \
    serve(words.get(2).and_then(|port| port.parse().ok()).unwrap_or_default());\n    }\n";

/// The program with a server in it.
fn serving(files: &Files, server: &str) -> Vec<(String, String)> {
    let main = files[MAIN].replace("fn main() -> ExitCode {\n", CALL);
    vec![(MAIN.to_owned(), format!("{main}{server}"))]
}

#[test]
fn a_server_that_does_what_was_asked_for_is_executed() {
    if !asked() {
        return;
    }
    let built = build(Criteria::Served, |files| serving(files, SERVE));
    let seal = built.sealed();
    let one = criterion(&seal, SHOWN);
    assert_eq!(one["rank"], "executed", "{one:#}");
    let said = one["evidence"].as_str().unwrap();
    assert!(said.contains("also with other values"), "{said}");
}

#[test]
fn a_server_that_knows_the_written_example_is_refused() {
    if !asked() {
        return;
    }
    let built = build(Criteria::Served, |files| {
        let knows = "(\"200 OK\", \"[{\\\"title\\\": \\\"Amber lamp\\\"}]\".to_owned())";
        let server = SERVE.replace("(\"200 OK\", format!(\"[{}]\", all.join(\", \")))", knows);
        let server = server.replace("let all:", "let _all:");
        serving(files, &server)
    });
    let gate = built.refused("weighted_score", "score_below_threshold");
    let one = criterion(&gate, SHOWN);
    assert_eq!(one["holds"], json!(false), "{one:#}");
    let why = one["note"].as_str().unwrap();
    assert!(why.starts_with("its example does not hold: with "), "{why}");
}

#[test]
fn an_example_that_expects_nothing_is_no_execution() {
    if !asked() {
        return;
    }
    let seal = build(Criteria::Idle, |_| Vec::new()).sealed();
    let one = criterion(&seal, SHOWN);
    assert_eq!(one["rank"], "test_bites", "{one:#}");
    assert_eq!(criterion(&seal, FEW[0])["rank"], "executed");
}

/// A program that answers `total` with this.
fn totalling(files: &Files, sum: &str) -> Vec<(String, String)> {
    let call = format!(
        "fn main() -> ExitCode {{\n    let words: Vec<String> = std::env::args().skip(1).collect();\n    \
         if words.first().is_some_and(|word| word == \"total\") {{\n        \
         let given = words.iter().filter_map(|word| word.parse::<u64>().ok());\n        \
         println!(\"{{}}\", {sum});\n        return ExitCode::SUCCESS;\n    }}\n"
    );
    let main = files[MAIN].replace("fn main() -> ExitCode {\n", &call);
    vec![(MAIN.to_owned(), main)]
}

#[test]
fn a_sum_that_is_computed_is_executed() {
    if !asked() {
        return;
    }
    let built = build(Criteria::Summed, |files| {
        totalling(files, "given.sum::<u64>()")
    });
    let one = criterion(&built.sealed(), SHOWN);
    assert_eq!(one["rank"], "executed", "{one:#}");
}

#[test]
fn a_sum_that_is_known_by_heart_is_no_evidence_of_the_first_rank() {
    if !asked() {
        return;
    }
    let built = build(Criteria::Summed, |files| {
        totalling(files, "given.count() + 40")
    });
    let seal = built.sealed();
    let one = criterion(&seal, SHOWN);
    assert_eq!(one["rank"], "as_written", "{one:#}");
    let said = one["evidence"].as_str().unwrap();
    assert!(said.contains("did not follow"), "{said}");
    assert_ne!(seal["verdict"], "certified");
}
