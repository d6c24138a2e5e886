//! What is handed in: at the end of a turn, or beside it.

use gavel_domain::{ArtifactAdded, Slot, TurnCompleted, TurnOutcome, Waived, Word};
use gavel_rules::deliberation::{
    AdvanceError, NOTHING_NEW, Submission, TurnState, artifact_name, judge,
};

use super::super::problem::LoopProblem;
use super::super::sitting::Sitting;
use super::super::turns::Handed;
use super::super::view::ArtifactTaken;

/// The most artifacts of one loop: a plan names all critiques in one fact.
const MOST_ARTIFACTS: u32 = 2_000;
/// The longest text that is taken, in bytes.
const MOST_BYTES: usize = 256 * 1024;

impl Sitting<'_> {
    pub(super) fn complete(
        &mut self,
        name: &str,
        outcome: TurnOutcome,
        (artifacts, reason): (Vec<Handed>, Option<String>),
    ) -> Result<Vec<ArtifactTaken>, LoopProblem> {
        let slot = self.slot(name)?;
        self.may_write(&slot, outcome)?;
        // A turn that comes back after its phase is over is still its turn.
        let turn = self.state.turns.iter().rev();
        let turn = turn
            .into_iter()
            .find(|turn| turn.given.slot == slot.id && turn.ended.is_none())
            .cloned();
        let Some(turn) = turn else {
            return Err(LoopProblem::NoTurn { slot: slot.id });
        };
        let number = turn.given.turn;
        let before = self.state.artifacts.iter();
        let handed_in = before
            .filter(|(artifact, _)| artifact.turn == Some(number))
            .count();
        match outcome {
            TurnOutcome::Done if artifacts.is_empty() && handed_in == 0 => {
                return Err(LoopProblem::NothingProduced {
                    instead: self.instead(&turn.given.phase),
                });
            }
            TurnOutcome::Failed | TurnOutcome::Cancelled if reason.is_none() => {
                return Err(LoopProblem::NoReason { outcome });
            }
            TurnOutcome::Done | TurnOutcome::Failed | TurnOutcome::Cancelled => {}
        }
        let mut taken = Vec::new();
        for artifact in &artifacts {
            taken.push(self.take(Some((&slot, &turn)), artifact)?);
        }
        let reason = reason.map(|reason| self.keep(&reason));
        let ended = TurnCompleted {
            turn: number,
            slot: slot.id,
            outcome,
            reason,
            by: self.by.clone(),
        };
        self.note(&format!("turn/n-{number}/ended"), &ended)?;
        Ok(taken)
    }

    /// What somebody with nothing to say hands in.
    fn instead(&self, phase: &Word) -> String {
        let takes = self.state.phase_named(phase).map(|phase| &phase.produces);
        let takes = takes.into_iter().flatten();
        let names: Vec<&str> = takes.map(Word::as_str).collect();
        if names.contains(&NOTHING_NEW) {
            return NOTHING_NEW.to_owned();
        }
        match names.is_empty() {
            true => "a short note".to_owned(),
            false => names.join(" or "),
        }
    }

    pub(super) fn add(
        &mut self,
        slot: Option<&str>,
        new: &Handed,
    ) -> Result<ArtifactTaken, LoopProblem> {
        let slot = match slot {
            Some(name) => Some(self.slot(name)?),
            None => {
                let mut acting = self.state.acting();
                let ours = |slot: &&Slot| slot.agent.as_ref() == Some(&self.by);
                acting.find(ours).cloned()
            }
        };
        let Some(slot) = slot else {
            // A phase that belongs to roles is theirs.
            let of_roles = self
                .state
                .current()
                .is_none_or(|phase| !phase.roles.is_empty());
            if of_roles {
                return Err(LoopProblem::NobodyOfYours {
                    agent: self.by.clone(),
                    phase: self.state.phase.clone(),
                });
            }
            self.is_owner("add something without a slot")?;
            return self.take(None, new);
        };
        self.may_write(&slot, TurnOutcome::Done)?;
        if !self.state.acting().any(|acting| acting.id == slot.id) {
            return Err(LoopProblem::NotActing {
                slot: slot.id,
                role: slot.role,
                phase: self.state.phase.clone(),
            });
        }
        match self.state.turn_of(&slot).cloned() {
            Some(turn) => self.take(Some((&slot, &turn)), new),
            // Whoever puts the proposal forward needs no brief for it.
            None => self.take_for(Some(&slot), None, new),
        }
    }

    fn take(
        &mut self,
        from: Option<(&Slot, &TurnState)>,
        new: &Handed,
    ) -> Result<ArtifactTaken, LoopProblem> {
        self.take_for(from.map(|(slot, _)| slot), from.map(|(_, turn)| turn), new)
    }

    fn take_for(
        &mut self,
        slot: Option<&Slot>,
        turn: Option<&TurnState>,
        new: &Handed,
    ) -> Result<ArtifactTaken, LoopProblem> {
        let stamped = turn
            .map_or(&self.state.phase, |turn| &turn.given.phase)
            .clone();
        let iteration = turn.map_or(self.state.iteration, |turn| turn.given.iteration);
        let Some(phase) = self.state.phase_named(&stamped) else {
            return Err(AdvanceError::NoPhase { phase: stamped }.into());
        };
        let body = new.body.trim();
        if body.len() > MOST_BYTES {
            return Err(LoopProblem::TooLong {
                bytes: body.len(),
                most: MOST_BYTES,
            });
        }
        let left: Vec<String> = new.waived.iter().map(|(id, _)| id.clone()).collect();
        let judged = judge(
            &self.state,
            phase,
            Submission {
                kind: &new.kind,
                body,
                cites: &new.cites,
                addresses: &new.addresses,
                waived: &left,
                turn,
            },
        )?;
        // Gavel's own models are asked again before; what they still pass over is told.
        if !judged.uncovered.is_empty() && judged.discounted.is_none() && !self.by.is_gavel() {
            let name = |number: &u32| artifact_name(self.state.id, *number);
            return Err(LoopProblem::Uncovered {
                critiques: judged.uncovered.iter().map(name).collect(),
            });
        }
        let number = u32::try_from(self.state.artifacts.len()).unwrap_or(u32::MAX) + 1;
        if number > MOST_ARTIFACTS {
            return Err(LoopProblem::TooMany {
                most: MOST_ARTIFACTS,
            });
        }
        let reasons = new.waived.iter().map(|(_, reason)| reason);
        let mut waived = Vec::new();
        for (artifact, reason) in judged.waived.iter().zip(reasons) {
            let reason = self.keep(reason);
            waived.push(Waived {
                artifact: *artifact,
                reason,
            });
        }
        let added = ArtifactAdded {
            artifact: number,
            kind: new.kind.clone(),
            phase: stamped,
            iteration,
            slot: slot.map(|slot| slot.id.clone()),
            turn: turn.map(|turn| turn.given.turn),
            body: self.keep(body),
            shown: judged.shown,
            cites: judged.cites.clone(),
            cites_refused: u32::try_from(judged.refused.len()).unwrap_or(u32::MAX),
            addresses: judged.addresses.clone(),
            waived,
            uncovered: judged.uncovered.clone(),
            green: judged.green,
            discounted: judged.discounted,
            by: self.by.clone(),
        };
        self.note(&format!("artifact/n-{number}"), &added)?;
        Ok(ArtifactTaken::new(&self.state, &added, judged.refused))
    }
}
