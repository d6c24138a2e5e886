//! The facts of a loop as a person reads them.

use gavel_domain::{ArtifactAdded, BlobRef, LoopFact, Record};

use crate::live::loops::{Names, advanced_told, artifact_told, end_told, plain};
use crate::summary::clipped;

/// How much of a text is shown.
const SHOWN: usize = 120;

/// The text without which the sentence of a fact says little.
pub(super) fn wanted(record: &Record) -> Option<BlobRef> {
    match LoopFact::read(record).ok()?? {
        LoopFact::LoopOpened(opened) => Some(opened.title),
        LoopFact::ArtifactAdded(added) => Some(added.body),
        LoopFact::TurnCompleted(ended) => ended.reason,
        LoopFact::LoopPaused(paused) => paused.reason,
        LoopFact::LoopClosed(closed) => closed.reason,
        LoopFact::TurnAssigned(_)
        | LoopFact::PhaseAdvanced(_)
        | LoopFact::PhaseAdvanceBlocked(_)
        | LoopFact::MaxIterationsReached(_)
        | LoopFact::LoopResumed(_)
        | LoopFact::RequestAnswered(_)
        | LoopFact::DraftPromoted(_) => None,
    }
}

/// The sentence of a fact; `text` is what [`wanted`] named.
pub(super) fn sentence(record: &Record, (text, names): (&str, &Names)) -> Option<String> {
    let because = || match clipped(text, SHOWN) {
        why if why.is_empty() => String::new(),
        why => format!(": {why}"),
    };
    Some(match LoopFact::read(record).ok()?? {
        LoopFact::LoopOpened(opened) => {
            let (kind, by) = (opened.protocol.kind, opened.by);
            format!("{by} opens a loop, {kind}{}", because())
        }
        LoopFact::TurnAssigned(given) => {
            let slot = names.get(&given.slot);
            let (phase, items) = (given.phase, given.items.len());
            format!("{slot} has its turn in {phase}, with {items} memory items")
        }
        LoopFact::ArtifactAdded(added) => handed(&added, (text, names)),
        LoopFact::TurnCompleted(ended) => {
            format!(
                "the turn of {} is {}{}",
                names.get(&ended.slot),
                ended.outcome,
                because()
            )
        }
        LoopFact::PhaseAdvanced(advanced) => format!("── {} ──", advanced_told(&advanced)),
        LoopFact::PhaseAdvanceBlocked(blocked) => {
            let unmet = blocked.unmet.iter();
            let lacks: Vec<String> = unmet.map(gavel_deliberation::loops::unmet_told).collect();
            let phase = plain(blocked.phase.as_str());
            format!("{phase} may not end yet: {}", lacks.join("; "))
        }
        LoopFact::LoopPaused(paused) => format!("{} pauses the loop{}", paused.by, because()),
        LoopFact::LoopResumed(resumed) => format!("{} lets the loop go on", resumed.by),
        LoopFact::LoopClosed(closed) => {
            format!("{}{}", end_told(closed.status, closed.end), because())
        }
        LoopFact::DraftPromoted(promoted) => {
            format!(
                "{} keeps the plan in memory: {}",
                promoted.by, promoted.item
            )
        }
        LoopFact::MaxIterationsReached(_) | LoopFact::RequestAnswered(_) => return None,
    })
}

fn handed(added: &ArtifactAdded, (text, names): (&str, &Names)) -> String {
    let slot = added.slot.as_deref().map(|slot| names.get(slot));
    let who = slot.unwrap_or_else(|| added.by.as_str());
    artifact_told(added, (who, text))
}
