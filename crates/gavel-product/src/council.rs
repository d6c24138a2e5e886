//! The council: a debate of different models, or a review by rules.

use gavel_deliberation::{Bench as Council, Debated, Topic, debate, review};
use gavel_domain::{Assumption, DebateClosed, Decision, Scope, Stage, Voices};
use gavel_models::ModelId;

use crate::assumptions::raise;
use crate::discovery::Discovered;
use crate::memory;
use crate::staffing::Staff;
use crate::trouble::{Tried, persist};
use crate::way::{Leave, Way, keep};

/// The kind of memory that warns.
const TRAP: &str = "trap";

/// A debate of different models, or a review by rules when there are no seats. Whoever thinks again
/// is told what went wrong.
pub(crate) async fn deliberate(
    way: Way<'_>,
    discovered: &mut Discovered,
    trouble: Option<&str>,
) -> Result<Vec<Decision>, Leave> {
    let Way { run, place, .. } = way;
    way.enter(Stage::Council).await?;
    let scope = run.scope("council", way.round)?;
    let notes = memory::recall(way, &scope, &discovered.idea).await?;
    discovered.traps = notes.iter().filter(|note| note.kind == TRAP).count();
    let Discovered {
        idea,
        answers,
        staff,
        ..
    } = discovered;
    let topic = Topic {
        idea,
        answers,
        memory: &notes,
        trouble,
    };
    if staff.seats.len() < 2 {
        return Ok(review(run, &scope, &topic).await?);
    }
    let name = format!("council-{}/debate", way.round);
    let held = persist(way, &name, staff, async |scope: Scope, staff: &Staff| {
        // Whoever tries again may have fewer models than before.
        if staff.seats.len() < 2 {
            let decisions = review(run, &scope, &topic).await?;
            return Ok(Tried::Done(Held {
                decisions,
                ..Held::default()
            }));
        }
        let council = Council {
            seats: staff.seats.clone(),
            leader: staff.leader.clone(),
            context: place.context.clone(),
        };
        Ok(match debate(run, &scope, &council, &topic).await? {
            Debated::Decided {
                decisions,
                assumptions,
                summary,
            } => {
                let closed = |summary| DebateClosed {
                    summary,
                    row: None,
                    kind: None,
                    voices: Voices::Several,
                    rounds: 1,
                    density: None,
                    badge: None,
                    dissenters: 0,
                };
                keep(run, scope.key("closed")?, &summary, &summary, closed).await?;
                Tried::Done(Held {
                    decisions,
                    assumptions,
                    seats: staff.seats.iter().map(|seat| seat.id.clone()).collect(),
                })
            }
            Debated::Stuck { problem } => Tried::Stuck(problem),
        })
    });
    let held = held.await?;
    // A second council adds to what the first one was.
    if !held.seats.is_empty() {
        discovered.debated = held.seats;
    }
    raise(way, &scope, &mut discovered.ledger, held.assumptions).await?;
    Ok(held.decisions)
}

/// What a council came to.
#[derive(Debug, Default)]
struct Held {
    decisions: Vec<Decision>,
    assumptions: Vec<Assumption>,
    /// The models of its seats; none when there was no debate.
    seats: Vec<ModelId>,
}

#[cfg(test)]
#[path = "council_tests.rs"]
mod tests;
