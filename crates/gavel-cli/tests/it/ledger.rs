//! What nobody knows is never shown as nothing, at every door that speaks of money.

use gavel_testkit::{FakeReply, FakeServer, fake_server};
use serde_json::{Value, json};

use crate::bench::run_id;
use crate::mcp_runs::Client;
use crate::studio::{Served, Speaks, Studio, rules_server};

/// A model that leads alone, behind a server whose price is as these settings say.
fn studio(server: &FakeServer, priced: &str) -> Studio {
    let settings = "[models]\nslots = { leader = \"home/rules\", stances = [] }\n";
    let model = Served {
        name: "home",
        server,
        speaks: Speaks::OpenAi,
    };
    let studio = Studio::with(settings, &[model]);
    let file = studio.bench.own_file();
    let text = std::fs::read_to_string(&file).unwrap();
    let text = text.replace("price = { input = \"1\", output = \"2\" }", priced);
    std::fs::write(&file, text).unwrap();
    studio
}

const NO_CAPS: [&str; 4] = ["-c", "caps.run_usd=none", "-c", "caps.month_usd=none"];

/// What each door says was spent, after the run.
struct Doors {
    status: Value,
    usage: Value,
    review: Value,
    seal: Value,
    mcp: Value,
    texts: Vec<(&'static str, String)>,
}

fn doors(studio: &Studio, ended: &str) -> Doors {
    let id = run_id().to_string();
    let json = |args: &[&str]| studio.bench.json(args);
    let text = |args: &[&str]| studio.run(args).stdout;
    let mut client = Client::with(studio, &["-C", "made"]);
    let mcp = client.call("gavel_run_status", &json!({"run": id}));
    client.hang_up();
    Doors {
        status: json(&["status", &id]),
        usage: json(&["usage", &id]),
        review: json(&["review", &id]),
        seal: studio.seal()["statement"]["predicate"]["spend"].clone(),
        mcp,
        texts: vec![
            ("end page", ended.to_owned()),
            ("status", text(&["status", &id])),
            ("usage", text(&["usage", &id])),
            ("review", text(&["review", &id])),
            ("replay", text(&["replay", &id])),
            ("seal", text(&["-C", "made", "seal", "verify"])),
        ],
    }
}

/// With caps and without them somebody is asked first, and nothing is sent before.
fn asked_first(studio: &Studio, server: &FakeServer, caps: &[&str]) {
    let fixed = ["--yes", "--non-interactive"];
    let asked = studio.start(&[&fixed[..], caps].concat());
    assert_eq!(asked.code, Some(4), "{asked:?}");
    assert!(server.requests().is_empty());
}

#[test]
fn an_unknown_price_is_unknown_at_every_door() {
    is_unknown_at_every_door(&NO_CAPS);
}

#[test]
fn an_unknown_price_is_unknown_at_every_door_with_caps() {
    is_unknown_at_every_door(&[]);
}

fn is_unknown_at_every_door(caps: &[&str]) {
    let server = rules_server();
    let studio = studio(&server, "");
    let id = run_id().to_string();
    asked_first(&studio, &server, caps);
    let done = studio.run(&["answer", &id, "allow", "--resume", "--yes"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let doors = doors(&studio, &done.stdout);
    for (door, told) in &doors.texts {
        assert!(told.contains("unknown"), "{door}: {told}");
        assert!(!told.contains("$0"), "{door}: {told}");
    }
    for (door, told) in [
        ("status", &doors.status["spent_usd"]),
        ("usage", &doors.usage["cost_usd"]),
        ("review", &doors.review["spend"]["total"]["cost_usd"]),
        ("seal", &doors.seal["usd"]),
        ("mcp", &doors.mcp["spent_usd"]),
    ] {
        assert_eq!(*told, Value::Null, "{door}");
    }
    let calls = doors.usage["unpriced"].as_u64().unwrap();
    assert!(calls > 0);
    for (door, told) in [
        ("status", &doors.status["unpriced_calls"]),
        ("review", &doors.review["spend"]["total"]["unpriced"]),
        ("seal", &doors.seal["unpriced_calls"]),
        ("mcp", &doors.mcp["unpriced_calls"]),
    ] {
        assert_eq!(*told, calls, "{door}");
    }
    server.finish();
}

/// A call without a price whose reply never came may have been paid for: nobody knows what.
#[test]
fn lost_calls_of_unknown_price_are_unknown_at_every_door() {
    let server = fake_server()
        .rule(|_| FakeReply::text("{\"clarity\": 1").cut_mid_event())
        .start();
    let studio = studio(&server, "");
    let id = run_id().to_string();
    asked_first(&studio, &server, &NO_CAPS);
    let left = studio.run(&[
        "answer",
        &id,
        "allow",
        "--resume",
        "--yes",
        "--non-interactive",
    ]);
    assert_ne!(left.code, Some(0), "{left:?}");
    assert!(!server.requests().is_empty());
    let json = |args: &[&str]| studio.bench.json(args);
    let usage = json(&["usage", &id]);
    let lost = usage["interrupted"]["unpriced"].as_u64().unwrap();
    assert!(lost > 0, "{usage:#}");
    let forensics = json(&["usage", "forensics", &id]);
    let review = json(&["review", &id]);
    let total = &review["spend"]["total"];
    for (door, told) in [
        ("usage", &usage["cost_usd"]),
        ("usage, lost", &usage["interrupted"]["ceiling_usd"]),
        ("forensics", &forensics["cost_usd"]),
        ("forensics, lost", &forensics["lost"]["ceiling_usd"]),
        ("review", &total["cost_usd"]),
        ("review, lost", &total["interrupted_usd"]),
        ("status", &json(&["status", &id])["spent_usd"]),
    ] {
        assert_eq!(*told, Value::Null, "{door}");
    }
    assert_eq!(forensics["lost"]["unpriced"], lost);
    assert_eq!(total["interrupted_unpriced"], lost);
    for args in [
        &["usage", &id][..],
        &["usage", "forensics", &id],
        &["status", &id],
        &["review", &id],
    ] {
        let told = studio.run(args).stdout;
        assert!(told.contains("unknown"), "{args:?}: {told}");
        // Stages that were not reached have cost nothing.
        let reached = told.lines().filter(|line| !line.contains(" to unknown"));
        let nothing: Vec<&str> = reached.filter(|line| line.contains("$0")).collect();
        assert_eq!(nothing, [""; 0], "{args:?}");
    }
    server.finish();
}

/// Whoever runs a server at home and says so pays nothing, and is not asked.
#[test]
fn a_server_that_its_owner_calls_free_costs_nothing() {
    let server = rules_server();
    let studio = studio(&server, "free = true");
    let done = studio.start(&["--yes", "--non-interactive"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let doors = doors(&studio, &done.stdout);
    // A whole review also holds what contracts say.
    for (door, told) in doors.texts.iter().filter(|(door, _)| *door != "review") {
        // A criterion is called so.
        let told = told.replace("unknown_command", "");
        assert!(!told.contains("unknown"), "{door}: {told}");
    }
    assert_eq!(
        doors.review["spend"]["total"]["cost_usd"].as_f64(),
        Some(0.0)
    );
    assert_eq!(doors.seal["usd"], "0");
    assert_eq!(doors.seal["unpriced_calls"], 0);
    for (door, told) in [
        ("status", &doors.status["spent_usd"]),
        ("usage", &doors.usage["cost_usd"]),
        ("mcp", &doors.mcp["spent_usd"]),
    ] {
        assert_eq!(told.as_f64(), Some(0.0), "{door}");
    }
    server.finish();
}

/// A person who took an unknown price once is not asked again for that model in that project, and is in
/// another one.
#[test]
fn an_unknown_price_is_asked_about_once_per_project() {
    let server = rules_server();
    let studio = studio(&server, "");
    let asked = studio.start(&["--non-interactive"]);
    assert_eq!(asked.code, Some(4), "{asked:?}");
    assert!(server.requests().is_empty());
    let id = run_id().to_string();
    let allowed = studio.run(&["answer", &id, "allow", "--resume", "--non-interactive"]);
    assert_eq!(
        allowed.code,
        Some(3),
        "another question is next: {allowed:?}"
    );
    let begin = |folder: &str, run: &str| {
        let fixed = ["start", "a list of books", "--into", folder, "--run", run];
        studio.run(&[&fixed[..], &["--non-interactive"]].concat())
    };
    let before = server.requests().len();
    assert!(before > 0);
    let same = begin("made", "0196a3c8-0000-7000-8000-00000000000a");
    assert_eq!(same.code, Some(3), "{same:?}");
    let asked = server.requests().len();
    assert!(asked > before, "the model was asked, and nobody before it");
    let other = begin("other", "0196a3c8-0000-7000-8000-00000000000b");
    assert_eq!(other.code, Some(4), "{other:?}");
    assert_eq!(server.requests().len(), asked);
    server.finish();
}
