//! Building phase by phase: scout, plan, code, verify, audit, fix, commit; and the seal.

mod audit;
mod hidden;
mod output;
mod own_thread;
mod permissions;
mod phase;
mod plan;
mod proof;
mod push;
mod reminders;
mod runner;
mod seal;
mod site;
mod sprint;
mod troubles;
mod verify;
mod words;
mod work;
mod workshop;

pub use audit::{Finding, Severity, tools};
pub use hidden::HiddenFiles;
pub use output::{CommandRan, SmokeRan, VerifyOutput};
pub use permissions::Permissions;
pub use phase::{PhaseEnd, PhaseWork, build_phase, commit_phase};
pub use proof::{
    ExampleCase, Hiding, KeptCase, KeptTestsSeen, KeptTrial, ProofBench, ProofBudget, TestCase,
    TouchedLines, Unlisted, execute_examples, prove_tests, run_kept_tests, try_kept_tests,
};
pub use push::{Publication, PushTarget, push_branch};
pub use runner::{RunnerCompared, compare_runner};
pub use seal::{
    EarlierSeal, LaterApproval, MAX_ENVELOPE_BYTES, PublicKey, PublicKeyError, ReadersKeys,
    SEAL_FOLDER, SealApproval, SealBefore, SealCheck, SealCommand, SealContract, SealCriterion,
    SealError, SealJournal, SealKeptTests, SealKey, SealKeyError, SealMade, SealPredicate,
    SealProblem, SealProof, SealRefuted, SealReplies, SealSpend, SealStatement, SealSubject,
    SealWork, Signer, SignerStanding, StatementProblem, SubjectDigest, VerifySealError, build_of,
    commit_seal, default_branch, numbered_seal_file, open_seal, pick_branch, seal_file, sign_seal,
    verify_seal,
};
pub use site::{Crew, Site};
pub use verify::{CommitVerified, JudgedCommit, verify_commit};
pub use work::{
    BaseTestsSeen, NewTestsSeen, WorkCase, WorkRead, inspect, read_work, run_base_tests,
    run_new_tests,
};
pub use workshop::Workshop;
