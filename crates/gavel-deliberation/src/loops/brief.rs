//! What a slot is given for its turn.
//!
//! ```text
//! # Your turn: critique            loop, title, phase, slot, part
//! ## What it is to achieve         the goal, fenced
//! ## The proposal as it stands     its label line, its text, fenced
//! ## Memory: traps …               a label line and a fenced text for each item
//! ## Earlier in this loop: …       the same for each artifact
//! ## What this brief holds         exact counts
//! ## What to hand in               the contract of the phase, and the call
//! ```
//!
//! A label line begins with the id in square brackets. Nothing here reads a clock or asks anybody:
//! the same question gives the same bytes.

mod contract;
mod gate;
mod hand_in;
mod head;
mod piece;

use std::collections::BTreeMap;

use gavel_domain::{ArtifactAdded, Category, LoopPhase, Slot, Timestamp};
use gavel_rules::deliberation::{LoopState, current_proposal};

pub(super) use self::hand_in::example_of;
use super::fence::Fence;
use super::remember::Remembered;
use piece::{Name, Piece};

/// The most characters of a brief.
pub const MAX_BRIEF_CHARS: usize = 48_000;
/// The most characters of a goal, and of a note.
const MAX_GOAL_CHARS: usize = 2_000;
/// What the lines about counts take at most.
const COUNTS: usize = 400;

/// What a brief is made of.
#[derive(Debug, Clone, Copy)]
pub struct BriefAsk<'a> {
    /// The loop.
    pub state: &'a LoopState,
    /// Whose turn it is.
    pub slot: &'a Slot,
    /// In which phase.
    pub phase: &'a LoopPhase,
    /// What the loop is about.
    pub title: &'a str,
    /// What it is to achieve.
    pub goal: Option<&'a str>,
    /// The texts of artifacts, by their numbers.
    pub texts: &'a BTreeMap<u32, String>,
    /// What memory gave, by category, the best first.
    pub memory: &'a [(Category, Vec<Remembered>)],
    /// The moment that ages are counted to.
    pub now: Timestamp,
    /// Why the turn is given again.
    pub note: Option<&'a str>,
}

/// A brief, and what it really holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Brief {
    /// The text, at most [`MAX_BRIEF_CHARS`] characters.
    pub text: String,
    /// The memory items that it holds: these may be cited.
    pub items: Vec<String>,
    /// Those of them that nobody has accepted: no critique rests on them.
    pub proposed: Vec<String>,
    /// The artifacts that it shows, the current proposal among them.
    pub artifacts: Vec<u32>,
    /// How many memory items and earlier artifacts it holds; the proposal is not counted.
    pub included: u32,
    /// How many of them were left out.
    pub dropped: u32,
}

/// Writes a brief. Header, proposal and contract are always whole; of memory and earlier artifacts
/// what fits least is left out, each as a whole.
pub fn write_brief(ask: &BriefAsk<'_>) -> Brief {
    let proposal = current_proposal(ask.state);
    let (pieces, unreadable) = piece::pieces(ask);
    let fence = fence_of(ask, proposal, &pieces);
    let drawn: Vec<String> = pieces.iter().map(|piece| piece.draw(&fence)).collect();

    let opening = opening(ask, proposal, &fence);
    let room = MAX_BRIEF_CHARS
        .saturating_sub(count(&opening))
        .saturating_sub(longest_contract(ask, &pieces))
        .saturating_sub(COUNTS);
    let kept = keep(&pieces, &drawn, room);

    let held = Held::of(&pieces, &kept, unreadable);
    let mut text = opening;
    let mut section = None;
    for ((piece, drawn), kept) in pieces.iter().zip(&drawn).zip(&kept) {
        if !kept {
            continue;
        }
        if section != Some(piece.category) {
            section = Some(piece.category);
            text.push_str(&piece.heading());
        }
        text.push_str(drawn);
    }
    text.push_str(&held.told());
    text.push_str(&contract::contract(ask, &held.accepted()));

    let mut artifacts = held.artifacts;
    artifacts.extend(readable(ask, proposal).map(|proposal| proposal.artifact));
    artifacts.sort_unstable();
    Brief {
        text,
        included: held.included,
        dropped: held.dropped,
        items: held.items,
        proposed: held.proposed,
        artifacts,
    }
}

fn readable<'a>(
    ask: &BriefAsk<'_>,
    proposal: Option<&'a ArtifactAdded>,
) -> Option<&'a ArtifactAdded> {
    proposal.filter(|proposal| ask.texts.contains_key(&proposal.artifact))
}

/// One fence for everything that is fenced.
fn fence_of(ask: &BriefAsk<'_>, proposal: Option<&ArtifactAdded>, pieces: &[Piece]) -> Fence {
    let mut texts: Vec<&str> = ask.goal.into_iter().chain(ask.note).collect();
    texts.extend(
        proposal
            .and_then(|proposal| ask.texts.get(&proposal.artifact))
            .map(String::as_str),
    );
    texts.extend(pieces.iter().map(|piece| piece.text.as_str()));
    Fence::around(&texts)
}

