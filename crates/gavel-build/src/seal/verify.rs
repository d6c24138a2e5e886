//! Checking a seal: the repository is all that is needed.

use std::collections::BTreeMap;

use gavel_domain::{ContractKind, Digest, EvidenceRank};
use gavel_rules::SealVerdict;
use gavel_workspace::{
    BranchTip, ChangeKind, ChangedFile, CommitId, FileAt, GitError, PathError, ReadCommit,
    RepoPath, Repository,
};
use serde::Serialize;

use super::envelope::{MAX_ENVELOPE_BYTES, open_seal};
use super::key::PublicKey;
use super::problem::SealProblem;
use super::statement::{SealContract, SealStatement};
use super::{SEAL_ENDING, SEAL_FOLDER, seal_file};

/// How many further changes a problem names.
const SHOWN_CHANGES: usize = 5;
/// No contract is larger.
const MAX_CONTRACT_BYTES: usize = 1024 * 1024;

/// Whether the reader knows the key that signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SignerStanding {
    /// The signature holds, and the key is one of those that the reader named.
    Known,
    /// The key is nobody's, or the signature does not hold.
    Unknown,
}

/// What a check of a seal found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealCheck {
    /// Whether the signer is known.
    pub signer: SignerStanding,
    /// The key, if the signature holds.
    pub key: Option<PublicKey>,
    /// What was signed, if the signature holds.
    pub statement: Option<SealStatement>,
    /// The commit that carries the seal.
    pub commit: Option<CommitId>,
    /// Everything that is wrong; nothing when the seal is valid.
    pub problems: Vec<SealProblem>,
}

impl SealCheck {
    /// True when the signature holds and covers exactly what the branch holds.
    ///
    /// Anybody can make a valid seal with a key of their own: look at the signer, too.
    pub const fn is_valid(&self) -> bool {
        self.statement.is_some() && self.problems.is_empty()
    }

    /// The verdict of a valid seal.
    pub fn verdict(&self) -> Option<SealVerdict> {
        self.valid().map(|statement| statement.predicate.verdict)
    }

    /// The score of a valid seal, in thousandths.
    pub fn score(&self) -> Option<u32> {
        self.valid().map(|statement| statement.predicate.score)
    }

    /// How many criteria a valid seal calls shown how firmly; none for seals from before ranks.
    pub fn evidence_ranks(&self) -> Option<&BTreeMap<EvidenceRank, u32>> {
        let proof = self.valid()?.predicate.proof.as_ref()?;
        Some(&proof.evidence_ranks)
    }

    fn valid(&self) -> Option<&SealStatement> {
        self.statement.as_ref().filter(|_| self.is_valid())
    }
}

