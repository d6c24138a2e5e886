//! What a council takes for granted and what becomes of it; a spec that nobody wants.

use std::collections::BTreeMap;

use gavel_domain::{AssumptionRaised, AssumptionResolved, AssumptionStatus, SpecWritten};
use gavel_testkit::{FakeServer, SeenRequest, fake_server, model_rule};
use serde_json::{Value, json};

use crate::bench::run_id;
use crate::studio::{Served, Speaks, Studio, rules_server, shape};

/// The rules in a seat, with one more thing that they take for granted.
fn seat(assumption: Value) -> FakeServer {
    let rules = model_rule(gavel_offline::Offline, shape);
    let rule = move |seen: &SeenRequest| {
        let answer = seen.rebuilt().request.answer;
        let asked = answer.as_ref().and_then(|answer| shape(&answer.schema));
        if asked != Some("council_opening") {
            return rules(seen);
        }
        let opening = json!({
            "text": "The idea names bookmarks [UNVERIFIED].", "choices": [],
            "assumptions": [assumption],
        });
        gavel_testkit::FakeReply::text(&opening.to_string())
    };
    fake_server().rule(rule).start()
}

#[test]
fn what_the_council_assumes_is_shown_by_a_test_or_put_off_and_told() {
    let left = seat(json!({
        "claim": "Bookmarks outlive the program.", "confidence": "high",
        "how_to_validate": "test:bookmark_is_listed",
    }));
    let right = seat(json!({
        "claim": "Nobody else writes the file.", "confidence": "high",
        "how_to_validate": "ask the owner",
    }));
    let lead = rules_server();
    let settings = "[models]\npaid = \"agreed\"\n\n[models.slots]\nleader = \"lead/rules\"\n\
                    stances = [\"left/rules\", \"right/rules\"]\n";
    let served = |name, server, speaks| Served {
        name,
        server,
        speaks,
    };
    let studio = Studio::with(
        settings,
        &[
            served("left", &left, Speaks::OpenAi),
            served("right", &right, Speaks::Anthropic),
            served("lead", &lead, Speaks::OpenAi),
        ],
    );
    let ended = studio.start(&["--yes"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");

    // Each seat knows its stance, and no other; seats of one server open at the same time.
    for (server, own, other) in [
        (&left, "`Researcher`", "`Cost-Controller`"),
        (&right, "`Cost-Controller`", "`Researcher`"),
    ] {
        let requests = server.requests();
        let bodies = requests.iter().map(|seen| seen.body.to_string());
        let of_own: Vec<String> = bodies
            .filter(|body| body.contains("Open the debate") && body.contains(own))
            .collect();
        assert_eq!(of_own.len(), 1, "{own}");
        assert!(!of_own.concat().contains(other), "{of_own:?}");
    }
    let seen = studio.look();
    let raised: BTreeMap<String, String> = seen
        .facts::<AssumptionRaised>()
        .into_iter()
        .map(|raised| (raised.id, raised.raised_by))
        .collect();
    let by = |who: &str| raised.iter().find(|(_, by)| *by == who).unwrap().0.clone();
    let resolved: BTreeMap<String, (String, AssumptionStatus)> = seen
        .facts::<AssumptionResolved>()
        .into_iter()
        .map(|resolved| (resolved.id, (resolved.by, resolved.status)))
        .collect();
    assert_eq!(
        resolved[&by("Researcher")],
        ("verify".to_owned(), AssumptionStatus::Validated)
    );
    // Nobody was there to say whether it holds, and `--yes` does not vouch for it.
    assert_eq!(
        resolved[&by("Cost-Controller")],
        ("engine".to_owned(), AssumptionStatus::Deferred)
    );
    assert!(raised.values().any(|by| by == "leader"), "{raised:?}");

    let left_out = studio.seal()["statement"]["predicate"]["left_out"].to_string();
    let unseen = "assumptions: nobody looked at 1 assumption that the plan rests on";
    assert!(left_out.contains(unseen), "{left_out}");
    assert!(!left_out.contains("a person put"), "{left_out}");
    let review = studio.run(&["review", &run_id().to_string()]);
    for told in [
        "Nobody else writes the file.",
        "Bookmarks outlive the program.",
        "Cost-Controller",
    ] {
        assert!(review.stdout.contains(told), "{told}: {}", review.stdout);
    }
    for server in [left, right, lead] {
        server.finish();
    }
}

#[test]
fn a_spec_is_changed_and_then_rejected_with_a_reason() {
    let studio = Studio::offline();
    let id = run_id().to_string();
    let asked = studio.start(&[]);
    assert_eq!(asked.code, Some(3), "{asked:?}");
    let shown = studio.run(&["answer", &id, "take-all", "--resume"]);
    assert_eq!(shown.code, Some(3), "{shown:?}");
    for told in [
        "Build this?",
        "It takes for granted:",
        "criteria will be tested:",
        "(weighs 3)",
        "(weighs 1)",
    ] {
        assert!(shown.stdout.contains(told), "{told}: {}", shown.stdout);
    }
    let changed = studio.run(&["answer", &id, "also a rating", "--resume"]);
    assert_eq!(changed.code, Some(3), "{changed:?}");
    assert!(changed.stdout.contains("rating"), "{}", changed.stdout);
    let stopped = studio.run(&["answer", &id, "stop: too dear", "--resume"]);
    assert_eq!(stopped.code, Some(1), "{stopped:?}");
    assert!(
        stopped
            .stdout
            .contains("the spec was not agreed to: too dear"),
        "{}",
        stopped.stdout
    );
    let seen = studio.look();
    assert_eq!(seen.facts::<SpecWritten>().len(), 2);
    // What was not agreed to is not taken for granted either.
    assert_eq!(seen.facts::<AssumptionRaised>(), []);
    let status = studio.bench.json(&["status", &id]);
    assert_eq!(status["state"], "halted", "{status}");
}
