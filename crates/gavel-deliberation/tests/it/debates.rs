//! Debates as stories: who spoke, what moved, why it ended.

use gavel_deliberation::Convened;
use gavel_domain::{
    Badge, Caps, CouncilSeated, MemoryCited, MemoryRecalled, MicroUsd, StanceOrigin, StanceSpoke,
    SynthesisOutcome, Voices,
};
use gavel_models::CallErrorKind;
use gavel_testkit::{FixedRecaller, ScriptedModel, text_reply, unbilled};
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::chamber::{
    Chamber, Leader, data, evaluation, leader, note, opening, plan, requests_for, say, seat, shape,
    stubborn, texts, turn,
};

const AGREED: &str = "SQLite it is: I fully agree with that, everything is locked. [UNVERIFIED]";
const NEGATED: &str = "I do not fully agree with that, and nothing here is settled. [UNVERIFIED]";

fn garbage() -> Value {
    json!("As I see it, one cannot say.")
}

fn dead() -> ScriptedModel {
    ScriptedModel::by_rule(|_| Err(unbilled(CallErrorKind::Unauthorized)))
}

#[tokio::test]
async fn two_seats_converge() {
    let keeper = seat(
        opening("A", "One file is enough. [UNVERIFIED]", &[]),
        &[
            turn("A", "One file, no server. [UNVERIFIED]", &[]),
            turn("A", AGREED, &[]),
        ],
    );
    let mover = seat(
        opening("B", "A server scales. [UNVERIFIED]", &[]),
        &[
            turn("B", "It will grow. [UNVERIFIED]", &[]),
            turn("A", AGREED, &[]),
        ],
    );
    let leader = Leader::new()
        .with("council_plan", &[plan("decision", 3, &["Keeper", "Mover"])])
        .model();
    let chamber = Chamber::new(&[
        ("a/keeper", &keeper),
        ("b/mover", &mover),
        ("test/leader", &leader),
    ])
    .await;
    let held = chamber.held().await;
    assert_eq!(held.outcome.decisions[0].option, Some(0));
    assert_eq!(
        held.outcome.decisions[0].changed, None,
        "openings were split"
    );
    assert_eq!(held.voices, Voices::Several);
    assert_snapshot!(chamber.story().await);
}

#[tokio::test]
async fn openings_are_blind_and_the_second_of_a_pair_sees_the_fresh_words() {
    let keeper = seat(
        opening("A", "keeper opens [UNVERIFIED]", &[]),
        &[turn("A", "keeper answers [UNVERIFIED]", &[])],
    );
    let mover = seat(
        opening("B", "mover opens [UNVERIFIED]", &[]),
        &[turn("B", "mover answers [UNVERIFIED]", &[])],
    );
    let leader = Leader::new()
        .with("council_evaluation", &[evaluation(false, &[])])
        .model();
    let chamber = Chamber::new(&[
        ("a/keeper", &keeper),
        ("b/mover", &mover),
        ("test/leader", &leader),
    ])
    .await;
    chamber.held().await;
    for model in [&keeper, &mover] {
        let opened = &requests_for(model, "council_opening")[0];
        let all = texts(opened);
        assert!(!all.contains("opens") && !all.contains("a/keeper"), "{all}");
    }
    let first = &requests_for(&keeper, "council_turn")[0];
    assert!(data(first, "other_seat").unwrap().contains("mover opens"));
    let second = &requests_for(&mover, "council_turn")[0];
    assert!(
        data(second, "other_seat")
            .unwrap()
            .contains("keeper answers")
    );
    assert!(
        data(second, "own_position")
            .unwrap()
            .contains("mover opens")
    );
}

#[tokio::test]
async fn three_seats_that_negate_agreement_do_not_converge() {
    let turns = |option: &str| [turn(option, NEGATED, &[])];
    let one = seat(opening("A", "one [UNVERIFIED]", &[]), &turns("A"));
    let two = seat(opening("B", "two [UNVERIFIED]", &[]), &turns("B"));
    let three = seat(opening("A", "three [UNVERIFIED]", &[]), &turns("A"));
    let leader = Leader::new()
        .with(
            "council_plan",
            &[plan("decision", 2, &["One", "Two", "Three"])],
        )
        .model();
    let chamber = Chamber::new(&[
        ("a/one", &one),
        ("b/two", &two),
        ("c/three", &three),
        ("test/leader", &leader),
    ])
    .await;
    let held = chamber.held().await;
    let dissent: Vec<&str> = held
        .outcome
        .dissent
        .iter()
        .map(|one| one.who.as_str())
        .collect();
    assert_eq!(
        dissent,
        ["Two"],
        "whoever still differs is kept, though the leader forgot it"
    );
    assert_snapshot!(chamber.story().await);
}

