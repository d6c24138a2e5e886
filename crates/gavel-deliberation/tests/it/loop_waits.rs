//! Loops that wait for somebody say so where they look: failed turns, blocked phases, plans that forgot
//! something. What helps is what the inboxes say.

use gavel_deliberation::loops::{Handed, LoopAnswer, LoopProblem, Verb, WaitsForYou};
use gavel_domain::{AgentId, TurnOutcome};
use gavel_rules::deliberation::artifact_name;

use crate::hall::{CHAMPION, Hall, agent, critique, hand, handed, ideation, loop_id};

/// Ends the turn of an agent without anything.
async fn fails(hall: &Hall, name: &str) -> LoopAnswer {
    let waits = hall.turn_of(name).await;
    let verb = Verb::Complete {
        slot: waits.slot_id,
        outcome: TurnOutcome::Failed,
        artifacts: Vec::new(),
        reason: Some("no time".to_owned()),
    };
    hall.desk.act(loop_id(), &hand(name), verb).await.unwrap()
}

async fn waits_for(hall: &Hall, name: &str) -> Vec<WaitsForYou> {
    hall.desk.inbox(&agent(name)).await.unwrap().waits_for_you
}

async fn held(hall: &Hall, name: &str) -> Vec<String> {
    let state = hall.desk.state(loop_id()).await.unwrap();
    let slot = state
        .slots
        .iter()
        .find(|slot| slot.agent == Some(agent(name)));
    state.turn_of(slot.unwrap()).unwrap().given.items.clone()
}

