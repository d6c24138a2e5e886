//! From the idea to pinned contracts.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::fact::fact_group;
use crate::{BlobRef, ContractKind, Digest, MicroUsd, RepositoryKind, RunId, Tokens};

fact_group!(
    /// Facts about what is to be built.
    PlanFact {
        /// The models of the run were chosen.
        ModelsChosen = "models_chosen",
        /// The prompt was scored.
        RouteDecided = "route_decided",
        /// A model said whether the prompt is clear.
        IntakeClassified = "intake_classified",
        /// The repository was looked at.
        RepositoryRead = "repository_read",
        /// Earlier runs with a similar idea were found.
        EarlierRunsRecalled = "earlier_runs_recalled",
        /// A stage asked project memory.
        MemoryRecalled = "memory_recalled",
        /// A reply named items that it was reminded of.
        MemoryCited = "memory_cited",
        /// Who recommends answers in the discovery.
        RecommendersChosen = "recommenders_chosen",
        /// The questions of the discovery have answers.
        DiscoveryAnswered = "discovery_answered",
        /// A person's words were cut into asks.
        AsksRead = "asks_read",
        /// Every ask has a standing in the spec.
        AsksAccounted = "asks_accounted",
        /// The spec was written.
        SpecWritten = "spec_written",
        /// A contract was submitted and found valid.
        ContractSubmitted = "contract_submitted",
        /// The contracts of the build were fixed.
        ContractsPinned = "contracts_pinned",
    }
);

/// Which model does what, as it was configured when this was recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelsChosen {
    /// Leads: discovery, spec, contracts, synthesis.
    pub leader: String,
    /// The seats of the council; empty for a rule-based review.
    #[serde(default)]
    pub stances: Vec<String>,
    /// Writes and repairs code.
    pub coder: String,
    /// Checks it.
    pub auditor: String,
    /// Judges what no test shows; the auditor where none is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<String>,
    /// The room of each model: conversations are cut by it, so every drive needs the same.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rooms: BTreeMap<String, ModelRoom>,
    /// Who else helps a council; nothing where that was not looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub council: Option<CouncilModels>,
}

/// Who helps a council beside its leader and its seats.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CouncilModels {
    /// Looks things up.
    pub researcher: String,
    /// Does what a quick model can.
    pub fast: String,
    /// Does what a usual model can.
    pub balanced: String,
    /// The model that was configured to lead, when a better one of its provider took its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub promoted_from: Option<String>,
    /// Who leads the council, where it is another than who leads the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leader: Option<String>,
    /// The seats of the council, where they are others than the run's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seats: Vec<String>,
}

/// How much a model takes and gives at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelRoom {
    /// The most tokens of a request and its reply together.
    pub context: Tokens,
    /// The most tokens of a reply.
    pub max_output: Tokens,
}

/// How the prompt was scored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RouteDecided {
    /// The route's word.
    pub route: String,
    /// True when nothing is missing.
    pub sufficient: bool,
    /// What is missing: `target`, `scope`, `intent`.
    #[serde(default)]
    pub missing: Vec<String>,
    /// The label of the complexity.
    pub complexity: String,
    /// The label of the size.
    pub size: String,
    /// Why this route, in the words of the rules.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
    /// Everything that was scored and known, as JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inputs: Option<BlobRef>,
}

/// A model's word on the prompt, beside what the rules say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IntakeClassified {
    /// Its model.
    pub model: String,
    /// `clear` or `vague`; none when it gave no usable answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clarity: Option<String>,
}

/// What the repository holds where the run began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepositoryRead {
    /// What it was taken for.
    pub kind: RepositoryKind,
    /// Source files.
    pub sources: u32,
    /// Test files.
    pub tests: u32,
    /// The probe and the audit, as JSON.
    pub found: BlobRef,
}

/// Earlier runs with a similar idea.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EarlierRunsRecalled {
    /// Their ids, most similar first.
    #[serde(default)]
    pub runs: Vec<RunId>,
    /// What is known of them, as JSON in the same order.
    pub texts: BlobRef,
}

/// What project memory said to a stage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryRecalled {
    /// The ids of the items, most telling first.
    #[serde(default)]
    pub items: Vec<String>,
    /// Their texts, a JSON array in the same order.
    pub texts: BlobRef,
    /// A code: why memory did not answer, `too_slow` or `unreadable`; empty when it did.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unanswered: String,
}

/// The memory items that were named by those who had been given them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryCited {
    /// Their ids, in the order in which they were given.
    #[serde(default)]
    pub items: Vec<String>,
}

/// Who recommends answers in the discovery, and what that had cost by then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecommendersChosen {
    /// `leader` or `council`.
    pub by: String,
    /// A code: why it is the leader where a council was possible; empty otherwise.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// The models of the seats; empty without a council.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seats: Vec<String>,
    /// What recommending had cost, lost calls included.
    pub spent: MicroUsd,
    /// What it may cost.
    pub guard: MicroUsd,
}

/// Every question of the discovery has an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiscoveryAnswered {
    /// The answers, a JSON array of [`crate::DiscoveryAnswer`].
    pub answers: BlobRef,
    /// How many recommendations were taken as they were.
    pub recommended: u32,
}

/// A person's words were cut into asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AsksRead {
    /// A JSON array of [`crate::Ask`].
    pub asks: BlobRef,
    /// How many there are.
    pub count: u32,
}

/// Every ask has a standing in the spec that was written last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AsksAccounted {
    /// A JSON array of [`crate::AskAccount`].
    pub accounts: BlobRef,
    /// Asks that criteria serve.
    pub covered: u32,
    /// Those that only the leader says to be served.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub claimed: u32,
    /// Asks that are left out for a stated reason.
    pub excluded: u32,
    /// Asks that nothing answers for.
    pub open: u32,
    /// Asks that the person said in other words, which are asks of their own.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub reworded: u32,
}

/// The spec was written and found complete.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpecWritten {
    /// A [`crate::Spec`] as JSON.
    pub spec: BlobRef,
    /// How many criteria it has.
    pub criteria: u32,
}

/// A contract was submitted and found valid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContractSubmitted {
    /// Which.
    pub kind: ContractKind,
    /// Counted from one in its run.
    pub version: u32,
    /// Its text.
    pub content: BlobRef,
    /// `provider/model` that wrote it.
    pub model: String,
}

/// From here on every role reads these contracts and no others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContractsPinned {
    /// The digest of each.
    pub contracts: BTreeMap<ContractKind, Digest>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde calls it with a reference"
)]
const fn is_zero(number: &u32) -> bool {
    *number == 0
}
