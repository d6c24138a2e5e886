//! What a loop waits for, with its gates and cycles in mind: nothing is suggested that would be
//! refused.

use gavel_domain::{AgentId, LoopStatus, TurnOutcome, Unmet, Word};

use super::advance::{AdvanceError, Move, advance};
use super::again::again;
use super::protocols::CRITIQUE;
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
    /// Nobody is left who could bring what is missing: whoever opened the loop sends it on.
    Force {
        /// What is missing.
        unmet: Vec<Unmet>,
        /// Where to.
        to: Option<Word>,
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
        // Without a gate nothing says that those who were not heard may be passed over.
        Ok(to) if waits.is_empty() && (has_gate(state) || turns.is_empty()) => {
            turns.insert(0, Expected::Advance { to });
        }
        Ok(to) => turns.push(Expected::Advance { to }),
        Err(error) if waits.is_empty() && turns.is_empty() => {
            turns.extend(once_more(state));
            if turns.is_empty() {
                turns.extend(unanswered(state));
                turns.push(match error {
                    AdvanceError::Blocked { unmet, .. } => Expected::Force {
                        unmet,
                        to: way_out(state),
                    },
                    AdvanceError::LastPhase { .. }
                    | AdvanceError::NotOpen { .. }
                    | AdvanceError::NoPhase { .. } => Expected::Close,
                });
            }
        }
        Err(_) => {}
    }
    waits.extend(turns);
    waits
}

fn once_more(state: &LoopState) -> Vec<Expected> {
    let turn = |slot: &gavel_domain::Slot| Expected::Turn {
        slot: slot.id.clone(),
    };
    again(state).into_iter().map(turn).collect()
}

/// The slots of a phase that answers critiques, when nobody is left in it: another turn of theirs
/// comes before going on without an answer.
fn unanswered(state: &LoopState) -> Vec<Expected> {
    let answers = cycle(state).is_some_and(|cycle| cycle.first() != Some(&state.phase));
    if !answers || !has_critiques(state) {
        return Vec::new();
    }
    let turn = |slot: &gavel_domain::Slot| Expected::Turn {
        slot: slot.id.clone(),
    };
    state.acting().map(turn).collect()
}

/// The phases that are gone through again, where the loop is in one of them.
fn cycle(state: &LoopState) -> Option<&Vec<Word>> {
    let cycle = state.protocol.iteration.as_ref().map(|rule| &rule.cycle);
    cycle.filter(|cycle| cycle.contains(&state.phase))
}

/// True when this iteration brought a critique that counts.
fn has_critiques(state: &LoopState) -> bool {
    let mut critiques = state.counting(CRITIQUE);
    critiques.any(|critique| critique.iteration == state.iteration)
}

/// Where a loop goes without those who could leave this phase: to the next phase; past its cycle only
/// when no critique of this iteration waits for its answer.
pub fn way_out(state: &LoopState) -> Option<Word> {
    let phases = &state.protocol.phases;
    let cycle = cycle(state);
    if let Some(cycle) = cycle.filter(|_| has_critiques(state)) {
        let mut rest = cycle.iter().skip_while(|name| **name != state.phase);
        rest.next();
        if let Some(next) = rest.next() {
            return Some(next.clone());
        }
    }
    let last = match cycle {
        Some(cycle) => phases.iter().rposition(|phase| cycle.contains(&phase.name)),
        None => phases.iter().position(|phase| phase.name == state.phase),
    };
    phases.get(last? + 1).map(|phase| phase.name.clone())
}

fn has_gate(state: &LoopState) -> bool {
    state.current().is_some_and(|phase| phase.gate.is_some())
}
