//! Who may do what, and while the loop is in which state.

use gavel_domain::{LoopStatus, Slot, TurnOutcome};

use super::super::problem::LoopProblem;
use super::super::sitting::Sitting;

impl Sitting<'_> {
    pub(super) fn slot(&self, name: &str) -> Result<Slot, LoopProblem> {
        self.state.slot(name).cloned().ok_or_else(|| {
            let known = self.state.slots.iter();
            let known: Vec<_> = known
                .map(|slot| format!("{} ({})", slot.id, slot.role))
                .collect();
            LoopProblem::NoSlot {
                slot: name.chars().take(80).collect(),
                known: known.join(", "),
            }
        })
    }

    /// A slot speaks through whoever holds it; whoever opened the loop may take its turn back.
    pub(super) fn may_write(&self, slot: &Slot, outcome: TurnOutcome) -> Result<(), LoopProblem> {
        let Some(holder) = slot.agent.as_ref().filter(|holder| **holder != self.by) else {
            return Ok(());
        };
        let (slot, holder, agent) = (slot.id.clone(), holder.clone(), self.by.clone());
        match (self.person || self.by == self.state.owner, outcome) {
            (true, TurnOutcome::Cancelled | TurnOutcome::Failed) => Ok(()),
            (true, TurnOutcome::Done) => Err(LoopProblem::NotTheirVoice {
                slot,
                holder,
                agent,
            }),
            (false, _) => Err(LoopProblem::NotYours {
                slot,
                holder,
                agent,
            }),
        }
    }

    /// Only those who take part move a loop.
    pub(super) fn takes_part(&self) -> Result<(), LoopProblem> {
        let holds = |slot: &Slot| slot.agent.as_ref() == Some(&self.by);
        if self.person || self.by == self.state.owner || self.state.slots.iter().any(holds) {
            return Ok(());
        }
        Err(LoopProblem::Stranger {
            agent: self.by.clone(),
        })
    }

    pub(super) fn is_owner(&self, what: &'static str) -> Result<(), LoopProblem> {
        if self.person || self.by == self.state.owner {
            return Ok(());
        }
        Err(LoopProblem::OwnerOnly {
            owner: self.state.owner.clone(),
            what,
        })
    }

    pub(super) const fn open(&self) -> Result<(), LoopProblem> {
        match self.state.status {
            LoopStatus::Open => Ok(()),
            status @ (LoopStatus::Paused
            | LoopStatus::Completed
            | LoopStatus::Blocked
            | LoopStatus::Cancelled) => Err(LoopProblem::NotOpen { status }),
        }
    }

    pub(super) const fn not_over(&self) -> Result<(), LoopProblem> {
        match self.state.status {
            LoopStatus::Open | LoopStatus::Paused => Ok(()),
            status @ (LoopStatus::Completed | LoopStatus::Blocked | LoopStatus::Cancelled) => {
                Err(LoopProblem::NotOpen { status })
            }
        }
    }
}
