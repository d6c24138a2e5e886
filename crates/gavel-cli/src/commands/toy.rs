//! `gavel toy`: starts a toy run, or goes on with it, through the real engine.

use gavel_agent::toy::ToyTask;
use gavel_domain::{Digest, RunId};
use gavel_run::{NewRun, WaitMode, toy};
use gavel_store::{Access, Store as _};
use gavel_workspace::{HeadState, Repository};

use super::drive::drive;
use crate::args::ToyArgs;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;

pub(crate) async fn run(context: &Context, args: ToyArgs) -> Result<Exit, Failure> {
    let store = context.store(Access::ReadWrite).await?;
    let id = args
        .run
        .unwrap_or_else(|| RunId::from_uuid(gavel_run::fresh_id()));
    if store.head(id).await?.is_none() {
        let (driver, flow, brief) = brief(context, &args).await?;
        let new = NewRun {
            driver: driver.into(),
            flow,
            settings: context.settings()?.of_run(),
            project: None,
            brief: Some(brief),
        };
        let engine = context.engine(store.clone(), std::slice::from_ref(&args.model))?;
        // The seed follows from the id, so that a test can compare two runs of one id.
        engine.start_as(id, Digest::of(id.to_string()), new).await?;
    }
    let Some(head) = store.head(id).await? else {
        return Err(gavel_run::RunError::NoRun(id).into());
    };
    let wait = if args.stay {
        WaitMode::Stay
    } else {
        WaitMode::Leave
    };
    drive(context, store, &head, wait).await
}

/// The driver, its flow and what it is given.
async fn brief(context: &Context, args: &ToyArgs) -> Result<(&'static str, u32, String), Failure> {
    let failed = |error: anyhow::Error| Failure::new(Exit::Failed, error);
    let git = context.git()?;
    let checkout = context.directory().join(&args.repository);
    let place = context.directory().join(&args.place);
    let repository = Repository::open(&git, &checkout)
        .await
        .map_err(|error| failed(error.into()))?;
    let head = repository
        .head()
        .await
        .map_err(|error| failed(error.into()))?;
    let base = match head {
        HeadState::Branch { commit, .. } | HeadState::Detached { commit } => commit.to_string(),
        HeadState::Unborn { .. } => {
            return Err(Failure::usage("a toy run needs a repository with a commit"));
        }
    };
    let (repository, folder) = (repository.git_dir().to_owned(), place.join("worktree"));
    let model = args.model.clone();
    let (driver, flow, brief) = match &args.task {
        Some(task) => {
            let task = task.clone();
            let brief = ToyTask {
                git,
                repository,
                folder,
                base,
                model,
                task,
            };
            (
                gavel_agent::toy::DRIVER,
                gavel_agent::toy::FLOW,
                serde_json::to_string(&brief),
            )
        }
        None => {
            let brief = toy::ToyBrief {
                git,
                repository,
                folder,
                base,
                letters: place.join("letters.txt"),
                model,
                drafts: args.drafts,
                at_once: !args.in_turn,
            };
            (toy::DRIVER, toy::FLOW, serde_json::to_string(&brief))
        }
    };
    Ok((driver, flow, brief.map_err(|error| failed(error.into()))?))
}
