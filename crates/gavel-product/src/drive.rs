//! The whole way, top to bottom.

use std::sync::Arc;

use gavel_contracts::{ContractInputs, Shelf, Writer, Written, parse_phases, write_contracts};
use gavel_deliberation::{Council, Debated, Topic, debate, review};
use gavel_domain::{ContractKind, DebateClosed, Decision, Phase, Scope, Stage};
use gavel_run::{Run, RunError};

use crate::discovery::{Discovered, discover};
use crate::place::Place;
use crate::scoping::{Scoped, scope_out};
use crate::staffing::Staff;
use crate::trouble::{Tried, persist};
use crate::way::{Leave, enter, keep, unusable};
use crate::{Means, ProductBrief, building, gating, intake, lessons, memory, sealing};

/// Drives a run from its idea to a sealed branch, or to the point where it needs somebody.
pub async fn drive(run: Run, brief: ProductBrief, means: Means) -> Result<(), RunError> {
    match go(&run, &brief, &means).await {
        Ok(()) | Err(Leave::Halted) => Ok(()),
        Err(Leave::Run(error)) => Err(error),
    }
}

async fn go(run: &Run, brief: &ProductBrief, means: &Means) -> Result<(), Leave> {
    let place = Place::open(run, brief).await?;
    let given = (brief, means);
    intake::intake(run, &brief.idea).await?;
    let mut discovered = discover(run, &place, brief, means).await?;
    let decisions = deliberate(run, &place, given, &mut discovered).await?;
    let scoped = scope_out(run, &place, given, (&mut discovered, &decisions)).await?;
    let agreed = (&mut discovered, decisions.as_slice(), &scoped);
    let shelf = agree_contracts(run, &place, given, agreed).await?;
    let shelf = Arc::new(shelf);
    let phases = phases_of(run, &shelf)?;
    let site = building::site(&place, &shelf, means).map_err(|error| unusable(run, &error))?;
    let crew = (&mut discovered.staff, shelf.as_ref());
    let built = building::build(run, (&place, &site, given), crew, &phases).await?;
    let judged = gating::judge(run, (&place, &site), (&shelf, &phases), &built).await?;
    let parts = (&place, &site, means);
    let sealed = sealing::seal(run, parts, (&discovered, brief), (&shelf, &judged)).await?;
    lessons::propose(run, &discovered, (&decisions, &built)).await?;
    sealing::finish(run, &sealed).await
}

/// A debate of different models, or a review by rules when there are no seats.
async fn deliberate(
    run: &Run,
    place: &Place,
    (brief, means): (&ProductBrief, &Means),
    discovered: &mut Discovered,
) -> Result<Vec<Decision>, Leave> {
    enter(run, Stage::Council).await?;
    let scope = run.scope("council", 1)?;
    let notes = memory::recall(run, &scope, brief, (&discovered.idea, &[])).await?;
    let Discovered {
        idea,
        answers,
        staff,
    } = discovered;
    let topic = Topic {
        idea,
        answers,
        memory: &notes,
    };
    if staff.seats.len() < 2 {
        return Ok(review(run, &scope, &topic).await?);
    }
    let way = ("council-1/debate", staff);
    persist(run, means, way, async |scope: Scope, staff: &Staff| {
        let council = Council {
            seats: staff.seats.clone(),
            leader: staff.leader.clone(),
            context: place.context.clone(),
        };
        Ok(match debate(run, &scope, &council, &topic).await? {
            Debated::Decided { decisions, summary } => {
                let closed = |summary| DebateClosed { summary };
                keep(run, scope.key("closed")?, &summary, &summary, closed).await?;
                Tried::Done(decisions)
            }
            Debated::Stuck { problem } => Tried::Stuck(problem),
        })
    })
    .await
}

async fn agree_contracts(
    run: &Run,
    place: &Place,
    (brief, means): (&ProductBrief, &Means),
    (discovered, decisions, scoped): (&mut Discovered, &[Decision], &Scoped),
) -> Result<Shelf, Leave> {
    enter(run, Stage::Contracts).await?;
    let scope = run.scope("contracts", 1)?;
    let spec = &scoped.spec;
    let query = format!("{} {}", spec.title, spec.purpose);
    let memory = memory::recall(run, &scope, brief, (&query, &[])).await?;
    let inputs = ContractInputs {
        idea: scoped.idea.clone(),
        answers: discovered.answers.clone(),
        decisions: decisions.to_vec(),
        spec: spec.clone(),
        memory,
    };
    let way = ("contracts-1/writing", &mut discovered.staff);
    persist(run, means, way, async |scope: Scope, staff: &Staff| {
        let writer = Writer {
            model: staff.leader.clone(),
            context: place.context.clone(),
        };
        Ok(
            match write_contracts(run, &scope, &writer, &inputs).await? {
                Written::All(shelf) => Tried::Done(shelf),
                Written::Stuck { kind, problem } => {
                    Tried::Stuck(format!("the contract `{kind}` was not written: {problem}"))
                }
            },
        )
    })
    .await
}

fn phases_of(run: &Run, shelf: &Shelf) -> Result<Vec<Phase>, RunError> {
    let Some(contract) = shelf.get(ContractKind::Phases) else {
        return Err(unusable(run, &"there is no contract `phases`"));
    };
    parse_phases(&contract.text).map_err(|findings| {
        let first = findings.first().map(|finding| finding.message.clone());
        unusable(run, &first.unwrap_or_default())
    })
}
