//! Both clients against npm's `@copilotkit/aimock`, with its faults. Only when asked for:
//! `GAVEL_TEST_WITH=peers`.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use gavel_domain::{Billed, StopReason, Tokens};
use gavel_models::{AnswerMode, BadReply, CallErrorKind, Wire};
use gavel_testkit::asked_for;
use serde_json::json;
use tempfile::TempDir;

use crate::ask::{WIRES, bad, client_at, outcome, question, structured};

const PACKAGE: &str = "@copilotkit/aimock@1.43";

/// A running server of the package; dropping it ends the process.
struct Peer {
    child: Child,
    address: String,
}

#[expect(
    clippy::disallowed_methods,
    reason = "a test starts a program that others wrote"
)]
fn program(name: &Path, folder: &Path) -> Command {
    let mut command = Command::new(name);
    command.current_dir(folder).stdin(Stdio::null());
    command
}

/// A folder with the package and fixtures.
fn installed() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let usage = json!({"prompt_tokens": 11, "completion_tokens": 5, "total_tokens": 16,
        "input_tokens": 11, "output_tokens": 5});
    let fixtures = json!({"fixtures": [
        {"match": {"userMessage": "say hello"},
         "response": {"content": "Hello from a peer, in a few pieces.", "usage": usage}},
        {"match": {"userMessage": "use two tools"},
         "response": {"toolCalls": [
            {"name": "read_file", "arguments": "{\"path\":\"a\"}"},
            {"name": "list_directory", "arguments": "{\"path\":\".\"}"}], "usage": usage}},
        {"match": {"userMessage": "judge"},
         "response": {"content": "{\"score\":7,\"why\":\"short\"}", "usage": usage}},
        {"match": {"userMessage": "use a strange tool"},
         "response": {"toolCalls": [{"name": "rm_rf", "arguments": "{}"}], "usage": usage}},
        {"match": {"userMessage": "count nothing"},
         "response": {"content": "free lunch", "usage": {"prompt_tokens": 0,
            "completion_tokens": 0, "total_tokens": 0, "input_tokens": 0, "output_tokens": 0}}},
        {"match": {"userMessage": "fail"},
         "response": {"error": {"message": "busy", "type": "overloaded_error"}, "status": 529}},
    ]});
    std::fs::write(folder.path().join("fixtures.json"), fixtures.to_string()).unwrap();
    let install = program(Path::new("npm"), folder.path())
        .args(["install", "--no-audit", "--no-fund", "--silent", PACKAGE])
        .status();
    assert!(
        install.unwrap().success(),
        "npm could not install {PACKAGE}"
    );
    folder
}

fn start(folder: &Path, chaos: &[&str]) -> Peer {
    let mut child = program(&folder.join("node_modules/.bin/llmock"), folder)
        .args(["-p", "0", "-f", "fixtures.json", "--strict"])
        .args(chaos)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let address = lines
        .map_while(Result::ok)
        .find_map(|line| Some(line.split_once("listening on ")?.1.trim().to_owned()));
    Peer {
        child,
        address: address.expect("aimock says where it listens"),
    }
}

impl Peer {
    fn url(&self, wire: Wire) -> String {
        match wire {
            Wire::Anthropic => self.address.clone(),
            Wire::OpenAi => format!("{}/v1", self.address),
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

#[tokio::test]
async fn aimock_is_understood() {
    if !asked_for("peers") {
        return;
    }
    let folder = installed();
    let peer = start(folder.path(), &["--chunk-size", "7"]);
    for wire in WIRES {
        let model = client_at(wire, &peer.url(wire), AnswerMode::Native);
        let reply = outcome(&*model, question("say hello")).await.unwrap();
        assert_eq!(reply.text, "Hello from a peer, in a few pieces.");
        assert_eq!(
            (reply.usage.input, reply.usage.output),
            (Tokens(11), Tokens(5))
        );

        let reply = outcome(&*model, question("use two tools")).await.unwrap();
        let calls: Vec<_> = reply
            .tool_calls
            .iter()
            .map(|c| (c.name.as_str(), c.arguments.as_str()))
            .collect();
        assert_eq!(
            calls,
            [
                ("read_file", "{\"path\":\"a\"}"),
                ("list_directory", "{\"path\":\".\"}")
            ]
        );
        assert_eq!(reply.stop, StopReason::ToolUse);

        let reply = outcome(&*model, structured("judge")).await.unwrap();
        assert_eq!(reply.text, "{\"score\":7,\"why\":\"short\"}");

        let error = outcome(&*model, question("use a strange tool"))
            .await
            .expect_err("strange");
        assert_eq!(error.kind, bad(BadReply::UnknownTool));
        let error = outcome(&*model, question("count nothing"))
            .await
            .expect_err("no count");
        assert_eq!(error.kind, bad(BadReply::NoUsage));
        let error = outcome(&*model, question("fail")).await.expect_err("busy");
        assert_eq!(error.kind, CallErrorKind::Overloaded { after: None });
        assert_eq!(error.billed, Billed::Unknown);
        let error = outcome(&*model, question("something else"))
            .await
            .expect_err("no fixture");
        assert!(
            matches!(
                error.kind,
                CallErrorKind::Refused | CallErrorKind::Overloaded { .. }
            ),
            "{error}"
        );
    }
}

#[tokio::test]
async fn faults_of_aimock_are_typed() {
    if !asked_for("peers") {
        return;
    }
    let folder = installed();
    let after = Some(Duration::from_secs(1));
    for (fault, kind, billed) in [
        (
            "--chaos-ratelimit",
            CallErrorKind::RateLimited { after },
            Billed::No,
        ),
        (
            "--chaos-drop",
            CallErrorKind::Overloaded { after: None },
            Billed::Unknown,
        ),
        (
            "--chaos-malformed",
            bad(BadReply::Malformed),
            Billed::Unknown,
        ),
        (
            "--chaos-disconnect",
            CallErrorKind::Network,
            Billed::Unknown,
        ),
    ] {
        let peer = start(folder.path(), &[fault, "1"]);
        for wire in WIRES {
            let model = client_at(wire, &peer.url(wire), AnswerMode::Native);
            let error = outcome(&*model, question("say hello"))
                .await
                .expect_err(fault);
            println!("{fault} {wire:?}: {error} (billed: {:?})", error.billed);
            assert_eq!(
                (error.kind, error.billed),
                (kind.clone(), billed),
                "{fault} {wire:?}"
            );
        }
    }
}
