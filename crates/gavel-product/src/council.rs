//! The council: a debate of different models, or a review by rules.

use gavel_deliberation::{Council, Debated, Topic, debate, review};
use gavel_domain::{DebateClosed, Decision, Scope, Stage};

use crate::discovery::Discovered;
use crate::memory;
use crate::staffing::Staff;
use crate::trouble::{Tried, persist};
use crate::way::{Leave, Way, keep};

/// The kind of memory that warns.
const TRAP: &str = "trap";

/// A debate of different models, or a review by rules when there are no seats.
pub(crate) async fn deliberate(
    way: Way<'_>,
    discovered: &mut Discovered,
) -> Result<Vec<Decision>, Leave> {
    let Way { run, place, .. } = way;
    way.enter(Stage::Council).await?;
    let scope = run.scope("council", 1)?;
    let notes = memory::recall(way, &scope, &discovered.idea).await?;
    let Discovered {
        idea,
        answers,
        staff,
        traps,
        debated,
        ..
    } = discovered;
    *traps = notes.iter().filter(|note| note.kind == TRAP).count();
    let topic = Topic {
        idea,
        answers,
        memory: &notes,
    };
    if staff.seats.len() < 2 {
        return Ok(review(run, &scope, &topic).await?);
    }
    let (decisions, seats) = persist(
        way,
        "council-1/debate",
        staff,
        async |scope: Scope, staff: &Staff| {
            // Whoever tries again may have fewer models than before.
            if staff.seats.len() < 2 {
                let decisions = review(run, &scope, &topic).await?;
                return Ok(Tried::Done((decisions, Vec::new())));
            }
            let council = Council {
                seats: staff.seats.clone(),
                leader: staff.leader.clone(),
                context: place.context.clone(),
            };
            Ok(match debate(run, &scope, &council, &topic).await? {
                Debated::Decided { decisions, summary } => {
                    let closed = |summary| DebateClosed { summary };
                    keep(run, scope.key("closed")?, &summary, &summary, closed).await?;
                    let seats = staff.seats.iter().map(|seat| seat.id.clone());
                    Tried::Done((decisions, seats.collect()))
                }
                Debated::Stuck { problem } => Tried::Stuck(problem),
            })
        },
    )
    .await?;
    *debated = seats;
    Ok(decisions)
}
