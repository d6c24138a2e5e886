//! An agent behind the real binary: tools, sandbox, journal and git together.

use gavel_testkit::{FakeReply, git};

use crate::bench::{Bench, run_id};

const SCRIPT: &str = r#"print("it", "works")"#;

/// A model that writes a program, runs it, tries to leave, and is done.
fn bench() -> Bench {
    let bench = Bench::new();
    let write = format!(
        r#"{{"path":"hello.py","content":{}}}"#,
        serde_json::json!(SCRIPT)
    );
    bench
        .server
        .push(FakeReply::calls(&[("w", "write_file", &write)]));
    bench.server.push(FakeReply::calls(&[
        ("r", "run_command", r#"{"command":"python3 hello.py"}"#),
        ("o", "read_file", r#"{"path":"../letters.txt"}"#),
        (
            "p",
            "run_command",
            r#"{"command":"cat gavel.toml ../project/gavel.toml"}"#,
        ),
    ]));
    bench
        .server
        .push(FakeReply::text("hello.py prints that it works."));
    bench
}

#[test]
fn an_agent_writes_runs_and_commits_and_cannot_leave() {
    let bench = bench();
    let id = run_id().to_string();
    let done = bench.run(&bench.toy_args(&id, &["--task", "Write hello.py and run it."]));
    assert_eq!(done.code, Some(0), "{done:?}");

    let branch = format!("gavel/build-{}", run_id().short());
    let committed = git(
        &bench.toy.checkout(),
        &["show", &format!("{branch}:hello.py")],
    );
    assert_eq!(committed, SCRIPT);
    let requests = bench.server.requests();
    let seen = serde_json::to_string(&requests.last().unwrap().body).unwrap();
    assert!(seen.contains("it works"), "the command ran: {seen}");
    assert!(seen.contains("exit code 0; sandbox:"), "{seen}");
    assert!(
        !seen.contains("max_input = 70000"),
        "the settings beside the tree were not read"
    );

    let watch = bench.run(&["--json", "watch", &id, "--only", "tool_finished"]);
    assert!(watch.stdout.contains(r#""level":"landlock""#), "{watch:?}");
    let again = bench.run(&["resume", &id]);
    assert_eq!(
        again.code,
        Some(0),
        "a run that is through stays through: {again:?}"
    );
}