#[tokio::test]
async fn a_dead_seat_of_four_leaves_the_ring_and_the_others_go_on() {
    let one = stubborn("A");
    let two = stubborn("A");
    let three = stubborn("B");
    let opened = ScriptedModel::by_rule(|request| match shape(request) {
        "council_opening" => say(&opening("B", "I open and fall silent. [UNVERIFIED]", &[])),
        _ => Err(unbilled(CallErrorKind::Unauthorized)),
    });
    let leader = Leader::new()
        .with(
            "council_plan",
            &[plan("decision", 2, &["One", "Two", "Three", "Four"])],
        )
        .model();
    let chamber = Chamber::new(&[
        ("a/one", &one),
        ("b/two", &two),
        ("c/three", &three),
        ("d/four", &opened),
        ("test/leader", &leader),
    ])
    .await;
    let held = chamber.held().await;
    assert_eq!(
        held.outcome.decisions[0].voters[1],
        ["Three", "Four"],
        "an opening counts"
    );
    assert_snapshot!(chamber.story().await);
}

#[tokio::test]
async fn without_any_opening_nothing_is_drawn_together() {
    let (one, two, leader) = (
        dead(),
        ScriptedModel::by_rule(|_| Ok(text_reply("{}"))),
        leader(),
    );
    let chamber = Chamber::new(&[("a/one", &one), ("b/two", &two), ("test/leader", &leader)]).await;
    let Convened::Stuck { problem } = chamber.convene().await else {
        panic!("nobody opened, and yet there is an outcome");
    };
    assert!(problem.contains("a/one said nothing usable"), "{problem}");
    assert!(problem.contains("b/two said nothing usable"), "{problem}");
    assert!(requests_for(&leader, "council_synthesis").is_empty());
    assert_snapshot!(chamber.story().await);
}

#[tokio::test]
async fn one_opening_is_no_debate_and_says_so() {
    let (one, two, leader) = (stubborn("A"), dead(), leader());
    let chamber = Chamber::new(&[("a/one", &one), ("b/two", &two), ("test/leader", &leader)]).await;
    let held = chamber.held().await;
    assert!(
        held.summary.contains("Only one seat opened"),
        "{}",
        held.summary
    );
    assert!(
        held.summary.contains("Nothing usable came from: Mover."),
        "{}",
        held.summary
    );
    assert_eq!(one.requests().len(), 1, "no round without a second voice");
    assert_snapshot!(chamber.story().await);
}

#[tokio::test]
async fn a_leader_that_babbles_is_replaced_by_rules_where_rules_can() {
    // The generic plan has a decision of its own name.
    let renamed = |option: &'static str| {
        let words = "I stay. [UNVERIFIED]";
        let choices =
            json!([{"decision": "choice", "option": option, "confidence": 70, "cites": []}]);
        let opened = json!({"text": words, "choices": choices, "assumptions": []});
        seat(opened, &[json!({"text": words, "choices": choices})])
    };
    let (one, two) = (renamed("A"), renamed("B"));
    let leader = Leader::new()
        .with("council_plan", &[garbage()])
        .with("council_research_need", &[garbage()])
        .with("council_evaluation", &[garbage()])
        .with("council_summary", &[garbage()])
        .with("council_verdict", &[garbage()])
        .model();
    let chamber = Chamber::new(&[("a/one", &one), ("b/two", &two), ("test/leader", &leader)]).await;
    let held = chamber.held().await;
    assert!(held.plan.fallback);
    assert!(
        held.verdict.needs_person,
        "a judge that says nothing has judged nothing"
    );
    assert_eq!(requests_for(&leader, "council_plan").len(), 2, "one retry");
    let again = texts(&requests_for(&leader, "council_plan")[1]);
    assert!(again.contains("cannot be used"), "{again}");
    assert_snapshot!(chamber.story().await);
}

#[tokio::test]
async fn a_synthesis_that_fails_twice_is_told_and_nothing_is_invented() {
    let (one, two) = (stubborn("A"), stubborn("A"));
    let leader = Leader::new()
        .with("council_synthesis", &[garbage()])
        .model();
    let chamber = Chamber::new(&[("a/one", &one), ("b/two", &two), ("test/leader", &leader)]).await;
    let held = chamber.held().await;
    assert_eq!(held.synthesis, SynthesisOutcome::Failed);
    assert_eq!(held.badge, Badge::Low);
    assert!(held.verdict.needs_person);
    assert_eq!(
        held.outcome.decisions[0].option,
        Some(0),
        "the votes are there"
    );
    assert!(held.outcome.recommendation.is_empty());
    assert_snapshot!(chamber.story().await);
}

