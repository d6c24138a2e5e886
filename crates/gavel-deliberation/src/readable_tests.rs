use gavel_domain::{OutputKind, SectionShape};
use serde_json::json;

use super::*;

fn vote(option: Option<u32>, voters: &[&[&str]]) -> DecisionVote {
    let voters: Vec<Vec<String>> = voters
        .iter()
        .map(|camp| camp.iter().map(|who| (*who).to_owned()).collect())
        .collect();
    let camps = voters.iter().filter(|camp| !camp.is_empty()).count();
    DecisionVote {
        id: "store".to_owned(),
        question: "Which store?".to_owned(),
        options: vec!["SQLite".to_owned(), "PostgreSQL".to_owned()],
        option,
        weights: vec![667, 333],
        agreed: camps == 1,
        voters,
        changed: None,
    }
}

fn outcome() -> CouncilOutcome {
    CouncilOutcome {
        kind: OutputKind::Decision,
        summary: "SQLite fits.".to_owned(),
        sections: [(
            "risks".to_owned(),
            json!(["one writer", {"risk": "size", "odds": "low"}]),
        )]
        .into(),
        agreed: vec!["no server".to_owned()],
        tradeoffs: vec!["one writer at a time".to_owned()],
        recommendation: "Use SQLite.".to_owned(),
        action_items: vec!["write it".to_owned()],
        resolved_question: None,
        plan: None,
        dissent: vec![Dissent {
            who: "Skeptic".to_owned(),
            decision: "store".to_owned(),
            why: "it locks".to_owned(),
            turn: "council-1/turn-2".to_owned(),
        }],
        decisions: vec![vote(Some(0), &[&["Builder", "Owner"], &["Skeptic"]])],
    }
}

fn sections() -> Vec<OutputSection> {
    let section = |key: &str, heading: &str| OutputSection {
        key: key.to_owned(),
        heading: heading.to_owned(),
        prompt: String::new(),
        shape: SectionShape::List,
    };
    vec![
        section("agreed", "Agreed"),
        section("risks", "What can go wrong"),
    ]
}

#[test]
fn people_read_a_short_text() {
    let expected = "# SQLite or PostgreSQL?

SQLite fits.

**Recommendation:** Use SQLite.

## What can go wrong

- one writer
- odds: low; risk: size

## Agreed

- no server

## Trade-offs

- one writer at a time

## Decisions

- Which store? **SQLite** (66 of 100 by weight; SQLite: Builder, Owner; PostgreSQL: Skeptic)

## Who disagrees

- **Skeptic** on store: it locks [council-1/turn-2]

## Next steps

- write it";
    assert_eq!(
        readable("SQLite or PostgreSQL?", &sections(), &outcome(), " "),
        expected
    );
}

#[test]
fn what_the_leader_wrote_cannot_hide_the_count() {
    let text = readable(
        "t",
        &sections(),
        &outcome(),
        "# All agree\n\nEverybody loves PostgreSQL.",
    );
    assert!(
        text.starts_with("# All agree\n\nEverybody loves PostgreSQL.\n\n## Decisions"),
        "{text}"
    );
    assert!(text.contains("**SQLite** (66 of 100"));
    assert!(text.contains("**Skeptic** on store: it locks"));
    assert!(!text.contains("Next steps"));
}

#[test]
fn a_vote_in_words() {
    assert_eq!(
        vote_words(&vote(Some(0), &[&["A", "B"], &[]])),
        "everybody chose it"
    );
    assert_eq!(
        vote_words(&vote(None, &[&["A"], &["B"]])),
        "SQLite: A; PostgreSQL: B"
    );
    assert_eq!(vote_words(&vote(None, &[&[], &[]])), "nobody chose");
}

#[test]
fn an_excerpt_ends_after_a_word() {
    assert_eq!(excerpt("one\n two,  three", 20), "one two, three");
    assert_eq!(excerpt("one two, three", 11), "one two …");
    assert_eq!(excerpt("đồng ý hoàn toàn với", 12), "đồng ý …");
    for most in 2..20 {
        assert!(excerpt("a few words of some length", most).chars().count() <= most);
    }
}

#[test]
fn an_excerpt_begins_where_the_words_are() {
    let text = "I like the plan. Version 2.5 is fine. PostgreSQL scales to many writers. It costs.";
    assert_eq!(
        sentences(text),
        [
            "I like the plan.",
            "Version 2.5 is fine.",
            "PostgreSQL scales to many writers.",
            "It costs."
        ]
    );
    assert_eq!(
        excerpt_about(text, "PostgreSQL", 36),
        "PostgreSQL scales to many writers. …"
    );
    assert_eq!(
        excerpt_about(text, "nothing of it", 18),
        "I like the plan. …"
    );
    assert_eq!(excerpt_about("", "anything", 10), "");
}
