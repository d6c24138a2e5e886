//! `gavel runs export|drop|prune`: runs as they lie in the store, whatever drives them.

mod drop;
mod export;
mod prune;

use gavel_domain::RunId;
use gavel_run::RunError;
use gavel_store::{SqliteStore, Store as _};

use crate::args::RunsCommand;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::which_run::Unnamed;

pub(crate) async fn run(context: &Context, command: RunsCommand) -> Result<Exit, Failure> {
    match command {
        RunsCommand::Export { run, file } => export::run(context, &run, &file).await,
        RunsCommand::Drop { run } => drop::run(context, &run).await,
        RunsCommand::Prune { all } => prune::run(context, all).await,
    }
}

/// The run that is meant. One whose head cannot be read is found by its whole id alone.
async fn named(context: &Context, store: &SqliteStore, name: &str) -> Result<RunId, Failure> {
    let Ok(id) = name.parse::<RunId>() else {
        let head = context.run(store, Some(name), Unnamed::Newest).await?;
        return Ok(head.run);
    };
    match store.head(id).await {
        Ok(Some(_)) => Ok(id),
        Ok(None) => Err(RunError::NoRun(id).into()),
        Err(error) if error.is_damage() => Ok(id),
        Err(error) => Err(error.into()),
    }
}
