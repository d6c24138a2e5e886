//! What a loop waits for, with its gates and cycles in mind: nothing is suggested that would be
//! refused.

use gavel_domain::{AgentId, LoopStatus, TurnOutcome, Unmet};

use super::advance::{AdvanceError, Move, advance};
use super::state::{LoopState, SlotStatus};

/// A call that would get a loop on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expected {
    /// A slot that has had no turn in this phase, or whose turn failed.
    Turn {
        /// Which.
        slot: String,
    },
    /// A turn that is under way.
    CompleteTurn {
        /// Which.
        turn: u32,
        /// Whose slot.
        slot: String,
        /// Who holds it.
        agent: Option<AgentId>,
    },
    /// More of something, beside turns that are over.
    AddArtifact {
        /// What is missing.
        unmet: Vec<Unmet>,
    },
    /// To the next phase.
    Advance {
        /// Which.
        to: Move,
    },
    /// Nothing more can come.
    Close,
    /// It is paused.
    Resume,
}

/// Says what a loop waits for, the most helpful first; nothing when it is over.
pub fn expected(state: &LoopState) -> Vec<Expected> {
    match state.status {
        LoopStatus::Completed | LoopStatus::Blocked | LoopStatus::Cancelled => return Vec::new(),
        LoopStatus::Paused => return vec![Expected::Resume],
        LoopStatus::Open => {}
    }
    let mut waits = Vec::new();
    let mut turns = Vec::new();
    for slot in state.acting() {
        let id = slot.id.clone();
        match state.status_of(slot) {
            SlotStatus::Assigned { turn, .. } => waits.push(Expected::CompleteTurn {
                turn,
                slot: id,
                agent: slot.agent.clone(),
            }),
            SlotStatus::Open
            | SlotStatus::Ended {
                outcome: TurnOutcome::Failed,
                ..
            } => turns.push(Expected::Turn { slot: id }),
            SlotStatus::Ended { .. } => {}
        }
    }
    match advance(state) {
        Ok(to) if waits.is_empty() => turns.insert(0, Expected::Advance { to }),
        Ok(to) => turns.push(Expected::Advance { to }),
        Err(AdvanceError::Blocked { unmet, .. }) if waits.is_empty() && turns.is_empty() => {
            turns.push(Expected::AddArtifact { unmet });
        }
        Err(AdvanceError::LastPhase { .. }) if waits.is_empty() && turns.is_empty() => {
            turns.push(Expected::Close);
        }
        Err(_) => {}
    }
    waits.extend(turns);
    waits
}
