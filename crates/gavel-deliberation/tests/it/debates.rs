//! Debates that are held.

use gavel_deliberation::Debated;
use gavel_domain::{CouncilPhase, DebatePart, DecisionMade, Role, RoundEvaluated};
use gavel_testkit::ScriptedModel;
use serde_json::{Value, json};

use crate::chamber::{Chamber, TRAP, data, draft, info, shape, speaker, speaking, speech, texts};

fn shapes(model: &ScriptedModel) -> Vec<String> {
    let requests = model.requests();
    requests
        .iter()
        .map(|request| shape(request).to_owned())
        .collect()
}

#[tokio::test]
async fn two_models_debate_and_the_leader_decides() {
    let (one, two, leader) = (speaker("one"), speaker("two"), speaker("leader"));
    let chamber = Chamber::new(&[("a/one", &one), ("b/two", &two), ("test/leader", &leader)]).await;
    let Debated::Decided {
        decisions, summary, ..
    } = chamber.debate().await
    else {
        panic!("the debate is stuck");
    };
    let titles = decisions.iter().map(|decision| decision.title.as_str());
    assert_eq!(titles.collect::<Vec<_>>(), ["storage", "tags"]);
    // The trap was put to the skeptic, and nobody took it up.
    assert_eq!(
        summary,
        format!(
            "A small program will be built.\n\nDecided:\n- storage: one text file\n- tags: \
             words\n\nDissent:\n- tags: spaces are lost\n\nNo seat answered: {TRAP}."
        )
    );

    // Each seat's requests go to its own model.
    for (model, id) in [(&one, "a/one"), (&two, "b/two")] {
        assert_eq!(shapes(model), ["council_draft", "council_reply"]);
        assert!(
            model
                .requests()
                .iter()
                .all(|request| request.model == info(id).id)
        );
        model.finish();
    }
    assert_eq!(shapes(&leader), ["council_synthesis"]);
    leader.finish();

    let story = chamber.story().await;
    let mut lines: Vec<&str> = story.lines().collect();
    // Seats speak at once, so their order is theirs.
    lines.sort_unstable();
    let wanted = "council-1/decision-1 decision_made
council-1/decision-2 decision_made
council-1/draft-1 stance_spoke
council-1/draft-1/hear heard
council-1/draft-1/try-1 model_replied
council-1/draft-2 stance_spoke
council-1/draft-2/hear heard
council-1/draft-2/try-1 model_replied
council-1/drafts council_phase
council-1/drafts/hear heard
council-1/reply-1 stance_spoke
council-1/reply-1/hear heard
council-1/reply-1/try-1 model_replied
council-1/reply-2 stance_spoke
council-1/reply-2/hear heard
council-1/reply-2/try-1 model_replied
council-1/round council_phase
council-1/round/evaluated round_evaluated
council-1/round/hear heard
council-1/synthesis council_phase
council-1/synthesis-1/hear heard
council-1/synthesis-1/try-1 model_replied
council-1/synthesis/hear heard";
    assert_eq!(lines.join("\n"), wanted);

    let phases = chamber.facts::<CouncilPhase>().await;
    let parts: Vec<_> = phases.iter().map(|phase| phase.part).collect();
    assert_eq!(
        parts,
        [DebatePart::Drafts, DebatePart::Round, DebatePart::Synthesis]
    );
    assert!(phases.iter().all(|phase| phase.seats == ["a/one", "b/two"]));
    let dissent: Vec<_> = chamber
        .facts::<DecisionMade>()
        .await
        .iter()
        .map(|made| made.dissent)
        .collect();
    assert_eq!(dissent, [false, true]);
    // Both dispute the same point, and each agrees to one of its own.
    let round = chamber.facts::<RoundEvaluated>().await;
    assert_eq!(
        round,
        [RoundEvaluated {
            round: 1,
            agreed: 2,
            disputed: 1,
            text: None,
            met: Vec::new(),
            unresolved: 0,
            converged: 0,
            density: None,
            failed_pairs: 0,
            pairs: 0,
            extended: 0,
            stop: None,
        }]
    );
}

