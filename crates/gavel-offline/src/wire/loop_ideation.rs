//! Turns of an ideation by rules. A critique is a memory item that shares telling words or a path
//! with the proposal, and nothing else; whether a proposal is good, rules cannot tell.

use serde_json::{Value, json};

use super::conversation::Halt;
use super::loop_brief::{Brief, Entry};
use super::loop_words::Subject;
use crate::english::{capital, listed};

/// More is not said in one turn.
const MOST_CRITIQUES: usize = 8;
/// The most of an item that is repeated in a critique, and in a condition or step.
const QUOTED: usize = 280;
const CONDITION: usize = 150;
/// The most of a proposal that a revision repeats, so that its conditions are shown with it.
const MOST_MATTER: usize = 1_800;
const CONDITIONS: &str = "Conditions, from what the project remembers:";
const OWN: &str = "These rules put it forward as it was asked and add nothing to it.";
const NO_VIEW: &str = "Whether it is worth doing, these rules cannot tell.";

/// The matter as it was given: rules have no proposal of their own.
pub(super) fn proposal(brief: &Brief) -> Value {
    let given = [brief.title.trim(), brief.goal.trim(), OWN];
    let given: Vec<&str> = given.into_iter().filter(|text| !text.is_empty()).collect();
    json!({"text": given.join("\n\n"), "cites": []})
}

/// The proposal as it was put forward, without conditions and without words of the rules.
fn first_matter(brief: &Brief) -> &str {
    let proposal = brief.first_proposal().map_or("", Entry::matter);
    let proposal = proposal.split(CONDITIONS).next().unwrap_or_default();
    proposal.split(OWN).next().unwrap_or_default().trim()
}

