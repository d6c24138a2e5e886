//! Everything of one build: its tree, its branch, its tools, its models.

use std::path::PathBuf;
use std::sync::Arc;

use gavel_agent::{Registry, ToolContext};
use gavel_models::ModelInfo;
use gavel_rules::RunnerRules;
use gavel_workspace::{BuildBranch, CommitId, WorkTree};

use crate::{HiddenFiles, PushTarget, Workshop};

/// Where one build happens.
#[derive(Debug)]
pub struct Site {
    /// The work tree; opened with [`gavel_run::Run::open_tree`] in each drive.
    pub tree: Arc<WorkTree>,
    /// The commit that the run begins with: whoever ran the tests then may run them.
    pub base: CommitId,
    /// What counts as a change of who runs the tests.
    pub runner_rules: RunnerRules,
    /// The branch that gets the commits.
    pub branch: BuildBranch,
    /// Where the branch is pushed to, if anywhere.
    pub push: PushTarget,
    /// Credential files that commands do not see.
    pub hidden: Arc<HiddenFiles>,
    /// The tools: those of a work tree, those that read contracts, and [`crate::tools`].
    pub tools: Arc<Registry>,
    /// What the tools work with: the tree and its commands.
    pub context: ToolContext,
    /// Where commands run.
    pub workshop: Workshop,
    /// The absolute folder for caches, locks and fresh checkouts of this build.
    pub beside: PathBuf,
}

/// The models of a build.
#[derive(Debug, Clone)]
pub struct Crew {
    /// Scouts, plans, writes and repairs.
    pub coder: ModelInfo,
    /// Audits.
    pub auditor: ModelInfo,
}