/// Everything before memory.
fn opening(ask: &BriefAsk<'_>, proposal: Option<&ArtifactAdded>, fence: &Fence) -> String {
    let mut text = head::head(ask);
    text.push_str("\n\n");
    text.push_str(&fence.rule());
    if let Some(note) = ask.note {
        text.push_str("\n\n## Why you have this turn again\n\n");
        text.push_str(&fence.enclose(&first(note, MAX_GOAL_CHARS)));
    }
    if let Some(goal) = ask.goal {
        text.push_str("\n\n## What it is to achieve\n\n");
        text.push_str(&fence.enclose(&first(goal, MAX_GOAL_CHARS)));
    }
    text.push_str(&match proposal {
        Some(proposal) => {
            let label = piece::artifact_label(ask, proposal);
            let body = ask.texts.get(&proposal.artifact).map(|body| piece::shown(body, proposal));
            let body = body.unwrap_or("(its text could not be read)");
            format!(
                "\n\n## What it is about now: {}\n\n{label}\n{}",
                head::called(proposal),
                fence.enclose(body)
            )
        }
        None => "\n\n## What it is about now\n\nNothing has been put forward yet. The title and the goal are \
                 all there is."
            .to_owned(),
    });
    text
}

/// The contract says other things when there is nothing to cite, so both are measured.
fn longest_contract(ask: &BriefAsk<'_>, pieces: &[Piece]) -> usize {
    let ids = pieces.iter().filter_map(|piece| match &piece.name {
        Name::Item(id) => Some(id.clone()),
        Name::Artifact(_) => None,
    });
    let longest = ids.max_by_key(String::len);
    let with = count(&contract::contract(ask, longest.as_slice()));
    with.max(count(&contract::contract(ask, &[])))
}

/// In which order pieces are taken in: what the phase needs, then the best of each category, the next
/// best of each, and so on. One category with much to say leaves room for the others.
fn in_turn(pieces: &[Piece]) -> Vec<usize> {
    let mut best: Vec<usize> = (0..pieces.len()).collect();
    best.sort_by(|one, other| match (pieces.get(*one), pieces.get(*other)) {
        (Some(a), Some(b)) => a.before(b).then(one.cmp(other)),
        (_, _) => one.cmp(other),
    });
    let mut taken: BTreeMap<Category, usize> = BTreeMap::new();
    let mut order: Vec<(bool, usize, usize, usize)> = Vec::new();
    for (rank, place) in best.into_iter().enumerate() {
        let Some(piece) = pieces.get(place) else {
            continue;
        };
        let of_category = taken.entry(piece.category).or_default();
        let round = if piece.is_needed() { 0 } else { *of_category };
        *of_category += usize::from(!piece.is_needed());
        order.push((!piece.is_needed(), round, rank, place));
    }
    order.sort_unstable();
    order.into_iter().map(|(_, _, _, place)| place).collect()
}

/// Which pieces stay: as many as have room, one after another. One that has none leaves it to those
/// behind it.
fn keep(pieces: &[Piece], drawn: &[String], room: usize) -> Vec<bool> {
    let mut kept = vec![false; pieces.len()];
    let mut sections: Vec<Category> = Vec::new();
    let mut used = 0_usize;
    for place in in_turn(pieces) {
        let (Some(piece), Some(drawn)) = (pieces.get(place), drawn.get(place)) else {
            continue;
        };
        let mut takes = count(drawn);
        let is_first = !sections.contains(&piece.category);
        if is_first {
            takes += count(&piece.heading());
        }
        if used + takes > room {
            continue;
        }
        used += takes;
        if is_first {
            sections.push(piece.category);
        }
        if let Some(kept) = kept.get_mut(place) {
            *kept = true;
        }
    }
    kept
}

/// What a brief holds of what there was.
struct Held {
    items: Vec<String>,
    proposed: Vec<String>,
    artifacts: Vec<u32>,
    all_items: usize,
    all_artifacts: usize,
    included: u32,
    dropped: u32,
}

impl Held {
    fn of(pieces: &[Piece], kept: &[bool], unreadable: Unreadable) -> Self {
        let (mut items, mut artifacts) = (Vec::new(), Vec::new());
        let mut proposed = Vec::new();
        let (mut all_items, mut all_artifacts) = (unreadable.items, unreadable.artifacts);
        for (piece, kept) in pieces.iter().zip(kept) {
            match &piece.name {
                Name::Item(id) => {
                    all_items += 1;
                    items.extend(kept.then(|| id.clone()));
                    proposed.extend((*kept && piece.proposed).then(|| id.clone()));
                }
                Name::Artifact(number) => {
                    all_artifacts += 1;
                    artifacts.extend(kept.then_some(*number));
                }
            }
        }
        let included = items.len() + artifacts.len();
        let number = |count| u32::try_from(count).unwrap_or(u32::MAX);
        Self {
            included: number(included),
            dropped: number(all_items + all_artifacts - included),
            items,
            proposed,
            artifacts,
            all_items,
            all_artifacts,
        }
    }

    /// The memory items that a critique may rest on.
    fn accepted(&self) -> Vec<String> {
        let vouched = |id: &&String| !self.proposed.contains(id);
        self.items.iter().filter(vouched).cloned().collect()
    }

    fn told(&self) -> String {
        let mut told = format!(
            "\n\n## What this brief holds\n\n{} of {} memory items and {} of {} earlier artifacts.",
            self.items.len(),
            self.all_items,
            self.artifacts.len(),
            self.all_artifacts
        );
        if self.dropped > 0 {
            told.push_str(&format!(
                " {} left out: a brief has at most {MAX_BRIEF_CHARS} characters, and what fits least goes first.",
                self.dropped
            ));
        }
        told
    }
}

/// What could not be shown, whatever room there was.
#[derive(Debug, Clone, Copy, Default)]
struct Unreadable {
    items: usize,
    artifacts: usize,
}

fn count(text: &str) -> usize {
    text.chars().count()
}

fn first(text: &str, most: usize) -> String {
    let mut cut: String = text.chars().take(most).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    cut
}

#[cfg(test)]
#[path = "brief_tests.rs"]
mod tests;
