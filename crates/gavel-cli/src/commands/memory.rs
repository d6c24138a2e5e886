//! `gavel memory`: what the project remembers.

mod decide;
mod desk;
mod files;
mod look;
mod show;
mod write;

use crate::args::MemoryCommand;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;

pub(super) use self::desk::Desk;
pub(super) use self::show::{as_json as item_json, proposal as item_line};

pub(crate) async fn run(context: &Context, command: MemoryCommand) -> Result<Exit, Failure> {
    match command {
        MemoryCommand::Add(args) => write::add(context, args).await,
        MemoryCommand::List(args) if args.proposed => {
            super::lessons::proposed(context, &args.kind).await
        }
        MemoryCommand::List(args) => look::list(context, &args).await,
        MemoryCommand::Accept { names } => {
            decide::decide(context, &names, super::lessons::Decided::Keep).await
        }
        MemoryCommand::Reject { names } => {
            decide::decide(context, &names, super::lessons::Decided::Refuse).await
        }
        MemoryCommand::Search(args) => look::search(context, args).await,
        MemoryCommand::Get { id } => look::get(context, &id).await,
        MemoryCommand::Edit(args) => write::edit(context, args).await,
        MemoryCommand::Mark { id, how, by } => {
            write::mark(context, &id, (how, by.as_deref())).await
        }
        MemoryCommand::Promote { id, kind } => write::promote(context, &id, kind).await,
        MemoryCommand::Retire { id } => write::retire(context, &id).await,
        MemoryCommand::Redact { id } => files::redact(context, &id).await,
        MemoryCommand::Stale => look::stale(context, &[]).await,
        MemoryCommand::Audit => look::audit(context).await,
        MemoryCommand::Compact => files::compact(context).await,
        MemoryCommand::Export { all } => files::export(context, all).await,
        MemoryCommand::Import { file } => files::import(context, &file).await,
    }
}
