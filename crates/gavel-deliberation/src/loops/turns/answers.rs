//! What models are asked for, per shape. Every field can be missing where an answer makes sense
//! without it; what makes no sense is said when it is handed in.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A text: a proposal, a reframing, advice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) struct TextAnswer {
    /// The text.
    pub(super) text: String,
    /// Ids of the brief that it rests on.
    #[serde(default)]
    pub(super) cites: Vec<String>,
}

/// What a critic says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) struct CritiqueAnswer {
    /// One entry for each point.
    #[serde(default)]
    pub(super) critiques: Vec<Critique>,
    /// True when there is nothing beyond them.
    #[serde(default)]
    pub(super) nothing_new: bool,
    /// True when the proposal can be carried out as it stands.
    #[serde(default)]
    pub(super) good_enough: bool,
    /// One sentence about either.
    #[serde(default)]
    pub(super) why: String,
}

/// One critique.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) struct Critique {
    /// What is overlooked.
    pub(super) text: String,
    /// The memory items that show it.
    #[serde(default)]
    pub(super) cites: Vec<String>,
    /// What sort of critique it is.
    pub(super) kind: CritiqueKind,
}

/// Sorts of critique.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum CritiqueKind {
    /// It goes against something that is remembered.
    MemoryConflict,
    /// It leaves something out.
    CoverageGap,
    /// It does more than it was asked to.
    ScopeCreep,
}

/// A text that answers critiques or findings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) struct RevisionAnswer {
    /// The text as it stands now.
    pub(super) text: String,
    /// One entry for each critique.
    #[serde(default)]
    pub(super) answers: Vec<Answered>,
}

/// How one critique is answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) struct Answered {
    /// Its id.
    pub(super) critique: String,
    /// How.
    pub(super) how: String,
}

/// A plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) struct PlanAnswer {
    /// What is to be done and why.
    pub(super) summary: String,
    /// What to do, in order.
    #[serde(default)]
    pub(super) steps: Vec<String>,
    /// The critiques that it answers.
    #[serde(default)]
    pub(super) addresses_critique: Vec<String>,
    /// The critiques that it leaves.
    #[serde(default)]
    pub(super) waived: Vec<Left>,
}

/// A critique that is left, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) struct Left {
    /// Its id.
    pub(super) id: String,
    /// Why.
    #[serde(default)]
    pub(super) reason: String,
}

/// What a reviewer says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) struct FindingAnswer {
    /// What is wrong.
    #[serde(default)]
    pub(super) findings: Vec<TextAnswer>,
    /// True when there is nothing beyond it.
    #[serde(default)]
    pub(super) nothing_new: bool,
    /// True when the change can go in as it stands.
    #[serde(default)]
    pub(super) accepted: bool,
    /// One sentence about either.
    #[serde(default)]
    pub(super) why: String,
}

/// A verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) struct VerdictAnswer {
    /// True when the change can go in.
    pub(super) accepted: bool,
    /// Why.
    pub(super) why: String,
}

/// Whatever else a phase takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) struct ArtifactsAnswer {
    /// What is handed in.
    #[serde(default)]
    pub(super) artifacts: Vec<Artifact>,
}

/// One thing that is handed in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) struct Artifact {
    /// Its type.
    #[serde(rename = "type")]
    pub(super) kind: String,
    /// The text.
    pub(super) text: String,
    /// Ids of the brief that it rests on.
    #[serde(default)]
    pub(super) cites: Vec<String>,
}
