//! What can be done to a loop. After every verb its stop condition is looked at, before any gate;
//! a loop that moves itself then goes on as far as it can.

use gavel_domain::{
    Advance, ArtifactAdded, LoopClosed, LoopEnd, LoopPaused, LoopResumed, LoopStatus,
    MaxIterationsReached, PhaseAdvanceBlocked, PhaseAdvanced, Schedule, Slot, TurnAssigned,
    TurnCompleted, TurnOutcome, Waived, Word,
};
use gavel_rules::deliberation::{
    AdvanceError, Move, NOTHING_NEW, SlotStatus, Submission, TurnState, advance, judge,
};

use super::problem::LoopProblem;
use super::sitting::Sitting;
use super::turns::Handed;
use super::view::{ArtifactTaken, Moved, TurnGiven};

/// The most artifacts of one loop: a plan names all critiques in one fact.
const MOST_ARTIFACTS: u32 = 2_000;
/// The longest text that is taken, in bytes.
const MOST_BYTES: usize = 256 * 1024;

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

    fn complete(
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

    fn add(&mut self, slot: Option<&str>, new: &Handed) -> Result<ArtifactTaken, LoopProblem> {
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

    /// Goes on to the next phase, or says on record why not.
    pub(super) fn go_on(&mut self, to: Option<Word>, done: &mut Done) -> Result<(), LoopProblem> {
        let to = match to {
            Some(to) => self.forced(to)?,
            None => match advance(&self.state) {
                Ok(to) => to,
                Err(AdvanceError::Blocked { phase, unmet }) => {
                    let blocked = PhaseAdvanceBlocked {
                        phase: phase.clone(),
                        iteration: self.state.iteration,
                        unmet: unmet.clone(),
                        by: self.by.clone(),
                    };
                    let key = format!("blocked/n-{}", self.state.blocks + 1);
                    self.note(&key, &blocked)?;
                    done.refused = Some(AdvanceError::Blocked { phase, unmet }.into());
                    return Ok(());
                }
                Err(error) => {
                    done.refused = Some(error.into());
                    return Ok(());
                }
            },
        };
        let number = self.state.way.len() + 1;
        if to.how == Advance::MaxIterations {
            let rule = self.state.protocol.iteration.as_ref();
            let reached = MaxIterationsReached {
                phase: self.state.phase.clone(),
                iteration: to.iteration,
                max_iterations: rule.map_or(0, |rule| rule.max_iterations),
            };
            self.note(&format!("way/n-{number}/limit"), &reached)?;
        }
        let advanced = PhaseAdvanced {
            from: self.state.phase.clone(),
            to: to.to,
            iteration: to.iteration,
            how: to.how,
            by: self.by.clone(),
        };
        self.note(&format!("way/n-{number}"), &advanced)?;
        done.moves.push(Moved::new(&advanced));
        Ok(())
    }

    /// To a phase that whoever opened the loop names, whatever gates say.
    fn forced(&self, to: Word) -> Result<Move, LoopProblem> {
        self.is_owner("send it to another phase")?;
        let place = |name: &Word| {
            let mut phases = self.state.protocol.phases.iter();
            phases.position(|phase| phase.name == *name)
        };
        let Some(there) = place(&to) else {
            return Err(AdvanceError::NoPhase { phase: to }.into());
        };
        // Back, or the same again, is another iteration.
        let back = place(&self.state.phase).is_some_and(|here| there <= here);
        Ok(Move {
            to,
            iteration: self.state.iteration + u32::from(back),
            how: Advance::Forced,
        })
    }

    pub(super) fn close(
        &mut self,
        (status, end): (LoopStatus, LoopEnd),
        reason: Option<gavel_domain::BlobRef>,
    ) -> Result<(), LoopProblem> {
        let by = self.by.clone();
        self.note(
            "loop/closed",
            &LoopClosed {
                status,
                end,
                reason,
                by,
            },
        )
    }

    fn slot(&self, name: &str) -> Result<Slot, LoopProblem> {
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
    fn may_write(&self, slot: &Slot, outcome: TurnOutcome) -> Result<(), LoopProblem> {
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
    fn takes_part(&self) -> Result<(), LoopProblem> {
        let holds = |slot: &Slot| slot.agent.as_ref() == Some(&self.by);
        if self.person || self.by == self.state.owner || self.state.slots.iter().any(holds) {
            return Ok(());
        }
        Err(LoopProblem::Stranger {
            agent: self.by.clone(),
        })
    }

    fn is_owner(&self, what: &'static str) -> Result<(), LoopProblem> {
        if self.person || self.by == self.state.owner {
            return Ok(());
        }
        Err(LoopProblem::OwnerOnly {
            owner: self.state.owner.clone(),
            what,
        })
    }

    const fn open(&self) -> Result<(), LoopProblem> {
        match self.state.status {
            LoopStatus::Open => Ok(()),
            status @ (LoopStatus::Paused
            | LoopStatus::Completed
            | LoopStatus::Blocked
            | LoopStatus::Cancelled) => Err(LoopProblem::NotOpen { status }),
        }
    }

    const fn not_over(&self) -> Result<(), LoopProblem> {
        match self.state.status {
            LoopStatus::Open | LoopStatus::Paused => Ok(()),
            status @ (LoopStatus::Completed | LoopStatus::Blocked | LoopStatus::Cancelled) => {
                Err(LoopProblem::NotOpen { status })
            }
        }
    }
}
