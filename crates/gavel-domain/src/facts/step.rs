//! What the engine records around steps.

use serde::{Deserialize, Serialize};

use crate::fact::fact_group;
use crate::{Billed, Digest, Fault, MicroUsd, Timestamp};

fact_group!(
    /// Facts that the engine writes beside the outcome of a step.
    StepFact {
        /// An attempt failed.
        AttemptFailed = "attempt_failed",
        /// No further attempt will be made.
        GaveUp = "gave_up",
        /// A step that must not be repeated began.
        StepBegan = "step_began",
        /// The work tree after a step.
        TreeRecorded = "tree_recorded",
        /// A recorded step was asked for with another input.
        InputDrifted = "input_drifted",
        /// A timer was set.
        TimerSet = "timer_set",
        /// A timer fired.
        TimerFired = "timer_fired",
    }
);

/// An attempt at a step failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttemptFailed {
    /// What happened.
    #[serde(flatten)]
    pub fault: Fault,
    /// Whether it may have been charged.
    pub billed: Billed,
    /// What was booked for it.
    pub cost: MicroUsd,
}

/// The policy is exhausted or the fault is final; asking again returns this.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GaveUp {
    /// The last fault.
    pub error: Fault,
    /// How many attempts were recorded.
    pub attempts: u32,
}

/// A step of class `Once` began; without an outcome it may or may not have happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepBegan {}

/// The state of the work tree after the `n`-th step that may change it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeRecorded {
    /// Counts such steps, so that the latest is known whatever the order of reading.
    pub n: u32,
    /// The git tree.
    pub tree: String,
}

/// A recorded step was asked for with another input than it was made with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputDrifted {
    /// The input on record.
    pub recorded: Digest,
    /// The input now.
    pub asked: Digest,
}

/// A timer; it fires when somebody drives at or after its time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimerSet {
    /// When.
    pub due_at: Timestamp,
}

/// The timer was due and somebody drove.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimerFired {}
