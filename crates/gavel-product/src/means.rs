//! What a run is driven with on this machine, now: nothing of it is recorded by itself.

use std::collections::BTreeMap;

use gavel_build::{SealKey, Workshop};
use gavel_domain::{RunId, RunState, Timestamp};
use gavel_models::{ModelId, ModelInfo};
use serde::{Deserialize, Serialize};

/// Which configured model does what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slots {
    /// Leads: discovery, spec, contracts, synthesis.
    pub leader: ModelId,
    /// The seats of the council; none for a rule-based review.
    pub stances: Vec<ModelId>,
    /// Writes and repairs code.
    pub coder: ModelId,
    /// Checks it.
    pub auditor: ModelId,
    /// Judges what no test shows.
    pub judge: ModelId,
}

/// Another run, as far as it matters to one with a similar idea.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EarlierRun {
    /// Which.
    pub run: RunId,
    /// Its idea.
    pub idea: String,
    /// When it was last touched.
    pub at: Timestamp,
    /// Its state, for example `sealed`.
    pub state: RunState,
    /// Why it ended, where it says so; may be empty.
    pub reason: String,
}

/// What a drive works with besides the run.
#[derive(Debug)]
pub struct Means {
    /// The models as they are configured now.
    pub slots: Slots,
    /// What is known about every model that can be reached.
    pub models: BTreeMap<ModelId, ModelInfo>,
    /// Where commands run.
    pub workshop: Workshop,
    /// Signs the seal.
    pub seal_key: SealKey,
    /// What other runs on this machine came to, newest first.
    pub earlier: Vec<EarlierRun>,
}
