//! From the idea to pinned contracts.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::fact::fact_group;
use crate::{BlobRef, ContractKind, Digest};

fact_group!(
    /// Facts about what is to be built.
    PlanFact {
        /// The models of the run were chosen.
        ModelsChosen = "models_chosen",
        /// The prompt was scored.
        RouteDecided = "route_decided",
        /// A stage asked project memory.
        MemoryRecalled = "memory_recalled",
        /// The questions of the discovery have answers.
        DiscoveryAnswered = "discovery_answered",
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
}

/// What project memory said to a stage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryRecalled {
    /// The ids of the items, most telling first.
    #[serde(default)]
    pub items: Vec<String>,
    /// Their texts, a JSON array in the same order.
    pub texts: BlobRef,
}

/// Every question of the discovery has an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiscoveryAnswered {
    /// The answers, a JSON array of [`crate::DiscoveryAnswer`].
    pub answers: BlobRef,
    /// How many recommendations were taken as they were.
    pub recommended: u32,
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
