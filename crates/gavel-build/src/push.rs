//! Publishing the branch, when the repository names a remote.

use gavel_domain::{BranchPushed, Key};
use gavel_run::{Blobs, Pure, Run, RunError};
use gavel_workspace::CommitId;

use crate::Site;
use crate::verify::with_sources;

/// Pushes the branch at this commit; `None` without a remote.
///
/// A push that fails is on record with its reason, and the run goes on without it.
pub async fn push_branch(
    run: &Run,
    key: Key,
    site: &Site,
    commit: &CommitId,
) -> Result<Option<BranchPushed>, RunError> {
    let Some(remote) = &site.remote else {
        return Ok(None);
    };
    let input = (site.branch.as_str(), commit.as_str());
    // Pushing the same commit again changes nothing, so there is no need to look first.
    let push = |blobs: Blobs| async move {
        let pushed = site.tree.push(&site.branch, commit, remote).await;
        let failed = pushed.err().map(|error| {
            let told = site.context.scrub(&with_sources(&error));
            blobs.keep(told)
        });
        Ok(BranchPushed {
            branch: site.branch.to_string(),
            commit: commit.to_string(),
            failed,
        })
    };
    Ok(Some(run.step(key, Pure, &input, push).await?.value))
}
