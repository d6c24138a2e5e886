//! Checking a seal: the repository is all that is needed.

use std::collections::BTreeMap;

use gavel_domain::{Approver, ContractKind, Digest, EvidenceRank};
use gavel_rules::SealVerdict;
use gavel_workspace::{
    BranchTip, ChangeKind, ChangedFile, CommitId, FileAt, GitError, PathError, ReadCommit,
    RepoPath, Repository, TreeId,
};
use serde::Serialize;

use super::envelope::{MAX_ENVELOPE_BYTES, open_seal};
use super::follow::said_otherwise;
use super::key::PublicKey;
use super::problem::SealProblem;
use super::statement::{SealApproval, SealContract, SealJournal, SealStatement};
use super::{SEAL_ENDING, SEAL_FOLDER, numbered_seal_file};

/// How many further changes a problem names.
const SHOWN_CHANGES: usize = 5;
/// No contract is larger.
const MAX_CONTRACT_BYTES: usize = 1024 * 1024;
/// No more seals are followed; a person approves once.
const MOST_SEALS: usize = 16;

/// Whether the reader knows the key that signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SignerStanding {
    /// The signature holds, and the key is one of those that the reader named.
    Known,
    /// Only the repository that is checked names the key, and anybody can put a key there.
    Claimed,
    /// The key is nobody's, or the signature does not hold.
    Unknown,
}

/// The keys that a reader goes by.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReadersKeys<'a> {
    /// Keys that the reader knows.
    pub known: &'a [PublicKey],
    /// Keys that the checked repository names for itself.
    pub claimed: &'a [PublicKey],
}

impl ReadersKeys<'_> {
    fn standing(self, key: &PublicKey) -> SignerStanding {
        if self.known.contains(key) {
            SignerStanding::Known
        } else if self.claimed.contains(key) {
            SignerStanding::Claimed
        } else {
            SignerStanding::Unknown
        }
    }
}

/// A seal that another one follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EarlierSeal {
    /// The commit that carries it.
    pub commit: CommitId,
    /// The key that signed it.
    pub key: PublicKey,
    /// What it said.
    pub verdict: SealVerdict,
    /// Who had approved by then; none in seals from before it was kept.
    pub approval: Option<SealApproval>,
    /// Where the run's journal stood.
    pub journal: SealJournal,
}

