//! The seal: what a run has proven, signed, and checked again by anybody who has the branch.
//!
//! A seal is an in-toto statement in a DSSE envelope, signed with Ed25519. It lies in a commit of
//! its own at the end of the build's branch and speaks about the tree of that commit's parent, so
//! that checking it needs the repository and nothing else: no journal, no network, no clock. A person
//! who looks later adds a seal of their own behind it: each commit of such a chain adds one new file,
//! and all of them speak about one tree.

mod branch;
mod claims;
mod commit;
mod envelope;
mod follow;
mod key;
mod problem;
#[cfg(test)]
mod sample;
mod statement;
mod verify;

pub use branch::{build_of, default_branch, pick_branch};
pub use commit::{SealMade, SealWork, commit_seal};
pub use envelope::{MAX_ENVELOPE_BYTES, SealError, open_seal, sign_seal};
pub use follow::LaterApproval;
pub use key::{PublicKey, PublicKeyError, SealKey, SealKeyError};
pub use problem::SealProblem;
pub use statement::{
    SealApproval, SealBefore, SealCommand, SealContract, SealCriterion, SealJournal, SealKeptTests,
    SealPredicate, SealProof, SealRefuted, SealReplies, SealSpend, SealStatement, SealSubject,
    Signer, StatementProblem, SubjectDigest,
};
pub use verify::{
    EarlierSeal, ReadersKeys, SealCheck, SignerStanding, VerifySealError, verify_seal,
};

/// Where seals lie in a tree.
pub const SEAL_FOLDER: &str = ".gavel/seal";

/// What the name of every seal ends in.
pub(crate) const SEAL_ENDING: &str = ".dsse.json";

/// The place of a build's seal in the tree.
pub fn seal_file(build: &str) -> String {
    format!("{SEAL_FOLDER}/{build}{SEAL_ENDING}")
}

/// The place of the `number`-th seal of a build, counted from one: each is a file of its own.
pub fn numbered_seal_file(build: &str, number: usize) -> String {
    match number {
        0 | 1 => seal_file(build),
        number => format!("{SEAL_FOLDER}/{build}.{number}{SEAL_ENDING}"),
    }
}