#[tokio::test]
async fn the_leader_extends_while_a_criterion_moves() {
    let (one, two) = (stubborn("A"), stubborn("B"));
    let mut moved = evaluation(true, &[]);
    moved["extend"] = json!(2);
    let mut stuck = evaluation(true, &["it is not settled"]);
    stuck["extend"] = json!(2);
    let leader = Leader::new()
        .with("council_plan", &[plan("decision", 3, &["Keeper", "Mover"])])
        .with(
            "council_evaluation",
            &[stuck.clone(), stuck.clone(), moved, stuck],
        )
        .model();
    let chamber = Chamber::new(&[("a/one", &one), ("b/two", &two), ("test/leader", &leader)]).await;
    let held = chamber.held().await;
    assert_eq!(held.rounds, 5, "cap and two");
    assert_snapshot!(chamber.story().await);
}

#[tokio::test]
async fn each_kind_has_its_cap() {
    for (kind, rounds) in [
        ("implementation_plan", 3),
        ("resolve_question", 5),
        ("action_items", 5),
        ("evaluation", 3),
    ] {
        let (one, two) = (stubborn("A"), stubborn("B"));
        let leader = Leader::new()
            .with(
                "council_plan",
                &[plan(kind, 5, &["Product Owner", "Mover"])],
            )
            .model();
        let chamber =
            Chamber::new(&[("a/one", &one), ("b/two", &two), ("test/leader", &leader)]).await;
        let held = chamber.held().await;
        assert_eq!(held.rounds, rounds, "{kind}");
    }
}

#[tokio::test]
async fn a_budget_that_is_nearly_spent_ends_the_rounds_before_it_is_broken() {
    let (one, two, leader) = (stubborn("A"), stubborn("B"), leader());
    let caps = Caps {
        run_usd: Some(MicroUsd(80_000)),
        ..Caps::default()
    };
    let models = [("a/one", &one), ("b/two", &two), ("test/leader", &leader)];
    let chamber = Chamber::within(&models, caps).await;
    let held = chamber.held().await;
    assert!(
        held.summary.contains("within the budget"),
        "{}",
        held.summary
    );
    assert_snapshot!(chamber.story().await);
}

#[tokio::test]
async fn drafts_that_agree_on_what_holds_make_a_debate_unnecessary() {
    let sure = || {
        let words = "Jobs are few [CONFIRMED via memory:note-1].";
        seat(
            opening("A", words, &["memory:note-1"]),
            &[turn("A", words, &[])],
        )
    };
    let (one, two, three, leader) = (sure(), sure(), stubborn("B"), Leader::new());
    let leader = leader
        .with(
            "council_plan",
            &[plan("decision", 2, &["One", "Two", "Three"])],
        )
        .model();
    let mut chamber = Chamber::new(&[
        ("a/one", &one),
        ("b/two", &two),
        ("c/three", &three),
        ("test/leader", &leader),
    ])
    .await;
    chamber.gate = true;
    chamber.plan.memory = vec![note(
        "note-1",
        "note",
        "There are twenty jobs a day in the queue.",
    )];
    let held = chamber.held().await;
    assert_eq!((held.rounds, held.badge), (0, Badge::High));
    assert!(
        held.summary.contains("so there was no debate"),
        "{}",
        held.summary
    );
    assert_eq!(three.requests().len(), 0);
    assert_snapshot!(chamber.story().await);
}

#[tokio::test]
async fn drafts_that_agree_on_nothing_that_holds_are_the_openings_of_a_debate() {
    let (one, two, three) = (stubborn("A"), stubborn("A"), stubborn("A"));
    let leader = Leader::new()
        .with(
            "council_plan",
            &[plan("decision", 1, &["One", "Two", "Three"])],
        )
        .model();
    let mut chamber = Chamber::new(&[
        ("a/one", &one),
        ("b/two", &two),
        ("c/three", &three),
        ("test/leader", &leader),
    ])
    .await;
    chamber.gate = true;
    chamber.held().await;
    for model in [&one, &two, &three] {
        assert_eq!(
            requests_for(model, "council_opening").len(),
            1,
            "no draft is bought twice"
        );
    }
    assert_snapshot!(chamber.story().await);
}

#[tokio::test]
async fn one_model_in_all_seats_is_cross_examined_once_and_marked() {
    let only = stubborn("A");
    let leader = Leader::new()
        .with("council_plan", &[plan("decision", 3, &["Keeper", "Mover"])])
        .model();
    let mut chamber = Chamber::new(&[("a/only", &only), ("test/leader", &leader)]).await;
    chamber.gate = true;
    let held = chamber.held().await;
    assert_eq!((held.voices, held.rounds), (Voices::OneModel, 1));
    assert!(
        held.summary.contains("All seats are one model."),
        "{}",
        held.summary
    );
    // The seats open side by side, so either may come first; each is asked once.
    let asked = requests_for(&only, "council_opening");
    for stance in ["Keeper", "Mover"] {
        let speaks = format!("You speak as {stance}.");
        let heard = asked
            .iter()
            .filter(|request| texts(request).contains(&speaks));
        assert_eq!(heard.count(), 1, "{stance}");
    }
    assert_eq!(asked.len(), 2);
}

