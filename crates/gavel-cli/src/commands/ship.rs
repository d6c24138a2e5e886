//! `gavel ship`: sends a run to the done gate with what is there. Nothing is skipped that the gate
//! wants: it judges, and only when everything passed does it ask for the last word.

use gavel_domain::{Head, RunState, Stage};
use gavel_run::Delivery;
use gavel_store::{Access, InboxKind, SqliteStore};

use super::control::{Next, report};
use super::seal::approve::approve;
use super::status::Standing;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::which_run::Unnamed;

pub(crate) async fn run(context: &Context, run: Option<String>) -> Result<Exit, Failure> {
    let store = context.store(Access::ReadWrite).await?;
    let named = run.as_deref();
    let head = context
        .run(store.as_ref(), named, Unnamed::OnlyUnfinished)
        .await?;
    if named.is_some() && head.state == RunState::Sealed {
        return Box::pin(approve(context, store, &head)).await;
    }
    let mailbox = context.mailbox(store.clone());
    let delivery = mailbox.control(head.run, InboxKind::Ship).await?;
    let missing = missing(&store, &head).await?;
    if let Some(missing) = &missing {
        context.ui.note(missing);
    }
    if delivery == Delivery::Kept && missing.is_none() {
        return super::drive::resume(context, Some(head.run.to_string())).await;
    }
    report(context, head.run, delivery, Next::Nobody);
    Ok(Exit::Done)
}

/// What the gate will miss, as far as the journal tells.
async fn missing(store: &SqliteStore, head: &Head) -> Result<Option<String>, Failure> {
    let built = match head.stage {
        None
        | Some(
            Stage::Intake
            | Stage::Scout
            | Stage::Discovery
            | Stage::Council
            | Stage::Scoping
            | Stage::Contracts,
        ) => {
            return Ok(Some(
                "nothing is built yet: the gate comes after the first phase, and will miss the rest"
                    .to_owned(),
            ));
        }
        Some(Stage::Building | Stage::Gating | Stage::Sealing | Stage::Lessons) => {
            Standing::read(store, head).await?
        }
    };
    Ok(match (built.phases_built, built.phases) {
        (built, Some(all)) if built < all => Some(format!(
            "{built} of {all} phases are built: the gate will judge that, and miss the others"
        )),
        _ => None,
    })
}
