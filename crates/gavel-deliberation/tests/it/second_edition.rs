//! What debates are held by since existence is half of a proof: the gate, the votes, who answers whom.

use gavel_deliberation::Edition;
use gavel_domain::{
    Badge, DebateStop, DebateStopped, DraftsCompared, MemoryNote, RoundEvaluated, StanceSpoke,
};
use gavel_rules::council::Experience;
use gavel_testkit::{FixedRecaller, ScriptedModel};
use serde_json::json;

use crate::chamber::{
    Chamber, Leader, data, evaluation, note, opening, plan, requests_for, seat, stubborn,
    synthesis, turn,
};

/// A line that says something of both stores, and one that says nothing.
const LOAD: &str = "# Load\n\nPostgreSQL took four writers; SQLite took one.\n";
const SHOWN: &str = "load.md:3 \"PostgreSQL took four writers\"";

/// A chamber of the second edition with the gate, over a file to cite.
async fn chamber(models: &[(&'static str, &ScriptedModel)]) -> Chamber {
    let mut chamber = Chamber::new(models).await;
    chamber.edition = Edition::Second;
    chamber.gate = true;
    std::fs::write(chamber.bed.folder().join("load.md"), LOAD).unwrap();
    chamber
}

fn drafts(text: &str, cite: &str) -> ScriptedModel {
    seat(opening("B", text, &[cite]), &[turn("B", text, &[cite])])
}

async fn stop(chamber: &Chamber) -> (DebateStop, u32) {
    let [stopped] = chamber.facts::<DebateStopped>().await.try_into().unwrap();
    (stopped.reason, stopped.rounds)
}

#[tokio::test]
async fn drafts_that_quote_what_shows_it_spare_the_debate() {
    let text = format!("Four writers are taken [CONFIRMED via {SHOWN}].");
    let (one, other) = (drafts(&text, SHOWN), drafts(&text, SHOWN));
    let leader = Leader::new().model();
    let chamber = chamber(&[("a/one", &one), ("b/two", &other), ("test/leader", &leader)]).await;
    let held = chamber.held().await;
    assert_eq!(stop(&chamber).await, (DebateStop::DraftsAgree, 0));
    assert_eq!((held.badge, held.density), (Badge::High, Some(100)));
}

#[tokio::test]
async fn a_false_claim_with_a_line_that_exists_spares_nothing_and_is_never_high() {
    let text = "PostgreSQL is forty times faster on the moon [CONFIRMED via load.md:1].";
    for cite in ["load.md:1", SHOWN] {
        let (one, other) = (drafts(text, cite), drafts(text, cite));
        let leader = Leader::new().model();
        let models = [("a/one", &one), ("b/two", &other), ("test/leader", &leader)];
        let chamber = chamber(&models).await;
        let held = chamber.held().await;
        let [compared] = chamber.facts::<DraftsCompared>().await.try_into().unwrap();
        assert!(!compared.skip && !compared.evidence_holds, "{compared:?}");
        let (reason, rounds) = stop(&chamber).await;
        assert!(rounds > 0, "{reason:?}");
        assert_eq!((held.badge, held.density), (Badge::Medium, Some(50)));
    }
}

#[tokio::test]
async fn samples_of_one_model_are_compared_and_stop_where_they_agree() {
    let text = format!("Four writers are taken [CONFIRMED via {SHOWN}].");
    let solo = drafts(&text, SHOWN);
    let leader = Leader::new()
        .with(
            "council_plan",
            &[plan("decision", 3, &["One", "Two", "Three"])],
        )
        .model();
    let chamber = chamber(&[("a/solo", &solo), ("test/leader", &leader)]).await;
    chamber.held().await;
    assert_eq!(stop(&chamber).await, (DebateStop::DraftsAgree, 0));
    assert_eq!(
        requests_for(&solo, "council_opening").len(),
        2,
        "two of three"
    );
}

fn warned() -> Vec<MemoryNote> {
    vec![note(
        "trap-7",
        "trap",
        "PostgreSQL ran out of connections for the job queue.",
    )]
}

#[tokio::test]
async fn whoever_speaks_for_experience_is_heard_before_a_debate_is_spared() {
    let text = format!("Four writers are taken [CONFIRMED via {SHOWN}].");
    for (auditor, spared) in [("B", true), ("A", false)] {
        let (one, other) = (drafts(&text, SHOWN), drafts(&text, SHOWN));
        let third = stubborn(auditor);
        let leader = Leader::new().model();
        let models = [
            ("a/one", &one),
            ("b/two", &other),
            ("c/three", &third),
            ("test/leader", &leader),
        ];
        let mut chamber = chamber(&models).await;
        chamber.plan.memory = warned();
        chamber.held().await;
        let (reason, _) = stop(&chamber).await;
        assert_eq!(
            reason == DebateStop::DraftsAgree,
            spared,
            "{auditor} {reason:?}"
        );
        let [compared] = chamber.facts::<DraftsCompared>().await.try_into().unwrap();
        assert_eq!((compared.seats, compared.skip), (vec![1, 2, 3], spared));
    }
    // Where it is enforced, nothing spares the debate.
    let (one, other, third) = (drafts(&text, SHOWN), drafts(&text, SHOWN), stubborn("B"));
    let leader = Leader::new().model();
    let models = [
        ("a/one", &one),
        ("b/two", &other),
        ("c/three", &third),
        ("test/leader", &leader),
    ];
    let mut chamber = chamber(&models).await;
    chamber.plan.memory = warned();
    chamber.experience = Experience::Enforcing;
    chamber.held().await;
    assert!(chamber.facts::<DraftsCompared>().await.is_empty());
    assert!(stop(&chamber).await.1 > 0);
}

#[tokio::test]
async fn each_of_five_answers_once_a_round_and_the_votes_end_it() {
    // In words of their own: a turn that repeats what it answers does not count.
    let fixed = |name: &str| {
        let words = format!("{name} stays with A. [UNVERIFIED]");
        seat(opening("A", &words, &[]), &[turn("A", &words, &[])])
    };
    let turned = seat(
        opening("B", "two [UNVERIFIED]", &[]),
        &[turn("A", "two gives in [UNVERIFIED]", &[])],
    );
    let (one, three, four, five) = (fixed("One"), fixed("Three"), fixed("Four"), fixed("Five"));
    let stances = ["One", "Two", "Three", "Four", "Five"];
    let leader = Leader::new()
        .with("council_plan", &[plan("decision", 3, &stances[..4])])
        .with(
            "council_evaluation",
            &[evaluation(true, &["it is not settled"])],
        )
        .model();
    let models = [
        ("a/one", &one),
        ("b/two", &turned),
        ("c/three", &three),
        ("d/four", &four),
        ("e/five", &five),
        ("test/leader", &leader),
    ];
    let mut chamber = chamber(&models).await;
    chamber.gate = false;
    chamber.plan.memory = warned();
    let held = chamber.held().await;
    // Agreed after the first round, and still after the second.
    assert_eq!(stop(&chamber).await, (DebateStop::Converged, 2));
    assert_eq!(held.outcome.decisions[0].option, Some(0));
    let spoke = chamber.facts::<StanceSpoke>().await;
    let of_round = |round| spoke.iter().filter(|one| one.round == round).count();
    assert_eq!((of_round(0), of_round(1), of_round(2)), (5, 5, 5));
    let answers = |seat| {
        let turn = spoke.iter().find(|one| one.round == 1 && one.seat == seat);
        turn.unwrap().answers
    };
    // Everybody answers the one that stands against them; that one answers the first of them.
    assert_eq!(
        [1, 2, 3, 4, 5].map(answers),
        [Some(2), Some(1), Some(2), Some(2), Some(2)]
    );
    let evaluated = chamber.facts::<RoundEvaluated>().await;
    let agreed: Vec<u32> = evaluated.iter().map(|one| one.agreed).collect();
    assert_eq!(agreed, [0, 1, 1]);
}

#[tokio::test]
async fn what_everybody_chose_is_decided_though_nothing_that_was_cited_held() {
    let text = "It is so [CONFIRMED via nowhere.md:1].";
    let (one, other) = (drafts(text, "nowhere.md:1"), drafts(text, "nowhere.md:1"));
    let leader = Leader::new().model();
    let chamber = chamber(&[("a/one", &one), ("b/two", &other), ("test/leader", &leader)]).await;
    let held = chamber.held().await;
    let vote = &held.outcome.decisions[0];
    assert_eq!(
        (vote.option, vote.weights.as_slice()),
        (Some(1), &[0, 0][..])
    );
    let why = &held.decisions[0].why;
    assert!(why.contains("nothing that they cited held"), "{why}");
    assert_eq!(held.badge, Badge::Low);
}

#[tokio::test]
async fn a_synthesis_that_failed_is_tried_again_alone_where_nobody_can_be_asked() {
    let garbage = json!("As I see it, one cannot say.");
    let leader = Leader::new()
        .with(
            "council_synthesis",
            &[garbage.clone(), garbage, crate::chamber::synthesis()],
        )
        .model();
    let (one, other) = (stubborn("A"), stubborn("B"));
    let chamber = chamber(&[("a/one", &one), ("b/two", &other), ("test/leader", &leader)]).await;
    let held = chamber.held().await;
    assert_eq!(held.synthesis, gavel_domain::SynthesisOutcome::Made);
    assert_eq!(requests_for(&leader, "council_synthesis").len(), 3);
    assert_eq!(
        requests_for(&one, "council_opening").len(),
        1,
        "nobody debates again"
    );
}

/// A claim over an item that is in nobody's brief.
const BEYOND: &str = "Logins fail after midnight [CONFIRMED via memory:trp_9].";

#[tokio::test]
async fn what_a_seat_may_cite_the_leader_and_the_minutes_may_cite_too() {
    for (known, held) in [("trp_9", true), ("trp_8", false)] {
        let (one, two) = (
            seat(opening("A", BEYOND, &[]), &[turn("A", BEYOND, &[])]),
            stubborn("B"),
        );
        let mut synthesis = synthesis();
        synthesis["summary"] = json!(BEYOND);
        synthesis["decisions"] = json!([{"id": "storage", "why": BEYOND}]);
        let leader = Leader::new()
            .with("council_summary", &[json!({"text": BEYOND})])
            .with("council_synthesis", &[synthesis])
            .model();
        let models = [("a/one", &one), ("b/two", &two), ("test/leader", &leader)];
        let mut chamber = chamber(&models).await;
        let memory = FixedRecaller::knowing(&[(known, "trap", "Logins fail after midnight.")]);
        chamber.bed = chamber.bed.with_recaller(memory);
        let debated = chamber.held().await;
        let spoke = chamber.facts::<StanceSpoke>().await;
        assert_eq!(spoke.iter().any(|one| one.evidence_held > 0), held);
        let minutes = requests_for(&two, "council_turn").pop().unwrap();
        let minutes = data(&minutes, "minutes").unwrap();
        let why = debated
            .decisions
            .iter()
            .map(|one| one.why.as_str())
            .collect::<String>();
        for text in [&debated.outcome.summary, &why, &minutes] {
            assert_eq!(text.contains("[CONFIRMED via memory:trp_9"), held, "{text}");
            assert_eq!(!text.contains("[UNVERIFIED: "), held, "{text}");
        }
    }
}
