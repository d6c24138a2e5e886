//! From phase to phase, and to the end.

use gavel_domain::{
    Advance, BlobRef, LoopClosed, LoopEnd, LoopStatus, MaxIterationsReached, PhaseAdvanceBlocked,
    PhaseAdvanced, Word,
};
use gavel_rules::deliberation::{AdvanceError, Move, advance};

use super::super::problem::LoopProblem;
use super::super::sitting::Sitting;
use super::super::view::Moved;
use super::Done;

impl Sitting<'_> {
    /// Goes on to the next phase, or says on record why not.
    pub(in crate::loops) fn go_on(
        &mut self,
        to: Option<Word>,
        done: &mut Done,
    ) -> Result<(), LoopProblem> {
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

    pub(in crate::loops) fn close(
        &mut self,
        (status, end): (LoopStatus, LoopEnd),
        reason: Option<BlobRef>,
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
}
