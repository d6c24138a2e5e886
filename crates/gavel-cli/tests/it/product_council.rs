//! Whole runs with models that cost money: a council of two different ones, and caps that hold.

use gavel_domain::{
    Badge, CouncilJudged, CouncilSeated, DebateClosed, DecisionMade, OwnerReviewed, QuestionAsked,
    ReviewMade, StageEntered, StanceSpoke,
};
use gavel_testkit::{FakeReply, FakeServer, SeenRequest, fake_server, git, model_rule};
use serde_json::json;

use crate::bench::run_id;
use crate::seen::Seen;
use crate::studio::{Served, Speaks, Studio, rules_server, shape};

/// What a seat says when it opens and when it answers; anything else is refused.
fn seat(option: &'static str, opening: &'static str, turn: &'static str) -> FakeServer {
    let rule = move |seen: &SeenRequest| {
        let answer = seen.rebuilt().request.answer;
        let cites = if option == "A" {
            vec!["LICENSE:1"]
        } else {
            Vec::new()
        };
        let choices = json!([
            {"decision": "store", "option": option, "confidence": 80, "cites": cites},
        ]);
        let said = match answer.as_ref().and_then(|answer| shape(&answer.schema)) {
            Some("council_opening") => {
                json!({"text": opening, "choices": choices, "assumptions": []})
            }
            Some("council_turn") => json!({"text": turn, "choices": choices}),
            // Whoever is furthest from the leader judges, and is not sure here.
            Some("council_verdict") => json!({
                "covered": [1], "dissent_kept": true, "evidence_used": true, "confidence": 40,
                "reason": "VERDICT-WORD: nobody looked at two writers.",
            }),
            Some("customer") => json!({
                "ship": false, "reasons": ["CUSTOMER-WORD: I write from two machines."],
                "objections": ["Two writers at once lose data."],
            }),
            other => return FakeReply::status(400, &format!("a seat is not asked for {other:?}")),
        };
        FakeReply::text(&said.to_string())
    };
    fake_server().rule(rule).start()
}

/// Argues for the file, and names a place that does not exist.
pub(crate) fn left_seat() -> FakeServer {
    seat(
        "A",
        "LEFT-OPENING: one file is enough [CONFIRMED via LICENSE:1].",
        "LEFT-TURN: still one file [CONFIRMED via LICENSE:2], as we did it before [CONFIRMED via \
         src/store.rs:12].",
    )
}

/// Doubts the file.
pub(crate) fn right_seat() -> FakeServer {
    seat(
        "B",
        "RIGHT-OPENING: a file breaks when two write [UNVERIFIED].",
        "RIGHT-TURN: two writers lose data in one file [UNVERIFIED].",
    )
}

/// A repository with one line that seats can cite.
pub(crate) fn note(studio: &Studio) {
    let made = studio.bench.folder().join("project/made");
    std::fs::create_dir(&made).unwrap();
    std::fs::write(
        made.join("LICENSE"),
        "Whoever keeps bookmarks\nin one file may do so.\n",
    )
    .unwrap();
    git(&made, &["init", "--quiet", "--initial-branch=main"]);
    git(&made, &["add", "."]);
    git(&made, &["commit", "--quiet", "-m", "Note"]);
}

/// The rules lead, with a plan that has something to choose.
pub(crate) fn leading_server() -> FakeServer {
    let rules = model_rule(gavel_offline::Offline, shape);
    let rule = move |seen: &SeenRequest| {
        let answer = seen.rebuilt().request.answer;
        let asked = answer.as_ref().and_then(|answer| shape(&answer.schema));
        if asked != Some("council_plan") {
            return rules(seen);
        }
        let plan = json!({
            "intent_summary": "Where bookmarks are kept.",
            "stances": [
                {"name": "Keeper", "lens": "What is simple to keep.", "focus": ""},
                {"name": "Mover", "lens": "What two machines need.", "focus": ""},
            ],
            "decisions": [{
                "id": "store", "question": "Where are bookmarks kept?",
                "options": ["in one file", "on a server"],
            }],
            "output_shape": {"kind": "decision", "sections": [], "guardrails": []},
            "planned_rounds": 1,
        });
        FakeReply::text(&plan.to_string())
    };
    fake_server().rule(rule).start()
}

fn bodies(server: &FakeServer) -> Vec<String> {
    let requests = server.requests();
    requests.iter().map(|seen| seen.body.to_string()).collect()
}

/// The product's own, and the leader's one.
const STANCES: [&str; 5] = [
    "Researcher",
    "Cost-Controller",
    "Skeptic",
    "Architect",
    "Keeper",
];

fn stances(seen: &Seen) -> Vec<String> {
    let [seated] = seen.facts::<CouncilSeated>().try_into().unwrap();
    seated.seats.into_iter().map(|seat| seat.stance).collect()
}

