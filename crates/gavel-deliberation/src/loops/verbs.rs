//! What can be done to a loop. After every verb its stop condition is looked at, before any gate;
//! a loop that moves itself then goes on as far as it can.

mod rights;
mod taking;
mod way;

use gavel_domain::{
    LoopEnd, LoopPaused, LoopResumed, LoopStatus, Schedule, Slot, TurnAssigned, TurnOutcome, Word,
};
use gavel_rules::deliberation::{SlotStatus, TurnState};

use super::problem::LoopProblem;
use super::sitting::Sitting;
use super::turns::Handed;
use super::view::{ArtifactTaken, Moved, TurnGiven};

/// What somebody does to a loop.
#[derive(Debug, Clone)]
pub enum Verb {
    /// Gives a slot its turn, with a brief.
    Turn {
        /// The slot, by id or role.
        slot: String,
        /// Why it has its turn again.
        note: Option<String>,
    },
    /// Ends a turn, with what it brought.
    Complete {
        /// The slot, by id or role.
        slot: String,
        /// How it ended.
        outcome: TurnOutcome,
        /// What it brought.
        artifacts: Vec<Handed>,
        /// Why it failed or was taken back.
        reason: Option<String>,
    },
    /// Hands something in beside the end of a turn.
    Add {
        /// The slot, where it is one's.
        slot: Option<String>,
        /// What.
        artifacts: Vec<Handed>,
    },
    /// Goes on to the next phase.
    Advance {
        /// To this one, whatever gates say: for whoever opened the loop.
        to: Option<Word>,
    },
    /// Pauses.
    Pause {
        /// Why.
        reason: Option<String>,
    },
    /// Goes on after a pause.
    Resume,
    /// Ends the loop.
    Close {
        /// As what.
        status: LoopStatus,
        /// Why.
        reason: Option<String>,
    },
}

/// What a verb brought about.
#[derive(Debug, Default)]
pub(super) struct Done {
    pub(super) turns: Vec<TurnGiven>,
    pub(super) artifacts: Vec<ArtifactTaken>,
    pub(super) moves: Vec<Moved>,
    /// What stays undone, although something was written.
    pub(super) refused: Option<LoopProblem>,
}

impl Sitting<'_> {
    /// Does it, and everything that follows from it.
    pub(super) async fn act(&mut self, verb: Verb) -> Result<Done, LoopProblem> {
        let mut done = Done::default();
        match verb {
            Verb::Turn { slot, note } => {
                self.open()?;
                self.takes_part()?;
                let given = self.turn(&slot, note.as_deref()).await?;
                done.turns.push(given);
            }
            Verb::Complete {
                slot,
                outcome,
                artifacts,
                reason,
            } => {
                self.not_over()?;
                let taken = self.complete(&slot, outcome, (artifacts, reason))?;
                done.artifacts.extend(taken);
            }
            Verb::Add { slot, artifacts } => {
                self.not_over()?;
                if artifacts.is_empty() {
                    return Err(LoopProblem::Missing {
                        what: "artifacts",
                        why: "say what is handed in",
                    });
                }
                for artifact in &artifacts {
                    let taken = self.add(slot.as_deref(), artifact)?;
                    done.artifacts.push(taken);
                }
            }
            Verb::Advance { to } => {
                self.open()?;
                self.takes_part()?;
                self.go_on(to, &mut done)?;
            }
            Verb::Pause { reason } => {
                self.open()?;
                self.takes_part()?;
                let reason = reason.map(|reason| self.keep(&reason));
                let by = self.by.clone();
                let key = format!("pause/n-{}", self.state.pauses + 1);
                self.note(&key, &LoopPaused { reason, by })?;
            }
            Verb::Resume => {
                self.takes_part()?;
                if self.state.status != LoopStatus::Paused {
                    return Err(LoopProblem::NotPaused {
                        status: self.state.status,
                    });
                }
                let by = self.by.clone();
                let key = format!("pause/n-{}", self.state.pauses + 1);
                self.note(&key, &LoopResumed { by })?;
            }
            Verb::Close { status, reason } => {
                self.not_over()?;
                self.is_owner("close it")?;
                let reason = reason.map(|reason| self.keep(&reason));
                self.close((status, LoopEnd::Closed), reason)?;
            }
        }
        self.settle(&mut done).await?;
        Ok(done)
    }

    async fn turn(&mut self, name: &str, note: Option<&str>) -> Result<TurnGiven, LoopProblem> {
        let slot = self.slot(name)?;
        let acts = self.state.acting().any(|acting| acting.id == slot.id);
        if !acts {
            return Err(LoopProblem::NotActing {
                slot: slot.id,
                role: slot.role,
                phase: self.state.phase.clone(),
            });
        }
        if let SlotStatus::Assigned { turn, .. } = self.state.status_of(&slot)
            && let Some(turn) = self.state.turn(turn).cloned()
        {
            // Asking twice is asking once.
            return self.given(&turn, &slot).await;
        }
        let other = self.at_work().map(|other| other.id.clone());
        if let (Schedule::Sequential, Some(other)) = (self.state.protocol.schedule, other) {
            return Err(LoopProblem::AfterAnother {
                slot: slot.id,
                other,
            });
        }
        self.assign(&slot, note).await
    }

    pub(super) async fn assign(
        &mut self,
        slot: &Slot,
        note: Option<&str>,
    ) -> Result<TurnGiven, LoopProblem> {
        let brief = self.brief(slot, note).await?;
        let turn = u32::try_from(self.state.turns.len()).unwrap_or(u32::MAX) + 1;
        let given = TurnAssigned {
            turn,
            slot: slot.id.clone(),
            phase: self.state.phase.clone(),
            iteration: self.state.iteration,
            brief: self.keep(&brief.text),
            items: brief.items,
            proposed: brief.proposed,
            artifacts: brief.artifacts,
            dropped: brief.dropped,
            by: self.by.clone(),
        };
        self.note(&format!("turn/n-{turn}/given"), &given)?;
        let turn = TurnState {
            given,
            at: self.now,
            ended: None,
        };
        self.given(&turn, slot).await
    }

    async fn given(&self, turn: &TurnState, slot: &Slot) -> Result<TurnGiven, LoopProblem> {
        let brief = self.text(turn.given.brief).await?;
        Ok(TurnGiven::new(&self.state, (turn, slot), brief))
    }
}
