//! The contracts, compared with the code by rules.

use gavel_contracts::{BindingReport, TreeFile, check_binding};
use gavel_domain::{ContractsCompared, FaultClass, Scope};
use gavel_run::{Blobs, Pure, StepFailure};

use super::{ToProve, WorkLooked};
use crate::way::{Leave, Way, read_json};

/// Compares; `contracts` below the scope records it.
pub(super) async fn compare(
    way: Way<'_>,
    scope: &Scope,
    work: &ToProve<'_>,
    looked: &mut WorkLooked,
) -> Result<(), Leave> {
    let (shelf, commit) = (work.case.shelf, work.case.commit);
    if shelf.iter().next().is_none() {
        return Ok(());
    }
    let look = |blobs: Blobs| async move {
        let failed = |problem: &dyn std::error::Error| StepFailure::of(FaultClass::Failed, problem);
        let tree = &way.place.tree;
        let id = tree.tree_of(commit).await.map_err(|error| failed(&error))?;
        let texts = tree.texts_of(&id).await.map_err(|error| failed(&error))?;
        let report = check_binding(shelf, texts.iter().map(TreeFile::from));
        let text = serde_json::to_string(&report).map_err(|error| failed(&error))?;
        Ok(ContractsCompared {
            commit: commit.to_string(),
            checked: report.checked,
            errors: u32::try_from(report.errors().count()).unwrap_or(u32::MAX),
            not_checked: u32::try_from(report.not_checked.len()).unwrap_or(u32::MAX),
            report: blobs.keep(text),
        })
    };
    let input = (shelf.digests(), commit.as_str());
    let fact = way.run.step(scope.key("contracts")?, Pure, &input, look);
    let report: BindingReport = read_json(way.run, fact.await?.value.report).await?;
    looked.rules = report.checked;
    looked.broken = report.errors().map(ToString::to_string).collect();
    let left = report.not_checked.iter();
    looked.not_checked = left
        .map(|one| format!("{}: {} ({})", one.contract, one.what, one.why))
        .collect();
    Ok(())
}
