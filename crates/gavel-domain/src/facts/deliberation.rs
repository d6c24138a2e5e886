//! What happens in a deliberation loop.

use serde::{Deserialize, Serialize};

use crate::fact::fact_group;
use crate::{
    AgentId, BlobRef, Digest, LoopStatus, Protocol, Seq, Slot, Speaker, TurnOutcome, Word,
};

fact_group!(
    /// Facts of deliberation loops.
    LoopFact {
        /// A loop was opened.
        LoopOpened = "loop_opened",
        /// A turn was given out, with its brief.
        TurnAssigned = "turn_assigned",
        /// Somebody handed something in.
        ArtifactAdded = "artifact_added",
        /// A turn is over.
        TurnCompleted = "turn_completed",
        /// The loop went on to another phase.
        PhaseAdvanced = "phase_advanced",
        /// The loop could not leave its phase.
        PhaseAdvanceBlocked = "phase_advance_blocked",
        /// A cycle ended at its limit.
        MaxIterationsReached = "max_iterations_reached",
        /// Somebody paused the loop.
        LoopPaused = "loop_paused",
        /// Somebody let it go on.
        LoopResumed = "loop_resumed",
        /// The loop is over.
        LoopClosed = "loop_closed",
        /// A call with an idempotency key was answered.
        RequestAnswered = "request_answered",
        /// A plan draft became memory.
        DraftPromoted = "draft_promoted",
    }
);

/// A loop was opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoopOpened {
    /// How it goes.
    pub protocol: Protocol,
    /// Who takes part.
    pub slots: Vec<Slot>,
    /// What it is about, one line.
    pub title: BlobRef,
    /// What it is to achieve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<BlobRef>,
    /// Who opened it.
    pub by: AgentId,
    /// Through which door.
    pub speaker: Speaker,
}

/// A turn was given out, with its brief.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnAssigned {
    /// Counted from one in the loop.
    pub turn: u32,
    /// Whose.
    pub slot: String,
    /// The phase that it belongs to, whatever phase the loop is in when it comes back.
    pub phase: Word,
    /// The iteration that it belongs to.
    pub iteration: u32,
    /// What the slot was given.
    pub brief: BlobRef,
    /// The memory items that the brief really holds.
    pub items: Vec<String>,
    /// Those of them that nobody had accepted: they may be cited, and no critique rests on them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub proposed: Vec<String>,
    /// The artifacts that the brief really shows.
    pub artifacts: Vec<u32>,
    /// How many memory items and artifacts did not fit.
    pub dropped: u32,
    /// Who gave it out.
    pub by: AgentId,
}

/// Why an artifact does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Discounted {
    /// There is nothing in it.
    Empty,
    /// A critique that cites nothing which its brief held.
    NoValidCitation,
    /// The same was handed in before.
    SaidBefore,
    /// Its turn belongs to a phase or an iteration that is over.
    Late,
}

/// Something that a plan leaves unanswered on purpose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waived {
    /// The critique.
    pub artifact: u32,
    /// Why.
    pub reason: BlobRef,
}

/// Somebody handed something in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArtifactAdded {
    /// Counted from one in the loop.
    pub artifact: u32,
    /// What it is.
    #[serde(rename = "type")]
    pub kind: Word,
    /// The phase of its turn.
    pub phase: Word,
    /// The iteration of its turn.
    pub iteration: u32,
    /// Whose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slot: Option<String>,
    /// The turn that it came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<u32>,
    /// The whole text.
    pub body: BlobRef,
    /// How many bytes of it are shown; less than the text has when it was cut.
    pub shown: u32,
    /// The memory items and artifacts that it cites, and that its brief held.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cites: Vec<String>,
    /// How many citations did not hold.
    #[serde(default)]
    pub cites_refused: u32,
    /// The critiques that a plan answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub addresses: Vec<u32>,
    /// The critiques that a plan leaves, with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waived: Vec<Waived>,
    /// The critiques that a plan neither answers nor leaves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uncovered: Vec<u32>,
    /// True for a verdict that accepts.
    #[serde(default)]
    pub green: bool,
    /// Why it does not count; nothing when it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discounted: Option<Discounted>,
    /// Who handed it in.
    pub by: AgentId,
}