#[tokio::test]
async fn memory_that_warns_has_a_seat_of_its_own() {
    let (one, two, leader) = (stubborn("A"), stubborn("B"), leader());
    let mut chamber =
        Chamber::new(&[("a/one", &one), ("b/two", &two), ("test/leader", &leader)]).await;
    chamber.plan.memory = vec![note(
        "trap-1",
        "trap",
        "SQLite locked the job queue for minutes under two workers.",
    )];
    let held = chamber.held().await;
    let seated = &chamber.facts::<CouncilSeated>().await[0];
    let last = seated.seats.last().unwrap();
    assert_eq!(last.origin, StanceOrigin::ExperienceAuditor);
    assert_eq!(seated.seats.len(), 3);
    assert!(
        held.summary.contains("No seat answered: trap-1."),
        "{}",
        held.summary
    );
}

#[tokio::test]
async fn whoever_speaks_for_experience_asks_memory_again_and_may_cite_what_it_says() {
    let cites = &["memory:trp_1"];
    let one = seat(
        opening("A", "It locks. [CONFIRMED via memory:trp_1]", cites),
        &[turn("A", "It locks. [CONFIRMED via memory:trp_1]", cites)],
    );
    let (two, leader) = (stubborn("B"), leader());
    let mut chamber =
        Chamber::new(&[("a/one", &one), ("b/two", &two), ("test/leader", &leader)]).await;
    let memory = FixedRecaller::knowing(&[
        (
            "trp_1",
            "trap",
            "SQLite locked the job queue for minutes under two workers.",
        ),
        ("dec_1", "decision", "The job queue is embedded."),
    ]);
    chamber.bed = chamber.bed.with_recaller(memory.clone());
    drop(chamber.held().await);
    assert_eq!(memory.asked().len(), 1);
    let recalled = chamber.facts::<MemoryRecalled>().await;
    assert_eq!(recalled[0].items, ["trp_1"], "warnings alone");
    let seated = &chamber.facts::<CouncilSeated>().await[0];
    let last = seated.seats.last().unwrap();
    assert_eq!(last.origin, StanceOrigin::ExperienceAuditor);
    let mut asked = requests_for(&one, "council_opening").into_iter();
    let shown = asked.find(|request| texts(request).contains("Experience Auditor"));
    let shown = data(&shown.unwrap(), "memory").unwrap();
    assert!(
        shown.contains("trp_1") && shown.contains("\"mem:"),
        "{shown}"
    );
    let spoke = chamber.facts::<StanceSpoke>().await;
    let mut spoke = spoke.iter();
    let ours = spoke.find(|spoke| spoke.stance == "Experience Auditor");
    let ours = ours.unwrap();
    assert_eq!((ours.evidence_held, ours.evidence_broken), (1, 0));
    let cited = chamber.facts::<MemoryCited>().await;
    assert_eq!(cited[0].items, ["trp_1"]);
}

#[tokio::test]
async fn what_was_not_looked_up_first_can_be_looked_up_between_rounds() {
    let (one, two) = (stubborn("A"), stubborn("B"));
    let mut missing = evaluation(true, &["nobody knows how many jobs there are"]);
    missing["needs_research"] = json!(true);
    let leader = Leader::new()
        .with("council_evaluation", &[missing, evaluation(false, &[])])
        .model();
    let mut chamber =
        Chamber::new(&[("a/one", &one), ("b/two", &two), ("test/leader", &leader)]).await;
    chamber.plan.memory = vec![note("note-1", "note", "There are twenty jobs a day.")];
    let held = chamber.held().await;
    assert_eq!(held.rounds, 2);
    let second = requests_for(&one, "council_turn").pop().unwrap();
    let findings = data(&second, "findings").unwrap();
    assert!(
        findings.contains("No new evidence was found for: nobody knows how many jobs there are"),
        "{findings}"
    );
    assert_snapshot!(chamber.story().await);
}

#[tokio::test]
async fn a_criterion_that_is_taken_back_is_not_met_in_the_end() {
    let (one, two) = (stubborn("A"), stubborn("B"));
    let leader = Leader::new()
        .with(
            "council_evaluation",
            &[
                evaluation(true, &[]),
                evaluation(false, &["it came up again"]),
            ],
        )
        .model();
    let chamber = Chamber::new(&[("a/one", &one), ("b/two", &two), ("test/leader", &leader)]).await;
    assert!(chamber.held().await.criteria_unmet);
}
