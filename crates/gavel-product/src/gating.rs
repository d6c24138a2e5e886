//! The done gate: the judged commit, checked out fresh, must show what was asked for.

use gavel_build::{CommitVerified, Site, verify_commit};
use gavel_contracts::Shelf;
use gavel_domain::{
    Criterion, Digest, FaultClass, GateJudged, Phase, Scope, Stage, Timestamp, ToolFinished,
};
use gavel_rules::{GateInputs, GateVerdict, HaltReason, judge_gate};
use gavel_run::{Blobs, Pure, StepFailure};
use gavel_workspace::{CommitId, FileAt, RepoPath, TreeId};

use crate::building::{Built, CONTRACTS};
use crate::trouble::{Tried, until_mended};
use crate::way::{Leave, Way, halt, keep_json, unusable};

/// The share of criteria that must be shown, in thousandths: all of them.
const DONE_THRESHOLD: u32 = 1000;
/// More than a contract may have.
const MOST_BYTES: usize = 1 << 20;

/// What the gate saw.
#[derive(Debug)]
pub(crate) struct Judged {
    pub(crate) commit: CommitId,
    pub(crate) tree: TreeId,
    pub(crate) criteria: Vec<Criterion>,
    pub(crate) verified: CommitVerified,
    pub(crate) verdict: GateVerdict,
    pub(crate) at: Timestamp,
}

/// Verifies the commit and judges it; a run that does not pass halts here.
pub(crate) async fn judge(
    way: Way<'_>,
    site: &Site,
    (shelf, phases): (&Shelf, &[Phase]),
    built: &Built,
) -> Result<Judged, Leave> {
    let Way { run, place, .. } = way;
    way.enter(Stage::Gating).await?;
    // A machine that cannot run the tests says nothing about them, and may be mended.
    let (scope, verified) = until_mended(way, "gate", async |scope: Scope| {
        let verified = verify_commit(run, &scope, site, &built.commit).await?;
        Ok(match verified.could_not_run() {
            Some(why) => Tried::Stuck(format!("the tests could not be run: {why}")),
            None => Tried::Done((scope, verified)),
        })
    })
    .await?;
    let criteria: Vec<Criterion> = phases
        .iter()
        .flat_map(|phase| phase.criteria.iter().cloned())
        .collect();
    let audits: Vec<_> = built.ends.iter().map(|end| end.audit).collect();
    let open = built.ends.last().map(|end| end.open_errors.as_slice());
    let tree = place.tree.tree_of(&built.commit).await;
    let tree = tree.map_err(|error| unusable(run, &error))?;
    let pinned = contracts_are_pinned(way, &scope, (shelf, &built.commit)).await?;
    let inputs = GateInputs {
        criteria: &criteria,
        passed_tests: &verified.tests.passed,
        failed_tests: &verified.tests.failed,
        verify: &verified.fact,
        judged_tree: tree.as_str(),
        phases_done: u32::try_from(built.ends.len()).unwrap_or(u32::MAX),
        phases_all: built.phases,
        open_errors: open.unwrap_or_default(),
        audits: &audits,
        contracts_pinned_equal: Some(pinned),
        branch_is_default: Some(branch_is_default(way, &scope).await?),
        threshold_thousandths: DONE_THRESHOLD,
    };
    let verdict = judge_gate(&inputs);
    let commit = built.commit.to_string();
    let judged = keep_json(run, scope.key("judged")?, &verdict.criteria, |evidence| {
        GateJudged {
            commit: commit.clone(),
            passed: verdict.passed,
            score: verdict.score,
            conditions: verdict.conditions.clone(),
            evidence,
        }
    })
    .await?;
    if !verdict.passed {
        return Err(halt(run, HaltReason::GateFailed, &verdict.reasons.join("\n")).await);
    }
    Ok(Judged {
        commit: built.commit.clone(),
        tree,
        criteria,
        verified,
        verdict,
        at: judged.at,
    })
}

/// True when the remote calls our branch its default. On record, since remotes change between
/// drives; which branch a person looks at meanwhile says nothing about it.
async fn branch_is_default(way: Way<'_>, scope: &Scope) -> Result<bool, Leave> {
    let Way { run, place, .. } = way;
    let look = |blobs: Blobs| async move {
        let said = place.repository.remote_default("origin").await;
        let said = said.map_err(|error| StepFailure::new(FaultClass::Failed, error))?;
        let said = said.unwrap_or_default();
        let name = said.strip_prefix("refs/remotes/origin/").unwrap_or(&said);
        Ok(ToolFinished {
            tool: "look_for_default_branch".to_owned(),
            ok: !name.eq_ignore_ascii_case(place.branch.as_str()),
            result: blobs.keep(name),
            level: None,
        })
    };
    let input = place.branch.as_str();
    let looked = run.step(scope.key("branch")?, Pure, &input, look).await?;
    Ok(!looked.value.ok)
}

/// The judged commit holds the contracts that were pinned.
async fn contracts_are_pinned(
    way: Way<'_>,
    scope: &Scope,
    (shelf, commit): (&Shelf, &CommitId),
) -> Result<bool, Leave> {
    let Way { run, place, .. } = way;
    let look = |blobs: Blobs| async move {
        let failed = |problem: &dyn std::error::Error| StepFailure::of(FaultClass::Failed, problem);
        let mut changed = Vec::new();
        for contract in shelf.iter() {
            let path = format!("{CONTRACTS}/{}", contract.kind.file_name());
            let file: RepoPath = path.parse().map_err(|error| failed(&error))?;
            let found = place.repository.file_at(commit, &file, MOST_BYTES).await;
            match found.map_err(|error| failed(&error))? {
                FileAt::File(bytes) if Digest::of(&bytes) == contract.digest() => {}
                FileAt::File(_) | FileAt::TooLarge | FileAt::NotAFile | FileAt::Missing => {
                    changed.push(path);
                }
            }
        }
        Ok(ToolFinished {
            tool: "compare_contracts".to_owned(),
            ok: changed.is_empty(),
            result: blobs.keep(changed.join("\n")),
            level: None,
        })
    };
    let input = (shelf.digests(), commit.as_str());
    let looked = run
        .step(scope.key("contracts")?, Pure, &input, look)
        .await?;
    Ok(looked.value.ok)
}
