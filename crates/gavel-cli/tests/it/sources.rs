//! Sources outside the project: whose file may name them, and a council that asks one.

use gavel_domain::{ResearchMade, ResearchOutcome, ToolFinished};
use gavel_testkit::{FakeReply, FakeServer, SeenRequest, fake_server};
use serde_json::{Value, json};

use crate::bench::{Bench, run_id};
use crate::council::{Project, TOPIC};
use crate::council_debate::{convened, leader_says, seat};
use crate::seen::Seen;

const SERVER: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../gavel-mcp/tests/it/server.py"
);
const PAGE: &str = "https://handbook.example/queue";

/// Adds a handbook to the person's settings; whenever it is started, it notes that.
fn named(project: &Project) -> std::path::PathBuf {
    let note = project.studio.bench.folder().join("note");
    let command = json!([
        "/usr/bin/env",
        "PATH=/usr/local/bin:/usr/bin:/bin",
        "python3",
        "-I",
        SERVER,
        "--note",
        note,
    ]);
    add(&project.studio.bench, &format!("command = {command}"));
    note
}

fn add(bench: &Bench, lines: &str) {
    let mut text = std::fs::read_to_string(bench.own_file()).unwrap();
    text.push_str(&format!("\n[[sources]]\nname = \"handbook\"\n{lines}\n"));
    std::fs::write(bench.own_file(), text).unwrap();
}

/// A leader who wants things looked up, asks the handbook and reports what it says.
fn asks_the_handbook() -> FakeServer {
    let rule = |seen: &SeenRequest| {
        let request = seen.rebuilt().request;
        if let Some(answer) = request.answer {
            let fields = answer.schema["properties"].as_object().cloned();
            let has = |name: &str| fields.as_ref().is_some_and(|all| all.contains_key(name));
            let needed: Value = json!({"needed": true, "why": "The handbook says it."});
            return FakeReply::text(&if has("needed") {
                needed.to_string()
            } else {
                leader_says(shape(&has)).to_string()
            });
        }
        if seen.body.to_string().contains("handbook answered look_up") {
            return FakeReply::text(&format!(
                "Queues stand on page 12 [CONFIRMED via {PAGE} \"queue: page 12\"]."
            ));
        }
        let asked = json!({
            "source": "handbook", "tool": "look_up", "arguments": {"word": "queue"},
        });
        FakeReply::calls(&[("a", "ask_source", &asked.to_string())])
    };
    fake_server().rule(rule).start()
}

fn shape(has: &dyn Fn(&str) -> bool) -> &'static str {
    let named = [
        ("planned_rounds", "plan"),
        ("problem", "matter"),
        ("go_on", "evaluation"),
        ("dissent_kept", "verdict"),
        ("readable", "synthesis"),
        ("steps", "action_plan"),
        ("text", "summary"),
    ];
    let mut named = named.into_iter();
    named
        .find_map(|(field, name)| has(field).then_some(name))
        .unwrap()
}

#[test]
fn a_council_asks_a_source_and_cites_its_page() {
    let project = Project::new();
    let cite = format!("{PAGE} \"queue: page 12\"");
    let left = seat("A", &[&cite], "The handbook knows queues.");
    let right = seat("B", &[PAGE], "A server grows with us.");
    let lead = asks_the_handbook();
    convened(&project.studio, [&left, &right], &lead);
    let note = named(&project);
    let id = run_id().to_string();
    let ended = project.command(&["council", TOPIC, "--run", &id], 0);
    let seen = Seen::of(&project.studio.bench);
    let [made] = seen.facts::<ResearchMade>().try_into().unwrap();
    let ResearchMade {
        outcome,
        results,
        held,
        ..
    } = made;
    assert_eq!(
        (outcome, results, held),
        (ResearchOutcome::Found, 1, 1),
        "{ended:?}"
    );
    let told = |tool: &ToolFinished| (tool.tool.clone(), tool.ok);
    let tools: Vec<_> = seen.facts::<ToolFinished>().iter().map(told).collect();
    // The leader looks around, the researcher looks closer, and then asks.
    assert_eq!(tools, vec![("ask_source".to_owned(), true); 3]);
    // Words that the source showed hold; a page that it only named does not.
    let heard = |server: &FakeServer, said: &str| {
        let requests = server.requests();
        requests
            .iter()
            .any(|seen| seen.body.to_string().contains(said))
    };
    assert!(heard(
        &right,
        "The handbook knows queues. [CONFIRMED via https://"
    ));
    assert!(heard(&left, "A server grows with us. [UNVERIFIED: "));
    assert_eq!(std::fs::read_to_string(&note).unwrap(), "started\n");

    // The source is gone; what it said is on record.
    std::fs::remove_file(&note).unwrap();
    convened(&project.studio, [&left, &right], &lead);
    let again = project.command(&["resume", &id], 0);
    assert_eq!(again.stdout, ended.stdout);
    assert!(!note.exists(), "nothing is started to read a record");
}

