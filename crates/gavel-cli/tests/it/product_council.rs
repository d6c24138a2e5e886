//! Whole runs with models that cost money: a council of two different ones, and caps that hold.

use gavel_domain::{
    DebateClosed, DecisionMade, OwnerReviewed, ReviewMade, StageEntered, StanceSpoke,
};
use gavel_testkit::{FakeReply, FakeServer, SeenRequest, fake_server};
use serde_json::{Value, json};

use crate::bench::run_id;
use crate::studio::{Served, Speaks, Studio, rules_server, shape};

/// What a seat drafts and replies; anything else is refused.
fn seat(draft: Value, reply: Value) -> FakeServer {
    let rule = move |seen: &SeenRequest| {
        let answer = seen.rebuilt().request.answer;
        match answer.as_ref().and_then(|answer| shape(&answer.schema)) {
            Some("council_draft") => FakeReply::text(&draft.to_string()),
            Some("council_reply") => FakeReply::text(&reply.to_string()),
            Some("customer") => FakeReply::text(
                &json!({
                    "ship": false, "reasons": ["CUSTOMER-WORD: I write from two machines."],
                    "objections": ["Two writers at once lose data."],
                })
                .to_string(),
            ),
            other => FakeReply::status(400, &format!("a seat is not asked for {other:?}")),
        }
    };
    fake_server().rule(rule).start()
}

/// Argues for the file; one of its claims names a memory that does not exist.
pub(crate) fn left_seat() -> FakeServer {
    seat(
        json!({
            "position": "LEFT-DRAFT: one file is enough.",
            "claims": [
                {"text": "The idea names bookmarks and tags.", "evidence": ["idea"]},
                {"text": "We did so before.", "evidence": ["memory:nowhere", "answer:db-strategy"]},
            ],
            "risks": ["Two writers at once."],
            "recommendation": "Keep one file.",
            "assumptions": [],
        }),
        json!({
            "agree": ["Tags are searched most."], "dispute": [],
            "position": "LEFT-REPLY: still one file.",
        }),
    )
}

/// Doubts the file.
pub(crate) fn right_seat() -> FakeServer {
    seat(
        json!({
            "position": "RIGHT-DRAFT: a file breaks when two write.",
            "claims": [{"text": "Tags are searched most.", "evidence": ["idea"]}],
            "risks": ["A half-written file."],
            "recommendation": "Write to a new file, then rename it.",
            "assumptions": [],
        }),
        json!({
            "agree": ["The idea names bookmarks and tags."],
            "dispute": [{
                "claim": "One file is enough.", "why": "Two writers lose data.",
                "evidence": ["answer:db-strategy"],
            }],
            "position": "RIGHT-REPLY: rename, or lose data.",
        }),
    )
}

fn bodies(server: &FakeServer) -> Vec<String> {
    let requests = server.requests();
    requests.iter().map(|seen| seen.body.to_string()).collect()
}

