//! A small driver that gives one task to an agent, for the door tests and `gavel toy --task`.
//!
//! It opens the tree, lets the agent work with its tools, commits what it did and halts. Stages,
//! contracts and gates come with the product; this shows that tools, sandbox, journal and git hold
//! together behind the real binary.

use std::path::PathBuf;
use std::sync::Arc;

use gavel_domain::{Halted, Role, Stage, StageEntered};
use gavel_models::{ModelId, ModelInfo};
use gavel_run::{Run, RunError, StepCommit};
use gavel_workspace::{BranchPrefix, CommitId, Scrubber, TreeRoot, WorkTree, WorkTreePlace};
use serde::{Deserialize, Serialize};

use crate::{
    Agent, AgentLimits, Caller, CommandRoom, Registry, ToolContext, WorkStop, work_tree_tools,
};

/// The driver's name in `run_started`.
pub const DRIVER: &str = "toy-agent";
/// The version of its flow.
pub const FLOW: u32 = 1;

const TURNS: u32 = 12;

/// What such a run is given; the run's brief, as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToyTask {
    /// The git program.
    pub git: PathBuf,
    /// The repository's git dir.
    pub repository: PathBuf,
    /// The work tree's folder.
    pub folder: PathBuf,
    /// The commit to begin with.
    pub base: String,
    /// The model.
    pub model: ModelId,
    /// What to do.
    pub task: String,
}

/// What the driver works with besides the run.
#[derive(Debug)]
pub struct ToyMeans {
    /// Where commands run; without it the agent has no command tools.
    pub room: Option<CommandRoom>,
    /// The model.
    pub model: ModelInfo,
}

/// Drives the run from top to bottom.
pub async fn drive(run: Run, task: ToyTask, means: ToyMeans) -> Result<(), RunError> {
    let unusable = |problem: &dyn std::fmt::Display| RunError::Brief {
        run: run.id(),
        problem: problem.to_string(),
    };
    let place = WorkTreePlace {
        git: task.git.clone(),
        repository: task.repository.clone(),
        folder: task.folder.clone(),
    };
    let tree = WorkTree::open(&place, run.id())
        .await
        .map_err(|error| unusable(&error))?;
    let tree = Arc::new(tree);
    let base: CommitId = task.base.parse().map_err(|error| unusable(&error))?;
    let begun = tree
        .tree_of(&base)
        .await
        .map_err(|error| unusable(&error))?;
    run.open_tree(&tree, &begun).await?;
    let scope = run.scope("task", 1)?;
    let entered = StageEntered {
        stage: Stage::Building,
    };
    let entered = run.decide(scope.key("stage")?, entered).await?;

    let files = TreeRoot::open(tree.folder()).map_err(|error| unusable(&error))?;
    let scrubber = Scrubber::new([]).map_err(|error| unusable(&error))?;
    let mut context =
        ToolContext::reading(Arc::new(files), Arc::new(scrubber)).with_tree(tree.clone());
    if let Some(room) = means.room {
        context = context.with_commands(Arc::new(room));
    }
    let mut registry = Registry::default();
    work_tree_tools(&mut registry).map_err(|error| unusable(&error))?;
    let agent = Agent {
        registry: Arc::new(registry),
        caller: Caller::in_process(Role::Coder, context),
        ends_with: None,
        recall: None,
        limits: AgentLimits::for_model(&means.model, TURNS),
        model: means.model,
        system: "You are a careful programmer. Work with your tools, then say what you did.".into(),
    };
    let worked = agent.work(&run, &scope, &task.task).await?;

    let prefix = BranchPrefix::new("gavel/").map_err(|error| unusable(&error))?;
    let branch = prefix
        .build(&run.id().short())
        .map_err(|error| unusable(&error))?;
    let commit = StepCommit {
        work_tree: &tree,
        branch: &branch,
        parent: &base,
        title: "The task",
        at: entered.at,
    };
    run.commit(scope.key("commit")?, commit).await?;
    let reason = match worked.stop {
        WorkStop::Done | WorkStop::Submitted => "task_done",
        WorkStop::MaxTurns => "max_turns",
        WorkStop::Guard { .. } => "in_circles",
        WorkStop::OutputCap => "output_cap",
    };
    let halted = Halted {
        reason: reason.into(),
        detail: None,
    };
    run.decide(scope.key("done")?, halted).await?;
    Ok(())
}