#[tokio::test]
async fn drafts_are_blind_and_replies_see_the_others() {
    let (one, two, leader) = (speaker("one"), speaker("two"), speaker("leader"));
    let chamber = Chamber::new(&[("a/one", &one), ("b/two", &two), ("test/leader", &leader)]).await;
    chamber.debate().await;
    let requests = one.requests();
    let [draft, reply] = requests.as_slice() else {
        panic!("two requests");
    };
    assert!(!texts(draft).contains("two drafts"));
    assert!(data(draft, "own_draft").is_none() && data(draft, "other_drafts").is_none());
    assert!(data(reply, "own_draft").unwrap().contains("one drafts"));
    let others = data(reply, "other_drafts").unwrap();
    assert!(others.contains("two drafts") && !others.contains("one drafts"));
    // Nobody learns which model said what.
    assert!(!texts(reply).contains("b/two"));
    let answers: Value = serde_json::from_str(&data(draft, "answers").unwrap()).unwrap();
    let wanted = json!({"question": "db-strategy", "answer": "one text file", "by_person": true});
    assert_eq!(answers[1], wanted);
    let memory: Value = serde_json::from_str(&data(draft, "memory").unwrap()).unwrap();
    assert_eq!(memory[0]["id"], TRAP);

    let synthesis = &leader.requests()[0];
    let drafts: Value = serde_json::from_str(&data(synthesis, "drafts").unwrap()).unwrap();
    assert_eq!(
        (&drafts[0]["stance"], &drafts[1]["stance"]),
        (&json!("Researcher"), &json!("Skeptic"))
    );
    assert!(data(synthesis, "replies").unwrap().contains("two stays"));
    assert!(data(synthesis, "unanswered").unwrap().contains(TRAP));
}

#[tokio::test]
async fn every_seat_has_its_own_stance_and_the_skeptic_gets_the_warnings() {
    let models = [
        speaker("1"),
        speaker("2"),
        speaker("3"),
        speaker("4"),
        speaker("l"),
    ];
    let ids = ["a/one", "b/two", "c/three", "d/four", "test/leader"];
    let pairs: Vec<_> = ids.into_iter().zip(&models).collect();
    let chamber = Chamber::new(&pairs).await;
    chamber.debate().await;
    let drafts: Vec<_> = models[..4]
        .iter()
        .map(|model| model.requests()[0].clone())
        .collect();
    let begins = [
        "Researcher. You ask",
        "Skeptic. You look",
        "Cost-Controller. You want",
        "Architect. You ask",
    ];
    for (place, request) in drafts.iter().enumerate() {
        let text = texts(request);
        for (other, begin) in begins.iter().enumerate() {
            assert_eq!(
                text.contains(begin),
                place == other,
                "seat {place}: {begin}"
            );
        }
        let warned = data(request, "to_answer");
        assert_eq!(warned.is_some(), place == 1);
        assert!(warned.is_none_or(|notes| notes.contains(TRAP) && !notes.contains("decision-2")));
    }
}

