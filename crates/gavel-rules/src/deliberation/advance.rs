//! Where a loop goes next. The exit rule of a cycle is looked at before the gate of its first
//! phase: a gate that asks for more critiques must not keep a loop whose critics have nothing to
//! add.

use gavel_domain::{Advance, ExitWhen, Iteration, LoopStatus, Unmet, Word};

use super::conditions::unmet;
use super::protocols::{CRITIC_SIGNAL, CRITIQUE};
use super::state::LoopState;
use super::window::{Window, window};

/// The next phase, and how the loop comes to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    /// Which phase.
    pub to: Word,
    /// The iteration from then on.
    pub iteration: u32,
    /// How.
    pub how: Advance,
}

/// Why a loop stays where it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AdvanceError {
    /// Something is missing.
    #[error("the phase {phase} may not end yet")]
    Blocked {
        /// Which phase.
        phase: Word,
        /// What.
        unmet: Vec<Unmet>,
    },
    /// There is no phase after this one: close the loop.
    #[error("{phase} is the last phase: close the loop")]
    LastPhase {
        /// Which.
        phase: Word,
    },
    /// It does not go on.
    #[error("the loop is {status}")]
    NotOpen {
        /// What it is.
        status: LoopStatus,
    },
    /// Its own protocol does not know its phase.
    #[error("the loop's protocol has no phase {phase}")]
    NoPhase {
        /// Which.
        phase: Word,
    },
}

/// Says where a loop goes when somebody asks it to go on.
pub fn advance(state: &LoopState) -> Result<Move, AdvanceError> {
    if state.status != LoopStatus::Open {
        return Err(AdvanceError::NotOpen {
            status: state.status,
        });
    }
    let Some(phase) = state.current() else {
        return Err(AdvanceError::NoPhase {
            phase: state.phase.clone(),
        });
    };
    let seen = window(state);
    let cycle = Cycle::of(state);
    let mut below_floor = false;
    if let Some(cycle) = cycle.as_ref().filter(|cycle| cycle.is_first) {
        if cycle.exits_before_gate(state, &seen) {
            return cycle.leave(state, (state.iteration, Advance::ExitCycle));
        }
        // Every critic said that this is all: what there is gets its answer, however little.
        below_floor = seen.is_saturated() && seen.critiques > 0;
    }
    let lacks = phase.gate.as_ref().map(|gate| unmet(state, gate));
    let mut lacks = lacks.unwrap_or_default();
    if !lacks.is_empty() && !below_floor {
        if !seen.open.is_empty() {
            lacks.push(Unmet::OpenWindows { slots: seen.open });
        }
        if !seen.failed.is_empty() {
            lacks.push(Unmet::FailedTurns { slots: seen.failed });
        }
        return Err(AdvanceError::Blocked {
            phase: state.phase.clone(),
            unmet: lacks,
        });
    }
    match cycle {
        Some(cycle) => cycle.next(state),
        None => after(state, &state.phase).map(|to| Move {
            to,
            iteration: state.iteration,
            how: Advance::AdvanceTo,
        }),
    }
}

/// The cycle that the current phase belongs to.
struct Cycle<'a> {
    rule: &'a Iteration,
    is_first: bool,
}

impl<'a> Cycle<'a> {
    fn of(state: &'a LoopState) -> Option<Self> {
        let rule = state.protocol.iteration.as_ref()?;
        rule.cycle.contains(&state.phase).then(|| Self {
            rule,
            is_first: rule.cycle.first() == Some(&state.phase),
        })
    }

    fn exits_before_gate(&self, state: &LoopState, seen: &Window) -> bool {
        // Critics who all have nothing to add end the rounds, whatever was waited for.
        let saturated = seen.is_saturated() && seen.critiques == 0;
        match self.rule.exit_when {
            ExitWhen::NoNewCritiqueArtifacts => saturated,
            ExitWhen::CriticSignal => {
                let signalled = state.here(CRITIC_SIGNAL).next().is_some();
                saturated || seen.is_closed() && signalled
            }
        }
    }

    /// The exit rule at the end of the cycle, over everything that this iteration brought.
    fn exits_at_end(&self, state: &LoopState) -> bool {
        let brought = |kind| {
            state
                .counting(kind)
                .any(|artifact| artifact.iteration == state.iteration)
        };
        match self.rule.exit_when {
            ExitWhen::NoNewCritiqueArtifacts => !brought(CRITIQUE),
            ExitWhen::CriticSignal => brought(CRITIC_SIGNAL),
        }
    }

    fn next(&self, state: &LoopState) -> Result<Move, AdvanceError> {
        let mut rest = self
            .rule
            .cycle
            .iter()
            .skip_while(|name| **name != state.phase);
        rest.next();
        if let Some(next) = rest.next() {
            return Ok(Move {
                to: next.clone(),
                iteration: state.iteration,
                how: Advance::AdvanceTo,
            });
        }
        let over = state.iteration.saturating_add(1);
        if self.exits_at_end(state) {
            return self.leave(state, (state.iteration, Advance::ExitCycle));
        }
        if over >= self.rule.max_iterations {
            return self.leave(state, (over, Advance::MaxIterations));
        }
        let first = self.rule.cycle.first().unwrap_or(&state.phase);
        Ok(Move {
            to: first.clone(),
            iteration: over,
            how: Advance::IterateTo,
        })
    }

    /// To the phase after the cycle's last one, in the order of the protocol.
    fn leave(
        &self,
        state: &LoopState,
        (iteration, how): (u32, Advance),
    ) -> Result<Move, AdvanceError> {
        let last = state
            .protocol
            .phases
            .iter()
            .rev()
            .find(|phase| self.rule.cycle.contains(&phase.name));
        let last = last.map_or(&state.phase, |phase| &phase.name);
        after(state, last).map(|to| Move { to, iteration, how })
    }
}

fn after(state: &LoopState, phase: &Word) -> Result<Word, AdvanceError> {
    let mut rest = state
        .protocol
        .phases
        .iter()
        .skip_while(|known| known.name != *phase);
    rest.next();
    let next = rest.next().map(|next| next.name.clone());
    next.ok_or_else(|| AdvanceError::LastPhase {
        phase: phase.clone(),
    })
}
