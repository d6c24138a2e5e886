//! What a person reads while a loop goes on.

use gavel_domain::{AgentId, Blob, Profile, TurnAssigned, TurnCompleted};
use gavel_rules::deliberation::{ideation, word};

use super::*;

fn opened() -> LoopOpened {
    let slot = |id: &str, role, agent: &str, profile| Slot {
        id: id.to_owned(),
        role: word(role),
        agent: Some(agent.parse().unwrap()),
        profile,
    };
    LoopOpened {
        protocol: ideation(false),
        slots: vec![
            slot("slot-1", "champion", "gavel", None),
            slot("slot-2", "critic", "gavel", Some(Profile::Pessimist)),
            slot("slot-3", "critic", "claude", None),
        ],
        title: Blob::new("Split it?").name(),
        goal: None,
        by: AgentId::gavel(),
        speaker: gavel_domain::Speaker::PERSON,
    }
}

fn turn(number: u32, slot: &str) -> LoopFact {
    LoopFact::TurnAssigned(TurnAssigned {
        turn: number,
        slot: slot.to_owned(),
        phase: word("critique"),
        iteration: 0,
        brief: Blob::new("brief").name(),
        items: Vec::new(),
        proposed: Vec::new(),
        artifacts: Vec::new(),
        dropped: 0,
        by: AgentId::gavel(),
    })
}

fn moved(to: &'static str, iteration: u32, how: Advance) -> LoopFact {
    LoopFact::PhaseAdvanced(PhaseAdvanced {
        from: word("critique"),
        to: word(to),
        iteration,
        how,
        by: AgentId::gavel(),
    })
}

fn critique() -> ArtifactAdded {
    ArtifactAdded {
        artifact: 2,
        kind: word("critique"),
        phase: word("critique"),
        iteration: 0,
        slot: Some("slot-2".to_owned()),
        turn: Some(1),
        body: Blob::new("it deadlocks").name(),
        shown: 12,
        cites: vec!["trp_01a1e347-5ad8-752c-afb7-1a143260ebc8".to_owned()],
        cites_refused: 0,
        addresses: Vec::new(),
        waived: Vec::new(),
        uncovered: Vec::new(),
        green: false,
        discounted: None,
        by: AgentId::gavel(),
    }
}

#[test]
fn whose_turn_it_is_and_which_round() {
    let mut now = LoopNow::default();
    assert_eq!(now.doing(), None, "no loop");
    assert_eq!(now.take(&LoopFact::LoopOpened(opened())), None);
    assert_eq!(now.phase(), Some("proposal"));
    now.take(&turn(1, "slot-2"));
    now.take(&turn(2, "slot-3"));
    assert_eq!(
        now.doing().unwrap(),
        "round 1 of at most 3, the turns of pessimist and critic claude"
    );
    let ended = |turn, outcome| {
        LoopFact::TurnCompleted(TurnCompleted {
            turn,
            slot: format!("slot-{}", turn + 1),
            outcome,
            reason: None,
            by: AgentId::gavel(),
        })
    };
    assert_eq!(now.take(&ended(1, TurnOutcome::Done)), None);
    let failed = now.take(&ended(2, TurnOutcome::Failed));
    let told = "the turn of critic claude failed".to_owned();
    assert_eq!(failed, Some(Left::Told(told, true)));
    let left = now.take(&moved("critique", 1, Advance::IterateTo));
    let told = "critique → critique, round 2".to_owned();
    assert_eq!(left, Some(Left::Told(told, false)));
    assert_eq!(now.doing().unwrap(), "round 2 of at most 3");
}

#[test]
fn a_critique_is_told_with_what_it_rests_on() {
    let mut now = LoopNow::default();
    now.take(&LoopFact::LoopOpened(opened()));
    let told = |left| match left {
        Left::Told(text, warns) => (text, warns),
        other @ (Left::Stage { .. } | Left::Part(_)) => panic!("{other:?}"),
    };
    let (text, warns) = told(now.handed(&critique(), "it deadlocks"));
    let expected = "critique by pessimist (cites trp_3260ebc8): it deadlocks";
    assert_eq!((text.as_str(), warns), (expected, false));
    let unfounded = ArtifactAdded {
        discounted: Some(Discounted::NoValidCitation),
        ..critique()
    };
    let (text, warns) = told(now.handed(&unfounded, "it deadlocks"));
    assert!(text.contains("does not count: it cites nothing"), "{text}");
    assert!(warns);
    let revision = ArtifactAdded {
        kind: word("revision"),
        cites: vec!["art_099a8057_2".to_owned(), "art_099a8057_3".to_owned()],
        ..critique()
    };
    let (text, _) = told(now.handed(&revision, "with a lock"));
    assert_eq!(
        text,
        "revision by pessimist (answers 2 artifacts): with a lock"
    );
    let nothing = ArtifactAdded {
        kind: word(NOTHING_NEW),
        ..critique()
    };
    let (text, _) = told(now.handed(&nothing, ""));
    assert_eq!(text, "pessimist has nothing new");
}

#[test]
fn every_end_has_its_words() {
    let words = |status, end| end_told(status, end);
    assert_eq!(
        words(LoopStatus::Completed, LoopEnd::StopCondition),
        "the loop is complete"
    );
    assert_eq!(
        words(LoopStatus::Blocked, LoopEnd::Stuck),
        "the loop is stuck"
    );
    assert_eq!(
        words(LoopStatus::Blocked, LoopEnd::Limit),
        "the loop ended at its limit"
    );
    assert_eq!(
        words(LoopStatus::Cancelled, LoopEnd::Closed),
        "the loop was given up"
    );
}
