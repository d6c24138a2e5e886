//! Seats that say nothing, and debates that cannot be held.

use gavel_deliberation::Debated;
use gavel_domain::CouncilPhase;
use gavel_models::CallErrorKind;
use gavel_testkit::{ScriptedModel, text_reply, unbilled};
use serde_json::json;

use crate::chamber::{Chamber, say, shape, speaker, speaking, speech};

fn problem_of(debated: Debated) -> String {
    match debated {
        Debated::Stuck { problem } => problem,
        Debated::Decided { .. } => panic!("no debate was held, and yet it decided"),
    }
}

#[tokio::test]
async fn a_seat_that_babbles_is_silent_and_two_others_go_on() {
    let babbler = ScriptedModel::by_rule(|_| Ok(text_reply("As I see it, yes.")));
    let (one, three, leader) = (speaker("one"), speaker("three"), speaker("leader"));
    let chamber = Chamber::new(&[
        ("a/one", &one),
        ("b/babbler", &babbler),
        ("c/three", &three),
        ("test/leader", &leader),
    ])
    .await;
    let Debated::Decided { summary, .. } = chamber.debate().await else {
        panic!("two voices are a debate");
    };
    assert!(
        summary.ends_with("Nothing usable came from: Skeptic."),
        "{summary}"
    );
    // It had three tries, and is not asked again.
    assert_eq!(babbler.requests().len(), 3);
    let phases = chamber.facts::<CouncilPhase>().await;
    assert_eq!(phases[0].seats, ["a/one", "b/babbler", "c/three"]);
    assert_eq!(phases[1].seats, ["a/one", "c/three"]);
    // Seats keep their numbers.
    let spoke = chamber.spoke().await;
    let seats: Vec<_> = spoke
        .iter()
        .map(|(seat, round, ..)| (*seat, *round))
        .collect();
    assert_eq!(seats, [(1, 0), (3, 0), (1, 1), (3, 1)]);
}

#[tokio::test]
async fn one_voice_is_no_debate() {
    let empty =
        speaking(|_| json!({"position": "", "claims": [], "risks": [], "recommendation": "x"}));
    let (one, leader) = (speaker("one"), speaker("leader"));
    let chamber = Chamber::new(&[
        ("a/one", &one),
        ("b/empty", &empty),
        ("test/leader", &leader),
    ])
    .await;
    let problem = problem_of(chamber.debate().await);
    assert_eq!(
        problem,
        "b/empty said nothing usable: `position` must not be empty; `claims` must have 1 to 20 entries"
    );
    assert_eq!(leader.requests().len(), 0);
    assert_eq!(one.requests().len(), 1, "no round without a second voice");
}

#[tokio::test]
async fn a_provider_that_refuses_is_a_silent_seat() {
    let dead = ScriptedModel::by_rule(|_| Err(unbilled(CallErrorKind::Unauthorized)));
    let (one, three, leader) = (speaker("one"), speaker("three"), speaker("leader"));
    let chamber = Chamber::new(&[
        ("a/one", &one),
        ("b/dead", &dead),
        ("c/three", &three),
        ("test/leader", &leader),
    ])
    .await;
    assert!(matches!(chamber.debate().await, Debated::Decided { .. }));
    assert_eq!(dead.requests().len(), 1);
}

#[tokio::test]
async fn a_round_with_one_voice_is_no_round() {
    let mute = ScriptedModel::by_rule(|request| match shape(request) {
        "council_draft" => say(&speech("mute", "council_draft")),
        _ => Ok(text_reply("{}")),
    });
    let (one, leader) = (speaker("one"), speaker("leader"));
    let chamber =
        Chamber::new(&[("a/one", &one), ("b/mute", &mute), ("test/leader", &leader)]).await;
    let problem = problem_of(chamber.debate().await);
    assert!(
        problem.starts_with("b/mute said nothing usable"),
        "{problem}"
    );
    assert_eq!(leader.requests().len(), 0);
}

#[tokio::test]
async fn a_leader_without_decisions_leaves_it_stuck() {
    let leader = speaking(|_| json!({"summary": "Nice debate.", "decisions": []}));
    let (one, two) = (speaker("one"), speaker("two"));
    let chamber = Chamber::new(&[("a/one", &one), ("b/two", &two), ("test/leader", &leader)]).await;
    let problem = problem_of(chamber.debate().await);
    assert_eq!(
        problem,
        "the leader gave no synthesis: `decisions` must have 1 to 20 entries"
    );
}

#[tokio::test]
async fn a_council_has_two_to_four_seats() {
    for seats in [0, 1, 5] {
        let model = speaker("any");
        let mut chamber = Chamber::new(&[("a/one", &model), ("test/leader", &model)]).await;
        chamber.seats = vec!["a/one"; seats];
        let problem = problem_of(chamber.debate().await);
        assert_eq!(problem, format!("a council has 2 to 4 seats, not {seats}"));
        assert_eq!(model.requests().len(), 0);
    }
}
