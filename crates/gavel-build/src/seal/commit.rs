//! Signing, and the commit that carries the seal.

use gavel_domain::{CommitMade, FaultClass, Scope, SealSigned, Timestamp};
use gavel_run::{Blobs, Run, RunError, StepCommit, StepFailure, Tree};
use gavel_workspace::{BuildBranch, CommitId, RepoPath, WorkTree};

use super::envelope::sign_seal;
use super::key::SealKey;
use super::numbered_seal_file;
use super::statement::SealStatement;

/// What a seal commit is made of.
#[derive(Debug, Clone, Copy)]
pub struct SealWork<'a> {
    /// The build's work tree.
    pub tree: &'a WorkTree,
    /// The build's branch.
    pub branch: &'a BuildBranch,
    /// The commit that was judged.
    pub judged: &'a CommitId,
    /// The tip of the branch: the judged commit, or the seal that this one follows.
    pub parent: &'a CommitId,
    /// Which seal of the build this is, counted from one.
    pub number: usize,
    /// What to say about it.
    pub statement: &'a SealStatement,
    /// The key that signs.
    pub key: &'a SealKey,
    /// The moment of the commit, from a fact.
    pub at: Timestamp,
}

/// A seal on its branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealMade {
    /// What was signed; the envelope is a blob.
    pub signed: SealSigned,
    /// The commit that carries it.
    pub commit: CommitMade,
}

/// Signs a statement and commits it on top of the judged commit; writes `sign` and `commit` below
/// the scope.
///
/// Whatever happened in the work tree since, the seal commit differs from its parent by the seal's file
/// alone. What was signed first stays: a later drive, on another machine and with
/// another key, finds the envelope on record and commits that one.
pub async fn commit_seal(
    run: &Run,
    scope: &Scope,
    work: SealWork<'_>,
) -> Result<SealMade, RunError> {
    // The statement is no input: money and journal may have moved between two drives.
    let input = (work.branch.as_str(), work.parent.as_str());
    let signed = run
        .step(scope.key("sign")?, Tree::new(work.tree), &input, |blobs| {
            write(work, blobs)
        })
        .await?;
    let title = format!("seal: {}", signed.value.verdict);
    let commit = StepCommit {
        work_tree: work.tree,
        branch: work.branch,
        parent: work.parent,
        title: &title,
        at: work.at,
    };
    let commit = run.commit(scope.key("commit")?, commit).await?;
    Ok(SealMade {
        signed: signed.value,
        commit: commit.value,
    })
}

async fn write(work: SealWork<'_>, blobs: Blobs) -> Result<SealSigned, StepFailure> {
    let judged = work.tree.tree_of(work.judged).await.map_err(failed)?;
    if work.statement.tree() != Some(judged.as_str()) {
        return Err(invalid("the seal is not about the judged commit's tree"));
    }
    let predicate = &work.statement.predicate;
    if predicate.judged_commit != work.judged.as_str() || predicate.branch != work.branch.as_str() {
        return Err(invalid("the seal is not about the judged commit's branch"));
    }
    // What `verify_seal` would refuse is a mistake of ours; better no seal than one that nobody can check.
    let contradictions = predicate.contradictions();
    if !contradictions.is_empty() {
        let contradictions = contradictions.join("; ");
        return Err(invalid(format!(
            "nothing was sealed, for the seal would contradict itself: {contradictions}"
        )));
    }
    let envelope = sign_seal(work.statement, work.key).map_err(invalid)?;
    let file = numbered_seal_file(&predicate.build, work.number);
    let file = RepoPath::new(file).map_err(invalid)?;
    let onto = work.tree.tree_of(work.parent).await.map_err(failed)?;
    let with_seal = work
        .tree
        .tree_with_file(&onto, &file, &envelope)
        .await
        .map_err(failed)?;
    work.tree.restore(&with_seal).await.map_err(failed)?;
    Ok(SealSigned {
        verdict: predicate.verdict.word().to_owned(),
        envelope: blobs.keep(envelope),
        key: work.key.public().id(),
    })
}

fn failed(problem: impl std::error::Error) -> StepFailure {
    StepFailure::of(FaultClass::Failed, &problem)
}

fn invalid(problem: impl std::fmt::Display) -> StepFailure {
    StepFailure::new(FaultClass::Invalid, problem)
}

#[cfg(test)]
#[path = "commit_tests.rs"]
mod tests;
