//! Runs over MCP: begun by a server, driven by a process that lives on when the server has ended.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use gavel_domain::{IdeaOrigin, ProductBrief, RunStarted, Seq};
use gavel_store::Store as _;
use gavel_testkit::open_store;
use serde_json::{Value, json};

use crate::bench::Bench;
use crate::studio::{IDEA, Studio};

/// A client that speaks the protocol by hand.
pub(crate) struct Client {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    asked: u32,
}

impl Client {
    pub(crate) fn new(studio: &Studio) -> Self {
        Self::with(studio, &[])
    }

    pub(crate) fn with(studio: &Studio, flags: &[&str]) -> Self {
        let mut words = vec!["mcp", "--tools", "runs"];
        words.extend(flags);
        let mut command = studio.command(&words);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut client = Self {
            input: child.stdin.take().unwrap(),
            output: BufReader::new(child.stdout.take().unwrap()),
            child,
            asked: 0,
        };
        let greeting = json!({
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}
        });
        client.ask("initialize", &greeting);
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        writeln!(client.input, "{ready}").unwrap();
        client
    }

    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        writeln!(self.input, "{request}").unwrap();
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(answer["id"], id, "{answer}");
        answer["result"].clone()
    }

    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let params = json!({"name": tool, "arguments": arguments});
        let result = self.ask("tools/call", &params);
        result["structuredContent"].clone()
    }

    pub(crate) fn hang_up(mut self) {
        drop(self.input);
        assert!(self.child.wait().unwrap().success());
    }
}

fn project() -> Studio {
    let studio = Studio::offline();
    let folder = studio.bench.folder().join("project");
    gavel_testkit::git(&folder, &["init", "-q"]);
    assert_eq!(studio.run(&["init"]).code, Some(0));
    studio
}

/// Waits until a run waits for an answer and nobody drives it.
fn until_asked(bench: &Bench, run: &str) -> Value {
    loop {
        let status = bench.json(&["status", run]);
        if status["state"] == "waiting" && status["driver_process"].is_null() {
            return status;
        }
        assert!(
            ["running", "waiting"].contains(&status["state"].as_str().unwrap()),
            "{status}"
        );
        std::thread::yield_now();
    }
}

#[test]
fn a_run_outlives_the_server_that_began_it() {
    let studio = project();
    let mut client = Client::new(&studio);
    let started = client.call(
        "gavel_start_run",
        &json!({"idea": IDEA, "max_cost_usd": 0.25}),
    );
    let run = started["run"].as_str().unwrap().to_owned();
    client.hang_up();
    let status = until_asked(&studio.bench, &run);
    assert_eq!(status["cap_usd"], 0.25, "{status}");
    let question = status["question"].as_str().unwrap().to_owned();

    // Another server, another client: the answer is taken, and the run goes on by itself.
    let mut client = Client::new(&studio);
    let told = client.call("gavel_run_status", &json!({}));
    assert_eq!(told["pending_question"]["id"], json!(question));
    assert_eq!(told["pending_question"]["audience"], "any");
    let recommended = told["pending_question"]["recommended"].clone();
    let answered = client.call("gavel_answer", &json!({"answer": recommended}));
    assert_eq!(answered["run"], json!(run), "{answered}");
    let status = loop {
        let status = until_asked(&studio.bench, &run);
        if status["question"] != json!(question) {
            break status;
        }
    };
    // What comes next is for a person; letting the run go on does not answer it in their name.
    let told = client.call("gavel_run_status", &json!({}));
    assert_eq!(told["pending_question"]["audience"], "person", "{told}");
    client.call("gavel_control", &json!({"action": "resume"}));
    let still = until_asked(&studio.bench, &run);
    assert_eq!(still["question"], status["question"]);
    let refused = client.call("gavel_answer", &json!({"answer": "1"}));
    assert_eq!(refused["error"]["code"], "person_only", "{refused}");
    client.hang_up();
    let log = studio.bench.state().join("logs").join(format!("{run}.log"));
    assert!(
        std::fs::read_to_string(log)
            .unwrap()
            .contains("gavel answer")
    );
}

#[test]
fn a_caller_narrows_a_cap_and_never_widens_it() {
    let studio = project();
    let mut client = Client::new(&studio);
    let started = client.call(
        "gavel_start_run",
        &json!({"idea": IDEA, "max_cost_usd": 5000}),
    );
    let run = started["run"].as_str().unwrap().to_owned();
    client.hang_up();
    let status = until_asked(&studio.bench, &run);
    assert_eq!(status["cap_usd"], 5.0, "{status}");
}

/// Whoever starts a server with --yes agrees to nothing in the runs that its guests begin.
#[test]
fn a_guests_run_asks_whatever_the_server_was_told() {
    let studio = project();
    let mut client = Client::with(&studio, &["--yes"]);
    let started = client.call("gavel_start_run", &json!({"idea": IDEA}));
    let run = started["run"].as_str().unwrap().to_owned();
    client.hang_up();
    let status = until_asked(&studio.bench, &run);
    assert!(status["question"].is_string(), "{status}");
    // Nobody knows whether a person said these words.
    assert_eq!(said_by(&studio, &run), IdeaOrigin::Agent);
}

fn said_by(studio: &Studio, run: &str) -> IdeaOrigin {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().build().unwrap();
    runtime.block_on(async {
        let store = open_store(&studio.bench.state()).await;
        let first = store
            .records(run.parse().unwrap(), Seq::ZERO, 1)
            .await
            .unwrap();
        let started: RunStarted = first[0].read().unwrap();
        let text = store.blob(started.brief.unwrap().digest).await.unwrap();
        let brief: ProductBrief = serde_json::from_slice(&text.unwrap()).unwrap();
        brief.said_by
    })
}

#[test]
fn a_machine_may_let_nobody_begin_runs_over_mcp() {
    let studio = project();
    let mut client = Client::with(&studio, &["-c", "mcp.max_runs=0"]);
    let refused = client.call("gavel_start_run", &json!({"idea": IDEA}));
    assert_eq!(refused["error"]["code"], "too_many_runs", "{refused}");
    client.hang_up();
    assert_eq!(studio.bench.json(&["status"])["runs"], json!([]));
}

#[test]
fn nothing_is_begun_where_nothing_can_be_built() {
    let studio = Studio::offline();
    let mut client = Client::new(&studio);
    let refused = client.call("gavel_start_run", &json!({"idea": IDEA}));
    assert_eq!(refused["error"]["code"], "bad_arguments", "{refused}");
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.contains("is no git repository"), "{message}");
    let stdin = client.call("gavel_start_run", &json!({"idea": "-"}));
    assert_eq!(stdin["error"]["code"], "bad_arguments", "{stdin}");
    client.hang_up();
    let runs = studio.bench.json(&["status"]);
    assert_eq!(runs["runs"], json!([]));
}
