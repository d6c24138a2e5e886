//! The contracts: written, checked, and pinned for the build.

use gavel_contracts::{ContractInputs, Shelf, Writer, Written, parse_phases, write_contracts};
use gavel_domain::{ContractKind, Decision, Phase, Scope, Stage};
use gavel_run::{Run, RunError};

use crate::discovery::Discovered;
use crate::memory;
use crate::scoping::Scoped;
use crate::staffing::Staff;
use crate::trouble::{Tried, persist};
use crate::way::{Leave, Way, unusable};

/// Has the nine contracts written.
pub(crate) async fn agree_contracts(
    way: Way<'_>,
    discovered: &mut Discovered,
    decisions: &[Decision],
    scoped: &Scoped,
) -> Result<Shelf, Leave> {
    let Way { run, place, .. } = way;
    way.enter(Stage::Contracts).await?;
    let scope = run.scope("contracts", 1)?;
    let spec = &scoped.spec;
    let query = format!("{} {}", spec.title, spec.purpose);
    let memory = memory::recall(way, &scope, &query).await?;
    let inputs = ContractInputs {
        idea: scoped.idea.clone(),
        answers: discovered.answers.clone(),
        decisions: decisions.to_vec(),
        spec: spec.clone(),
        memory,
    };
    let staff = &mut discovered.staff;
    persist(
        way,
        "contracts-1/writing",
        staff,
        async |scope: Scope, staff: &Staff| {
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
        },
    )
    .await
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