#[tokio::test]
async fn broken_evidence_is_counted_and_shown_as_broken() {
    let one = speaking(|shape| match shape {
        "council_draft" => draft(
            "one",
            &["idea", "memory:trap-99", "answer:nothing", "see above"],
        ),
        other => speech("one", other),
    });
    let cited = format!("memory:{TRAP}");
    let two = speaking(move |shape| match shape {
        "council_draft" => draft("two", &[cited.as_str(), "memory:decision-2"]),
        "council_reply" => json!({
            "agree": [], "position": "no",
            "dispute": [{"claim": "x", "why": "y", "evidence": ["answer:db-strategy", "src/main.rs:3"]}],
        }),
        other => speech("two", other),
    });
    let leader = speaker("leader");
    let chamber = Chamber::new(&[("a/one", &one), ("b/two", &two), ("test/leader", &leader)]).await;
    let Debated::Decided { summary, .. } = chamber.debate().await else {
        panic!("broken evidence does not end a debate");
    };
    assert_eq!(
        chamber.spoke().await,
        [(1, 0, 1, 3), (2, 0, 2, 0), (1, 1, 1, 0), (2, 1, 1, 1)]
    );
    let others: Value =
        serde_json::from_str(&data(&two.requests()[1], "other_drafts").unwrap()).unwrap();
    let claim = &others[0]["claims"][0];
    assert_eq!(claim["evidence"], json!(["idea"]));
    assert_eq!(
        claim["broken_evidence"],
        json!([
            "memory:trap-99 (no memory item has this id)",
            "answer:nothing (no answer has this id)",
            "see above (evidence is `idea`, `answer:ID` or `memory:ID`)",
        ])
    );
    let replies = data(&leader.requests()[0], "replies").unwrap();
    assert!(
        replies.contains(r#""broken_evidence":["src/main.rs:3"#),
        "{replies}"
    );
    // The trap was answered with its id.
    assert!(data(&leader.requests()[0], "unanswered").is_none());
    assert!(!summary.contains("No seat answered"));
}

#[tokio::test]
async fn a_dispute_that_no_decision_names_is_said() {
    let leader = speaking(|_| {
        json!({"summary": "All fine.", "decisions": [
            {"title": "storage", "choice": "a file", "why": "simple", "dissent": "  "},
        ]})
    });
    let (one, two) = (speaker("one"), speaker("two"));
    let chamber = Chamber::new(&[("a/one", &one), ("b/two", &two), ("test/leader", &leader)]).await;
    let Debated::Decided {
        summary, decisions, ..
    } = chamber.debate().await
    else {
        panic!("the debate is stuck");
    };
    assert!(summary.contains("Points that a seat disputed: 1. No decision names a dissent."));
    assert_eq!(decisions[0].dissent, "");
}

#[tokio::test]
async fn everybody_hears_what_a_person_says_and_secrets_stay_out() {
    let secret = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJ";
    let speaker = |name| speaker(name).secret(secret);
    let (one, two, leader) = (speaker("one"), speaker("two"), speaker("leader"));
    let chamber = Chamber::new(&[("a/one", &one), ("b/two", &two), ("test/leader", &leader)]).await;
    let said = format!("Keep it tiny. My key is {secret}");
    chamber.bed.mailbox().say(chamber.run, said).await.unwrap();
    chamber.debate().await;
    let requests = [one.requests(), two.requests(), leader.requests()].concat();
    assert_eq!(requests.len(), 5);
    for request in &requests {
        assert!(
            data(request, "said_by_person")
                .unwrap()
                .contains("Keep it tiny.")
        );
        assert!(data(request, "said_by_others").is_none());
    }
    for model in [one, two, leader] {
        model.finish();
    }
}

#[tokio::test]
async fn the_roles_of_the_calls_are_stance_and_leader() {
    let (one, two, leader) = (speaker("one"), speaker("two"), speaker("leader"));
    let chamber = Chamber::new(&[("a/one", &one), ("b/two", &two), ("test/leader", &leader)]).await;
    chamber.debate().await;
    let calls = chamber
        .bed
        .store()
        .calls(gavel_store::CallsQuery::default())
        .await
        .unwrap();
    let of = |role: Role| calls.iter().filter(|call| call.role == role).count();
    assert_eq!((of(Role::Stance), of(Role::Leader), calls.len()), (4, 1, 5));
}

#[tokio::test]
async fn what_is_shown_fits_a_small_model() {
    let (one, two, leader) = (speaker("one"), speaker("two"), speaker("leader"));
    let mut chamber =
        Chamber::new(&[("a/one", &one), ("b/two", &two), ("test/leader", &leader)]).await;
    let long = "word ".repeat(40_000);
    chamber.plan.idea = long.clone();
    for note in &mut chamber.plan.memory {
        note.text = long.clone();
    }
    assert!(matches!(chamber.debate().await, Debated::Decided { .. }));
    for request in [one.requests(), two.requests(), leader.requests()].concat() {
        let bytes = serde_json::to_string(&request).unwrap().len();
        assert!(bytes < 80_000, "{bytes} bytes");
        assert!(texts(&request).contains("bytes left out"));
    }
}

/// A seat with an assumption of its own.
fn assuming(name: &'static str, claim: &'static str) -> ScriptedModel {
    speaking(move |shape| {
        let mut said = speech(name, shape);
        if shape == "council_draft" {
            let assumed =
                json!({"claim": claim, "confidence": "high", "how_to_validate": "test:it_holds"});
            let fields = said.as_object_mut().unwrap();
            fields.insert("assumptions".to_owned(), json!([assumed]));
        }
        said
    })
}

#[tokio::test]
async fn the_leader_lists_what_is_assumed_and_who_raised_it() {
    let one = assuming("one", "One person uses it.");
    let two = assuming("two", "The disk is local.");
    let leader = speaking(|_| {
        let listed = |who: &str| {
            json!({"claim": "The disk is local.", "confidence": "high",
                "how_to_validate": "ask", "raised_by": who})
        };
        json!({"summary": "Fine.", "assumptions": [listed("Skeptic"), {
            "claim": "Titles are short.", "confidence": "low", "how_to_validate": "", "raised_by": "leader",
        }], "decisions": [
            {"title": "tags", "choice": "words", "why": "simple", "dissent": "spaces are lost",
                "dissent_by": ["Skeptic"]},
        ]})
    });
    let chamber = Chamber::new(&[("a/one", &one), ("b/two", &two), ("test/leader", &leader)]).await;
    let Debated::Decided {
        decisions,
        assumptions,
        summary,
    } = chamber.debate().await
    else {
        panic!("the debate is stuck");
    };
    let told: Vec<_> = assumptions
        .iter()
        .map(|one| {
            (
                one.claim.as_str(),
                one.raised_by.as_str(),
                one.how_to_validate.as_str(),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("The disk is local.", "Skeptic", "ask"),
            ("Titles are short.", "leader", "")
        ]
    );
    assert_eq!(decisions[0].dissent, "Skeptic: spaces are lost");
    assert!(
        summary.contains(
            "Dissent:\n- tags: Skeptic: spaces are lost\n\nAssumed:\n- The disk is local. (Skeptic; \
             the plan rests on it)\n- Titles are short. (leader; a guess)"
        ),
        "{summary}"
    );
    // The leader saw what each seat assumed.
    let drafts: Value =
        serde_json::from_str(&data(&leader.requests()[0], "drafts").unwrap()).unwrap();
    assert_eq!(drafts[0]["assumptions"][0]["claim"], "One person uses it.");
}

#[tokio::test]
async fn what_seats_assume_is_not_lost_when_the_leader_lists_nothing() {
    let one = assuming("one", "One person uses it.");
    let (two, leader) = (speaker("two"), speaker("leader"));
    let chamber = Chamber::new(&[("a/one", &one), ("b/two", &two), ("test/leader", &leader)]).await;
    let Debated::Decided { assumptions, .. } = chamber.debate().await else {
        panic!("the debate is stuck");
    };
    let raised: Vec<_> = assumptions
        .iter()
        .map(|one| one.raised_by.as_str())
        .collect();
    assert_eq!(raised, ["Researcher"]);
}

#[tokio::test]
async fn a_leader_who_names_nobody_of_the_council_is_told_so() {
    let leader = speaking(|_| {
        json!({"summary": "Fine.", "decisions": [
            {"title": "tags", "choice": "words", "why": "simple", "dissent": "no", "dissent_by": ["Architect"]},
        ]})
    });
    let (one, two) = (speaker("one"), speaker("two"));
    let chamber = Chamber::new(&[("a/one", &one), ("b/two", &two), ("test/leader", &leader)]).await;
    let Debated::Stuck { problem } = chamber.debate().await else {
        panic!("an unknown voice was quoted");
    };
    assert_eq!(
        problem,
        "the leader gave no synthesis: `decisions[0].dissent_by`: nobody here is called \
         `Architect`; the seats are Researcher, Skeptic"
    );
    assert!(texts(&leader.requests()[1]).contains("nobody here is called"));
}

#[tokio::test]
async fn a_model_in_two_seats_keeps_both_stances() {
    let (one, leader) = (speaker("one"), speaker("leader"));
    let mut chamber = Chamber::new(&[("a/one", &one), ("test/leader", &leader)]).await;
    chamber.seats = vec!["a/one"; 3];
    assert!(matches!(chamber.debate().await, Debated::Decided { .. }));
    let drafts: Value =
        serde_json::from_str(&data(&leader.requests()[0], "drafts").unwrap()).unwrap();
    let stances: Vec<_> = (0..3).map(|seat| drafts[seat]["stance"].clone()).collect();
    assert_eq!(stances, ["Researcher", "Skeptic", "Cost-Controller"]);
}

#[tokio::test]
async fn whoever_thinks_again_is_told_what_went_wrong_as_data() {
    let (one, two, leader) = (speaker("one"), speaker("two"), speaker("leader"));
    let mut chamber =
        Chamber::new(&[("a/one", &one), ("b/two", &two), ("test/leader", &leader)]).await;
    chamber.plan.trouble = Some("The tests of phase 1 went in circles.".to_owned());
    chamber.debate().await;
    for request in [one.requests(), two.requests(), leader.requests()].concat() {
        let trouble = data(&request, "trouble").unwrap();
        assert!(trouble.contains("went in circles"), "{trouble}");
    }
}