#[test]
fn two_different_models_debate_and_the_run_is_sealed() {
    let (left, right, lead) = (left_seat(), right_seat(), rules_server());
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
            served("left", &left, Speaks::Anthropic),
            served("right", &right, Speaks::OpenAi),
            served("lead", &lead, Speaks::OpenAi),
        ],
    );
    let ended = studio.start(&["--yes"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");

    let seen = studio.look();
    let spoke: Vec<_> = seen
        .facts::<StanceSpoke>()
        .into_iter()
        .map(|fact| {
            (
                fact.round,
                fact.seat,
                fact.model,
                fact.evidence_held,
                fact.evidence_broken,
            )
        })
        .collect();
    let mut spoke = spoke;
    spoke.sort();
    let (left_id, right_id) = ("left/rules".to_owned(), "right/rules".to_owned());
    assert_eq!(
        spoke,
        [
            (0, 1, left_id.clone(), 2, 1),
            (0, 2, right_id.clone(), 1, 0),
            (1, 1, left_id, 0, 0),
            (1, 2, right_id, 1, 0),
        ]
    );
    let decisions = seen.facts::<DecisionMade>();
    assert!(decisions.iter().any(|made| made.dissent), "{decisions:?}");
    assert_eq!(seen.facts::<DebateClosed>().len(), 1);
    let reviews = seen.facts::<ReviewMade>();
    assert_eq!(reviews.len(), 1, "only the spec is reviewed by rules");

    // The owner hears a customer of another provider, and has the last word.
    let [owner] = seen.facts::<OwnerReviewed>().try_into().unwrap();
    assert_eq!((owner.mode.as_str(), owner.rounds), ("cross_provider", 1));
    assert_eq!(
        (owner.owner.as_str(), owner.customer.as_str()),
        ("lead/rules", "left/rules")
    );
    assert!(owner.ship && owner.dissent, "{owner:?}");

    each_seat_got_its_own(&left, &right, &lead);
    seal_names_the_debate(&studio);
    spend_is_told(&studio, seen.settled.len());
    for server in [left, right, lead] {
        server.finish();
    }
}

/// Two requests each: a blind draft, and a reply that sees the other's draft. One of them speaks
/// for the customer in the end.
fn each_seat_got_its_own(left: &FakeServer, right: &FakeServer, lead: &FakeServer) {
    let (lefts, rights) = (bodies(left), bodies(right));
    assert_eq!((lefts.len(), rights.len()), (3, 2));
    assert!(lefts[2].contains("Does this ship?"), "{}", lefts[2]);
    assert!(!lefts[0].contains("RIGHT-") && !rights[0].contains("LEFT-"));
    assert!(lefts[1].contains("RIGHT-DRAFT") && rights[1].contains("LEFT-DRAFT"));
    assert!(!lefts[1].contains("RIGHT-REPLY") && !rights[1].contains("LEFT-REPLY"));
    assert!(
        rights[1].contains("broken_evidence"),
        "the other seat sees which evidence does not exist"
    );
    let of_council = |body: &&String| body.contains("LEFT-REPLY") && body.contains("RIGHT-REPLY");
    assert_eq!(bodies(lead).iter().filter(of_council).count(), 1);
    assert_eq!(left.requests()[0].path, "/v1/messages");
    assert_eq!(right.requests()[0].path, "/v1/chat/completions");
}

fn seal_names_the_debate(studio: &Studio) {
    let seal = studio.seal();
    assert_eq!(seal["valid"], true, "{seal}");
    let predicate = &seal["statement"]["predicate"];
    let left_out = predicate["left_out"].to_string();
    assert!(!left_out.contains("debate"), "{left_out}");
    assert!(!left_out.contains("opinion"), "{left_out}");
    assert!(!left_out.contains("customer"), "{left_out}");
    assert!(
        left_out.contains("audit"),
        "one model codes and audits: {left_out}"
    );
    let models = &predicate["models"];
    assert_eq!(*models, json!(["lead/rules", "left/rules", "right/rules"]));
}

/// The ledger knows every model, and what it says is what the seal and the head say.
fn spend_is_told(studio: &Studio, calls: usize) {
    let id = run_id().to_string();
    let usage = studio.bench.json(&["usage", &id]);
    assert_eq!(usage["calls"], calls, "{usage}");
    let by_model = usage["by_model"].as_array().unwrap();
    let counts: Vec<_> = by_model
        .iter()
        .map(|part| (part["model"].as_str().unwrap(), part["calls"].as_u64()))
        .collect();
    let lead = u64::try_from(calls).unwrap() - 5;
    assert_eq!(
        counts,
        [
            ("lead/rules", Some(lead)),
            ("left/rules", Some(3)),
            ("right/rules", Some(2))
        ]
    );
    let status = studio.bench.json(&["status", &id]);
    assert_eq!(status["spent_usd"], usage["cost_usd"], "{status} {usage}");
    let spent: f64 = status["spent_usd"].as_f64().unwrap();
    assert!(spent > 0.0 && spent < 5.0, "{spent}");
}

/// How much a run has spent, and how often its model was asked.
fn spent(studio: &Studio, server: &FakeServer) -> (f64, usize) {
    let status = studio.bench.json(&["status", &run_id().to_string()]);
    let spent = status["spent_usd"].as_f64().unwrap();
    (spent, server.requests().len())
}

#[test]
fn a_cap_holds_until_a_person_raises_it() {
    let server = rules_server();
    let settings =
        "[models]\npaid = \"agreed\"\nslots = { leader = \"lead/rules\", stances = [] }\n";
    let model = Served {
        name: "lead",
        server: &server,
        speaks: Speaks::OpenAi,
    };
    let studio = Studio::with(settings, &[model]);
    let id = run_id().to_string();

    // Enough for the discovery; a spec may be so long that it does not fit.
    let paused = studio.start(&["--yes", "--max-cost", "0.05"]);
    assert_eq!(paused.code, Some(4), "{paused:?}");
    let (first, asked) = spent(&studio, &server);
    assert!(first > 0.0 && first <= 0.05, "{first}");
    assert_eq!(asked, 1, "the discovery alone was paid for");

    // Neither going on, nor --yes, nor an end of it buys anything more.
    for args in [
        &["resume", &id, "--yes"][..],
        &["answer", &id, "stop", "--resume", "--yes"],
        &["resume", &id],
    ] {
        let again = studio.run(args);
        assert_eq!(again.code, Some(4), "{again:?}");
        assert_eq!(spent(&studio, &server), (first, asked), "{again:?}");
    }

    // Enough for the contracts; code may be so long that it does not fit.
    let raised = studio.run(&["answer", &id, "--limit", "0.12", "--resume", "--yes"]);
    assert_eq!(raised.code, Some(4), "{raised:?}");
    let (second, asked) = spent(&studio, &server);
    assert!(second > first && second <= 0.12, "{second}");
    let seen = studio.look();
    assert_eq!(seen.settled.len(), asked, "every request is in the ledger");
    let stages: Vec<_> = seen.facts::<StageEntered>();
    let last = stages.last().unwrap().stage.word();
    assert!(["contracts", "building"].contains(&last), "{last}");
    server.finish();
}