#[test]
fn two_different_models_debate_and_the_run_is_sealed() {
    let (left, right, lead) = (left_seat(), right_seat(), leading_server());
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
    note(&studio);
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
    // Four stances of the product's own and one of the leader's, on two models in turn.
    let mut expected = Vec::new();
    for (round, broken) in [(0, 0), (1, 1)] {
        for seat in 1..=5 {
            expected.push(match seat % 2 {
                1 => (round, seat, left_id.clone(), 1, broken),
                _ => (round, seat, right_id.clone(), 0, 0),
            });
        }
    }
    assert_eq!(spoke, expected);
    assert_eq!(stances(&seen), STANCES);
    let decisions = seen.facts::<DecisionMade>();
    let by_vote: Vec<_> = decisions.iter().filter(|made| made.id.is_some()).collect();
    let [store] = by_vote.as_slice() else {
        panic!("{decisions:?}");
    };
    assert!(store.dissent, "{store:?}");
    let [closed] = seen.facts::<DebateClosed>().try_into().unwrap();
    assert_eq!((closed.rounds, closed.dissenters), (1, 3), "{closed:?}");
    // Of eight claims of the final positions three have a source that is there and shows nothing.
    assert_eq!((closed.density, closed.badge), (Some(18), Some(Badge::Low)));
    let [judged] = seen.facts::<CouncilJudged>().try_into().unwrap();
    assert!(judged.needs_person, "who judged was not sure: {judged:?}");
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

    the_spec_card_names_what_was_decided(&studio, &seen);
    each_seat_got_its_own(&left, &right, &lead);
    seal_names_the_debate(&studio);
    spend_is_told(&studio, seen.settled.len());
    for server in [left, right, lead] {
        server.finish();
    }
}

/// Whoever approves the spec sees first what the council decided, and who disagrees.
fn the_spec_card_names_what_was_decided(studio: &Studio, seen: &Seen) {
    let asked = seen.facts::<QuestionAsked>().into_iter();
    let mut cards = asked.map(|asked| Seen::text(&studio.bench, asked.card));
    let spec = cards.rfind(|card| card.contains("Build this?")).unwrap();
    for words in [
        "The council met before this spec was written.",
        "Decided:",
        "Dissent:",
    ] {
        assert!(spec.contains(words), "{words}: {spec}");
    }
}

/// Two requests for each seat: a blind opening, and an answer to another's words as they were checked.
/// One of the models judges the council, and speaks for the customer in the end.
fn each_seat_got_its_own(left: &FakeServer, right: &FakeServer, lead: &FakeServer) {
    let (lefts, rights) = (bodies(left), bodies(right));
    assert_eq!((lefts.len(), rights.len()), (8, 4));
    assert!(lefts[6].contains("Judge the synthesis"), "{}", lefts[6]);
    assert!(lefts[7].contains("Does this ship?"), "{}", lefts[7]);
    let blind = |bodies: &[String], other: &str| {
        let heard = bodies.iter().filter(|body| body.contains(other));
        heard.count()
    };
    // The openings are blind; every answer is to somebody of the other side.
    assert_eq!(blind(&lefts[..6], "RIGHT-"), 3, "{lefts:?}");
    assert_eq!(blind(&rights, "LEFT-"), 2, "{rights:?}");
    let claimed = lefts
        .iter()
        .chain(&rights)
        .find(|body| body.contains("LEFT-TURN") && body.contains("[CONFIRMED via src/store.rs"));
    assert_eq!(
        claimed, None,
        "a file that is not there was looked up before anybody read of it"
    );
    let of_council = |body: &&String| body.contains("LEFT-TURN") && body.contains("RIGHT-TURN");
    let read = bodies(lead).iter().filter(of_council).count();
    assert_eq!(read, 2, "an evaluation, a synthesis");
    assert_eq!(left.requests()[0].path, "/v1/messages");
    assert_eq!(right.requests()[0].path, "/v1/chat/completions");
}

fn seal_names_the_debate(studio: &Studio) {
    let seal = studio.seal();
    assert_eq!(seal["valid"], true, "{seal}");
    let predicate = &seal["statement"]["predicate"];
    let left_out = predicate["left_out"].to_string();
    assert!(!left_out.contains("debate"), "{left_out}");
    let unseen = "council: its judge wanted a person to look at what it came to, and nobody did";
    assert!(left_out.contains(unseen), "{left_out}");
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
    let lead = u64::try_from(calls).unwrap() - 12;
    assert_eq!(
        counts,
        [
            ("lead/rules", Some(lead)),
            ("left/rules", Some(8)),
            ("right/rules", Some(4))
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
