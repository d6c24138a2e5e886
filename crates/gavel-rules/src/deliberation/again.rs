//! Who should have another turn: the phase cannot end with what was brought, and they have not said
//! that there is no more.

use gavel_domain::{Slot, TurnOutcome};

use super::advance::{AdvanceError, advance};
use super::state::{LoopState, SlotStatus};
use super::window::window;

/// A slot has at most so many turns in one phase and iteration.
pub const MOST_TURNS: usize = 3;

/// The slots that may be asked once more; nobody as long as somebody is still to be heard.
pub fn again(state: &LoopState) -> Vec<&Slot> {
    let heard = window(state);
    if !heard.open.is_empty() || !heard.failed.is_empty() {
        return Vec::new();
    }
    let wants_all = match advance(state) {
        Err(AdvanceError::Blocked { .. }) => true,
        // In the last phase only those who brought nothing that counts.
        Err(AdvanceError::LastPhase { .. }) => false,
        Ok(_) | Err(AdvanceError::NotOpen { .. } | AdvanceError::NoPhase { .. }) => {
            return Vec::new();
        }
    };
    let counts = |slot: &Slot| {
        let mut here = state.artifacts.iter().map(|(artifact, _)| artifact);
        here.any(|artifact| {
            state.is_here(artifact)
                && artifact.discounted.is_none()
                && artifact.slot.as_ref() == Some(&slot.id)
        })
    };
    let may = |slot: &&Slot| {
        let done = matches!(
            state.status_of(slot),
            SlotStatus::Ended {
                outcome: TurnOutcome::Done,
                ..
            }
        );
        done && !heard.nothing_new.contains(&slot.id)
            && (wants_all || !counts(slot))
            && turns_here(state, slot) < MOST_TURNS
    };
    state.acting().filter(may).collect()
}

/// How many turns a slot has had in this phase and iteration.
pub fn turns_here(state: &LoopState, slot: &Slot) -> usize {
    let here = state.turns.iter().filter(|turn| {
        turn.given.slot == slot.id
            && turn.given.phase == state.phase
            && turn.given.iteration == state.iteration
    });
    here.count()
}
