//! Building phase by phase: scout, plan, code, verify, audit, fix, commit; and the seal.

mod seal;
mod workshop;

pub use seal::{
    MAX_ENVELOPE_BYTES, PublicKey, PublicKeyError, SEAL_FOLDER, SealCheck, SealCommand,
    SealContract, SealCriterion, SealError, SealJournal, SealKey, SealKeyError, SealMade,
    SealPredicate, SealProblem, SealSpend, SealStatement, SealSubject, SealVerdict, SealWork,
    Signer, SignerStanding, StatementProblem, SubjectDigest, VerifySealError, build_of,
    commit_seal, default_branch, open_seal, pick_branch, seal_file, sign_seal, verify_seal,
};
pub use workshop::Workshop;
