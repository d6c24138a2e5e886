//! What is taken from those who hand something in, and what of it counts.

use std::collections::BTreeSet;

use gavel_domain::{Digest, Discounted, LoopPhase, Word};

use super::names::{ArtifactNameError, artifact_name, read_artifact};
use super::protocols::{CRITIQUE, PLAN_DRAFT, VERDICT};
use super::state::{LoopState, TurnState};

/// What is shown of a body; the whole text is kept beside it.
pub const CAP_BYTES: usize = 4_096;
/// The end of an id has at least so many signs: fewer are a word that happens to be there.
const SHORTEST_END: usize = 4;

/// What somebody hands in.
#[derive(Debug, Clone, Copy)]
pub struct Submission<'a> {
    /// What it is said to be.
    pub kind: &'a Word,
    /// The text, trimmed.
    pub body: &'a str,
    /// The memory items and artifacts that it is said to rest on.
    pub cites: &'a [String],
    /// The critiques that a plan answers.
    pub addresses: &'a [String],
    /// The critiques that a plan leaves.
    pub waived: &'a [String],
    /// The turn that it comes from; nothing for what the owner adds beside turns.
    pub turn: Option<&'a TurnState>,
}

/// What is made of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    /// How many bytes of the body are shown.
    pub shown: u32,
    /// Citations that hold, in full.
    pub cites: Vec<String>,
    /// Citations that do not.
    pub refused: Vec<String>,
    /// The critiques that a plan answers.
    pub addresses: Vec<u32>,
    /// The critiques that it leaves.
    pub waived: Vec<u32>,
    /// The critiques that it passes over.
    pub uncovered: Vec<u32>,
    /// True for a verdict that accepts.
    pub green: bool,
    /// Why it does not count.
    pub discounted: Option<Discounted>,
}

/// Why it is not taken at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ArtifactProblem {
    /// The phase takes other things.
    #[error("the phase {phase} takes no {kind}: it takes {takes}")]
    WrongType {
        /// What was handed in.
        kind: Word,
        /// The phase.
        phase: Word,
        /// What it takes.
        takes: String,
    },
    /// A plan names something that is no artifact of this loop.
    #[error(transparent)]
    Name(#[from] ArtifactNameError),
    /// A plan answers something that is no critique.
    #[error("{name} is no critique of this loop: a plan addresses or waives critiques")]
    NoCritique {
        /// What was named.
        name: String,
    },
}

/// Looks at what somebody hands in.
pub fn judge(
    state: &LoopState,
    phase: &LoopPhase,
    new: Submission<'_>,
) -> Result<Judged, ArtifactProblem> {
    if !phase.produces.is_empty() && !phase.produces.contains(new.kind) {
        let takes: Vec<_> = phase.produces.iter().map(Word::as_str).collect();
        return Err(ArtifactProblem::WrongType {
            kind: new.kind.clone(),
            phase: phase.name.clone(),
            takes: takes.join(", "),
        });
    }
    let (cites, refused) = check_cites(state, &new);
    let addresses = critiques(state, new.addresses)?;
    let waived = critiques(state, new.waived)?;
    let uncovered = if new.kind.as_str() == PLAN_DRAFT {
        let covered: BTreeSet<u32> = addresses.iter().chain(&waived).copied().collect();
        let all = state.counting(CRITIQUE).map(|critique| critique.artifact);
        all.filter(|critique| !covered.contains(critique)).collect()
    } else {
        Vec::new()
    };
    let discounted = discounted(state, &new, &cites);
    Ok(Judged {
        shown: u32::try_from(cut(new.body)).unwrap_or(u32::MAX),
        cites,
        refused,
        addresses,
        waived,
        uncovered,
        green: new.kind.as_str() == VERDICT && is_green(new.body),
        discounted,
    })
}