async fn does(hall: &Hall, name: &str, verb: Verb) -> LoopAnswer {
    hall.desk.act(loop_id(), &hand(name), verb).await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_failed_turn_is_given_out_again_and_then_its_owner_is_told() {
    let hall = Hall::new().await;
    hall.ideate(&["anna"], ideation()).await;
    for _ in 0..2 {
        let failed = fails(&hall, "anna").await;
        assert_eq!(failed.turns.len(), 1, "{failed:?}");
        let brief = hall.turn_of("anna").await.brief;
        assert!(brief.contains("your last turn failed (no time)"), "{brief}");
        assert_eq!(waits_for(&hall, CHAMPION).await, []);
    }
    let third = fails(&hall, "anna").await;
    assert!(third.turns.is_empty(), "{third:?}");
    assert!(
        hall.desk
            .inbox(&agent("anna"))
            .await
            .unwrap()
            .inbox
            .is_empty()
    );
    let waits = waits_for(&hall, CHAMPION).await;
    assert_eq!(waits.len(), 1, "{waits:?}");
    assert!(
        waits[0].why.contains("(anna) failed three times"),
        "{waits:?}"
    );
    let intents: Vec<&str> = waits[0]
        .next
        .iter()
        .map(|step| step.intent.as_str())
        .collect();
    assert_eq!(intents, ["turn", "cancel_turn"]);
    // Given out once more it is hers again, and nobody else is told.
    let slot = waits[0].next[0].slot_id.clone().unwrap();
    does(
        &hall,
        CHAMPION,
        Verb::Turn {
            slot: slot.clone(),
            note: None,
        },
    )
    .await;
    assert_eq!(hall.turn_of("anna").await.slot_id, slot);
    assert_eq!(waits_for(&hall, CHAMPION).await, []);
    // Taken back, the loop goes on without her: nobody is left, so its owner sends it on.
    let back = Verb::Complete {
        slot,
        outcome: TurnOutcome::Cancelled,
        artifacts: Vec::new(),
        reason: Some("she is gone".to_owned()),
    };
    does(&hall, CHAMPION, back).await;
    let waits = waits_for(&hall, CHAMPION).await;
    let step = &waits[0].next[0];
    assert_eq!(
        (
            step.intent.as_str(),
            step.to_phase.as_ref().unwrap().as_str()
        ),
        ("advance", "synthesis")
    );
    let to = step.to_phase.clone();
    let done = does(&hall, CHAMPION, Verb::Advance { to }).await;
    assert_eq!(done.phase.as_str(), "synthesis");
    assert_eq!(hall.turn_of(CHAMPION).await.phase.as_str(), "synthesis");
}

#[tokio::test(start_paused = true)]
async fn the_way_out_of_a_blocked_phase_leads_to_the_answer_of_what_was_said() {
    let hall = Hall::new().await;
    hall.ideate(&["anna"], ideation()).await;
    for number in 0..3 {
        let known = held(&hall, "anna").await;
        let said = if number == 0 {
            "it deadlocks"
        } else {
            "I do not like it"
        };
        let cites: Vec<&String> = known.iter().take(usize::from(number == 0)).collect();
        if number > 0 {
            // Asked again she sees what she said.
            let brief = hall.turn_of("anna").await.brief;
            assert!(
                brief.contains("it deadlocks") && brief.contains("YOURS"),
                "{brief}"
            );
        }
        hall.answer("anna", vec![critique(said, &cites)]).await;
    }
    let waits = waits_for(&hall, CHAMPION).await;
    let step = &waits[0].next[0];
    assert_eq!(step.intent, "advance", "{waits:?}");
    assert_eq!(step.to_phase.as_ref().unwrap().as_str(), "revision");
    let to = step.to_phase.clone();
    does(&hall, CHAMPION, Verb::Advance { to }).await;
    let brief = hall.turn_of(CHAMPION).await.brief;
    assert!(brief.contains("it deadlocks"), "{brief}");
}

#[tokio::test(start_paused = true)]
async fn a_plan_that_forgets_a_critique_is_refused_and_can_be_mended() {
    let hall = Hall::new().await;
    hall.ideate(&["anna"], ideation()).await;
    let known = held(&hall, "anna").await;
    let two = ["it deadlocks", "it is slow"].map(|text| critique(text, &[&known[0]]));
    let all = two.into_iter().chain([handed("nothing_new", "")]);
    hall.answer("anna", all.collect()).await;
    hall.answer(CHAMPION, vec![handed("revision", "Load plugins first.")])
        .await;
    hall.answer("anna", vec![handed("nothing_new", "")]).await;
    let name = |number| artifact_name(loop_id(), number);
    let plan = |addresses: Vec<String>, waived: Vec<(String, String)>| Handed {
        addresses,
        waived,
        ..handed("plan_draft", "Load plugins, then move it.")
    };
    for (addresses, missing) in [
        (vec![], vec![name(2), name(3)]),
        (vec![name(3)], vec![name(2)]),
    ] {
        let refused = hall
            .try_answer(CHAMPION, vec![plan(addresses, Vec::new())])
            .await;
        let LoopProblem::Uncovered { critiques } = refused.unwrap_err() else {
            panic!("it is refused for what it passes over");
        };
        assert_eq!(critiques, missing);
    }
    // By their ends, and with a reason for what is left.
    let whole = plan(
        vec!["_2".to_owned()],
        vec![("3".to_owned(), "measured".to_owned())],
    );
    let ended = hall.answer(CHAMPION, vec![whole]).await;
    assert_eq!(ended.status.word(), "completed", "{ended:?}");
    assert_eq!(ended.next[0].intent, "promote");
}

#[tokio::test(start_paused = true)]
async fn lists_and_inboxes_see_what_another_desk_did() {
    let hall = Hall::new().await;
    hall.ideate(&["anna"], ideation()).await;
    let before = hall.desk.list(true).await.unwrap();
    assert_eq!(before[0].critiques, 0);
    // Another process: nothing of what this desk knows.
    let other = hall.another_desk();
    let waits = other.inbox(&agent("anna")).await.unwrap().inbox;
    let known = held(&hall, "anna").await;
    let verb = Verb::Complete {
        slot: waits[0].slot_id.clone(),
        outcome: TurnOutcome::Done,
        artifacts: vec![
            critique("it deadlocks", &[&known[0]]),
            handed("nothing_new", ""),
        ],
        reason: None,
    };
    other.act(loop_id(), &hand("anna"), verb).await.unwrap();
    let after = hall.desk.list(true).await.unwrap();
    assert_eq!(
        (after[0].critiques, after[0].phase.as_str()),
        (1, "revision")
    );
    assert!(
        hall.desk
            .inbox(&agent("anna"))
            .await
            .unwrap()
            .inbox
            .is_empty()
    );
    let owner: AgentId = agent(CHAMPION);
    assert_eq!(hall.desk.inbox(&owner).await.unwrap().inbox.len(), 1);
}
