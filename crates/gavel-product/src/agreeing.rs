//! The contracts: written, checked, and pinned for the build.

use std::sync::{Mutex, PoisonError};

use gavel_contracts::{
    ContractInputs, Shelf, Writer, Writing, Written, parse_phases, write_contracts,
};
use gavel_domain::{ContractKind, Decision, Phase, Scope, Stage};
use gavel_run::{Run, RunError};

use crate::discovery::Discovered;
use crate::memory;
use crate::scoping::Scoped;
use crate::staffing::Staff;
use crate::trouble::{Tried, persist};
use crate::way::{Leave, Way, unusable};

/// The most phases with `--mini`.
const MINI_PHASES: u32 = 3;
/// From here on sprints bound no plan that anybody writes.
const ROOM_FOR_ALL: u32 = 8;

/// Has the nine contracts written.
pub(crate) async fn agree_contracts(
    way: Way<'_>,
    discovered: &mut Discovered,
    decisions: &[Decision],
    scoped: &Scoped,
) -> Result<Shelf, Leave> {
    let Way { run, place, .. } = way;
    way.enter(Stage::Contracts).await?;
    let scope = run.scope("contracts", way.round)?;
    let spec = &scoped.spec;
    let query = format!("{} {}", spec.title, spec.purpose);
    let memory = memory::recall(way, &scope, &query).await?;
    let inputs = ContractInputs {
        idea: scoped.idea.clone(),
        answers: discovered.answers.clone(),
        decisions: decisions.to_vec(),
        spec: spec.clone(),
        memory,
        most_phases: most_phases(way),
    };
    let staff = &mut discovered.staff;
    // Another round writes all of them anew.
    discovered.writing.anew();
    let writing = Mutex::new(std::mem::take(&mut discovered.writing));
    let agreed = persist(
        way,
        &format!("contracts-{}/writing", way.round),
        staff,
        async |scope: Scope, staff: &Staff| {
            let writer = Writer {
                model: staff.leader.clone(),
                context: place.context.clone(),
            };
            // Whatever the tries before this one brought stands; only the rest is written.
            let mut so_far = swap(&writing, Writing::default());
            let written = write_contracts(run, &scope, &writer, &inputs, &mut so_far).await;
            swap(&writing, so_far);
            Ok(match written? {
                Written::All(shelf) => Tried::Done(shelf),
                Written::Stuck { kind, problem } => {
                    Tried::Stuck(format!("the contract `{kind}` was not written: {problem}"))
                }
            })
        },
    )
    .await?;
    discovered.writing = swap(&writing, Writing::default());
    Ok(agreed)
}

/// Puts a value in and takes the one out that was there.
fn swap(place: &Mutex<Writing>, value: Writing) -> Writing {
    let mut held = place.lock().unwrap_or_else(PoisonError::into_inner);
    std::mem::replace(&mut held, value)
}

/// Every phase takes a sprint, so there are no more phases than sprints.
fn most_phases(way: Way<'_>) -> Option<u32> {
    let sprints = way.choices.max_sprints;
    if way.brief.mini {
        Some(sprints.min(MINI_PHASES))
    } else {
        (sprints < ROOM_FOR_ALL).then_some(sprints)
    }
}

/// The phases that the contracts state.
pub(crate) fn phases_of(run: &Run, shelf: &Shelf) -> Result<Vec<Phase>, RunError> {
    let Some(contract) = shelf.get(ContractKind::Phases) else {
        return Err(unusable(run, &"there is no contract `phases`"));
    };
    parse_phases(&contract.text).map_err(|findings| {
        let first = findings.first().map(|finding| finding.message.clone());
        unusable(run, &first.unwrap_or_default())
    })
}
