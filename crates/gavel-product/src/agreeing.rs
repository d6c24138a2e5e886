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
/// What a run may have when nobody says otherwise; every phase plan fits into it.
const DEFAULT_SPRINTS: u32 = 8;

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
        idea: bounded(way, &scoped.idea),
        answers: discovered.answers.clone(),
        decisions: decisions.to_vec(),
        spec: spec.clone(),
        memory,
    };
    let staff = &mut discovered.staff;
    let writing = Mutex::new(Writing::default());
    persist(
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
    .await
}

/// Puts a value in and takes the one out that was there.
fn swap(place: &Mutex<Writing>, value: Writing) -> Writing {
    let mut held = place.lock().unwrap_or_else(PoisonError::into_inner);
    std::mem::replace(&mut held, value)
}

/// The idea with the bounds that a person set to its building.
fn bounded(way: Way<'_>, idea: &str) -> String {
    let sprints = way.choices.max_sprints;
    if way.brief.mini {
        let most = sprints.min(MINI_PHASES);
        format!("{idea}\n\nKeep it small: {most} phases at most.")
    } else if sprints < DEFAULT_SPRINTS {
        format!("{idea}\n\nThere are {sprints} sprints in all: no more phases than that.")
    } else {
        idea.to_owned()
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
