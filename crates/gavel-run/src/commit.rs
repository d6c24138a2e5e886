//! Commits as steps: made once, found again by their trailer.

use gavel_domain::{CommitMade, FaultClass, Key, Timestamp};
use gavel_workspace::{
    Author, BuildBranch, CommitError, CommitId, CommitMessage, NewCommit, StepMark, TreeId,
    WorkTree,
};

use crate::{Probe, Recorded, Run, RunError, StepFailure};

/// How many commits of a branch are searched for the mark of a step.
const SEARCHED: u32 = 100;

/// A commit that a step makes on a build branch, of the last recorded tree.
#[derive(Debug, Clone, Copy)]
pub struct StepCommit<'a> {
    /// The work tree whose recorded state is committed.
    pub work_tree: &'a WorkTree,
    /// The branch.
    pub branch: &'a BuildBranch,
    /// The tip that the branch must have, or start from.
    pub parent: &'a CommitId,
    /// The first line of the message, after `[gavel] `.
    pub title: &'a str,
    /// The moment, from a fact.
    pub at: Timestamp,
}

impl Run {
    /// Commits the last recorded tree; a second drive finds the commit by its trailer.
    pub async fn commit(
        &self,
        key: Key,
        commit: StepCommit<'_>,
    ) -> Result<Recorded<CommitMade>, RunError> {
        let mark = StepMark::new(self.id(), &key);
        let tree = self.inner.journal().view.tree.clone();
        let tree = tree.map(|recorded| recorded.tree).unwrap_or_default();
        // The tree is no input: once later steps are on record, the last recorded tree is theirs.
        let input = (commit.title, commit.parent.as_str(), commit.branch.as_str());
        let look = || find(commit, mark.clone());
        self.step(key, Probe(look), &input, |_| {
            make(commit, &tree, mark.clone())
        })
        .await
    }
}

async fn find(commit: StepCommit<'_>, mark: StepMark) -> Result<Option<CommitMade>, StepFailure> {
    let tree = commit.work_tree;
    let found = tree
        .find_commit(commit.branch, &mark, SEARCHED)
        .await
        .map_err(failed)?;
    let Some(found) = found else { return Ok(None) };
    let of = tree.tree_of(&found).await.map_err(failed)?;
    Ok(Some(made(commit, &found, &of)))
}

async fn make(
    commit: StepCommit<'_>,
    tree: &str,
    mark: StepMark,
) -> Result<CommitMade, StepFailure> {
    let tree: TreeId = tree.parse().map_err(failed)?;
    let message = CommitMessage::new(&format!("[gavel] {}", commit.title), mark).map_err(failed)?;
    let author = Author::new("gavel", "gavel@localhost").map_err(failed)?;
    let new = NewCommit {
        branch: commit.branch,
        tree: &tree,
        parent: commit.parent,
        message: &message,
        author: &author,
        at: commit.at,
    };
    match commit.work_tree.commit(&new).await {
        Ok(id) => Ok(made(commit, &id, &tree)),
        Err(moved @ CommitError::Moved { .. }) => Err(StepFailure::of(FaultClass::Moved, &moved)),
        Err(error @ (CommitError::Branch(_) | CommitError::Git(_))) => Err(failed(error)),
    }
}

fn made(commit: StepCommit<'_>, id: &CommitId, tree: &TreeId) -> CommitMade {
    CommitMade {
        branch: commit.branch.to_string(),
        commit: id.to_string(),
        tree: tree.to_string(),
    }
}

fn failed(problem: impl std::error::Error) -> StepFailure {
    StepFailure::of(FaultClass::Failed, &problem)
}
