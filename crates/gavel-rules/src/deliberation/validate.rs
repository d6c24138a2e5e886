//! Whether a protocol can be followed at all, said when a loop is opened.

use std::collections::BTreeSet;

use gavel_domain::{Protocol, Slot, StopCondition, Word};

/// Why a protocol cannot be followed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProtocolProblem {
    /// Nothing to go through.
    #[error("a loop has at least one phase")]
    NoPhases,
    /// Two of one name.
    #[error("two phases are called {0}")]
    PhaseTwice(Word),
    /// Too many.
    #[error("a loop has at most {most} phases and {most} slots")]
    TooMany {
        /// The limit.
        most: usize,
    },
    /// A cycle, a gate or a stop condition names one that is not there.
    #[error("{place} names the phase {phase}, which the loop does not have")]
    UnknownPhase {
        /// Where.
        place: &'static str,
        /// Which.
        phase: Word,
    },
    /// A cycle without phases, or one that is never over.
    #[error("a cycle has at least one phase and one iteration, and a phase that follows it")]
    Cycle,
    /// A cycle that goes round more often than anybody can follow.
    #[error("a cycle goes round at most {most} times")]
    TooManyIterations {
        /// The limit.
        most: u32,
    },
    /// A cycle in which nobody has a turn would go round by itself.
    #[error("nobody has a turn in the cycle: give one of its phases a role")]
    IdleCycle,
    /// A gate asks for a type that its phase does not take.
    #[error("the gate of {phase} asks for a {artifact}, which {phase} does not take")]
    GateNeverOpens {
        /// The phase.
        phase: Word,
        /// The type.
        artifact: Word,
    },
    /// A condition without parts.
    #[error("`any` and `all` need at least one condition")]
    EmptyCondition,
    /// Two slots of one id.
    #[error("two slots are called {0}")]
    SlotTwice(String),
    /// Nobody acts in a phase that has roles.
    #[error("no slot has a role of the phase {phase}: {roles}")]
    NobodyActs {
        /// The phase.
        phase: Word,
        /// Its roles.
        roles: String,
    },
    /// No slots.
    #[error("a loop has at least one slot")]
    NoSlots,
}

/// The most times that a cycle goes round.
const MOST_ITERATIONS: u32 = 32;
/// The most phases, and the most slots, of one loop.
const MOST: usize = 32;

/// Checks a protocol and those who take part.
pub fn validate(protocol: &Protocol, slots: &[Slot]) -> Result<(), ProtocolProblem> {
    let phases = &protocol.phases;
    if phases.is_empty() {
        return Err(ProtocolProblem::NoPhases);
    }
    if slots.is_empty() {
        return Err(ProtocolProblem::NoSlots);
    }
    if phases.len() > MOST || slots.len() > MOST {
        return Err(ProtocolProblem::TooMany { most: MOST });
    }
    let mut names = BTreeSet::new();
    for phase in phases {
        if !names.insert(&phase.name) {
            return Err(ProtocolProblem::PhaseTwice(phase.name.clone()));
        }
    }
    check_slots(protocol, slots)?;
    check_cycle(protocol)?;
    let known = |phase: &Word| names.contains(phase);
    for phase in phases {
        if let Some(gate) = &phase.gate {
            check_condition("a gate", gate, &known)?;
            check_gate(&phase.name, &phase.produces, gate)?;
        }
    }
    check_condition("the stop condition", &protocol.stop, &known)
}

fn check_slots(protocol: &Protocol, slots: &[Slot]) -> Result<(), ProtocolProblem> {
    let mut ids = BTreeSet::new();
    for slot in slots {
        if !ids.insert(&slot.id) {
            return Err(ProtocolProblem::SlotTwice(slot.id.clone()));
        }
    }
    for phase in &protocol.phases {
        let acts = |slot: &Slot| phase.roles.contains(&slot.role);
        if !phase.roles.is_empty() && !slots.iter().any(acts) {
            let roles: Vec<_> = phase.roles.iter().map(Word::as_str).collect();
            return Err(ProtocolProblem::NobodyActs {
                phase: phase.name.clone(),
                roles: roles.join(", "),
            });
        }
    }
    Ok(())
}

fn check_cycle(protocol: &Protocol) -> Result<(), ProtocolProblem> {
    let Some(rule) = &protocol.iteration else {
        return Ok(());
    };
    if rule.cycle.is_empty() || rule.max_iterations == 0 {
        return Err(ProtocolProblem::Cycle);
    }
    if rule.max_iterations > MOST_ITERATIONS {
        return Err(ProtocolProblem::TooManyIterations {
            most: MOST_ITERATIONS,
        });
    }
    let place = |name: &Word| protocol.phases.iter().position(|phase| phase.name == *name);
    let mut last = 0;
    for name in &rule.cycle {
        let Some(place) = place(name) else {
            return Err(ProtocolProblem::UnknownPhase {
                place: "the cycle",
                phase: name.clone(),
            });
        };
        last = last.max(place);
    }
    if last + 1 >= protocol.phases.len() {
        return Err(ProtocolProblem::Cycle);
    }
    let of_cycle = |phase: &&gavel_domain::LoopPhase| rule.cycle.contains(&phase.name);
    let mut of_cycle = protocol.phases.iter().filter(of_cycle);
    match of_cycle.any(|phase| !phase.roles.is_empty()) {
        true => Ok(()),
        false => Err(ProtocolProblem::IdleCycle),
    }
}

fn check_condition(
    place: &'static str,
    condition: &StopCondition,
    known: &impl Fn(&Word) -> bool,
) -> Result<(), ProtocolProblem> {
    match condition {
        StopCondition::PhaseReached { phase } | StopCondition::ArtifactProduced { phase, .. } => {
            if known(phase) {
                return Ok(());
            }
            Err(ProtocolProblem::UnknownPhase {
                place,
                phase: phase.clone(),
            })
        }
        StopCondition::Any { conditions } | StopCondition::All { conditions } => {
            if conditions.is_empty() {
                return Err(ProtocolProblem::EmptyCondition);
            }
            conditions
                .iter()
                .try_for_each(|condition| check_condition(place, condition, known))
        }
        StopCondition::ReviewerGreen
        | StopCondition::MaxIterations { .. }
        | StopCondition::MinIterations { .. }
        | StopCondition::MinArtifactsByType { .. }
        | StopCondition::NoOpenQuestions
        | StopCondition::Manual => Ok(()),
    }
}

/// A gate that counts what its phase refuses would never open.
fn check_gate(
    phase: &Word,
    produces: &[Word],
    gate: &StopCondition,
) -> Result<(), ProtocolProblem> {
    match gate {
        StopCondition::MinArtifactsByType {
            artifact,
            scope: gavel_domain::CountScope::Phase,
            ..
        } if !produces.is_empty() && !produces.contains(artifact) => {
            Err(ProtocolProblem::GateNeverOpens {
                phase: phase.clone(),
                artifact: artifact.clone(),
            })
        }
        StopCondition::All { conditions } => conditions
            .iter()
            .try_for_each(|condition| check_gate(phase, produces, condition)),
        StopCondition::MinArtifactsByType { .. }
        | StopCondition::PhaseReached { .. }
        | StopCondition::ReviewerGreen
        | StopCondition::MaxIterations { .. }
        | StopCondition::MinIterations { .. }
        | StopCondition::ArtifactProduced { .. }
        | StopCondition::NoOpenQuestions
        | StopCondition::Manual
        | StopCondition::Any { .. } => Ok(()),
    }
}
