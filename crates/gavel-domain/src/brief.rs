//! What a run is given when it starts.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The brief of a run, kept as JSON; places are absolute.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProductBrief {
    /// The idea, as it was typed.
    pub idea: String,
    /// The git program.
    pub git: PathBuf,
    /// The checkout whose memory is read; never written.
    pub checkout: PathBuf,
    /// Its repository's git dir.
    pub repository: PathBuf,
    /// The commit to begin with.
    pub base: String,
    /// The folder of the build's work tree; what belongs to it lies beside it.
    pub work_tree: PathBuf,
    /// The prefix of build branches, for example `gavel/`.
    pub branch_prefix: String,
    /// A wish about the stack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stack: Option<String>,
    /// True when project memory is not to be asked.
    #[serde(default)]
    pub without_memory: bool,
    /// True when the council is to debate whatever the scores say.
    #[serde(default)]
    pub force_council: bool,
    /// True when a person gives a verdict after each phase.
    #[serde(default)]
    pub review_phases: bool,
    /// True when the contracts are to have three phases at most.
    #[serde(default)]
    pub mini: bool,
    /// True when the idea is about the repository as it is, so it is not taken for a new product.
    #[serde(default)]
    pub from_repo: bool,
}
