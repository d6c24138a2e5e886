//! `gavel abort`: gives a run up for good, at once when nobody drives it.

use std::sync::Arc;

use gavel_domain::{Head, RunState};
use gavel_run::{Delivery, Drift, DriveOptions, PaidConsent, StopHandle, WaitMode};
use gavel_store::{Access, InboxKind, SqliteStore, Store as _};

use super::control::{Next, kind_of, over_already, read_text, report};
use super::{after, status};
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::which_run::Unnamed;

/// The longest reason, in bytes: more is a document.
const MAX_REASON_BYTES: usize = 4_000;

pub(crate) async fn run(
    context: &Context,
    run: Option<String>,
    reason: Option<String>,
) -> Result<Exit, Failure> {
    let reason = reason.map(read_text).transpose()?;
    let reason = reason.map(|text| text.trim().to_owned());
    let reason = reason.filter(|text| !text.is_empty());
    if reason
        .as_ref()
        .is_some_and(|text| text.len() > MAX_REASON_BYTES)
    {
        let long = format!("the reason is longer than {MAX_REASON_BYTES} bytes");
        return Err(Failure::usage(long).hint("say it in a few sentences"));
    }
    let store = context.store(Access::ReadWrite).await?;
    let named = run.as_deref();
    let head = context
        .run(store.as_ref(), named, Unnamed::OnlyUnfinished)
        .await?;
    over_already(&head)?;
    if named.is_none() {
        confirm(context, &store, &head).await?;
    }
    let mailbox = context.mailbox(Arc::clone(&store));
    let delivery = mailbox
        .control(head.run, InboxKind::Abort { reason })
        .await?;
    if delivery == Delivery::Taken {
        // Whoever drives it clears up.
        report(context, head.run, delivery, Next::Nobody);
        return Ok(Exit::Done);
    }
    let head = take(context, &store, &head).await?;
    if head.state != RunState::Aborted {
        report(context, head.run, delivery, Next::Nobody);
        return Ok(Exit::Done);
    }
    context.ui.line(format!(
        "{} {} is given up",
        kind_of(&head),
        head.run.short()
    ));
    after::clear_up(context, &store, &head).await;
    context.ui.data("run", &status::as_json(&head));
    Ok(Exit::Done)
}

/// What is given up stays so: a run that nobody named is shown first, and asked about.
async fn confirm(context: &Context, store: &SqliteStore, head: &Head) -> Result<(), Failure> {
    let short = head.run.short();
    context
        .list_beside(store, std::slice::from_ref(head), 1)
        .await?;
    if !context.attended() {
        let unnamed = format!("which run to give up is not said, and {short} is not guessed");
        return Err(Failure::usage(unnamed).hint(format!("gavel abort {short}")));
    }
    if context.types_yes("Give it up for good? Type yes, or anything else to keep it: ")? {
        return Ok(());
    }
    let kept = anyhow::anyhow!("run {short} is kept");
    Err(Failure::new(Exit::Refused, kept))
}

/// Gives up a run that nobody drives; false when somebody took it meanwhile.
pub(super) async fn give_up(
    context: &Context,
    store: &Arc<SqliteStore>,
    head: &Head,
) -> Result<bool, Failure> {
    let mailbox = context.mailbox(Arc::clone(store));
    let kind = InboxKind::Abort { reason: None };
    if mailbox.control(head.run, kind).await? == Delivery::Taken {
        return Ok(false);
    }
    let head = take(context, store, head).await?;
    Ok(head.state == RunState::Aborted)
}

/// Drives the run just far enough to take what was posted: nothing else happens in it.
async fn take(context: &Context, store: &Arc<SqliteStore>, head: &Head) -> Result<Head, Failure> {
    let engine = context.engine(Arc::clone(store), &[])?;
    let options = DriveOptions {
        wait: WaitMode::Leave,
        yes: false,
        drift: Drift::Note,
        paid: PaidConsent::Ask,
    };
    let nothing = |_| async { Ok(()) };
    engine
        .drive(head.run, options, StopHandle::new(), nothing)
        .await?;
    let now = store.head(head.run).await?;
    now.ok_or_else(|| gavel_run::RunError::NoRun(head.run).into())
}
