//! What follows from a change by itself: a stop condition that holds ends the loop, and a loop that
//! moves itself gives out turns and goes on as far as it can.

use gavel_domain::{AgentId, Flow, LoopEnd, LoopStatus, Schedule, Slot, TurnOutcome};
use gavel_rules::deliberation::{
    AdvanceError, LoopState, MOST_TURNS, NOTHING_NEW, SlotStatus, advance, again, stopped,
    turns_here, unmet, window,
};

use super::problem::{LoopProblem, unmet_told};
use super::sitting::Sitting;
use super::verbs::Done;

/// More moves than any protocol makes in one go: phases are few, and a cycle waits for somebody.
const MOST_MOVES: usize = 128;

impl Sitting<'_> {
    /// Looks whether the loop is over; one that moves itself goes on.
    pub(super) async fn settle(&mut self, done: &mut Done) -> Result<(), LoopProblem> {
        // No protocol leads further in one go than through all of its phases, round after round.
        for _ in 0..MOST_MOVES {
            if self.state.status != LoopStatus::Open {
                return Ok(());
            }
            if let Some(over) = stopped(&self.state) {
                return self.close((over.status, over.end), None);
            }
            if self.state.protocol.flow == Flow::Manual {
                return Ok(());
            }
            if !self.is_settled_without_turns() {
                if self.hand_back(done).await? || self.hand_out(done).await? {
                    continue;
                }
                let heard = window(&self.state);
                let acts = self.state.acting().next().is_some();
                if acts && !(heard.open.is_empty() && heard.failed.is_empty()) {
                    return Ok(());
                }
            }
            self.go_on(None, done)?;
            let Some(refused) = done.refused.take() else {
                continue;
            };
            if self.ask_again(done).await? {
                return Ok(());
            }
            let is_last = matches!(
                refused,
                LoopProblem::Advance(AdvanceError::LastPhase { .. })
            );
            if is_last && window(&self.state).is_closed() {
                return self.end_here();
            }
            done.refused = Some(refused);
            return Ok(());
        }
        Ok(())
    }

    /// Everybody was heard in the last phase: the loop came to its end, unless somebody brought
    /// nothing that counts.
    fn end_here(&mut self) -> Result<(), LoopProblem> {
        let heard = window(&self.state).closed;
        let counts = |slot: &String| {
            let artifacts = self.state.artifacts.iter().map(|(artifact, _)| artifact);
            let mut own = artifacts.filter(|artifact| artifact.slot.as_ref() == Some(slot));
            own.any(|artifact| self.state.is_here(artifact) && artifact.discounted.is_none())
        };
        if heard.iter().all(counts) {
            return self.close((LoopStatus::Completed, LoopEnd::StopCondition), None);
        }
        let reason = lacking(&self.state);
        let reason = self.keep(&reason);
        self.close((LoopStatus::Blocked, LoopEnd::Stuck), Some(reason))
    }

    /// Gives another turn to those who may bring what is missing; false when nobody is left.
    async fn ask_again(&mut self, done: &mut Done) -> Result<bool, LoopProblem> {
        let mut slots: Vec<Slot> = again(&self.state).into_iter().cloned().collect();
        if self.state.protocol.schedule == Schedule::Sequential {
            slots.truncate(1);
        }
        let note = once_more(&self.state);
        for slot in &slots {
            let given = self.assign(slot, Some(&note)).await?;
            done.turns.push(given);
        }
        Ok(!slots.is_empty())
    }

    /// True when what this phase is for was handed in before anybody had a turn in it: a proposal that
    /// came with the loop.
    fn is_settled_without_turns(&self) -> bool {
        let gated = self
            .state
            .current()
            .is_some_and(|phase| phase.gate.is_some());
        let untouched = |slot: &Slot| self.state.turn_of(slot).is_none();
        gated && self.state.acting().all(untouched) && advance(&self.state).is_ok()
    }

    /// Gives a turn that failed out again, to whoever had it, at most so often; true when there was
    /// one. After that it is for whoever opened the loop to say what becomes of it. Turns of Gavel's
    /// own models are given out by whoever drives them.
    async fn hand_back(&mut self, done: &mut Done) -> Result<bool, LoopProblem> {
        let failed = |slot: &&Slot| {
            let gone = SlotStatus::Ended {
                turn: self.state.turn_of(slot).map_or(0, |turn| turn.given.turn),
                outcome: TurnOutcome::Failed,
            };
            self.state.status_of(slot) == gone
                && !slot.agent.as_ref().is_some_and(AgentId::is_gavel)
                && turns_here(&self.state, slot) < MOST_TURNS
        };
        let mut back: Vec<Slot> = self.state.acting().filter(failed).cloned().collect();
        if self.state.protocol.schedule == Schedule::Sequential {
            if self.at_work().is_some() {
                return Ok(false);
            }
            back.truncate(1);
        }
        for slot in &back {
            let ended = self
                .state
                .turn_of(slot)
                .and_then(|turn| turn.ended.as_ref());
            let reason = match ended.and_then(|ended| ended.reason) {
                Some(reason) => self.text(reason).await?,
                None => "nobody said why".to_owned(),
            };
            let note = format!(
                "your last turn failed ({reason}), so it is given out again: {} of at most \
                 {MOST_TURNS}",
                turns_here(&self.state, slot) + 1
            );
            let given = self.assign(slot, Some(&note)).await?;
            done.turns.push(given);
        }
        Ok(!back.is_empty())
    }

    /// Gives out the turns of this phase that nobody has; true when there was one.
    async fn hand_out(&mut self, done: &mut Done) -> Result<bool, LoopProblem> {
        let is_open = |slot: &&Slot| self.state.status_of(slot) == SlotStatus::Open;
        let mut free: Vec<Slot> = self.state.acting().filter(is_open).cloned().collect();
        if self.state.protocol.schedule == Schedule::Sequential {
            if self.at_work().is_some() {
                return Ok(false);
            }
            free.truncate(1);
        }
        let any = !free.is_empty();
        for slot in free {
            let given = self.assign(&slot, None).await?;
            done.turns.push(given);
        }
        Ok(any)
    }

    /// The slot that has its turn now.
    pub(super) fn at_work(&self) -> Option<&Slot> {
        let mut acting = self.state.acting();
        acting.find(|slot| matches!(self.state.status_of(slot), SlotStatus::Assigned { .. }))
    }
}

/// The same for whoever was heard in this phase.
pub(super) fn once_more(state: &LoopState) -> String {
    let said = "what you handed in before stands below as YOURS: add to it";
    format!("{}; {said}", lacking(state))
}

/// Why somebody has another turn, in words for their brief.
pub(super) fn lacking(state: &LoopState) -> String {
    let unmet = match advance(state) {
        Err(AdvanceError::Blocked { unmet, .. }) => unmet,
        Ok(_) | Err(_) => unmet(state, &state.protocol.stop),
    };
    let lacks: Vec<String> = unmet.iter().map(unmet_told).collect();
    let takes = state.current().map_or(&[][..], |phase| &phase.produces);
    let may_end = takes.iter().any(|kind| kind.as_str() == NOTHING_NEW);
    let end = match may_end {
        true => "; if there is nothing more, hand in nothing_new",
        false => "",
    };
    format!("the phase may not end yet: {}{end}", lacks.join("; "))
}
