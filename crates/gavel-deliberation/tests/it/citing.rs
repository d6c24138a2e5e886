//! Sources that are looked up: what does not exist is unverified before anybody else reads it.

use gavel_domain::{Badge, RoundEvaluated, StanceSpoke};
use serde_json::json;

use crate::chamber::{
    Chamber, Leader, data, evaluation, opening, requests_for, seat, stubborn, turn,
};

const FALSE_LINE: &str = "The queue is a table [CONFIRMED via src/queue.rs:40].";
const TRUE_LINE: &str = "The queue is a table [CONFIRMED via src/queue.rs:2 \"create table\"].";

async fn debate(cited: &'static str) -> (Chamber, gavel_deliberation::Held, String) {
    let keeper = seat(
        opening("A", cited, &["src/queue.rs:2"]),
        &[turn("A", cited, &["src/queue.rs:2"])],
    );
    let mover = seat(
        opening("B", "A server scales. [UNVERIFIED]", &[]),
        &[turn("B", "It grows. [UNVERIFIED]", &[])],
    );
    let leader = Leader::new()
        .with("council_evaluation", &[evaluation(false, &[])])
        .model();
    let models = [
        ("a/keeper", &keeper),
        ("b/mover", &mover),
        ("test/leader", &leader),
    ];
    let chamber = Chamber::new(&models).await;
    let source = chamber.bed.folder().join("src");
    std::fs::create_dir_all(&source).unwrap();
    std::fs::write(
        source.join("queue.rs"),
        "// jobs\nlet sql = \"create table job\";\n",
    )
    .unwrap();
    let held = chamber.held().await;
    let seen = data(
        requests_for(&mover, "council_turn").first().unwrap(),
        "other_seat",
    )
    .unwrap();
    (chamber, held, seen)
}

#[tokio::test]
async fn a_line_that_does_not_exist_is_unverified_for_the_next_speaker_and_for_the_badge() {
    let (chamber, held, seen) = debate(FALSE_LINE).await;
    assert!(seen.contains("[UNVERIFIED: "), "{seen}");
    assert!(!seen.contains("[CONFIRMED via src/queue.rs:40]"), "{seen}");
    let spoke = chamber.facts::<StanceSpoke>().await;
    let keeper: Vec<_> = spoke.iter().filter(|spoke| spoke.seat == 1).collect();
    assert!(
        keeper
            .iter()
            .all(|spoke| spoke.evidence_broken == 1 && spoke.evidence_held == 0)
    );
    let rounds = chamber.facts::<RoundEvaluated>().await;
    assert!(
        rounds.iter().all(|round| round.density == Some(0)),
        "{rounds:?}"
    );
    assert_eq!((held.density, held.badge), (Some(0), Badge::Low));
}

#[tokio::test]
async fn a_line_that_exists_stays_and_counts() {
    let (chamber, held, seen) = debate(TRUE_LINE).await;
    assert!(seen.contains("[CONFIRMED via src/queue.rs:2"), "{seen}");
    let spoke = chamber.facts::<StanceSpoke>().await;
    assert!(spoke.iter().any(|spoke| spoke.evidence_held == 1));
    assert_eq!((held.density, held.badge), (Some(50), Badge::Medium));
    // Whoever cites what holds outweighs whoever cites nothing that does.
    assert_eq!(held.outcome.decisions[0].option, Some(0));
}

#[tokio::test]
async fn a_false_source_costs_the_speaker_weight() {
    let (_, lied, _) = debate(FALSE_LINE).await;
    let (_, told, _) = debate(TRUE_LINE).await;
    let weight = |held: &gavel_deliberation::Held| held.outcome.decisions[0].weights[0];
    assert!(
        weight(&lied) < weight(&told),
        "{} {}",
        weight(&lied),
        weight(&told)
    );
    assert_eq!(
        json!(told.outcome.decisions[0].voters),
        json!([["Keeper"], ["Mover"]])
    );
}

#[tokio::test]
async fn minutes_that_confirm_what_is_not_there_confirm_nothing() {
    let (one, two) = (stubborn("A"), stubborn("B"));
    let minutes = json!({"text": "It is fast [CONFIRMED via src/ghost.rs:8]."});
    let leader = Leader::new().with("council_summary", &[minutes]).model();
    let models = [("a/one", &one), ("b/two", &two), ("test/leader", &leader)];
    let chamber = Chamber::new(&models).await;
    chamber.held().await;
    let later = requests_for(&one, "council_turn").pop().unwrap();
    let minutes = data(&later, "minutes").unwrap();
    assert!(minutes.contains("It is fast [UNVERIFIED: "), "{minutes}");
    assert!(!minutes.contains("CONFIRMED via"), "{minutes}");
}
