//! Stop conditions, which are gates too.

use gavel_domain::{CountScope, LoopEnd, LoopStatus, StopCondition, Unmet};

use super::protocols::VERDICT;
use super::state::LoopState;

/// Why a loop is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stopped {
    /// As what.
    pub status: LoopStatus,
    /// Why.
    pub end: LoopEnd,
}

/// Says whether a loop is over, by its own stop condition.
pub fn stopped(state: &LoopState) -> Option<Stopped> {
    let stop = &state.protocol.stop;
    if state.status.is_final() || !unmet(state, stop).is_empty() {
        return None;
    }
    // Another condition that holds by itself makes it an ordinary end.
    let without_limits = !unmet_by(state, stop, Limits::Never).is_empty();
    Some(if without_limits {
        Stopped {
            status: LoopStatus::Blocked,
            end: LoopEnd::Limit,
        }
    } else {
        Stopped {
            status: LoopStatus::Completed,
            end: LoopEnd::StopCondition,
        }
    })
}

/// What a condition lacks; nothing when it holds.
pub fn unmet(state: &LoopState, condition: &StopCondition) -> Vec<Unmet> {
    unmet_by(state, condition, Limits::Count)
}

/// Whether limits of iterations are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Limits {
    Count,
    Never,
}

fn unmet_by(state: &LoopState, condition: &StopCondition, limits: Limits) -> Vec<Unmet> {
    let lacks = |holds: bool, unmet: Unmet| if holds { Vec::new() } else { vec![unmet] };
    match condition {
        StopCondition::PhaseReached { phase } => lacks(
            state.phase == *phase,
            Unmet::Phase {
                phase: phase.clone(),
            },
        ),
        StopCondition::ReviewerGreen => lacks(is_green(state), Unmet::Verdict),
        StopCondition::MaxIterations { n } => {
            let (have, need) = (state.iteration, *n);
            let holds = limits == Limits::Count && have >= need;
            lacks(holds, Unmet::Iterations { have, need })
        }
        StopCondition::MinIterations { n } => {
            let (have, need) = (state.iteration, *n);
            lacks(have >= need, Unmet::Iterations { have, need })
        }
        StopCondition::ArtifactProduced { phase, artifact } => {
            let mut there = state.counting(artifact.as_str());
            let have = u32::from(there.any(|there| there.phase == *phase));
            artifacts(state, artifact, (have, 1))
        }
        StopCondition::MinArtifactsByType { artifact, n, scope } => {
            let name = artifact.as_str();
            let have = match scope {
                CountScope::Phase => state.here(name).count(),
                CountScope::Loop => state.counting(name).count(),
            };
            let have = u32::try_from(have).unwrap_or(u32::MAX);
            artifacts(state, artifact, (have, *n))
        }
        StopCondition::NoOpenQuestions => {
            let open = state.questions;
            lacks(open == 0, Unmet::Questions { open })
        }
        StopCondition::Manual => vec![Unmet::Person],
        StopCondition::Any { conditions } => {
            let each: Vec<_> = conditions
                .iter()
                .map(|condition| unmet_by(state, condition, limits))
                .collect();
            if each.iter().any(Vec::is_empty) {
                return Vec::new();
            }
            each.into_iter().flatten().collect()
        }
        StopCondition::All { conditions } => conditions
            .iter()
            .flat_map(|condition| unmet_by(state, condition, limits))
            .collect(),
    }
}

fn artifacts(state: &LoopState, kind: &gavel_domain::Word, (have, need): (u32, u32)) -> Vec<Unmet> {
    if have >= need {
        return Vec::new();
    }
    let handed_in = state.artifacts.iter().map(|(artifact, _)| artifact);
    let discounted = handed_in.filter(|artifact| {
        artifact.kind == *kind && artifact.discounted.is_some() && state.is_here(artifact)
    });
    vec![Unmet::Artifacts {
        kind: kind.clone(),
        have,
        need,
        discounted: u32::try_from(discounted.count()).unwrap_or(u32::MAX),
    }]
}

/// True when every slot that gives verdicts accepted in its last one; without such slots, when any
/// verdict accepts.
fn is_green(state: &LoopState) -> bool {
    let verdicts = || state.counting(VERDICT);
    let judges: Vec<_> = state
        .slots
        .iter()
        .filter(|slot| {
            let mut phases = state.protocol.phases.iter();
            phases.any(|phase| {
                let gives = phase.produces.iter().any(|kind| kind.as_str() == VERDICT);
                gives && phase.roles.contains(&slot.role)
            })
        })
        .collect();
    if judges.is_empty() {
        return verdicts().any(|verdict| verdict.green);
    }
    judges.into_iter().all(|slot| {
        let own = verdicts().filter(|verdict| verdict.slot.as_ref() == Some(&slot.id));
        own.last().is_some_and(|verdict| verdict.green)
    })
}
