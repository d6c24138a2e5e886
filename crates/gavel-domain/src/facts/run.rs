//! The life of a run, and what people said to it.

use serde::{Deserialize, Serialize};

use crate::fact::fact_group;
use crate::{BlobRef, Digest, InboxId, ProjectId, RecordKey, Settings, Speaker, Stage};

fact_group!(
    /// Facts about the run as a whole.
    RunFact {
        /// It began.
        RunStarted = "run_started",
        /// Somebody drove on.
        Resumed = "resumed",
        /// It moved to a stage.
        StageEntered = "stage_entered",
        /// It was paused.
        Paused = "paused",
        /// It stopped with a reason.
        Halted = "halted",
        /// A bug of ours stopped it.
        Faulted = "faulted",
        /// It was given up.
        Aborted = "aborted",
        /// It was sealed.
        Sealed = "sealed",
        /// It gave its answer, and nothing was to be built.
        Closed = "closed",
        /// Somebody interjected.
        Said = "said",
        /// Interjections reached a turn.
        Heard = "heard",
        /// Somebody asked to ship.
        ShipRequested = "ship_requested",
        /// An inbox row was refused.
        InboxRejected = "inbox_rejected",
    }
);

/// The first fact of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunStarted {
    /// Which version of the driver's flow this run follows; later changes are guarded by it.
    pub flow: u32,
    /// What drives it, for example `product` or `toy`.
    pub driver: String,
    /// The seed of `run.random`.
    pub seed: Digest,
    /// The version of Gavel that started it.
    pub gavel: String,
    /// The effective settings.
    pub settings: Settings,
    /// The project, when there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<ProjectId>,
    /// What the driver was given (an idea, a path), as a blob.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub brief: Option<BlobRef>,
}

/// Somebody took the lease of a run that had begun before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resumed {
    /// True when the last driver stopped without saying so.
    pub unclean: bool,
    /// The version of Gavel that drives now.
    pub gavel: String,
}

/// The run moved to a stage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StageEntered {
    /// Which.
    pub stage: Stage,
}

/// Why a run was paused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PauseCause {
    /// Somebody posted `pause`.
    Asked,
    /// ctrl-C at the driver.
    Interrupted,
    /// The drive ended with an error that is told to whoever drove, for example a missing model.
    Failed,
}

/// The run was paused between two steps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Paused {
    /// Why.
    pub cause: PauseCause,
    /// Who.
    pub by: Speaker,
}

/// The run stopped with a reason that a person can act on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Halted {
    /// A code such as `max_sprints_reached`.
    pub reason: String,
    /// More about it, as a blob.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<BlobRef>,
}

/// A bug of ours stopped the run; it may be resumed, for example with a newer version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Faulted {
    /// What broke, as a blob.
    pub detail: BlobRef,
}

/// The run was given up for good.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Aborted {
    /// Who.
    pub by: Speaker,
    /// Why, in their words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<BlobRef>,
}

/// The run is done: its branch carries a seal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sealed {
    /// The sealed branch.
    pub branch: String,
    /// The seal commit.
    pub commit: String,
    /// `certified`, `conditional` or `flagged`.
    pub verdict: String,
}

/// The run is done: what was asked has its answer, and nothing was to be built.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Closed {
    /// A code: `decided`, `open`, `reviewed` (rules alone), `withdrawn`.
    pub how: String,
}

/// Somebody interjected; the text reaches the next model turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    /// The inbox row.
    pub id: InboxId,
    /// Who.
    pub by: Speaker,
    /// What.
    pub text: BlobRef,
}

/// Interjections that reached a model turn, in the order in which they were said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heard {
    /// The inbox rows.
    pub said: Vec<InboxId>,
}

/// Somebody asked to ship.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShipRequested {
    /// Who.
    pub by: Speaker,
}

/// An inbox row that was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InboxRejected {
    /// A code such as `already_answered`, `not_open`, `person_only`, `malformed`.
    pub reason: String,
    /// The record that stands in its way, for example the winning answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub winner: Option<RecordKey>,
}
