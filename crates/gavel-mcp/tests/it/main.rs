//! A source that runs: a program of a few lines that speaks the protocol.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot be set up must stop"
)]

mod bench;
mod conformance;
mod serving;
mod serving_http;
mod serving_limits;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gavel_agent::{Source as _, SourceError};
use gavel_mcp::{McpProgram, McpSource, Patience};
use serde_json::{Map, Value, json};

const SERVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/server.py");

fn program(arguments: &[&str]) -> McpProgram {
    let environment = [
        ("PATH", "/usr/local/bin:/usr/bin:/bin"),
        ("HANDBOOK_TOKEN", "tok-123456"),
    ];
    McpProgram {
        agreed: false,
        command: "python3".into(),
        arguments: arguments.iter().map(|word| (*word).to_owned()).collect(),
        environment: environment
            .map(|(name, value)| (name.to_owned(), value.into()))
            .into(),
        folder: "/".into(),
    }
}

fn handbook(allowed: &[&str]) -> McpSource {
    let allowed = allowed.iter().map(|tool| (*tool).to_owned());
    McpSource::new("handbook", program(&["-I", SERVER]), allowed)
}

fn word(word: &str) -> Map<String, Value> {
    Map::from_iter([("word".to_owned(), json!(word))])
}

async fn told(source: &McpSource, about: &str) -> String {
    source.call("look_up", word(about)).await.unwrap()
}

#[tokio::test]
async fn a_source_offers_what_reads_and_what_was_allowed() {
    let names = async |source: McpSource| -> Vec<String> {
        let tools = source.tools().await.unwrap();
        tools.into_iter().map(|tool| tool.name).collect()
    };
    assert_eq!(names(handbook(&[])).await, ["look_up"]);
    assert_eq!(names(handbook(&["fetch"])).await, ["look_up", "fetch"]);
    let source = handbook(&[]);
    let error = source.call("delete", Map::new()).await.unwrap_err();
    let said = "the source `handbook` has no tool `delete` for you; it has: look_up";
    assert_eq!(error.to_string(), said);
    let tools = source.tools().await.unwrap();
    assert_eq!(tools[0].description, "Finds a page of the handbook.");
    assert_eq!(tools[0].schema["properties"]["word"]["type"], "string");
}

#[tokio::test]
async fn a_source_of_the_newest_revision_is_greeted_its_own_way() {
    let program = program(&["-I", SERVER, "--newest"]);
    let source = McpSource::new("handbook", program, []);
    assert_eq!(source.tools().await.unwrap().len(), 1);
    assert!(told(&source, "queue").await.starts_with("queue: page 12"));
}

#[tokio::test]
async fn answers_are_text_within_bounds() {
    let source = handbook(&["fetch"]);
    let page = "queue: page 12 of https://handbook.example/queue";
    assert_eq!(told(&source, "queue").await, page);
    assert_eq!(told(&source, "picture").await, "(an image)");
    let much = told(&source, "much").await;
    assert!(
        much.len() < 66_000 && much.ends_with("(cut)"),
        "{}",
        much.len()
    );
    let url = Map::from_iter([("url".to_owned(), json!("https://a.example"))]);
    let fetched = source.call("fetch", url).await.unwrap();
    assert_eq!(fetched, "https://a.example says: retries are capped at 5");
    match source.call("look_up", word("fail")).await {
        Err(SourceError::Refused { said, .. }) => assert_eq!(said, "the handbook is closed"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_source_sees_what_it_was_given_and_does_not_tell_it() {
    let source = handbook(&[]);
    let seen = told(&source, "environment").await;
    assert!(!seen.contains("HOME"), "{seen}");
    assert!(
        seen.contains("\"HANDBOOK_TOKEN\": \"[HANDBOOK_TOKEN]\""),
        "{seen}"
    );
    assert!(!seen.contains("tok-123456"), "{seen}");
    assert!(seen.ends_with("}/"), "{seen}");
    assert!(!format!("{source:?}").contains("tok-123456"));
}

#[tokio::test]
async fn nothing_runs_before_the_first_use_or_after_the_last() {
    let folder = tempfile::tempdir().unwrap();
    let note = folder.path().join("note");
    let note = note.to_str().unwrap();
    // As launchers do: the program that answers is a child of the one that was started.
    let launch = format!("python3 -I {SERVER} --note {note}; true");
    let mut launcher = program(&["-c", &launch]);
    launcher.command = "sh".into();
    let source = McpSource::new("handbook", launcher, []);
    assert!(!Path::new(note).exists());
    let calls = [told(&source, "pid"), told(&source, "pid")];
    let [pid, same] = futures_util::future::join_all(calls)
        .await
        .try_into()
        .unwrap();
    assert_eq!(pid, same);
    assert_eq!(std::fs::read_to_string(note).unwrap(), "started\n");
    let process = PathBuf::from(format!("/proc/{pid}"));
    assert!(process.exists());
    drop(source);
    ends(&process).await;
}

/// Waits until a process is gone, or is nothing but a name that its parent did not take back.
async fn ends(process: &Path) {
    let begun = Instant::now();
    loop {
        let status = std::fs::read_to_string(process.join("status")).unwrap_or_default();
        if status.is_empty() || status.contains("State:\tZ") {
            return;
        }
        assert!(begun.elapsed() < Duration::from_secs(10), "{status}");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_source_that_ended_is_started_again_and_then_left_alone() {
    let source = handbook(&[]);
    for _ in 0..3 {
        assert!(told(&source, "queue").await.starts_with("queue: "));
        match source.call("look_up", word("end")).await {
            Err(SourceError::Ended { .. }) => {}
            other => panic!("{other:?}"),
        }
    }
    let error = source.tools().await.unwrap_err();
    let said = "the source `handbook` failed 3 times: go on without it";
    assert_eq!(error.to_string(), said);
}

#[tokio::test]
async fn a_program_that_is_no_source_is_told_apart() {
    let mut missing = program(&[]);
    missing.command = "/nonexistent/handbook".into();
    match McpSource::new("handbook", missing, []).tools().await {
        Err(SourceError::NotStarted { .. }) => {}
        other => panic!("{other:?}"),
    }
    let mut silent = program(&[]);
    silent.command = "true".into();
    match McpSource::new("handbook", silent, []).tools().await {
        Err(SourceError::NotASource { .. }) => {}
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn an_answer_that_does_not_come_is_not_waited_for() {
    let source = handbook(&[]).with_patience(Patience {
        call: Duration::from_millis(200),
        ..Patience::default()
    });
    let pid = told(&source, "pid").await;
    match source.call("look_up", word("wait")).await {
        Err(SourceError::Silent { .. }) => {}
        other => panic!("{other:?}"),
    }
    ends(&PathBuf::from(format!("/proc/{pid}"))).await;
    assert_ne!(told(&source, "pid").await, pid, "it was begun anew");
}

#[tokio::test]
async fn a_program_that_says_nothing_is_not_waited_for() {
    let mut mute = program(&["-c", "import time; time.sleep(600)"]);
    mute.arguments.insert(0, "-I".to_owned());
    let patience = Patience {
        start: Duration::from_millis(200),
        ..Patience::default()
    };
    let source = McpSource::new("handbook", mute, []).with_patience(patience);
    match source.tools().await {
        Err(SourceError::Silent { .. }) => {}
        other => panic!("{other:?}"),
    }
}
