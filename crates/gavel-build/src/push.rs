//! Publishing the branch, where the repository names a remote and a person agreed to it.

use gavel_agent::ToolContext;
use gavel_domain::{BranchPushed, Key, PushRefusal};
use gavel_run::{Blobs, Pure, Run, RunError};
use gavel_workspace::{BuildBranch, CommitId, Remote, WorkTree};

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

/// A branch, and where it goes.
#[derive(Debug, Clone, Copy)]
pub struct Publication<'a> {
    /// The work tree that pushes.
    pub tree: &'a WorkTree,
    /// The branch.
    pub branch: &'a BuildBranch,
    /// Where it goes.
    pub target: &'a PushTarget,
    /// Takes secrets out of what a remote says.
    pub context: &'a ToolContext,
}

impl Site {
    /// The branch of the build, and where it goes.
    pub fn publication(&self) -> Publication<'_> {
        Publication {
            tree: &self.tree,
            branch: &self.branch,
            target: &self.push,
            context: &self.context,
        }
    }
}

/// Pushes the branch at this commit; `None` without a remote.
///
/// A push that is withheld or fails is on record with its reason, and the run goes on without it.
pub async fn push_branch(
    run: &Run,
    key: Key,
    publication: Publication<'_>,
    commit: &CommitId,
) -> Result<Option<BranchPushed>, RunError> {
    let Publication {
        tree,
        branch,
        target,
        context,
    } = publication;
    if matches!(target, PushTarget::Nowhere) {
        return Ok(None);
    }
    let input = (branch.as_str(), commit.as_str());
    // Pushing the same commit again changes nothing, so there is no need to look first.
    let push = |blobs: Blobs| async move {
        let (problem, withheld) = match target {
            PushTarget::Nowhere => (None, None),
            PushTarget::Withheld(why) => (Some(why.reason().to_owned()), Some(*why)),
            PushTarget::To(remote) => {
                let pushed = tree.push(branch, commit, remote).await;
                let problem = pushed.err().map(|error| with_sources(&error));
                (problem, None)
            }
        };
        let failed = problem.map(|problem| blobs.keep(context.scrub(&problem)));
        Ok(BranchPushed {
            branch: branch.to_string(),
            commit: commit.to_string(),
            failed,
            withheld,
        })
    };
    Ok(Some(run.step(key, Pure, &input, push).await?.value))
}
