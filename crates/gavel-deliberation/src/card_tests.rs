use gavel_domain::{OutputKind, OutputShape};

use super::*;
use crate::assumed::once;

fn vote(option: Option<u32>) -> DecisionVote {
    DecisionVote {
        id: "store".to_owned(),
        question: "Which store?".to_owned(),
        options: vec!["SQLite".to_owned(), "PostgreSQL".to_owned()],
        option,
        weights: vec![667, 333],
        agreed: false,
        voters: vec![vec!["Keeper".to_owned()], vec!["Mover".to_owned()]],
        changed: None,
    }
}

fn decision(title: &str, choice: &str) -> Decision {
    Decision {
        title: title.to_owned(),
        choice: choice.to_owned(),
        why: String::new(),
        dissent: String::new(),
    }
}

fn text(decisions: &[Decision], votes: &[DecisionVote]) -> String {
    let card = Card {
        summary: "It was weighed.",
        decisions,
        votes,
        assumptions: &[],
        unanswered: &[],
        silent: &[],
        reason: DebateStop::Rounds,
        voices: Voices::Several,
        badge: Badge::High,
        verdict: &Verdict {
            confidence: Some(90),
            needs_person: false,
            reason: String::new(),
        },
        plan: &DebatePlan {
            intent_summary: String::new(),
            stances: Vec::new(),
            decisions: Vec::new(),
            output_shape: OutputShape {
                kind: OutputKind::Decision,
                sections: Vec::new(),
                guardrails: Vec::new(),
            },
            planned_rounds: 1,
            fallback: false,
        },
        no_sources: false,
    };
    card.text()
}

#[test]
fn what_is_decided_stands_with_its_vote_and_what_is_open_apart() {
    let decisions = [
        decision("Which store?", "SQLite"),
        decision("Which store?", "open between SQLite and PostgreSQL"),
        decision("Journal", "WAL"),
    ];
    let expected = "It was weighed.

Decided:
- Which store? SQLite (66 of 100 by weight; SQLite: Keeper; PostgreSQL: Mover)
- Journal: WAL

Open:
- Which store? SQLite: Keeper; PostgreSQL: Mover

All planned rounds were held. Evidence: high.";
    assert_eq!(text(&decisions, &[vote(Some(0)), vote(None)]), expected);
}

#[test]
fn an_assumption_is_told_once() {
    let claim = |claim: &str, who: &str| Assumption {
        raised_by: who.to_owned(),
        ..gavel_rules::assume(claim, who, Confidence::Low, "ask")
    };
    let all = vec![
        claim("One host runs it.", "Keeper"),
        claim("Nobody pays.", "Mover"),
        claim("one  host runs it", "Mover"),
    ];
    let told: Vec<String> = once(all).iter().map(assumed).collect();
    assert_eq!(
        told,
        [
            "One host runs it. (Keeper; a guess)",
            "Nobody pays. (Mover; a guess)"
        ]
    );
}
