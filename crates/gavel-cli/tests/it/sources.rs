//! Sources outside the project: whose file may name them, and a council that asks one.

use gavel_domain::{ResearchMade, ResearchOutcome, SourceDecided, SourceRule, ToolFinished};
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

/// Adds a handbook to the person's settings, who agree to what nobody counts.
fn named(project: &Project) -> std::path::PathBuf {
    named_with(project, "agreed = true\n")
}

/// Adds a handbook to the person's settings; whenever it is started, it notes that.
fn named_with(project: &Project, more: &str) -> std::path::PathBuf {
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
    add(&project.studio.bench, &format!("{more}command = {command}"));
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
    let (doubted, tools) = tools.split_first().unwrap();
    assert_eq!(
        doubted,
        &("doubted".to_owned(), false),
        "no council met before"
    );
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
        "agreed = true\ncommand = [\"/nonexistent/handbook\"]",
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

/// A debate that asks the handbook, whose use no cap can hold.
fn debating(agreed: &str) -> (Project, std::path::PathBuf, [FakeServer; 3]) {
    let project = Project::new();
    let left = seat("A", &["README.md:1"], "One file is enough.");
    let right = seat("B", &["README.md:1"], "A server grows with us.");
    let lead = asks_the_handbook();
    convened(&project.studio, [&left, &right], &lead);
    let note = named_with(&project, agreed);
    (project, note, [left, right, lead])
}

fn decided(project: &Project) -> Vec<(bool, SourceRule)> {
    let seen = Seen::of(&project.studio.bench);
    let decided = seen.facts::<SourceDecided>();
    decided.iter().map(|one| (one.allowed, one.rule)).collect()
}

#[test]
fn under_a_cap_a_person_agrees_once_and_every_call_is_counted_apart() {
    let (project, note, _servers) = debating("");
    let id = run_id().to_string();
    let asked = project.command(&["council", TOPIC, "--run", &id], 4);
    let card = "ask the source `handbook`";
    assert!(asked.stdout.contains(card), "{asked:?}");
    assert!(asked.stdout.contains("caps.run_usd ($5"), "{asked:?}");
    assert!(!note.exists(), "nothing is started before a person agreed");
    let ended = project.command(&["answer", &id, "allow", "--resume"], 0);
    assert_eq!(decided(&project), [(true, SourceRule::Person)]);
    assert!(note.exists());
    let seen = Seen::of(&project.studio.bench);
    let calls = seen.facts::<ToolFinished>();
    let calls = calls.iter().filter(|tool| tool.source.is_some()).count();
    assert_eq!(calls, 1);
    let told = json!([{"source": "handbook", "calls": 1, "allowed": true, "rule": "person"}]);
    let bench = &project.studio.bench;
    assert_eq!(bench.json(&["status", &id])["sources"], told);
    assert_eq!(bench.json(&["status", &id])["source_calls"], 1);
    let spent = bench.json(&["usage", &id]);
    let told = json!([{"source": "handbook", "calls": 1}]);
    assert_eq!(
        (&spent["sources"], &spent["source_calls"]),
        (&told, &json!(1))
    );
    assert_eq!(
        (&spent["unmetered"], &spent["unpriced"]),
        (&json!(0), &json!(0))
    );
    let all = bench.run(&["usage"]);
    let line = "source handbook asked 1 time, unmetered: nobody counts what it cost";
    assert!(all.stdout.contains(line), "{all:?}");
    assert!(
        ended.stdout.contains("call to a source, unmetered"),
        "{ended:?}"
    );
    let shown = bench.run(&["status", &id]);
    let line = "handbook was asked once, unmetered (a person agreed)";
    assert!(shown.stdout.contains(line), "{shown:?}");
}

#[test]
fn a_source_that_a_person_refused_is_never_started_and_that_is_said() {
    let (project, note, _servers) = debating("");
    let id = run_id().to_string();
    let _asked = project.command(&["council", TOPIC, "--run", &id], 4);
    let _ended = project.command(&["answer", &id, "refuse", "--resume"], 0);
    assert_eq!(decided(&project), [(false, SourceRule::Person)]);
    assert!(!note.exists());
    let bench = &project.studio.bench;
    let shown = bench.run(&["status", &id]);
    assert!(
        shown
            .stdout
            .contains("handbook was not asked: a person said no"),
        "{shown:?}"
    );
    assert_eq!(bench.json(&["status", &id])["source_calls"], 0);
    let record = bench.json(&["council", "show", &id]).to_string();
    let said = "the source `handbook` was not asked: nobody counts what that costs";
    assert!(record.contains(said), "{record}");
    assert_eq!(bench.json(&["usage"])["sources"], json!([]));
}

#[test]
fn yes_agrees_to_nothing_that_nobody_counts() {
    let (project, note, _servers) = debating("");
    let id = run_id().to_string();
    let ended = project.command(&["council", TOPIC, "--run", &id, "--yes"], 0);
    assert_eq!(decided(&project), [(false, SourceRule::Unasked)]);
    assert!(!note.exists());
    let shown = project.studio.bench.run(&["status", &id]);
    assert!(
        shown.stdout.contains("handbook was not asked: --yes"),
        "{shown:?} {ended:?}"
    );
}

#[test]
fn without_a_money_cap_nobody_has_to_agree() {
    let (project, note, _servers) = debating("");
    let id = run_id().to_string();
    let none = ["-c", "caps.run_usd=none", "-c", "caps.month_usd=none"];
    let _ended = project.command(&[&none[..], &["council", TOPIC, "--run", &id]].concat(), 0);
    assert_eq!(decided(&project), []);
    assert!(note.exists());
    let shown = project.studio.bench.run(&["status", &id]);
    let line = "handbook was asked once, unmetered (no money cap was in force)";
    assert!(shown.stdout.contains(line), "{shown:?}");
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