/// Why it could not be checked: neither valid nor invalid.
#[derive(Debug, thiserror::Error)]
pub enum VerifySealError {
    /// The repository did not answer.
    #[error("the repository could not be read")]
    Git(#[from] GitError),
    /// A name of ours is no path; a mistake of ours.
    #[error("a place of the seal is no path")]
    Path(#[from] PathError),
}

/// Checks the seal at the tip of a branch.
pub async fn verify_seal(
    repository: &Repository,
    branch: &BranchTip,
    known: &[PublicKey],
) -> Result<SealCheck, VerifySealError> {
    let mut check = SealCheck {
        signer: SignerStanding::Unknown,
        key: None,
        statement: None,
        commit: None,
        problems: Vec::new(),
    };
    let folder = RepoPath::new(SEAL_FOLDER)?;
    let Some(sealing) = repository.last_change(&branch.commit, &folder).await? else {
        check.problems.push(SealProblem::NoSeal);
        return Ok(check);
    };
    if sealing != branch.commit {
        let count = repository.commits_since(&sealing, &branch.commit).await?;
        check.problems.push(SealProblem::CommitsAfter { count });
    }
    check.commit = Some(sealing.clone());
    let Some((judged, parent)) = parent_of(repository, &sealing, &mut check.problems).await? else {
        return Ok(check);
    };
    let Some(file) = added_seal(repository, &sealing, &parent, &mut check.problems).await? else {
        return Ok(check);
    };
    let envelope = match repository
        .file_at(&sealing, &file, MAX_ENVELOPE_BYTES)
        .await?
    {
        FileAt::File(bytes) => bytes,
        FileAt::TooLarge => {
            let limit = MAX_ENVELOPE_BYTES;
            check.problems.push(SealProblem::TooLarge { limit });
            return Ok(check);
        }
        FileAt::NotAFile | FileAt::Missing => {
            let file = file.to_string();
            check.problems.push(SealProblem::Unreadable { file });
            return Ok(check);
        }
    };
    match open_seal(&envelope) {
        Ok((statement, key)) => {
            let found = (branch.branch(), &judged, &parent, &file);
            compare(&statement, found, &mut check.problems);
            compare_contracts(repository, &statement, &judged, &mut check.problems).await?;
            if known.contains(&key) {
                check.signer = SignerStanding::Known;
            }
            check.key = Some(key);
            check.statement = Some(statement);
        }
        Err(problem) => check.problems.push(problem),
    }
    Ok(check)
}

/// The judged commit: the one parent of the seal commit.
async fn parent_of(
    repository: &Repository,
    sealing: &CommitId,
    problems: &mut Vec<SealProblem>,
) -> Result<Option<(CommitId, ReadCommit)>, VerifySealError> {
    let parents = repository.read_commit(sealing).await?;
    let parents = parents.map(|commit| commit.parents).unwrap_or_default();
    let [judged] = parents.as_slice() else {
        problems.push(SealProblem::Parents(parents.len()));
        return Ok(None);
    };
    match repository.read_commit(judged).await? {
        Some(parent) => Ok(Some((judged.clone(), parent))),
        None => {
            problems.push(SealProblem::ParentMissing);
            Ok(None)
        }
    }
}

/// The one file by which the seal commit differs from the judged one.
async fn added_seal(
    repository: &Repository,
    sealing: &CommitId,
    parent: &ReadCommit,
    problems: &mut Vec<SealProblem>,
) -> Result<Option<RepoPath>, VerifySealError> {
    let Some(commit) = repository.read_commit(sealing).await? else {
        return Ok(None);
    };
    let changes = repository
        .changed_between(&parent.tree, &commit.tree)
        .await?;
    let (seals, others): (Vec<_>, Vec<_>) = changes.iter().partition(|file| is_new_seal(file));
    if !others.is_empty() {
        let names = others.iter().take(SHOWN_CHANGES);
        let mut names: Vec<_> = names.map(|file| format!("`{}`", file.name)).collect();
        if others.len() > SHOWN_CHANGES {
            names.push(format!("{} more", others.len() - SHOWN_CHANGES));
        }
        let names = names.join(", ");
        problems.push(SealProblem::AlsoChanged { names });
    }
    let [seal] = seals.as_slice() else {
        let added = seals.len();
        problems.push(SealProblem::SealsAdded { added });
        return Ok(None);
    };
    Ok(RepoPath::new(seal.name.to_string()).map(Some)?)
}

fn is_new_seal(file: &ChangedFile) -> bool {
    let gavel_workspace::TreeName::Path(path) = &file.name else {
        return false;
    };
    let inside = path.as_str().strip_prefix(SEAL_FOLDER);
    let name = inside.and_then(|inside| inside.strip_prefix('/'));
    file.kind == ChangeKind::Added
        && name.is_some_and(|name| name.ends_with(SEAL_ENDING) && !name.contains('/'))
}

/// Compares what was signed with what is there.
fn compare(
    statement: &SealStatement,
    (branch, judged, parent, file): (&str, &CommitId, &ReadCommit, &RepoPath),
    problems: &mut Vec<SealProblem>,
) {
    let predicate = &statement.predicate;
    if statement.tree() != Some(parent.tree.as_str()) {
        problems.push(SealProblem::OtherTree {
            sealed: statement.tree().unwrap_or_default().to_owned(),
            found: parent.tree.to_string(),
        });
    }
    if predicate.judged_commit != judged.as_str() {
        problems.push(SealProblem::OtherCommit {
            sealed: predicate.judged_commit.clone(),
            found: judged.to_string(),
        });
    }
    if predicate.branch != branch {
        problems.push(SealProblem::OtherBranch {
            sealed: predicate.branch.clone(),
            found: branch.to_owned(),
        });
    }
    if file.as_str() != seal_file(&predicate.build) {
        problems.push(SealProblem::OtherBuild {
            build: predicate.build.clone(),
            file: file.to_string(),
        });
    }
}

async fn compare_contracts(
    repository: &Repository,
    statement: &SealStatement,
    judged: &CommitId,
    problems: &mut Vec<SealProblem>,
) -> Result<(), VerifySealError> {
    for (kind, contract) in &statement.predicate.contracts {
        problems.extend(contract_problem(repository, (*kind, contract), judged).await?);
    }
    Ok(())
}

async fn contract_problem(
    repository: &Repository,
    (kind, contract): (ContractKind, &SealContract),
    judged: &CommitId,
) -> Result<Option<SealProblem>, VerifySealError> {
    let path = RepoPath::new(contract.file.clone())?;
    let file = contract.file.clone();
    Ok(
        match repository
            .file_at(judged, &path, MAX_CONTRACT_BYTES)
            .await?
        {
            FileAt::File(bytes) if Digest::of(&bytes) == contract.blake3 => None,
            FileAt::File(_) | FileAt::TooLarge => Some(SealProblem::ContractChanged { kind, file }),
            FileAt::NotAFile | FileAt::Missing => Some(SealProblem::ContractMissing { kind, file }),
        },
    )
}

#[cfg(test)]
#[path = "verify_tests.rs"]
mod tests;
