//! The places of one run: its work tree, its files, its branch.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use gavel_agent::ToolContext;
use gavel_domain::FaultClass;
use gavel_run::{Run, RunError, StepFailure};
use gavel_workspace::{
    BranchPrefix, BuildBranch, CommitId, Repository, Scrubber, TreeRoot, WorkTree, WorkTreeError,
    WorkTreePlace,
};

use crate::way::unusable;
use gavel_domain::ProductBrief;

/// Where a run works. Opened at the beginning of every drive.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) tree: Arc<WorkTree>,
    pub(crate) branch: BuildBranch,
    pub(crate) base: CommitId,
    /// The user's repository, to look at.
    pub(crate) repository: Repository,
    /// Reads and writes the work tree; no commands.
    pub(crate) context: ToolContext,
    /// Where caches and locks of the build lie.
    pub(crate) beside: PathBuf,
}

impl Place {
    pub(crate) async fn open(run: &Run, brief: &ProductBrief) -> Result<Self, RunError> {
        let wrong = |problem: &dyn std::fmt::Display| unusable(run, problem);
        let repository = Repository::open(&brief.git, &brief.checkout)
            .await
            .map_err(|error| wrong(&error))?;
        let place = WorkTreePlace {
            git: brief.git.clone(),
            repository: brief.repository.clone(),
            folder: brief.work_tree.clone(),
        };
        let refused = |error: WorkTreeError| match error {
            WorkTreeError::Git(error) => RunError::Machine {
                run: run.id(),
                problem: StepFailure::of(FaultClass::Failed, &error).message,
            },
            error @ (WorkTreeError::BadPlace { .. }
            | WorkTreeError::Unsound(_)
            | WorkTreeError::NeverRestored { .. }
            | WorkTreeError::Unequal { .. }
            | WorkTreeError::TooLarge { .. }) => wrong(&error),
        };
        let tree = WorkTree::open(&place, run.id()).await.map_err(refused)?;
        let base: CommitId = brief.base.parse().map_err(|error| wrong(&error))?;
        let begun = tree.tree_of(&base).await.map_err(|error| wrong(&error))?;
        tree.keep_base(&base).await.map_err(refused)?;
        run.open_tree(&tree, &begun).await?;
        let files = TreeRoot::open(tree.folder()).map_err(|error| wrong(&error))?;
        let scrubber = Scrubber::new([]).map_err(|error| wrong(&error))?;
        let tree = Arc::new(tree);
        let context =
            ToolContext::reading(Arc::new(files), Arc::new(scrubber)).with_tree(tree.clone());
        let branch = BranchPrefix::new(&brief.branch_prefix)
            .and_then(|prefix| prefix.build(&run.id().short()))
            .map_err(|error| wrong(&error))?;
        let beside = brief.work_tree.parent().map(Path::to_path_buf);
        Ok(Self {
            tree,
            branch,
            base,
            repository,
            context,
            beside: beside.ok_or_else(|| wrong(&"the work tree has no folder around it"))?,
        })
    }
}
