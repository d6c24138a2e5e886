//! The window of a phase: open as long as somebody who has a turn in it may still hand something
//! in.

use gavel_domain::TurnOutcome;

use super::protocols::{CRITIQUE, NOTHING_NEW};
use super::state::{LoopState, SlotStatus};

/// Who is still to be heard in this phase.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Window {
    /// Slots that have not closed theirs.
    pub open: Vec<String>,
    /// Slots whose turn failed: silence of theirs is no agreement.
    pub failed: Vec<String>,
    /// Slots that closed theirs.
    pub closed: Vec<String>,
    /// Slots that said that there is nothing new.
    pub nothing_new: Vec<String>,
    /// Critiques that count, of this phase and iteration.
    pub critiques: u32,
}

impl Window {
    /// True when everybody was heard.
    pub const fn is_closed(&self) -> bool {
        self.open.is_empty() && self.failed.is_empty() && !self.closed.is_empty()
    }

    /// True when everybody was heard and said that there is nothing new.
    pub const fn is_saturated(&self) -> bool {
        self.is_closed() && self.nothing_new.len() == self.closed.len()
    }
}

/// Looks at the window of the phase that a loop is in.
pub fn window(state: &LoopState) -> Window {
    let mut window = Window::default();
    for slot in state.acting() {
        let place = match state.status_of(slot) {
            SlotStatus::Open | SlotStatus::Assigned { .. } => &mut window.open,
            SlotStatus::Ended { outcome, .. } => match outcome {
                TurnOutcome::Done => &mut window.closed,
                TurnOutcome::Failed => &mut window.failed,
                TurnOutcome::Cancelled => continue,
            },
        };
        place.push(slot.id.clone());
        let says = state
            .here(NOTHING_NEW)
            .any(|artifact| artifact.slot.as_ref() == Some(&slot.id));
        if says && window.closed.last() == Some(&slot.id) {
            window.nothing_new.push(slot.id.clone());
        }
    }
    window.critiques = u32::try_from(state.here(CRITIQUE).count()).unwrap_or(u32::MAX);
    window
}
