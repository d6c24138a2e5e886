//! Pipes in the places of files: whoever opens one waits for somebody at its other end, who never comes.

use gavel_testkit::git;
use serde_json::{Value, json};

use super::runner::{IDEA, JudgeSays, coder, is_sealed, led_by, start, sums, write};
use crate::bench::run_id;

fn run(command: &str) -> (&'static str, Value) {
    ("run_command", json!({ "command": command }))
}

/// Every tool that looks at files, at this one.
fn looks(path: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("read_file", json!({ "path": path })),
        ("check_syntax", json!({ "path": path })),
        (
            "edit_file",
            json!({"path": path, "old": "a", "new": "b", "edits": [{"old": "a", "new": "b"}]}),
        ),
        ("list_directory", json!({ "path": "." })),
        ("search_code", json!({ "pattern": "add" })),
    ]
}

#[test]
fn a_pipe_in_the_place_of_a_file_keeps_nobody_waiting() {
    let mut calls = Vec::new();
    for path in [
        "README.md",
        "package.json",
        "gavel.toml",
        ".gitignore",
        ".gitattributes",
        "add.js",
        "test/add.test.js",
    ] {
        calls.push(run(&format!("rm -f {path}")));
        calls.push(run(&format!("mkfifo {path}")));
        calls.extend(looks(path));
    }
    calls.push(("run_tests", json!({})));
    calls.push(write("README.md", "# Sums, hello\n"));
    let server = coder(calls, JudgeSays::Met);
    let studio = led_by(&server, "");
    let folder = sums(&studio);
    let ended = start(&studio);
    // What it did cannot be proven, and it was told so.
    assert_eq!(ended.code, Some(3), "{ended:?}");
    assert!(!is_sealed(&folder), "{ended:?}");
    let status = studio.bench.json(&["status", &run_id().to_string()]);
    assert_eq!(status["state"], "waiting", "{status}");
    server.finish();
}

/// The same with files, and with a pipe that nobody asks for anything.
#[test]
fn files_in_their_places_are_read_and_a_pipe_beside_them_is_no_work() {
    let mut calls = vec![run("mkfifo pipe")];
    calls.extend(looks("add.js"));
    calls.push(("run_tests", json!({})));
    calls.push(write("README.md", "# Sums, hello\n"));
    let server = coder(calls, JudgeSays::Met);
    let studio = led_by(&server, "");
    let folder = sums(&studio);
    let ended = start(&studio);
    assert_eq!(ended.code, Some(0), "{IDEA}: {ended:?}");
    assert!(is_sealed(&folder), "{ended:?}");
    let branch = format!("gavel/build-{}", run_id().short());
    let files = git(&folder, &["ls-tree", "-r", "--name-only", &branch]);
    assert!(!files.lines().any(|name| name == "pipe"), "{files}");
    server.finish();
}