impl EarlierSeal {
    fn of(seal: StoredSeal) -> Self {
        Self {
            commit: seal.commit,
            key: seal.key,
            verdict: seal.statement.predicate.verdict,
            approval: seal.statement.predicate.approval,
            journal: seal.statement.predicate.journal,
        }
    }
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
    /// The seals that it follows, the newest first.
    pub earlier: Vec<EarlierSeal>,
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

/// Checks the seal at the tip of a branch, and those that it follows.
pub async fn verify_seal(
    repository: &Repository,
    branch: &BranchTip,
    keys: ReadersKeys<'_>,
) -> Result<SealCheck, VerifySealError> {
    let mut check = SealCheck {
        signer: SignerStanding::Unknown,
        key: None,
        statement: None,
        commit: None,
        earlier: Vec::new(),
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
    let Some(tip) = read_seal(repository, &sealing, &mut check.problems).await? else {
        return Ok(check);
    };
    let before = seals_before(repository, &tip, &mut check.problems).await?;
    let first = before.last().unwrap_or(&tip);
    // Where a seal before it is not there, nothing is known of the judged commit.
    if first.statement.predicate.follows.is_none() {
        let file = numbered_seal_file(&tip.statement.predicate.build, before.len() + 1);
        let found = Found {
            branch: branch.branch(),
            judged: &first.parent,
            tree: &first.parent_read.tree,
            file: &file,
        };
        compare(&tip, &found, &mut check.problems);
        let judged = first.parent.clone();
        compare_contracts(repository, &tip.statement, &judged, &mut check.problems).await?;
    }
    let contradictions = tip.statement.predicate.contradictions().into_iter();
    check
        .problems
        .extend(contradictions.map(SealProblem::Contradiction));
    check.earlier = before.into_iter().map(EarlierSeal::of).collect();
    check.signer = keys.standing(&tip.key);
    check.key = Some(tip.key);
    check.statement = Some(tip.statement);
    Ok(check)
}

/// A seal as its commit holds it.
struct StoredSeal {
    commit: CommitId,
    parent: CommitId,
    parent_read: ReadCommit,
    file: RepoPath,
    envelope: Digest,
    statement: SealStatement,
    key: PublicKey,
}

/// Reads the seal that a commit adds; what stands in its way is a problem.
async fn read_seal(
    repository: &Repository,
    sealing: &CommitId,
    problems: &mut Vec<SealProblem>,
) -> Result<Option<StoredSeal>, VerifySealError> {
    let Some((parent, parent_read)) = parent_of(repository, sealing, problems).await? else {
        return Ok(None);
    };
    let Some(file) = added_seal(repository, sealing, &parent_read, problems).await? else {
        return Ok(None);
    };
    let found = repository.file_at(sealing, &file, MAX_ENVELOPE_BYTES);
    let envelope = match found.await? {
        FileAt::File(bytes) => bytes,
        FileAt::TooLarge => {
            let limit = MAX_ENVELOPE_BYTES;
            problems.push(SealProblem::TooLarge { limit });
            return Ok(None);
        }
        FileAt::NotAFile | FileAt::Missing => {
            let file = file.to_string();
            problems.push(SealProblem::Unreadable { file });
            return Ok(None);
        }
    };
    match open_seal(&envelope) {
        Ok((statement, key)) => Ok(Some(StoredSeal {
            commit: sealing.clone(),
            parent,
            parent_read,
            file,
            envelope: Digest::of(&envelope),
            statement,
            key,
        })),
        Err(problem) => {
            problems.push(problem);
            Ok(None)
        }
    }
}

/// The seals that a seal follows, the newest first.
async fn seals_before(
    repository: &Repository,
    tip: &StoredSeal,
    problems: &mut Vec<SealProblem>,
) -> Result<Vec<StoredSeal>, VerifySealError> {
    let mut seals: Vec<StoredSeal> = Vec::new();
    loop {
        let after = seals.last().unwrap_or(tip);
        let predicate = &after.statement.predicate;
        let Some(follows) = &predicate.follows else {
            return Ok(seals);
        };
        if seals.len() == MOST_SEALS {
            problems.push(SealProblem::TooMany { most: MOST_SEALS });
            return Ok(seals);
        }
        if follows.commit != after.parent.as_str() {
            problems.push(SealProblem::OtherSeal {
                sealed: follows.commit.clone(),
                found: after.parent.to_string(),
            });
        }
        if predicate.approval.as_ref().map(|one| one.by) != Some(Approver::Person) {
            problems.push(SealProblem::FollowsWithoutPerson);
        }
        let commit = after.parent.clone();
        let mut own = Vec::new();
        let before = read_seal(repository, &commit, &mut own).await?;
        problems.extend(own.iter().map(|problem| SealProblem::Before {
            commit: commit.to_string(),
            problem: problem.to_string(),
        }));
        let Some(before) = before else {
            return Ok(seals);
        };
        if follows.blake3 != before.envelope {
            let commit = commit.to_string();
            problems.push(SealProblem::SealReplaced { commit });
        }
        let fields = said_otherwise(&before.statement, &after.statement);
        if !fields.is_empty() {
            let fields = fields.join(", ");
            problems.push(SealProblem::SaidOtherwise { fields });
        }
        seals.push(before);
    }
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

/// What there is, for what a seal says.
struct Found<'a> {
    branch: &'a str,
    judged: &'a CommitId,
    tree: &'a TreeId,
    /// Where this seal belongs.
    file: &'a str,
}

/// Compares what was signed with what is there.
fn compare(seal: &StoredSeal, found: &Found<'_>, problems: &mut Vec<SealProblem>) {
    let (statement, predicate) = (&seal.statement, &seal.statement.predicate);
    if statement.tree() != Some(found.tree.as_str()) {
        problems.push(SealProblem::OtherTree {
            sealed: statement.tree().unwrap_or_default().to_owned(),
            found: found.tree.to_string(),
        });
    }
    if predicate.judged_commit != found.judged.as_str() {
        problems.push(SealProblem::OtherCommit {
            sealed: predicate.judged_commit.clone(),
            found: found.judged.to_string(),
        });
    }
    if predicate.branch != found.branch {
        problems.push(SealProblem::OtherBranch {
            sealed: predicate.branch.clone(),
            found: found.branch.to_owned(),
        });
    }
    if seal.file.as_str() != found.file {
        problems.push(SealProblem::OtherBuild {
            build: predicate.build.clone(),
            file: seal.file.to_string(),
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
