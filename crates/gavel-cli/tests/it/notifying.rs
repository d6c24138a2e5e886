//! `notify = [...]`: a person's own program is told of questions and ends, and what it prints is an answer.

use gavel_domain::{Door, QuestionAnswered};
use serde_json::Value;

use crate::bench::run_id;
use crate::studio::Studio;

/// A program that keeps every event, takes what is recommended, and says no to the spec.
fn bridge(studio: &Studio, more: &str) -> std::path::PathBuf {
    let events = studio.bench.folder().join("events.jsonl");
    let script = "/bin/cat >> \"$0\"; case \"$GAVEL_QUESTION\" in \
        */agreed) echo 'stop: told from afar';; ?*) echo take-all;; esac";
    let argv = toml::Value::try_from(["/bin/sh", "-c", script, events.to_str().unwrap()]).unwrap();
    let settings = format!("notify = {argv}\n{more}");
    std::fs::write(studio.bench.own_file(), settings).unwrap();
    events
}

fn events(file: &std::path::Path) -> Vec<(String, String)> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let events = text.lines().map(|line| {
        let event: Value = serde_json::from_str(line).unwrap();
        assert_eq!(event["schema"], "gavel/notify/v1");
        assert_eq!(event["run"], run_id().to_string());
        let word = |name: &str| event[name].as_str().unwrap_or_default().to_owned();
        (word("event"), word("question"))
    });
    events.collect()
}

fn doors(studio: &Studio) -> Vec<Door> {
    let answers = studio.look().facts::<QuestionAnswered>();
    answers
        .into_iter()
        .map(|answered| answered.by.door)
        .collect()
}

#[test]
fn what_a_bridge_prints_is_an_answer_and_only_with_its_persons_word_a_decision() {
    let studio = Studio::offline();
    let file = bridge(&studio, "");
    let waits = studio.start(&[]);
    assert_eq!(waits.code, Some(3), "{waits:?}");
    assert!(waits.stderr.contains("notify_may_decide"), "{waits:?}");
    let seen = events(&file);
    assert!(
        seen.iter().all(|(event, _)| event == "question"),
        "{seen:?}"
    );
    assert!(seen.last().unwrap().1.ends_with("/agreed"), "{seen:?}");
    assert!(!doors(&studio).is_empty());
    assert!(doors(&studio).iter().all(|door| *door == Door::Bridge));

    // The twin: a person who lets it decide.
    let file = bridge(&studio, "notify_may_decide = true\n");
    let stopped = studio.run(&["resume", &run_id().to_string()]);
    assert_eq!(stopped.code, Some(1), "{stopped:?}");
    assert!(stopped.stdout.contains("told from afar"), "{stopped:?}");
    assert_eq!(events(&file).last().unwrap().0, "end");
    assert!(doors(&studio).iter().all(|door| *door == Door::Bridge));
}

#[test]
fn a_program_that_fails_or_is_not_there_answers_nothing() {
    let studio = Studio::offline();
    for argv in [
        "[\"/nowhere/at-all\"]",
        "[\"/bin/sh\", \"-c\", \"echo take-all; exit 1\"]",
    ] {
        std::fs::write(studio.bench.own_file(), format!("notify = {argv}\n")).unwrap();
        let waits = studio.start(&[]);
        assert_eq!(waits.code, Some(3), "{waits:?}");
        assert!(waits.stderr.contains("note notify:"), "{waits:?}");
        assert_eq!(doors(&studio), []);
    }
    // What somebody cloned names no program.
    std::fs::write(studio.bench.project_file(), "notify = [\"/bin/true\"]\n").unwrap();
    let refused = studio.run(&["config", "show"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
}