fn discounted(state: &LoopState, new: &Submission<'_>, cites: &[String]) -> Option<Discounted> {
    let speaks = !matches!(
        new.kind.as_str(),
        super::protocols::NOTHING_NEW | super::protocols::CRITIC_SIGNAL
    );
    if speaks && new.body.trim().is_empty() {
        return Some(Discounted::Empty);
    }
    if let Some(turn) = new.turn
        && (turn.given.phase != state.phase || turn.given.iteration != state.iteration)
    {
        return Some(Discounted::Late);
    }
    let name = Digest::of(new.body);
    // What was refused for something else may be mended and handed in again.
    let kept = |old: &Option<Discounted>| matches!(old, None | Some(Discounted::Late));
    let mut before = state.artifacts.iter().map(|(artifact, _)| artifact);
    let same =
        before.any(|old| old.kind == *new.kind && old.body.digest == name && kept(&old.discounted));
    if speaks && same {
        return Some(Discounted::SaidBefore);
    }
    // What nobody accepted is no ground to stand on: whoever proposed it could be its own witness.
    let proposed = new.turn.map_or(&[][..], |turn| &turn.given.proposed);
    let of_memory = |cite: &String| !cite.starts_with("art_") && !proposed.contains(cite);
    if new.kind.as_str() == CRITIQUE && !cites.iter().any(of_memory) {
        return Some(Discounted::NoValidCitation);
    }
    None
}

/// Citations are held against what the brief of the turn really contained.
fn check_cites(state: &LoopState, new: &Submission<'_>) -> (Vec<String>, Vec<String>) {
    let (mut held, mut refused) = (Vec::new(), Vec::new());
    for cite in new.cites {
        let plain = bare(cite);
        let found = new.turn.and_then(|turn| {
            let item = item_of(&turn.given.items, plain);
            item.or_else(|| {
                let number = number_of(state, plain).ok()?;
                let there = turn.given.artifacts.contains(&number);
                there.then(|| artifact_name(state.id, number))
            })
        });
        match found {
            Some(found) if held.contains(&found) => {}
            Some(found) => held.push(found),
            None => refused.push(plain.chars().take(80).collect()),
        }
    }
    (held, refused)
}

/// An id without what people and models put around it.
fn bare(name: &str) -> &str {
    name.trim()
        .trim_matches(|c| "[](){}<>`\"'*.,;:".contains(c))
}

/// The item of a brief that a name means: its whole id, or the end of it where only one ends so. The
/// kind before the end has to be its own.
fn item_of(items: &[String], name: &str) -> Option<String> {
    if let Some(whole) = items.iter().find(|item| *item == name) {
        return Some(whole.clone());
    }
    let (kind, end) = match name.split_once('_') {
        Some((kind, end)) => (Some(kind), end),
        None => (None, name),
    };
    if end.len() < SHORTEST_END {
        return None;
    }
    let ends = |item: &&String| {
        let (of, digits) = item.split_once('_').unwrap_or(("", item));
        kind.is_none_or(|kind| kind == of) && digits.ends_with(end)
    };
    let mut ending = items.iter().filter(ends);
    ending.next().filter(|_| ending.next().is_none()).cloned()
}

/// The artifact of this loop that a name means: its whole id, the end of it, or its number alone.
fn number_of(state: &LoopState, name: &str) -> Result<u32, ArtifactNameError> {
    let plain = name.trim_start_matches('_');
    let by_number = plain.parse::<u32>().ok();
    let by_end = || {
        let (of, number) = plain.rsplit_once('_')?;
        let is_end = !of.is_empty() && state.id.short().ends_with(of);
        is_end.then(|| number.parse::<u32>().ok()).flatten()
    };
    match by_number.or_else(by_end) {
        Some(number) => Ok(number),
        None => read_artifact(state.id, name),
    }
}

fn critiques(state: &LoopState, names: &[String]) -> Result<Vec<u32>, ArtifactProblem> {
    let mut found = Vec::new();
    for name in names {
        let plain = bare(name);
        let number = number_of(state, plain)?;
        let artifact = state.artifact(number);
        if artifact.is_none_or(|artifact| artifact.kind.as_str() != CRITIQUE) {
            return Err(ArtifactProblem::NoCritique {
                name: plain.chars().take(80).collect(),
            });
        }
        if !found.contains(&number) {
            found.push(number);
        }
    }
    Ok(found)
}

/// How many bytes are shown: at most the cap, and no character is cut in two.
fn cut(body: &str) -> usize {
    body.floor_char_boundary(CAP_BYTES.min(body.len()))
}

/// A verdict accepts when it begins with the word.
fn is_green(body: &str) -> bool {
    let lower = body.trim_start().to_lowercase();
    let rest = lower.strip_prefix("accepted");
    // A question is no verdict.
    rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || "_?".contains(c)))
}
