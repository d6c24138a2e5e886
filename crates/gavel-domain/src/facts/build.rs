//! From the first phase to the seal.

use serde::{Deserialize, Serialize};

use crate::fact::fact_group;
use crate::{
    ApprovalRule, BlobRef, Digest, FaultCount, MicroUsd, PushRefusal, PushState, RecordKey,
    Speaker, Stage,
};

fact_group!(
    /// Facts of a build.
    BuildFact {
        /// A sprint begins.
        SprintOpened = "sprint_opened",
        /// A sprint has a plan.
        SprintPlanned = "sprint_planned",
        /// A sprint moved on.
        SprintStage = "sprint_stage",
        /// An auditor judged.
        AuditFinished = "audit_finished",
        /// An error was found.
        ErrorTracked = "error_tracked",
        /// An error is gone.
        ErrorResolved = "error_resolved",
        /// Whether somebody had asked to ship when this was looked at.
        ShipHeeded = "ship_heeded",
        /// The branch was pushed.
        BranchPushed = "branch_pushed",
        /// The done gate judged.
        GateJudged = "gate_judged",
        /// A rule of the person's settings let the result be shipped.
        PolicyApproved = "policy_approved",
        /// A seal was signed.
        SealSigned = "seal_signed",
        /// A person looked at a sealed result and agreed to it.
        SealApproved = "seal_approved",
        /// The run learned something that memory may keep.
        LessonProposed = "lesson_proposed",
    }
);

/// A sprint begins, with what had been used up by then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SprintOpened {
    /// Counted from one over the whole run.
    pub sprint: u32,
    /// The phase that it works on; none on the hot path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<u32>,
    /// Counted from one in its phase.
    pub of_phase: u32,
    /// What the run had spent, lost calls included.
    pub spent: MicroUsd,
    /// How long the run had been driven, waiting for people left out, in milliseconds.
    pub driven_ms: u64,
    /// The money cap in force by then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cap: Option<MicroUsd>,
    /// What people said since the sprint before, a JSON array of texts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<BlobRef>,
    /// What it is told beside the phase: open criteria, failures, feedback.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub focus: Option<BlobRef>,
}

/// A sprint builds one phase of the contracts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SprintPlanned {
    /// Counted from one.
    pub sprint: u32,
    /// The phase that it builds.
    pub phase: u32,
    /// The files, as JSON.
    pub plan: BlobRef,
    /// How many files.
    pub files: u32,
}

/// What a sprint does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SprintPart {
    /// The scout reads.
    Scout,
    /// The files are planned.
    Plan,
    /// The coder writes.
    Code,
    /// The tests run.
    Verify,
    /// The auditor reads.
    Audit,
    /// The fixer repairs.
    Fix,
    /// The work is committed.
    Commit,
}

/// A sprint moved on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SprintStage {
    /// Which sprint.
    pub sprint: u32,
    /// To what.
    pub part: SprintPart,
    /// The round of repairs; zero before the first.
    #[serde(default)]
    pub round: u32,
}

/// What an audit came to; a judgement that is missing or unreadable is `unclear`, never a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuditVerdict {
    /// Nothing stands against it.
    Pass,
    /// At least one error.
    Fail,
    /// The auditor gave no judgement.
    Unclear,
}

/// An auditor judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditFinished {
    /// What it came to.
    pub verdict: AuditVerdict,
    /// Findings that must be repaired.
    pub errors: u32,
    /// Findings that need not.
    pub warnings: u32,
    /// The findings, as JSON.
    pub findings: BlobRef,
}

/// An error was found by a test, an audit or a gate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorTracked {
    /// Its identity: the same error found again has the same.
    pub error: Digest,
    /// Who found it: `verify`, `audit`, `gate`.
    pub source: String,
    /// In which sprint.
    pub sprint: u32,
    /// What it is.
    pub text: BlobRef,
}

/// An error is gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorResolved {
    /// Which.
    pub error: Digest,
    /// In which sprint.
    pub sprint: u32,
}