#[test]
fn a_source_that_cannot_be_started_is_told_and_the_council_goes_on() {
    let project = Project::new();
    let left = seat("A", &["README.md:1"], "One file is enough.");
    let right = seat("B", &["README.md:1"], "A server grows with us.");
    let lead = asks_the_handbook();
    convened(&project.studio, [&left, &right], &lead);
    add(
        &project.studio.bench,
        "command = [\"/nonexistent/handbook\"]",
    );
    let id = run_id().to_string();
    let ended = project.command(&["council", TOPIC, "--run", &id], 0);
    let seen = Seen::of(&project.studio.bench);
    let [made] = seen.facts::<ResearchMade>().try_into().unwrap();
    assert_ne!(made.outcome, ResearchOutcome::Found, "{ended:?}");
    let record = project.studio.bench.json(&["council", "show", &id]);
    let told = "the source `handbook` cannot be started: check its command in your config.toml";
    assert!(record.to_string().contains(told), "{record}");
    let short = "the source `handbook` cannot be started";
    assert!(ended.stdout.contains(short), "{ended:?}");
}

#[test]
fn only_the_persons_own_file_names_sources() {
    let bench = Bench::new();
    let source = "[[sources]]\nname = \"docs\"\ncommand = [\"touch\", \"/tmp/started\"]\n";
    std::fs::write(bench.project_file(), source).unwrap();
    let refused = bench.run(&["status"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    for told in ["gavel.toml", "cannot name programs", "your own config.toml"] {
        assert!(refused.stderr.contains(told), "{told} {refused:?}");
    }
    std::fs::remove_file(bench.project_file()).unwrap();
    for (lines, told) in [
        ("command = []", "command names a program"),
        ("command = [\"./docs\"]", "write the whole path of `./docs`"),
        (
            "command = [\"docs\"]\nenv = [\"A=b\"]",
            "names of variables",
        ),
        (
            "command = [\"docs\"]\ntool = [\"x\"]",
            "unknown field `tool`",
        ),
        ("", "missing field `command`"),
        (
            "command = [\"docs\"]\n[[sources]]\nname = \"handbook\"\ncommand = [\"docs\"]",
            "two sources named `handbook`",
        ),
    ] {
        std::fs::write(bench.own_file(), "").unwrap();
        add(&bench, lines);
        let wrong = bench.run(&["status"]);
        assert_eq!(wrong.code, Some(2), "{lines} {wrong:?}");
        assert!(wrong.stderr.contains(told), "{lines} {wrong:?}");
        assert!(wrong.stderr.contains("config.toml"), "{lines} {wrong:?}");
    }
}

#[test]
fn the_doctor_lists_sources_and_starts_none() {
    let bench = Bench::new();
    let started = bench.folder().join("started");
    let program = bench.folder().join("handbook");
    let script = format!("#!/bin/sh\ntouch {}\n", started.display());
    std::fs::write(&program, script).unwrap();
    let command = json!([program, "--all"]);
    add(
        &bench,
        &format!("command = {command}\nenv = [\"HANDBOOK_TOKEN\"]"),
    );
    let doctor = bench.run(&["doctor"]);
    let line = format!(
        "handbook: {} --all (HANDBOOK_TOKEN is not set)",
        program.display()
    );
    assert!(doctor.stdout.contains(&line), "{doctor:?}");
    assert!(!started.exists());
}
