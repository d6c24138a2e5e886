//! What can be wrong with a seal.

use gavel_domain::ContractKind;

use super::statement::StatementProblem;

/// One reason why a seal does not hold; a reader is told all of them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SealProblem {
    /// The branch has no seal.
    #[error("there is no seal on this branch")]
    NoSeal,
    /// Somebody went on after the seal.
    #[error("{} after the seal {} not covered", commits(*count), if *count == 1 { "is" } else { "are" })]
    CommitsAfter {
        /// How many commits.
        count: u64,
    },
    /// The seal commit has no parent, or several.
    #[error("the seal commit has {0} parents, not one")]
    Parents(usize),
    /// The judged commit is not in this clone.
    #[error("the commit before the seal is not in this clone: run `git fetch --deepen=1` first")]
    ParentMissing,
    /// The last commit that touches the seals does not add exactly one.
    #[error("the seal commit adds {added} seals, not one")]
    SealsAdded {
        /// How many it adds.
        added: usize,
    },
    /// Something else changed together with the seal.
    #[error("the seal commit also changes {names}")]
    AlsoChanged {
        /// The first few names.
        names: String,
    },
    /// The seal is no plain file of a sensible size.
    #[error("`{file}` is no file that can be read")]
    Unreadable {
        /// Its place.
        file: String,
    },
    /// The file is larger than any seal.
    #[error("the envelope is larger than {limit} bytes")]
    TooLarge {
        /// What is allowed.
        limit: usize,
    },
    /// The file is no DSSE envelope.
    #[error("it is no DSSE envelope: {why}")]
    NotAnEnvelope {
        /// What the reader stumbled over.
        why: String,
    },
    /// The envelope holds something else.
    #[error("the envelope holds `{found}`, not an in-toto statement")]
    PayloadType {
        /// What it says.
        found: String,
    },
    /// There is not exactly one signature.
    #[error("the envelope has {0} signatures, not one")]
    Signatures(usize),
    /// The payload is no statement of a seal.
    #[error("the payload is no statement of a seal: {why}")]
    NotAStatement {
        /// What the reader stumbled over.
        why: String,
    },
    /// The statement contradicts itself.
    #[error("the statement does not agree with itself: {0}")]
    Statement(#[from] StatementProblem),
    /// Its verdict, score or counts do not follow from its own parts.
    #[error("the statement contradicts itself: {0}")]
    Contradiction(String),
    /// The envelope names another key than the statement.
    #[error("the envelope names the key {envelope}, the statement {statement}")]
    KeyId {
        /// The id in the envelope.
        envelope: String,
        /// The id of the statement's key.
        statement: String,
    },
    /// The bytes are not what was signed.
    #[error("the signature does not fit: the seal was changed after it was signed")]
    Signature,
    /// The seal speaks about other files.
    #[error("the seal is for the tree {sealed}, the files are the tree {found}")]
    OtherTree {
        /// The tree of the statement.
        sealed: String,
        /// The tree of the judged commit.
        found: String,
    },
    /// The seal speaks about another commit.
    #[error("the seal judges the commit {sealed}, and follows {found}")]
    OtherCommit {
        /// The commit of the statement.
        sealed: String,
        /// The parent of the seal commit.
        found: String,
    },
    /// The seal was made for another branch.
    #[error("the seal is for the branch `{sealed}`, not for `{found}`")]
    OtherBranch {
        /// The branch of the statement.
        sealed: String,
        /// The branch that was looked at.
        found: String,
    },
    /// The file has another name than its build.
    #[error("the seal of the build `{build}` lies at `{file}`")]
    OtherBuild {
        /// The build of the statement.
        build: String,
        /// Its place.
        file: String,
    },
    /// It follows another commit than it says.
    #[error("the seal follows the seal of {sealed}, and its commit follows {found}")]
    OtherSeal {
        /// The commit that it names.
        sealed: String,
        /// The parent of its commit.
        found: String,
    },
    /// The seal before is not the one that it says it follows.
    #[error("the seal of {commit} is not the one that the next one follows")]
    SealReplaced {
        /// The commit of the seal before.
        commit: String,
    },
    /// A later seal says something else than the one before, beside who approved.
    #[error("the seal says otherwise than the one that it follows: {fields}")]
    SaidOtherwise {
        /// The names of the fields.
        fields: String,
    },
    /// Only a person's approval makes a further seal.
    #[error("the seal follows another one, and no person approved it")]
    FollowsWithoutPerson,
    /// There are more seals than anybody reads.
    #[error("more than {most} seals follow each other")]
    TooMany {
        /// What is read.
        most: usize,
    },
    /// The seal before has a problem of its own.
    #[error("the seal before it, in {commit}: {problem}")]
    Before {
        /// Its commit.
        commit: String,
        /// What is wrong.
        problem: String,
    },
    /// A contract is missing in the judged tree.
    #[error("the contract {kind} is not at `{file}`")]
    ContractMissing {
        /// Which.
        kind: ContractKind,
        /// Where it should be.
        file: String,
    },
    /// A contract is not the one that the build was held to.
    #[error("the contract {kind} at `{file}` is not the one that was sealed")]
    ContractChanged {
        /// Which.
        kind: ContractKind,
        /// Its place.
        file: String,
    },
}

fn commits(count: u64) -> String {
    match count {
        1 => "1 commit".to_owned(),
        many => format!("{many} commits"),
    }
}
