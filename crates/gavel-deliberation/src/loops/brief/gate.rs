//! What must hold before a phase ends, in words.

use gavel_domain::{CountScope, StopCondition, Word};

use super::BriefAsk;
use super::first;

/// The most characters about one gate.
const MOST: usize = 800;

/// The sentence about the gate of the phase, without its end; nothing where it may be left at any time.
pub(super) fn gate(ask: &BriefAsk<'_>) -> Option<String> {
    let gate = ask.phase.gate.as_ref()?;
    let told = first(&words(gate), MOST);
    Some(format!("Before the phase ends it needs {told}"))
}

/// How many of a type this slot should hand in, so that all who have a turn reach the gate: the
/// type, how many the gate asks for, and the share of one slot.
pub(super) fn share(ask: &BriefAsk<'_>) -> Option<(Word, u32, u32)> {
    let (kind, need) = needed(ask.phase.gate.as_ref()?)?;
    let acts = |slot: &&gavel_domain::Slot| ask.phase.roles.contains(&slot.role);
    let slots = u32::try_from(ask.state.slots.iter().filter(acts).count()).unwrap_or(u32::MAX);
    Some((kind, need, need.div_ceil(slots.max(1))))
}

/// The first count that a gate cannot do without.
fn needed(gate: &StopCondition) -> Option<(Word, u32)> {
    match gate {
        StopCondition::MinArtifactsByType {
            artifact,
            n,
            scope: CountScope::Phase,
        } => Some((artifact.clone(), *n)),
        StopCondition::All { conditions } => conditions.iter().find_map(needed),
        StopCondition::MinArtifactsByType { .. }
        | StopCondition::PhaseReached { .. }
        | StopCondition::ReviewerGreen
        | StopCondition::MaxIterations { .. }
        | StopCondition::MinIterations { .. }
        | StopCondition::ArtifactProduced { .. }
        | StopCondition::NoOpenQuestions
        | StopCondition::Manual
        | StopCondition::Any { .. } => None,
    }
}

fn words(condition: &StopCondition) -> String {
    match condition {
        StopCondition::PhaseReached { phase } => format!("the phase {phase}"),
        StopCondition::ReviewerGreen => "a verdict that begins with \"accepted\"".to_owned(),
        StopCondition::MaxIterations { n } | StopCondition::MinIterations { n } => {
            format!("an end of {n} iterations")
        }
        StopCondition::ArtifactProduced { phase, artifact } => {
            format!("a `{artifact}` that counts, of the phase {phase}")
        }
        StopCondition::MinArtifactsByType { artifact, n, scope } => {
            let where_counted = match scope {
                CountScope::Phase => "from everybody together, in this phase and iteration",
                CountScope::Loop => "in the whole loop",
            };
            let counting = if *n == 1 {
                "artifact that counts"
            } else {
                "artifacts that count"
            };
            format!("at least {n} `{artifact}` {counting}, {where_counted}")
        }
        StopCondition::NoOpenQuestions => "no open question".to_owned(),
        StopCondition::Manual => "a word of whoever opened the loop".to_owned(),
        StopCondition::Any { conditions } => joined(conditions, " or "),
        StopCondition::All { conditions } => joined(conditions, " and "),
    }
}

fn joined(conditions: &[StopCondition], sign: &str) -> String {
    let told: Vec<String> = conditions.iter().map(words).collect();
    told.join(sign)
}
