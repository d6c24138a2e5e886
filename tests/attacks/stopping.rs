//! A model that never finishes, a supervisor that wants the command to end, and a reader that goes away.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::Child;
use std::time::{Duration, Instant};

use gavel_testkit::{FakeReply, asked_for};
use rustix::process::{Pid, Signal, kill_process};

use crate::bench::{Bench, ended, run_id};
use crate::product_hot::project;
use crate::studio::{IDEA, Studio};

use super::runner::{self, JudgeSays, NODE_MANIFEST, coder, led_by, write};

/// Longer than a command that was told to end may take, shorter than any deadline of a call.
const SOON: Duration = Duration::from_secs(5);

/// Begins a run whose first call never ends, and waits until that call is under way.
fn begun(bench: &Bench, reply: FakeReply) -> Child {
    bench.server.push(reply);
    let id = run_id().to_string();
    let child = bench.spawn(&bench.toy_args(&id, &["--yes"]));
    let begin = Instant::now();
    while bench.server.requests().is_empty() {
        assert!(
            begin.elapsed() < Duration::from_secs(25),
            "no call was made"
        );
        std::thread::yield_now();
    }
    child
}

#[test]
fn a_signal_ends_a_command_whose_model_never_ends_and_the_run_goes_on() {
    for (signal, reply) in [
        (Signal::TERM, FakeReply::text("never").stall_after(1)),
        (Signal::TERM, FakeReply::endless("word ")),
        (Signal::TERM, FakeReply::stall_before_headers()),
        (Signal::INT, FakeReply::text("never").stall_after(1)),
    ] {
        let bench = Bench::new();
        let child = begun(&bench, reply);
        let told = Instant::now();
        kill_process(Pid::from_child(&child), signal).unwrap();
        let stopped = ended(child);
        assert!(told.elapsed() < SOON, "{:?}", told.elapsed());
        assert_eq!(stopped.code, Some(130), "{stopped:?}");
        assert!(stopped.stderr.contains("gavel resume"), "{stopped:?}");
        let id = run_id().to_string();
        let booked = bench.json(&["usage", "forensics", &id]);
        assert_eq!(booked["lost"]["count"], 1, "{booked}");
        assert_ne!(booked["lost"]["ceiling_usd"], "0.00", "{booked}");
        let resumed = bench.run(&["resume", &id, "--yes"]);
        assert_eq!(resumed.code, Some(0), "{resumed:?}");
    }
}

/// The first lines of a command's output; then its reader goes away.
fn headed(mut child: Child, lines: usize) -> (Option<i32>, String) {
    let output = BufReader::new(child.stdout.take().unwrap());
    assert_eq!(output.lines().take(lines).count(), lines);
    let mut beside = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut beside)
        .unwrap();
    (child.wait().unwrap().code(), beside)
}

#[test]
fn a_run_goes_on_without_its_reader_and_keeps_its_exit_code() {
    for format in [&[][..], &["--json"]] {
        let id = run_id().to_string();
        let start = ["start", IDEA, "--into", "made", "--run", &id];
        let words = [format, &start].concat();
        let read = Studio::offline();
        let whole = read.run(&words);
        assert_eq!(whole.code, Some(3), "it asks: {whole:?}");
        let unread = Studio::offline();
        let mut child = unread.spawn(&words);
        drop(child.stdout.take());
        let lines = child.wait_with_output().unwrap();
        assert_eq!(lines.status.code(), whole.code, "{lines:?}");
        let state = |studio: &Studio| studio.bench.json(&["status", &id])["seq"].clone();
        assert_eq!(state(&unread), state(&read));
    }
}

#[test]
fn who_only_shows_ends_with_its_reader() {
    let bench = Bench::new();
    let id = run_id().to_string();
    let asked = bench.run(&bench.toy_args(&id, &[]));
    assert_eq!(asked.code, Some(3), "{asked:?}");
    let watch = bench.spawn(&["--json", "watch", &id]);
    // The run waits: nothing but the reader ends this.
    let mut watching = watch;
    drop(watching.stdout.take());
    assert_eq!(watching.wait().unwrap().code(), Some(0));
    let (code, beside) = headed(bench.spawn(&["--json", "status"]), 1);
    assert_eq!((code, beside.as_str()), (Some(0), ""));
}

/// How many functions a file has that is read, and how many such files there are: some ten seconds of
/// parsing.
const FUNCTIONS: usize = 500;
const FILES: usize = 120;

/// A coder that changes a test: what it meant before, any file may say, so all of them are read.
#[test]
fn a_signal_ends_a_command_that_reads_a_large_repository() {
    if !asked_for("attacks") {
        return;
    }
    let test = |more: &str| {
        format!(
            "const test = require('node:test');\nconst assert = require('node:assert');\n\
             const {{ add }} = require('../add.js');\ntest('adds', () => assert.equal(add(1, 2), 3));\n{more}"
        )
    };
    let more = "test('adds more', () => assert.equal(add(2, 2), 4));\n";
    let calls = vec![
        write("test/add.test.js", &test(more)),
        write("README.md", "# Sums, hello\n"),
    ];
    let server = coder(calls, JudgeSays::Met);
    let studio = led_by(&server, "");
    let code: String = (0..FUNCTIONS)
        .map(|at| {
            format!(
                "exports.f{at} = (a, b) => (a > {at} ? [a, b, {at}] : {{ a, b, c: `${{a}}` }});\n"
            )
        })
        .collect();
    let paths: Vec<String> = (0..FILES).map(|at| format!("lib/part{at}.js")).collect();
    let before = test("");
    let mut files = vec![
        ("package.json", NODE_MANIFEST),
        ("add.js", "exports.add = (a, b) => a + b;\n"),
        ("test/add.test.js", before.as_str()),
        ("README.md", "# Sums\n"),
    ];
    files.extend(paths.iter().map(|path| (path.as_str(), code.as_str())));
    project(&studio, &files);

    let id = run_id().to_string();
    let words = [
        "start",
        runner::IDEA,
        "--run",
        &id,
        "--yes",
        "--non-interactive",
    ];
    let child = studio.spawn(&words);
    let begun = Instant::now();
    while server.requests().is_empty() {
        assert!(
            begun.elapsed() < Duration::from_secs(120),
            "no call was made"
        );
        std::thread::yield_now();
    }
    // The base is verified, then the work: what comes next is to read it.
    let mut watch = studio.spawn(&["--json", "watch", &id]);
    let facts = BufReader::new(watch.stdout.take().unwrap()).lines();
    let verified = facts
        .map(Result::unwrap)
        .filter(|fact| fact.contains("\"verify_finished\""));
    assert_eq!(verified.take(2).count(), 2, "nothing is verified");
    watch.kill().unwrap();
    watch.wait().unwrap();
    let told = Instant::now();
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    let stopped = ended(child);
    assert!(told.elapsed() < SOON, "{:?}", told.elapsed());
    assert_eq!(stopped.code, Some(130), "{stopped:?}");
    let resumed = studio.run(&["resume", &id, "--yes", "--non-interactive"]);
    assert_eq!(resumed.code, Some(0), "{resumed:?}");
}
