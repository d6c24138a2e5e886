//! Several terminals on one run: one drives, others answer, interject, watch, pause; a third goes on.

use std::io::{BufRead as _, BufReader};

use gavel_domain::{Heard, QuestionAnswered, Said, Sealed};
use gavel_testkit::{FakeReply, FakeServer, Gate, SeenRequest, fake_server, model_rule};
use serde_json::Value;

use crate::bench::{ended, run_id};
use crate::studio::{IDEA, Served, Speaks, Studio, shape};
use crate::terminal::Terminal;

const WORDS: &str = "keep the words short";

/// The rules behind a server that holds at the gate what is wanted.
pub(crate) fn held_at(gate: &Gate, wanted: fn(&SeenRequest) -> bool) -> FakeServer {
    let gate = gate.clone();
    let rule = model_rule(gavel_offline::Offline, shape);
    let rule = move |seen: &SeenRequest| -> FakeReply {
        let reply = rule(seen);
        if wanted(seen) {
            reply.gated(&gate)
        } else {
            reply
        }
    };
    fake_server().rule(rule).start()
}

fn is_contract(seen: &SeenRequest) -> bool {
    let asked = seen.last_asked().unwrap_or_default();
    asked.starts_with("Contract: manifesto")
}

/// The spec alone has this field.
fn is_spec(seen: &SeenRequest) -> bool {
    seen.body.to_string().contains("\"out_of_scope\"")
}

pub(crate) fn wait_until_held(server: &FakeServer) {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime.unwrap().block_on(server.until_waiting(1));
}

#[test]
fn without_a_terminal_questions_are_answered_from_another_one() {
    let studio = Studio::offline();
    let id = run_id().to_string();
    let left = studio.start(&[]);
    assert_eq!(left.code, Some(3), "{left:?}");
    for text in [
        "Take them all?",
        "take all ten as recommended  (recommended)",
        "discovery-1/recommended",
    ] {
        assert!(left.stdout.contains(text), "{text}: {}", left.stdout);
    }
    let status = studio.bench.json(&["status", &id]);
    assert_eq!(
        (&status["state"], &status["question"]),
        (&"waiting".into(), &"discovery-1/recommended".into())
    );

    let wrong = studio.run(&["answer", &id, "perhaps"]);
    assert_eq!(wrong.code, Some(2), "{wrong:?}");
    let on = studio.run(&["answer", &id, "take-all", "--resume"]);
    assert_eq!(on.code, Some(3), "{on:?}");
    assert!(on.stdout.contains("Build this?"), "{on:?}");
    let halted = studio.run(&["answer", &id, "stop", "--resume"]);
    assert_eq!(halted.code, Some(1), "{halted:?}");

    let answered = studio.look().facts::<QuestionAnswered>();
    let assumed: Vec<bool> = answered.iter().map(|answer| answer.assumed).collect();
    assert_eq!(assumed, [false, false], "a person answered both");
}

#[test]
fn what_is_typed_before_a_card_answers_nothing() {
    let gate = Gate::closed();
    let server = held_at(&gate, is_spec);
    let settings =
        "[models]\npaid = \"agreed\"\nslots = { leader = \"left/rules\", stances = [] }\n";
    let model = Served {
        name: "left",
        server: &server,
        speaks: Speaks::Anthropic,
    };
    let studio = Studio::with(settings, &[model]);
    let id = run_id().to_string();
    let start = ["start", IDEA, "--into", "made", "--run", &id];
    let mut terminal = Terminal::open(studio.command(&start), 100);
    terminal.wait_for("Take them all?");
    terminal.wait_for("Enter takes 1 › ");
    terminal.press("\n");
    wait_until_held(&server);
    // Impatience, and words that would answer the next card, with and without an end.
    terminal.press(&"\n".repeat(12));
    terminal.press(&"agree\n1\n".repeat(12));
    terminal.press("sto");
    gate.open();
    terminal.wait_for("Build this?");
    let drawn = terminal.wait_for(" › ");
    assert!(!drawn.contains("Enter takes"), "{drawn}");
    // Enter alone approves nothing; had anything been left of those lines, it would be an answer.
    terminal.press("\n");
    terminal.wait_for("Enter alone does not approve it");
    terminal.wait_for(" › ");
    let status = studio.bench.json(&["status", &id]);
    assert_eq!(status["state"], "waiting", "{status}");
    assert_eq!(studio.look().facts::<QuestionAnswered>().len(), 1);
    terminal.press("2\n");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(1), "{shown}");
    server.finish();
}

#[test]
fn one_drives_others_speak_watch_and_pause_and_a_third_goes_on() {
    let gate = Gate::closed();
    let server = held_at(&gate, is_contract);
    let settings =
        "[models]\npaid = \"agreed\"\nslots = { leader = \"left/rules\", stances = [] }\n";
    let model = Served {
        name: "left",
        server: &server,
        speaks: Speaks::Anthropic,
    };
    let studio = Studio::with(settings, &[model]);
    let id = run_id().to_string();
    let start = ["start", IDEA, "--into", "made", "--run", &id, "--yes"];
    let driver = studio.spawn(&start);
    wait_until_held(&server);

    let mut watcher = studio
        .bench
        .spawn(&["--json", "watch", &id, "--only", "said,paused,sealed"]);
    let second = studio.run(&["resume", &id]);
    assert_eq!(second.code, Some(8), "{second:?}");
    for (args, code) in [(&["say", &id, WORDS][..], 0), (&["pause", &id], 0)] {
        let sent = studio.run(args);
        assert_eq!(
            (sent.code, sent.stdout.as_str()),
            (Some(code), "taken\n"),
            "{sent:?}"
        );
    }
    gate.open();
    let driver = ended(driver);
    assert_eq!(driver.code, Some(130), "{driver:?}");
    assert!(driver.stdout.contains("gavel resume"), "{driver:?}");

    let resumed = studio.run(&["resume", &id, "--yes"]);
    assert_eq!(resumed.code, Some(0), "{resumed:?}");
    let lines = BufReader::new(watcher.stdout.take().unwrap()).lines();
    let kinds: Vec<String> = lines
        .map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap()["kind"].to_string())
        .collect();
    assert_eq!(kinds, ["\"said\"", "\"paused\"", "\"sealed\""]);
    assert_eq!(watcher.wait().unwrap().code(), Some(0));

    let seen = studio.look();
    assert_eq!(seen.facts::<Said>().len(), 1);
    let heard = seen.facts::<Heard>();
    let heard: usize = heard.iter().map(|heard| heard.said.len()).sum();
    assert_eq!(heard, 1, "what was said was heard once");
    assert_eq!(seen.facts::<Sealed>().len(), 1);
    let told = server.requests();
    let told = told
        .iter()
        .filter(|seen| seen.body.to_string().contains(WORDS));
    assert!(told.count() > 0, "the model was told");
    assert_eq!(server.requests().len(), seen.settled.len());
    server.finish();
}
