//! One process drives; others answer, interject, pause, watch; a third driver is refused.

use std::io::{BufRead as _, BufReader};

use serde_json::Value;

use crate::bench::{Bench, ended, run_id};

/// Waits until the run waits for an answer.
fn until_waiting(bench: &Bench) {
    let id = run_id().to_string();
    loop {
        let status = bench.json(&["status", &id]);
        if status["state"] == "waiting" {
            return;
        }
        std::thread::yield_now();
    }
}

#[test]
fn another_process_answers_interjects_and_watches() {
    let bench = Bench::new();
    let id = run_id().to_string();
    let driver = bench.spawn(&bench.toy_args(&id, &["--stay"]));
    until_waiting(&bench);

    let mut watcher = bench.spawn(&[
        "--json",
        "watch",
        &id,
        "--only",
        "question_answered,said,halted",
    ]);
    let said = bench.run(&["say", &id, "make it short"]);
    assert_eq!(
        (said.code, said.stdout.as_str()),
        (Some(0), "taken\n"),
        "{said:?}"
    );

    let second = bench.run(&["resume", &id]);
    assert_eq!(second.code, Some(8), "{second:?}");
    assert!(second.stderr.contains("is driven by process"), "{second:?}");

    let answered = bench.run(&["answer", &id, "toy-1/colour", "--option", "1"]);
    assert_eq!(
        (answered.code, answered.stdout.as_str()),
        (Some(0), "taken\n"),
        "{answered:?}"
    );
    let late = bench.json(&["answer", &id, "toy-1/colour", "--option", "2"]);
    assert_eq!(late["error"]["code"], "conflict", "{late}");
    assert!(
        late["error"]["message"].as_str().unwrap().contains("`red`"),
        "{late}"
    );

    let driver = ended(driver);
    assert_eq!(driver.code, Some(0), "{driver:?}");
    let lines = BufReader::new(watcher.stdout.take().unwrap()).lines();
    let kinds: Vec<String> = lines
        .map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap()["kind"].to_string())
        .collect();
    assert_eq!(kinds, ["\"said\"", "\"question_answered\"", "\"halted\""]);
    assert_eq!(watcher.wait().unwrap().code(), Some(0));
    let asked: Vec<_> = bench
        .server
        .requests()
        .iter()
        .filter_map(gavel_testkit::SeenRequest::last_asked)
        .collect();
    assert_eq!(asked.last().unwrap(), "Sum up 3 drafts in red; 1 remarks.");
}

#[test]
fn another_process_pauses_and_a_third_goes_on() {
    let bench = Bench::new();
    let id = run_id().to_string();
    let driver = bench.spawn(&bench.toy_args(&id, &["--stay"]));
    until_waiting(&bench);
    let paused = bench.run(&["pause", &id]);
    assert_eq!(
        (paused.code, paused.stdout.as_str()),
        (Some(0), "taken\n"),
        "{paused:?}"
    );
    let driver = ended(driver);
    assert_eq!(driver.code, Some(130), "{driver:?}");
    assert!(driver.stdout.contains("gavel resume"), "{driver:?}");

    let kept = bench.run(&["answer", &id, "toy-1/colour", "blue"]);
    assert_eq!(kept.code, Some(0), "{kept:?}");
    assert!(kept.stdout.starts_with("kept"), "{kept:?}");
    let resumed = bench.run(&["resume"]);
    assert_eq!(resumed.code, Some(0), "{resumed:?}");
    let replay = bench.json(&["replay", &id]);
    assert_eq!(
        (&replay["same_head"], &replay["head"]["state"]),
        (&true.into(), &"halted".into())
    );
}

#[test]
fn without_a_terminal_an_open_question_ends_the_command() {
    let bench = Bench::new();
    let id = run_id().to_string();
    let left = bench.run(&bench.toy_args(&id, &[]));
    assert_eq!(left.code, Some(3), "{left:?}");
    for text in [
        "Which colour?",
        "1. Red",
        "2. Blue  (recommended)",
        "toy-1/colour",
    ] {
        assert!(left.stdout.contains(text), "{text}: {}", left.stdout);
    }
    let wrong = bench.run(&["answer", &id, "green"]);
    assert_eq!(wrong.code, Some(2), "{wrong:?}");
    assert!(
        wrong.stderr.contains("takes one of its options: red, blue"),
        "{wrong:?}"
    );
    let on = bench.run(&["answer", &id, "blue", "--resume"]);
    assert_eq!(on.code, Some(0), "{on:?}");
}

#[test]
fn a_question_may_be_left_to_gavel() {
    let bench = Bench::new();
    let id = run_id().to_string();
    assert_eq!(bench.run(&bench.toy_args(&id, &[])).code, Some(3));
    let on = bench.run(&["answer", &id, "--skip", "--resume"]);
    assert_eq!(on.code, Some(0), "{on:?}");
    let facts = bench.run(&["--json", "watch", &id, "--only", "question_answered"]);
    assert!(facts.stdout.contains(r#""answer":"decide""#), "{facts:?}");
}