/// Whether somebody had asked to ship when this was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShipHeeded {
    /// True when the run goes to the gate at once.
    pub asked: bool,
    /// How many requests there were by then; each is heeded once.
    #[serde(default)]
    pub requests: u32,
}

/// The branch was pushed to the remote that the repository names, or was not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BranchPushed {
    /// The branch.
    pub branch: String,
    /// Its tip.
    pub commit: String,
    /// Why it was not pushed; the run goes on without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<BlobRef>,
    /// Set when it was not even tried; `failed` then tells the same in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withheld: Option<PushRefusal>,
}

impl BranchPushed {
    /// What came of it.
    pub const fn state(&self) -> PushState {
        match (self.withheld, self.failed) {
            (Some(_), _) => PushState::NotAgreed,
            (None, Some(_)) => PushState::Failed,
            (None, None) => PushState::Pushed,
        }
    }
}

/// One condition of the done gate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateCondition {
    /// Its id, for example `tests_passed`.
    pub id: String,
    /// True when it holds; what cannot be answered does not.
    pub holds: bool,
    /// How many things it looked at.
    pub looked_at: u32,
    /// How many of them hold.
    pub held: u32,
    /// A code: why it does not hold, or `not_applicable`; empty when it simply holds.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

impl GateCondition {
    /// The reason of a condition that has nothing to look at in this run.
    pub const NOT_APPLICABLE: &str = "not_applicable";
    /// The reason of one that was not looked at, since one before it does not hold or is unanswered.
    pub const NOT_REACHED: &str = "not_reached";

    /// What it came to.
    pub fn state(&self) -> ConditionState {
        match (self.holds, self.reason.as_str()) {
            (true, "") => ConditionState::Holds,
            (true, Self::NOT_APPLICABLE) => ConditionState::NotApplicable,
            (true, _) => ConditionState::Waived,
            (false, Self::NOT_REACHED) => ConditionState::NotReached,
            (false, _) => ConditionState::Fails,
        }
    }
}

/// What a condition of the done gate came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ConditionState {
    /// It was looked at and holds.
    Holds,
    /// The run goes on without it, for the reason that it names.
    Waived,
    /// The run has no such thing.
    NotApplicable,
    /// It was not looked at.
    NotReached,
    /// It was looked at and does not hold.
    Fails,
}

/// The done gate judged a commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateJudged {
    /// The commit.
    pub commit: String,
    /// True when the run may be sealed.
    pub passed: bool,
    /// The share of what was asked that was shown, in thousandths.
    pub score: u32,
    /// The conditions, in order.
    pub conditions: Vec<GateCondition>,
    /// What was shown for each criterion, as JSON.
    pub evidence: BlobRef,
    /// Faults that were planted in the code; none where nothing was planted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub faults: Option<FaultCount>,
}

/// A seal was signed, and waits for its commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SealSigned {
    /// `certified`, `conditional` or `flagged`.
    pub verdict: String,
    /// The envelope.
    pub envelope: BlobRef,
    /// The id of the signing key.
    pub key: String,
}

/// A rule of the person's own settings let a result be shipped that nobody looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyApproved {
    /// The rule.
    pub rule: ApprovalRule,
    /// How many criteria it looked at; all of them are as it wants them.
    pub criteria: u32,
}

/// A person looked at a result that was sealed without one, and agreed to it. A seal of its own follows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SealApproved {
    /// Who.
    pub by: Speaker,
    /// The commit with the seal that they looked at.
    pub seal: String,
    /// The commit that was judged.
    pub judged: String,
}

/// The run learned something that memory may keep; a person accepts it or not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LessonProposed {
    /// The kind of memory item, for example `trap`.
    pub kind: String,
    /// What was learned.
    pub text: BlobRef,
    /// The stage in which it showed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<Stage>,
    /// The record that it rests on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rests_on: Option<RecordKey>,
}
