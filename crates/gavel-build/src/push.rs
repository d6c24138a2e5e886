//! Publishing the branch, where the repository names a remote and a person agreed to it.

use gavel_domain::{BranchPushed, Key, PushRefusal};
use gavel_run::{Blobs, Pure, Run, RunError};
use gavel_workspace::{CommitId, Remote};

use crate::Site;
use crate::verify::with_sources;

/// Where the branch of a build goes.
#[derive(Debug, Clone)]
pub enum PushTarget {
    /// Nowhere: the repository names no remote.
    Nowhere,
    /// There is a remote, and nothing is sent to it.
    Withheld(PushRefusal),
    /// To this remote, as a person agreed.
    To(Remote),
}

/// Pushes the branch at this commit; `None` without a remote.
///
/// A push that is withheld or fails is on record with its reason, and the run goes on without it.
pub async fn push_branch(
    run: &Run,
    key: Key,
    site: &Site,
    commit: &CommitId,
) -> Result<Option<BranchPushed>, RunError> {
    if matches!(site.push, PushTarget::Nowhere) {
        return Ok(None);
    }
    let input = (site.branch.as_str(), commit.as_str());
    // Pushing the same commit again changes nothing, so there is no need to look first.
    let push = |blobs: Blobs| async move {
        let (problem, withheld) = match &site.push {
            PushTarget::Nowhere => (None, None),
            PushTarget::Withheld(why) => (Some(why.reason().to_owned()), Some(*why)),
            PushTarget::To(remote) => {
                let pushed = site.tree.push(&site.branch, commit, remote).await;
                let problem = pushed.err().map(|error| with_sources(&error));
                (problem, None)
            }
        };
        let failed = problem.map(|problem| blobs.keep(site.context.scrub(&problem)));
        Ok(BranchPushed {
            branch: site.branch.to_string(),
            commit: commit.to_string(),
            failed,
            withheld,
        })
    };
    Ok(Some(run.step(key, Pure, &input, push).await?.value))
}
