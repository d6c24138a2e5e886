//! `gavel say|pause|abort`: words to a run that somebody else may be driving.

use std::io::Read as _;

use gavel_run::Delivery;
use gavel_store::{Access, InboxKind};
use serde_json::json;

use crate::context::{Context, Newest};
use crate::exit::Exit;
use crate::failure::Failure;

pub(crate) async fn say(context: &Context, mut words: Vec<String>) -> Result<Exit, Failure> {
    let text = words.pop().map(read_text).transpose()?.unwrap_or_default();
    if text.trim().is_empty() {
        return Err(Failure::usage("there is nothing to say"));
    }
    post(context, words.pop(), InboxKind::Say { text }).await
}

pub(crate) async fn post(
    context: &Context,
    run: Option<String>,
    kind: InboxKind,
) -> Result<Exit, Failure> {
    let store = context.store(Access::ReadWrite).await?;
    let head = context
        .run(store.as_ref(), run.as_deref(), Newest::Unfinished)
        .await?;
    let delivery = context.mailbox(store).control(head.run, kind).await?;
    report(context, head.run, delivery);
    Ok(Exit::Done)
}

/// Says whether a driver took it or whoever drives next will.
pub(crate) fn report(context: &Context, run: gavel_domain::RunId, delivery: Delivery) {
    let taken = delivery == Delivery::Taken;
    if taken {
        context.ui.line("taken");
    } else {
        context.ui.line(format!(
            "kept: nobody drives, gavel resume {} takes it",
            run.short()
        ));
    }
    context
        .ui
        .data("delivery", &json!({ "run": run, "taken": taken }));
}

/// A text as typed; `-` reads standard input.
pub(crate) fn read_text(word: String) -> Result<String, Failure> {
    if word != "-" {
        return Ok(word);
    }
    let mut text = String::new();
    match std::io::stdin().take(1 << 20).read_to_string(&mut text) {
        Ok(_) => Ok(text),
        Err(error) => Err(Failure::new(Exit::Usage, error)),
    }
}
