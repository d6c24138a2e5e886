//! What memory says against a proposal: items that name what it wants or replaces and speak against
//! it, and warnings about what it touches. What speaks for it, and what words alone cannot tell, is
//! context. Whether a proposal is good, rules cannot tell.

use gavel_rules::council::{Bearing, Proposal, SourceKind};
use serde_json::{Value, json};

use super::loop_brief::{Brief, Entry};
use super::loop_ideation::{QUOTED, first_matter, quoted, ticked};
use super::loop_words::Subject;
use crate::english::listed;

/// More is not said in one turn.
const MOST_CRITIQUES: usize = 8;
/// Kinds of memory that can speak against something.
const SPEAKING: [&str; 5] = ["trap", "feedback", "runtime_note", "constraint", "decision"];
/// The kind that warns whatever its words are.
const WARNING: &str = "trap";

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
        "why": format!("{}{}", why(brief, said.len(), rest.len()), Context::of(brief).told()),
    })
}

/// The items that speak against the proposal. Plans and visions do not, and neither does what nobody
/// has accepted yet.
fn speaking_against(brief: &Brief) -> Vec<(&Entry, Vec<String>)> {
    let stand = Stand::of(brief);
    let mut found = touching(brief);
    found.retain(|(item, _)| speaks(item) && stand.bearing(item) == Bearing::Against);
    found
}

/// The items of kinds that warn or bind and that touch what the brief is about, whichever way they
/// speak: for whoever looks at a change that was made.
pub(super) fn warning(brief: &Brief) -> Vec<(&Entry, Vec<String>)> {
    let mut found = touching(brief);
    found.retain(|(item, _)| speaks(item));
    found
}

/// A proposal that items are held against.
pub(super) struct Stand(Option<Proposal>);

impl Stand {
    pub(super) fn of(brief: &Brief) -> Self {
        let given = [first_matter(brief), brief.title.as_str()];
        let read = given.into_iter().find_map(Proposal::read);
        let mut read = read.or_else(|| given.into_iter().find_map(Proposal::naming));
        if let Some(proposal) = &mut read {
            proposal.learn(brief.memory.iter().map(|item| item.text.as_str()));
        }
        Self(read)
    }

    /// How an item that touches the proposal bears on it. Where the proposal names nothing, a trap
    /// warns of what it touches, and of everything else words alone cannot tell.
    pub(super) fn bearing(&self, item: &Entry) -> Bearing {
        let by_names = self
            .0
            .as_ref()
            .map(|proposal| proposal.bearing(SourceKind::of_memory(&item.kind), &item.text));
        match by_names {
            Some(bearing @ (Bearing::Against | Bearing::For | Bearing::Unclear)) => bearing,
            Some(Bearing::Silent) | None if item.kind == WARNING => Bearing::Against,
            Some(Bearing::Silent) | None => Bearing::Unclear,
        }
    }

    fn names(&self, item: &Entry) -> Option<Vec<String>> {
        let names = self.0.as_ref()?.names();
        let named: Vec<String> = names
            .named_in(&item.text)
            .into_iter()
            .filter_map(|place| names.names().get(place).cloned())
            .collect();
        (!named.is_empty()).then_some(named)
    }
}

/// What touches a proposal and is no objection.
pub(super) struct Context<'b> {
    /// What speaks for it.
    pub(super) speaks_for: Vec<&'b Entry>,
    /// What words alone cannot tell.
    pub(super) unclear: Vec<&'b Entry>,
}

impl<'b> Context<'b> {
    pub(super) fn of(brief: &'b Brief) -> Self {
        let (stand, subject) = (Stand::of(brief), subject(brief));
        let touches = |item: &&Entry| touched(item, &subject, &stand).is_some();
        let all = brief
            .memory
            .iter()
            .filter(|item| speaks(item))
            .filter(touches);
        let all: Vec<(&Entry, Bearing)> = all.map(|item| (item, stand.bearing(item))).collect();
        let of = |wanted: Bearing| {
            let those = all.iter().filter(|(_, bearing)| *bearing == wanted);
            those.map(|(item, _)| *item).collect()
        };
        Self {
            speaks_for: of(Bearing::For),
            unclear: of(Bearing::Unclear),
        }
    }

    /// A sentence for each of the two, behind others.
    pub(super) fn told(&self) -> String {
        let ids = |items: &[&Entry]| {
            let ids: Vec<String> = items.iter().map(|item| item.id.clone()).collect();
            listed(&ids)
        };
        let mut told = String::new();
        if !self.speaks_for.is_empty() {
            told.push_str(&format!(" What speaks for it: {}.", ids(&self.speaks_for)));
        }
        if !self.unclear.is_empty() {
            told.push_str(&format!(
                " Words alone cannot tell which way these speak: {}.",
                ids(&self.unclear)
            ));
        }
        told
    }
}

/// What an item shares with the proposal: names that it wants or replaces, or telling words.
fn touched(item: &Entry, subject: &Subject, stand: &Stand) -> Option<Vec<String>> {
    stand.names(item).or_else(|| subject.touched_by(item))
}

fn speaks(item: &Entry) -> bool {
    SPEAKING.contains(&item.kind.as_str()) && !item.proposed
}

/// The items that touch the proposal, without those that it names or that somebody raised just now.
pub(super) fn touching(brief: &Brief) -> Vec<(&Entry, Vec<String>)> {
    let (subject, stand) = (subject(brief), Stand::of(brief));
    let open = brief.memory.iter().filter(|item| !is_answered(brief, item));
    open.filter_map(|item| Some((item, touched(item, &subject, &stand)?)))
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
    let (subject, stand) = (subject(brief), Stand::of(brief));
    let touch = brief
        .memory
        .iter()
        .filter(|item| speaks(item) && touched(item, &subject, &stand).is_some());
    let (against, aside): (Vec<&Entry>, Vec<&Entry>) =
        touch.partition(|item| stand.bearing(item) == Bearing::Against);
    let answered = against.len().saturating_sub(said);
    match (said, answered, aside.len()) {
        (0, 0, 0) => format!(
            "Rule: none of the {items} memory items shares a telling word, a name or a path with the \
             proposal."
        ),
        (0, 0, _) => "Rule: no memory item of this brief speaks against the proposal.".to_owned(),
        (0, n, _) => format!(
            "Rule: all items that speak against the proposal ({n}) are answered in it or raised \
             already."
        ),
        (..) => "Rule: no other memory item of this brief speaks against the proposal.".to_owned(),
    }
}
