//! Which artifacts a brief shows. Whoever answers critiques sees them, and whoever judges again
//! sees what was changed.

use gavel_domain::{ArtifactAdded, Category, LoopPhase, Schedule, Slot};

use super::protocols::{CRITIC_SIGNAL, NOTHING_NEW, PLAN_DRAFT, PROPOSAL, REFRAME, REVISION};
use super::state::LoopState;

/// What the loop is about now: the newest revision, else the proposal, else the first artifact of
/// the loop.
pub fn current_proposal(state: &LoopState) -> Option<&ArtifactAdded> {
    let newest = |kind| state.counting(kind).last();
    newest(REVISION).or_else(|| newest(PROPOSAL)).or_else(|| {
        let mut all = state.artifacts.iter().map(|(artifact, _)| artifact);
        all.find(|artifact| artifact.discounted.is_none())
    })
}

/// The artifacts that the brief of a slot for this phase shows beside the current proposal, oldest
/// first, each with the category that lets it in. Whoever is asked again in a phase sees what it said
/// in it before, also what does not count: it would say the same once more.
pub fn shown_artifacts<'a>(
    state: &'a LoopState,
    phase: &LoopPhase,
    slot: &Slot,
) -> Vec<(Category, &'a ArtifactAdded)> {
    let wants = |category| {
        phase.context.is_empty()
            || phase.context.contains(&Category::Everything)
            || phase.context.contains(&category)
    };
    let current = current_proposal(state).map(|artifact| artifact.artifact);
    let mut shown = Vec::new();
    for (artifact, _) in &state.artifacts {
        let of_now = artifact.phase == phase.name && artifact.iteration == state.iteration;
        let own = of_now && artifact.slot.as_ref() == Some(&slot.id);
        if Some(artifact.artifact) == current || artifact.discounted.is_some() && !own {
            continue;
        }
        let Some(category) = category_of(artifact) else {
            continue;
        };
        // Those who work side by side do not see each other's work of this phase.
        let hidden = state.protocol.schedule == Schedule::Parallel && of_now && !own;
        if own || wants(category) && !hidden {
            shown.push((category, artifact));
        }
    }
    shown
}

/// The category that lets an artifact in; nothing for those that only say that there is no more.
fn category_of(artifact: &ArtifactAdded) -> Option<Category> {
    match artifact.kind.as_str() {
        NOTHING_NEW | CRITIC_SIGNAL => None,
        PLAN_DRAFT => Some(Category::SynthesisArtifact),
        PROPOSAL | REVISION | REFRAME => Some(Category::RevisionHistory),
        _ => Some(Category::CritiqueHistory),
    }
}