/// A turn is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnCompleted {
    /// Which.
    pub turn: u32,
    /// Whose.
    pub slot: String,
    /// How.
    pub outcome: TurnOutcome,
    /// Why it failed or was taken back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<BlobRef>,
    /// Who said so.
    pub by: AgentId,
}

/// How a loop came to its next phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Advance {
    /// To the next one.
    AdvanceTo,
    /// Back to the first of the cycle.
    IterateTo,
    /// Out of the cycle, by its exit rule.
    ExitCycle,
    /// Out of the cycle, at its limit.
    MaxIterations,
    /// Whoever opened it said so.
    Forced,
}

/// The loop went on to another phase.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseAdvanced {
    /// From.
    pub from: Word,
    /// To.
    pub to: Word,
    /// The iteration from now on.
    pub iteration: u32,
    /// How.
    pub how: Advance,
    /// Who said so.
    pub by: AgentId,
}

/// Something that is missing at a gate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Unmet {
    /// Too few artifacts that count.
    Artifacts {
        /// Of this type.
        #[serde(rename = "type")]
        kind: Word,
        /// There are so many.
        have: u32,
        /// There should be so many.
        need: u32,
        /// So many more were handed in and do not count.
        discounted: u32,
    },
    /// Slots that have not closed their window.
    OpenWindows {
        /// Which.
        slots: Vec<String>,
    },
    /// Turns that failed and were neither given out again nor taken back.
    FailedTurns {
        /// Of which slots.
        slots: Vec<String>,
    },
    /// Another phase must be reached.
    Phase {
        /// Which.
        phase: Word,
    },
    /// No verdict accepts.
    Verdict,
    /// Too few iterations.
    Iterations {
        /// There were so many.
        have: u32,
        /// There should be so many.
        need: u32,
    },
    /// Questions are open.
    Questions {
        /// How many.
        open: u32,
    },
    /// Somebody has to say so.
    Person,
}

/// The loop could not leave its phase.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseAdvanceBlocked {
    /// Which phase.
    pub phase: Word,
    /// In which iteration.
    pub iteration: u32,
    /// What is missing.
    pub unmet: Vec<Unmet>,
    /// Who tried.
    pub by: AgentId,
}

/// A cycle ended at its limit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MaxIterationsReached {
    /// In which phase.
    pub phase: Word,
    /// How many iterations are over.
    pub iteration: u32,
    /// The limit.
    pub max_iterations: u32,
}

/// Somebody paused the loop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoopPaused {
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<BlobRef>,
    /// Who.
    pub by: AgentId,
}

/// Somebody let the loop go on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoopResumed {
    /// Who.
    pub by: AgentId,
}

/// Why a loop is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoopEnd {
    /// Its stop condition holds.
    StopCondition,
    /// Its stop condition holds because of a limit.
    Limit,
    /// Somebody closed it.
    Closed,
    /// Gavel's own turns could not get it on.
    Stuck,
}

/// The loop is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoopClosed {
    /// As what.
    pub status: LoopStatus,
    /// Why.
    pub end: LoopEnd,
    /// What was said about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<BlobRef>,
    /// Who.
    pub by: AgentId,
}

/// A call with an idempotency key was answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestAnswered {
    /// The digest of agent and key.
    pub request: Digest,
    /// The canonical digest of what was asked.
    pub asked: Digest,
    /// The answer, as JSON.
    pub answer: BlobRef,
    /// The version that the loop had before.
    pub version: Seq,
}

/// A plan draft became memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DraftPromoted {
    /// The plan draft.
    pub artifact: u32,
    /// The memory item.
    pub item: String,
    /// Who accepted it.
    pub by: AgentId,
}