/// What memory says against it: items that touch the proposal and that it does not answer yet.
pub(super) fn critique(brief: &Brief) -> Value {
    let open = touching(brief);
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

/// The items that touch the proposal, without those that it names or that somebody raised just now.
pub(super) fn touching(brief: &Brief) -> Vec<(&Entry, Vec<String>)> {
    let subject = subject(brief);
    let open = brief.memory.iter().filter(|item| !is_answered(brief, item));
    open.filter_map(|item| Some((item, subject.touched_by(item)?)))
        .collect()
}

/// Words that a revision took from memory are not part of it: they would touch ever more memory.
fn subject(brief: &Brief) -> Subject {
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
    let shared: Vec<String> = shared.iter().map(|word| format!("`{word}`")).collect();
    format!(
        "{} \"{}\" The proposal speaks of {} too and does not say how it heeds this.{still}",
        warns(&item.kind),
        quoted(&item.text, QUOTED),
        listed(&shared)
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
        .filter(|item| subject.touched_by(item).is_some());
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

/// The proposal with a condition for each critique, in the words of the item behind it.
pub(super) fn revision(brief: &Brief) -> Value {
    let now = |entry: &&Entry| brief.round.is_none() || entry.round == brief.round;
    let critiques: Vec<&Entry> = brief.earlier("critique").filter(now).collect();
    let about = brief
        .about
        .as_ref()
        .map_or(brief.title.as_str(), Entry::matter);
    let (matter, before) = about.split_once(CONDITIONS).unwrap_or((about, ""));
    let mut conditions: Vec<String> = before.trim().lines().map(str::to_owned).collect();
    let mut answers = Vec::new();
    for critique in &critiques {
        let mut added = Vec::new();
        for id in &critique.cites {
            if !conditions.iter().any(|line| line.contains(id)) {
                conditions.push(format!("- {id}: {}", heeded(brief, critique, id)));
            }
            added.push(id.clone());
        }
        let how = if added.is_empty() {
            "it rests on no memory item, and these rules weigh no argument: nothing changed"
                .to_owned()
        } else {
            format!(
                "the condition from {} is part of the proposal now",
                listed(&added)
            )
        };
        answers.push(json!({"critique": critique.id, "how": how}));
    }
    let mut text = quoted_lines(matter.trim(), MOST_MATTER);
    if conditions.is_empty() {
        text.push_str("\n\nNothing was said against it, so nothing changed.");
    } else {
        text.push_str(&format!("\n\n{CONDITIONS}\n{}", conditions.join("\n")));
    }
    json!({"text": text, "answers": answers})
}

/// What a plan has to do about an item, in the item's own words; without it, in the critique's.
fn heeded(brief: &Brief, critique: &Entry, id: &str) -> String {
    let Some(item) = brief.item(id) else {
        return format!("heed what was said: {}", quoted(&critique.text, CONDITION));
    };
    let text = quoted(&item.text, CONDITION);
    match item.kind.as_str() {
        "trap" => format!("show that this does not happen: {text}"),
        "feedback" => format!("do as people asked: {text}"),
        "runtime_note" => format!("look at this again afterwards: {text}"),
        "constraint" | "decision" => format!("hold to this: {text}"),
        _ => format!("take this into account: {text}"),
    }
}

/// The proposal, one step for each critique, and who has to decide.
pub(super) fn plan(brief: &Brief) -> Value {
    let matter = first_matter(brief);
    let asked = if matter.is_empty() {
        &brief.title
    } else {
        matter
    };
    let critiques: Vec<&Entry> = brief.earlier("critique").collect();
    let mut steps = vec![format!("On a branch of its own: {}", as_task(asked))];
    steps.extend(critiques.iter().map(|critique| step(brief, critique)));
    steps.push(format!(
        "Let a person decide with what was shown. {NO_VIEW}"
    ));
    let addresses: Vec<&str> = critiques
        .iter()
        .map(|critique| critique.id.as_str())
        .collect();
    let against = match addresses.len() {
        0 => "No critique was handed in: nothing that the project remembers spoke against it, and nothing for it."
            .to_owned(),
        1 => "One critique from memory became a step.".to_owned(),
        n => format!("{n} critiques from memory became steps."),
    };
    json!({
        "summary": format!("{} {against}", quoted(asked, QUOTED)),
        "steps": steps,
        "addresses_critique": addresses,
        "waived": [],
    })
}

fn step(brief: &Brief, critique: &Entry) -> String {
    let heed = |id: &String| format!("{} ({id})", heeded(brief, critique, id));
    let heed: Vec<String> = critique.cites.iter().map(heed).collect();
    let heed = if heed.is_empty() {
        format!("heed what was said: {}", quoted(&critique.text, CONDITION))
    } else {
        heed.join("; ")
    };
    format!("{} Answers {}.", capital(&heed), critique.id)
}

/// A question whether to do something, as something to do.
fn as_task(asked: &str) -> String {
    let line = quoted(asked, QUOTED);
    let begins = [
        "Should we ",
        "Shall we ",
        "Could we ",
        "Can we ",
        "Do we want to ",
    ];
    let task = begins.iter().find_map(|begin| line.strip_prefix(begin));
    match task.and_then(|task| task.strip_suffix('?')) {
        Some(task) => format!("{}.", task.trim_end()),
        None => line,
    }
}

/// What the project is for, held beside the proposal.
pub(super) fn reframe(brief: &Brief) -> Value {
    let visions = brief.memory.iter().filter(|item| item.kind == "vision");
    let visions: Vec<&Entry> = visions.collect();
    let subject = subject(brief);
    let mut lines = Vec::new();
    for vision in &visions {
        let shares = match subject.touched_by(vision) {
            Some(shared) => format!("The proposal speaks of {} too.", listed(&shared)),
            None => "The proposal shares no telling word with it.".to_owned(),
        };
        lines.push(format!(
            "The project is for: \"{}\" {shares}",
            quoted(&vision.text, QUOTED)
        ));
    }
    if visions.is_empty() {
        lines.push("The brief does not say what the project is for.".to_owned());
    }
    lines.push("Whether the proposal serves it, or another question should be asked, these rules cannot tell.".to_owned());
    let cites: Vec<&str> = visions.iter().map(|vision| vision.id.as_str()).collect();
    json!({"text": lines.join("\n"), "cites": cites})
}

/// A turn of a kind that the rules do not know.
pub(super) fn unknown() -> Halt {
    Halt::cannot(
        "the offline rules know no turn of this kind: take it yourself, or let another model take it",
    )
}

/// The beginning of a text on one line.
pub(super) fn quoted(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut cut: String = line.chars().take(most).collect();
    if cut.len() < line.len() {
        cut.push('…');
    }
    capital(&cut)
}

/// The beginning of a text, in its own lines.
fn quoted_lines(text: &str, most: usize) -> String {
    let mut cut: String = text.chars().take(most).collect();
    if cut.len() < text.len() {
        cut.push_str("… (the rest stands in the first proposal)");
    }
    cut
}
