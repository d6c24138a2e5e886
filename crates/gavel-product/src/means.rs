//! What a run is driven with on this machine, now: nothing of it is recorded by itself.

use std::collections::BTreeMap;
use std::sync::Arc;

use gavel_agent::Source;
use gavel_build::{SealKey, Workshop};
use gavel_domain::{MicroUsd, RunId, RunState, Stage, Timestamp};
use gavel_models::{ModelId, ModelInfo};
use gavel_rules::{Route, StageHistory};
use serde::{Deserialize, Serialize};

use crate::{DoubtedCouncil, MemoryMeans};

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
    /// Looks things up for a council.
    pub researcher: ModelId,
}

/// What a council may draw on, and how it came to be named.
#[derive(Debug, Clone, Default)]
pub struct Reach {
    /// Every model that the person named and that can be reached, those of the slots first.
    pub models: Vec<ModelInfo>,
    /// True when a person named who leads, and did not only name one model for everything.
    pub leader_named: bool,
    /// True when a person named who sits.
    pub seats_named: bool,
    /// Who outside the project can be asked.
    pub sources: Vec<Arc<dyn Source>>,
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

/// What earlier runs with the same models spent, stage by stage, apart for each way.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SpendHistory {
    /// Runs through the council.
    pub council: BTreeMap<Stage, StageHistory>,
    /// Small changes.
    pub hot_path: BTreeMap<Stage, StageHistory>,
}

impl SpendHistory {
    /// Those of a way.
    pub const fn on(&self, route: Route) -> &BTreeMap<Stage, StageHistory> {
        match route {
            Route::Council => &self.council,
            Route::HotPath => &self.hot_path,
        }
    }

    /// Takes in what a run spent in a stage.
    pub fn add(&mut self, route: Route, stage: Stage, spent: MicroUsd) {
        let stages = match route {
            Route::Council => &mut self.council,
            Route::HotPath => &mut self.hot_path,
        };
        stages
            .entry(stage)
            .and_modify(|history| *history = history.and(spent))
            .or_insert_with(|| StageHistory::of(spent));
    }
}

/// What a drive works with besides the run.
#[derive(Debug)]
pub struct Means {
    /// The models as they are configured now.
    pub slots: Slots,
    /// What is known about every model that may work, and about those on record.
    pub models: BTreeMap<ModelId, ModelInfo>,
    /// The models that a council may have.
    pub reach: Reach,
    /// Where commands run.
    pub workshop: Workshop,
    /// Signs the seal.
    pub seal_key: SealKey,
    /// What other runs on this machine came to, newest first.
    pub earlier: Vec<EarlierRun>,
    /// Earlier councils of this project whose outcome was doubted.
    pub doubted_councils: Vec<DoubtedCouncil>,
    /// What earlier runs with the same models spent.
    pub spend_history: SpendHistory,
    /// Where project memory is found.
    pub memory: MemoryMeans,
}
