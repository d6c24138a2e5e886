//! The done gate through the binary: a person's last word, and what a refusal leads to.

use gavel_domain::{
    BreakerTripped, CriteriaJudged, FeedbackRouted, GateJudged, OwnerReviewed, QuestionAnswered,
    SprintOpened,
};
use serde_json::Value;

use crate::bench::{Ended, run_id};
use crate::studio::Studio;

/// Takes what is recommended, card after card, until the gate asks for the last word.
fn up_to_the_gate(studio: &Studio) -> Value {
    let mut ended = studio.start(&["--json"]);
    for _ in 0..20 {
        let open = asked(&ended);
        if open["id"].as_str().unwrap().ends_with("/approval") {
            return open;
        }
        ended = go_on(studio, &["--option", "1"]);
    }
    panic!("the gate was never reached: {ended:?}");
}

/// The one question that a run waits for.
fn asked(ended: &Ended) -> Value {
    assert_eq!(ended.code, Some(3), "{ended:?}");
    let line = ended.stdout.lines().last().unwrap_or_default();
    let told: Value = serde_json::from_str(line).unwrap();
    let [question] = told["questions"].as_array().unwrap().as_slice() else {
        panic!("one question, not {told}");
    };
    question.clone()
}

/// Answers and drives on.
fn go_on(studio: &Studio, answer: &[&str]) -> Ended {
    let id = run_id().to_string();
    studio.run(&[&["--json", "answer", &id][..], answer, &["--resume"]].concat())
}

fn codes(gate: &GateJudged) -> Vec<(&str, bool, &str)> {
    let six = gate.conditions.iter().take(6);
    six.map(|one| (one.id.as_str(), one.holds, one.reason.as_str()))
        .collect()
}

#[test]
fn a_person_has_the_last_word_and_ship_asks_for_it_alone() {
    let studio = Studio::offline();
    let id = run_id().to_string();
    let open = up_to_the_gate(&studio);
    assert_eq!(open["id"], "gate-1/approval", "{open}");
    let card = open["card"]["why"].as_str().unwrap();
    for told in [
        "14 of 14 criteria are met. Score: 1000 of 1000",
        "how much they cover was not measured",
        "One model spoke as product owner and as customer",
        "Spent so far: $0",
    ] {
        assert!(card.contains(told), "{told}: {card}");
    }

    // Not yet; but before anything is built again, the person wants to ship it all the same.
    let later = studio.run(&["answer", &id, "not-yet"]);
    assert_eq!(later.code, Some(0), "{later:?}");
    let ship = studio.run(&["--json", "ship", &id]);
    assert_eq!(asked(&ship)["id"], "gate-2/approval");
    let sealed = go_on(&studio, &["ship"]);
    // The same commit passed: nothing was mended, and there is no lesson in it.
    assert_eq!(sealed.code, Some(0), "{sealed:?}");

    let seen = studio.look();
    let [refused, passed] = seen.facts::<GateJudged>().try_into().unwrap();
    assert_eq!((refused.passed, passed.passed), (false, true));
    assert_eq!(refused.commit, passed.commit);
    assert_eq!(
        codes(&refused),
        [
            ("engineering_floor", true, ""),
            ("evidence", true, ""),
            ("weighted_score", true, ""),
            ("assumption_ledger", true, ""),
            ("owner_customer", true, ""),
            ("user_approval", false, "user_rejected"),
        ]
    );
    assert!(codes(&passed).iter().all(|(_, holds, _)| *holds));
    // What had passed was asked once.
    let judged = seen.facts::<CriteriaJudged>();
    assert_eq!(judged.iter().filter(|one| one.sprint == 0).count(), 1);
    let [owner] = seen.facts::<OwnerReviewed>().try_into().unwrap();
    assert_eq!((owner.mode.as_str(), owner.ship), ("self_review", true));
    let [tripped] = seen.facts::<BreakerTripped>().try_into().unwrap();
    assert_eq!((tripped.breaker.as_str(), tripped.degraded), ("cb_5", true));
    let assumed = seen.facts::<QuestionAnswered>();
    assert!(
        assumed.iter().all(|one| !one.assumed),
        "a person said it all"
    );

    let seal = studio.seal();
    assert_eq!(seal["valid"], true, "{seal}");
    let predicate = &seal["statement"]["predicate"];
    let left_out = predicate["left_out"].to_string();
    assert!(left_out.contains("reviewed its own work"), "{left_out}");
    assert!(left_out.contains("coverage"), "{left_out}");
    let criterion = &predicate["criteria"][0];
    assert_eq!(criterion["standing"], "met", "{criterion}");
    assert_eq!(criterion["proof"][0]["kind"], "example", "{criterion}");
    assert_eq!(criterion["rank"], "executed", "{criterion}");
}

#[test]
fn what_a_person_misses_reaches_the_next_sprint() {
    let studio = Studio::offline();
    up_to_the_gate(&studio);
    // Whoever asks to ship while the gate asks for their word has asked for nothing more.
    let ship = studio.run(&["--json", "ship", &run_id().to_string()]);
    assert_eq!(asked(&ship)["id"], "gate-1/approval");
    let sprints = studio.look().facts::<SprintOpened>().len();
    let wish = "WISH: sort the list by title.";
    let again = go_on(&studio, &[wish]);
    assert_eq!(again.code, Some(3), "{again:?}");
    let seen = studio.look();
    assert!(seen.facts::<SprintOpened>().len() > sprints);
    let [gate] = &seen.facts::<GateJudged>()[..1] else {
        panic!("the gate judged");
    };
    assert_eq!(codes(gate)[5], ("user_approval", false, "user_rejected"));
    let routed = seen.facts::<FeedbackRouted>();
    let last = routed.last().unwrap();
    assert_eq!(
        (last.condition.as_str(), last.to.as_str()),
        ("user_approval", "everybody")
    );
    let told = studio.bench.json(&["review", &run_id().to_string()]);
    assert!(told.to_string().contains(wish), "{told}");
    // The rules cannot do it: sprints that change nothing are a question, and whoever leaves it at
    // that has the last word once more, about a phase that is as done as it was.
    let idle = asked(&again);
    assert!(
        idle["id"].as_str().unwrap().ends_with("/after-cb-8"),
        "{idle}"
    );
    let left = go_on(&studio, &["skip"]);
    let card = asked(&left);
    assert_eq!(card["id"], "gate-2/approval");
    let why = card["card"]["why"].as_str().unwrap();
    let missed = "- asked, and not covered: \"sort the list by title\"";
    assert!(why.contains(missed), "{why}");
    let branch = format!("gavel/build-{}", run_id().short());
    let to_try = format!("git worktree add --detach FOLDER {branch}");
    assert!(why.contains(&to_try), "{why}");
}
