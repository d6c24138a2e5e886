//! Connecting a model: what is found, what is tried, and what each failure says.

use gavel_testkit::{FakeReply, FakeServer, SeenRequest, fake_server};

use crate::bench::{Bench, Ended};

const IDEA: &str = "a bookmark manager with tags";

/// A server that answers everything with this status.
fn failing(status: u16, body: &'static str) -> FakeServer {
    fake_server()
        .rule(move |_| FakeReply::status(status, body))
        .start()
}

fn settings(bench: &Bench, endpoint: &str) {
    let text = format!("[models]\npaid = \"agreed\"\npatience_s = 5\n{endpoint}");
    std::fs::write(bench.own_file(), text).unwrap();
}

fn endpoint(name: &str, url: &str, more: &str) -> String {
    format!("[models.endpoints.{name}]\nurl = \"{url}\"\nfree = true\n{more}")
}

fn start(bench: &Bench, model: &str) -> Ended {
    bench.run(&["start", IDEA, "--into", "made", "--yes", "--model", model])
}

#[test]
fn each_trouble_with_a_server_has_its_own_card() {
    let wrong_address = failing(404, r#"{"detail":"Not Found"}"#);
    let unknown_model = failing(
        404,
        r#"{"error":{"message":"The model `x` does not exist."}}"#,
    );
    let wrong_key = failing(401, r#"{"error":{"message":"no such key"}}"#);
    let cases = [
        (
            "http://127.0.0.1:9/v1".to_owned(),
            "The model's server does not answer.",
            "Start the server of `mine`",
        ),
        (
            wrong_address.openai_url(),
            "There are no models at the server's address.",
            "Correct the url of `mine`",
        ),
        (
            unknown_model.openai_url(),
            "The server has no model of this name.",
            "gavel models probe mine lists what it has",
        ),
        (
            wrong_key.openai_url(),
            "A model's key was not accepted.",
            "Correct the key of the endpoint `mine`",
        ),
    ];
    for (url, headline, remedy) in cases {
        let bench = Bench::new();
        settings(&bench, &endpoint("mine", &url, ""));
        let stuck = start(&bench, "mine/x");
        assert_eq!(stuck.code, Some(7), "{headline}: {stuck:?}");
        let card = stuck
            .stdout
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        assert!(card.contains(headline), "{headline}: {stuck:?}");
        assert!(card.contains(remedy), "{remedy}: {stuck:?}");
        assert!(!card.contains("recommended nothing"), "{stuck:?}");
    }
    for server in [wrong_address, unknown_model, wrong_key] {
        server.finish();
    }
}

#[test]
fn a_key_that_nobody_set_is_named_before_anything_is_sent() {
    let server = failing(401, "{}");
    let bench = Bench::new();
    let variable = "key_variable = \"A_KEY_THAT_NOBODY_SET\"\n";
    settings(&bench, &endpoint("mine", &server.openai_url(), variable));
    let refused = start(&bench, "mine/x");
    assert_eq!(refused.code, Some(7), "{refused:?}");
    assert!(
        refused.stderr.contains("A_KEY_THAT_NOBODY_SET") && refused.stderr.contains("is not set"),
        "{refused:?}"
    );
    assert!(
        !bench.folder().join("project/made").exists(),
        "nothing is made"
    );
    let probed = bench.run(&["models", "probe", "mine"]);
    assert_eq!(probed.code, Some(7), "{probed:?}");
    assert!(probed.stdout.contains("is not set"), "{probed:?}");
    assert_eq!(server.requests().len(), 0);
    let vendor = start(&bench, "anthropic/claude");
    assert!(vendor.stderr.contains("ANTHROPIC_API_KEY"), "{vendor:?}");
    server.finish();
}

/// A server of one model that speaks, calls tools where `calls` says so, and follows schemas.
fn serving(calls: bool) -> FakeServer {
    let reply = move |seen: &SeenRequest| {
        let asked = seen.last_asked().unwrap_or_default();
        if asked.contains("notes.txt") {
            return if calls {
                FakeReply::calls(&[("1", "read_file", r#"{"path":"notes.txt"}"#)])
            } else {
                FakeReply::text("I cannot.")
            };
        }
        if asked.contains("17 plus 25") {
            return FakeReply::text(r#"{"sum":42}"#);
        }
        FakeReply::text("ready")
    };
    fake_server().models(&["small"]).rule(reply).start()
}

#[test]
fn a_server_that_runs_here_is_found_tried_and_written_down() {
    let server = serving(true);
    let bench = Bench::new();
    std::fs::remove_file(bench.project_file()).unwrap();
    // A usual name at another port: tests have no usual ports for themselves.
    settings(&bench, &endpoint("ollama", &server.openai_url(), ""));
    let listed = bench.run(&["models", "list"]);
    assert_eq!(listed.code, Some(0), "{listed:?}");
    assert!(
        listed.stdout.contains("gavel models use ollama/small"),
        "{listed:?}"
    );
    let found = bench.json(&["models", "list"])["servers"].clone();
    assert_eq!(found[0]["name"], "ollama", "{found}");
    assert_eq!(found[0]["models"], serde_json::json!(["small"]));

    let before = std::fs::read_to_string(bench.own_file()).unwrap();
    let tried = bench.run(&["models", "use", "ollama", "--try-only"]);
    assert_eq!(tried.code, Some(0), "{tried:?}");
    assert_eq!(std::fs::read_to_string(bench.own_file()).unwrap(), before);
    let used = bench.json(&["models", "use", "ollama"]);
    assert_eq!(used["model"], "ollama/small");
    let works: Vec<_> = used["replies"].as_array().unwrap().iter().collect();
    assert_eq!(works.len(), 3);
    assert!(works.iter().all(|reply| reply["works"] == true), "{used}");
    assert_eq!(leader(&bench), "ollama/small");
    // What was tried is booked, and no command means it.
    assert_eq!(bench.json(&["usage"])["calls"], 6);
    assert_eq!(bench.run(&["review"]).code, Some(2));
    server.finish();
}

#[test]
fn a_model_that_calls_no_tools_is_said_to_and_one_that_is_silent_is_not_written() {
    let server = serving(false);
    let bench = Bench::new();
    settings(&bench, &endpoint("mine", &server.openai_url(), ""));
    let used = bench.run(&["models", "use", "mine/small"]);
    assert_eq!(used.code, Some(7), "{used:?}");
    assert!(used.stdout.contains("tool call          fails"), "{used:?}");
    assert_eq!(leader(&bench), "mine/small");
    server.finish();

    let bench = Bench::new();
    settings(&bench, &endpoint("mine", "http://127.0.0.1:9/v1", ""));
    let silent = bench.run(&["models", "use", "mine/small"]);
    assert_eq!(silent.code, Some(7), "{silent:?}");
    assert!(silent.stdout.contains("nothing was written"), "{silent:?}");
    assert!(silent.stdout.contains("Start the server"), "{silent:?}");
    assert!(
        !std::fs::read_to_string(bench.own_file())
            .unwrap()
            .contains("leader")
    );
}

#[test]
fn three_replies_that_may_cost_something_are_a_persons_to_agree_to() {
    let server = serving(true);
    let bench = Bench::new();
    let text = format!(
        "[models.endpoints.mine]\nurl = \"{}\"\n",
        server.openai_url()
    );
    std::fs::write(bench.own_file(), text).unwrap();
    let asked = bench.run(&["models", "use", "mine/small"]);
    assert_eq!(asked.code, Some(3), "{asked:?}");
    assert_eq!(server.requests().len(), 0);
    let agreed = bench.run(&["-c", "models.paid=agreed", "models", "use", "mine/small"]);
    assert_eq!(agreed.code, Some(0), "{agreed:?}");
    server.finish();
}

/// The leader that the person's own settings name by now.
fn leader(bench: &Bench) -> String {
    let shown = bench.json(&["config", "show"]);
    let mut settings = shown["settings"].as_array().unwrap().iter();
    let leader = settings.find(|setting| setting["key"] == "models.slots.leader");
    leader.unwrap()["value"].as_str().unwrap_or("").to_owned()
}
