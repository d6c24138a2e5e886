//! What memory says against a proposal: items that share telling words or a path with it, and
//! nothing else. Whether a proposal is good, rules cannot tell.

use serde_json::{Value, json};

use super::loop_brief::{Brief, Entry};
use super::loop_ideation::{QUOTED, first_matter, quoted, ticked};
use super::loop_words::Subject;
use crate::english::listed;

/// More is not said in one turn.
const MOST_CRITIQUES: usize = 8;
/// Kinds of memory that can speak against something.
const SPEAKING: [&str; 5] = ["trap", "feedback", "runtime_note", "constraint", "decision"];

/// What memory says against it: items that touch the proposal and that it does not answer yet.
pub(super) fn critique(brief: &Brief) -> Value {
    let open = speaking_against(brief);
    let (said, rest) = open.split_at(open.len().min(MOST_CRITIQUES));
    let critiques = said.iter().map(|(item, shared)| {
        let kind = match item.kind.as_str() {
            "feedback" => "coverage_gap",
            _ => "memory_conflict",
        };
        json!({"text": against(brief, item, shared), "cites": [item.id], "kind": kind})
    });
    let critiques: Vec<Value> = critiques.collect();
    json!({
        "critiques": critiques,
        "nothing_new": rest.is_empty(),
        "good_enough": false,
        "why": why(brief, said.len(), rest.len()),
    })
}

/// The items that speak against the proposal. Plans and visions do not, and neither does what nobody
/// has accepted yet.
pub(super) fn speaking_against(brief: &Brief) -> Vec<(&Entry, Vec<String>)> {
    let mut found = touching(brief);
    found.retain(|(item, _)| speaks(item));
    found
}

fn speaks(item: &Entry) -> bool {
    SPEAKING.contains(&item.kind.as_str()) && !item.proposed
}

/// The items that touch the proposal, without those that it names or that somebody raised just now.
pub(super) fn touching(brief: &Brief) -> Vec<(&Entry, Vec<String>)> {
    let subject = subject(brief);
    let open = brief.memory.iter().filter(|item| !is_answered(brief, item));
    open.filter_map(|item| Some((item, subject.touched_by(item)?)))
        .collect()
}

/// Words that a revision took from memory are not part of it: they would touch ever more memory.
pub(super) fn subject(brief: &Brief) -> Subject {
    Subject::of([brief.title.as_str(), &brief.goal, first_matter(brief)])
}

/// True when the newest text names the item or a critique that rests on it, or when somebody has
/// raised it in this round.
fn is_answered(brief: &Brief, item: &Entry) -> bool {
    let about = brief.about.as_ref().map_or("", |about| &about.text);
    let raised = |entry: &&Entry| entry.cites.contains(&item.id);
    let mut critiques = said_against(brief).filter(raised);
    about.contains(&item.id)
        || critiques.any(|critique| names(about, &critique.id) || critique.round == brief.round)
}

fn said_against(brief: &Brief) -> impl Iterator<Item = &Entry> {
    let kinds = ["critique", "finding", "followup"];
    brief
        .earlier
        .iter()
        .filter(move |entry| kinds.contains(&entry.kind.as_str()))
}

/// True if a text holds an id as a whole: `art_1` is not in `art_12`.
fn names(text: &str, id: &str) -> bool {
    text.match_indices(id).any(|(place, _)| {
        let next = text
            .get(place + id.len()..)
            .and_then(|rest| rest.chars().next());
        !next.is_some_and(|next| next.is_ascii_alphanumeric())
    })
}

/// What an item warns of, and what it touches.
fn against(brief: &Brief, item: &Entry, shared: &[String]) -> String {
    let raised = said_against(brief)
        .filter(|critique| critique.cites.contains(&item.id))
        .last();
    let still = raised.map_or_else(String::new, |critique| {
        format!(
            " It was raised as {} and the newest text names neither.",
            critique.id
        )
    });
    format!(
        "{} \"{}\" The proposal speaks of {} too and does not say how it heeds this.{still}",
        warns(&item.kind),
        quoted(&item.text, QUOTED),
        listed(&ticked(shared))
    )
}

fn warns(kind: &str) -> String {
    match kind {
        "trap" => "A trap of this project warns:".to_owned(),
        "feedback" => "People said about the work:".to_owned(),
        "runtime_note" => "While things ran this was seen:".to_owned(),
        "constraint" => "This must hold:".to_owned(),
        "decision" => "It was decided:".to_owned(),
        other => format!("Memory ({other}) says:", other = other.replace('_', " ")),
    }
}

fn why(brief: &Brief, said: usize, rest: usize) -> String {
    let items = brief.memory.len();
    if items == 0 {
        return "Rule: this brief holds no memory item, so there is nothing to stand on."
            .to_owned();
    }
    if rest > 0 {
        return format!("Rule: {rest} more items touch the proposal and come in another turn.");
    }
    let subject = subject(brief);
    let touch = brief
        .memory
        .iter()
        .filter(|item| speaks(item) && subject.touched_by(item).is_some());
    let answered = touch.count() - said;
    match (said, answered) {
        (0, 0) => format!(
            "Rule: none of the {items} memory items shares a telling word or a path with the proposal."
        ),
        (0, n) => format!(
            "Rule: all items that touch the proposal ({n}) are answered in it or raised already."
        ),
        (_, _) => "Rule: no other memory item of this brief touches the proposal.".to_owned(),
    }
}
