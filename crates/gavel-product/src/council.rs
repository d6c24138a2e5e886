//! The council: a debate of different models, or a review by rules.

use gavel_deliberation::{Convened, Council, Matter, Topic, convene, review};
use gavel_domain::{Assumption, Decision, Scope, Stage};
use gavel_models::ModelId;
use gavel_rules::council::Experience;

use crate::assumptions::raise;
use crate::discovery::Discovered;
use crate::memory;
use crate::place::Place;
use crate::staffing::Staff;
use crate::trouble::{Tried, persist};
use crate::way::{Leave, Way};

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
        let matter = Matter {
            answers,
            memory: &notes,
            trouble,
            ..Matter::of(idea)
        };
        let council = seated(staff, place);
        Ok(match convene(run, &scope, &council, &matter).await? {
            Convened::Held(held) => Tried::Done(Held {
                decisions: held.decisions,
                assumptions: held.assumptions,
                seats: staff.seats.iter().map(|seat| seat.id.clone()).collect(),
            }),
            Convened::Stuck { problem } => Tried::Stuck(problem),
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

fn seated(staff: &Staff, place: &Place) -> Council {
    let leader = || staff.leader.clone();
    Council {
        leader: leader(),
        promoted_from: None,
        seats: staff.seats.clone(),
        judge: staff.judge.clone(),
        researcher: leader(),
        fast: leader(),
        balanced: leader(),
        context: place.context.clone(),
        experience: Experience::Advisory,
        gate: true,
    }
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
