//! `gavel say|pause`: words to a run that somebody else may be driving.

use std::io::Read as _;

use anyhow::Context as _;
use gavel_domain::Head;
use gavel_run::Delivery;
use gavel_store::{Access, InboxKind};
use serde_json::json;

use super::loops;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::which_run::Unnamed;

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
        .run(store.as_ref(), run.as_deref(), Unnamed::OnlyUnfinished)
        .await?;
    over_already(&head)?;
    if kind == InboxKind::Pause
        && let Some(stand) = loops::Stand::read(&store, &head).await?
        && !stand.is_driven_by_gavel()
    {
        return Err(not_ours(&head, &stand));
    }
    let delivery = context.mailbox(store).control(head.run, kind).await?;
    report(context, head.run, delivery, Next::Nobody);
    Ok(Exit::Done)
}

/// What people call it: a loop is a run that they know by another name.
pub(crate) fn kind_of(head: &Head) -> &'static str {
    if head.driver == gavel_deliberation::loops::DRIVER {
        "loop"
    } else {
        "run"
    }
}

/// A loop that is over takes no more messages, and is no run to whoever reads that.
pub(crate) fn over_already(head: &Head) -> Result<(), Failure> {
    if kind_of(head) == "loop" && head.state.is_final() {
        let id = head.run.short();
        let over = anyhow::anyhow!("loop {id} is over: it takes no more messages");
        let failure = Failure::new(Exit::Conflict, over);
        return Err(failure.hint(format!("gavel loop get {id} shows how it ended")));
    }
    Ok(())
}

/// A loop of agents goes on by what they do; nobody drives it who could pause.
fn not_ours(head: &Head, stand: &loops::Stand) -> Failure {
    let id = head.run.short();
    let alone = anyhow::anyhow!("gavel takes no part in loop {id}: nobody drives it");
    let owner = stand.owner();
    Failure::new(Exit::Conflict, alone)
        .hint(format!("gavel loop pause {id} --agent {owner} pauses it"))
}

/// Who drives a run after something was said to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// This command.
    Drives,
    /// Whoever resumes it.
    Nobody,
}

/// Says whether a driver took it or whoever drives next will.
pub(crate) fn report(context: &Context, run: gavel_domain::RunId, delivery: Delivery, next: Next) {
    let taken = delivery == Delivery::Taken;
    let short = run.short();
    context.ui.line(match (delivery, next) {
        (Delivery::Taken, _) => "taken".to_owned(),
        (Delivery::Kept, Next::Drives) => format!("kept: run {short} goes on with it now"),
        (Delivery::Kept, Next::Nobody) => {
            format!("kept: nobody drives, gavel resume {short} takes it")
        }
    });
    context
        .ui
        .data("delivery", &json!({ "run": run, "taken": taken }));
}

/// The longest text that standard input may give.
const MAX_TEXT_BYTES: u64 = 1 << 20;

/// A text as typed; `-` reads standard input.
pub(crate) fn read_text(word: String) -> Result<String, Failure> {
    if word != "-" {
        return Ok(word);
    }
    let mut bytes = Vec::new();
    // One more than fits, so that a longer text is seen and not cut.
    let mut stdin = std::io::stdin().take(MAX_TEXT_BYTES + 1);
    let read = stdin
        .read_to_end(&mut bytes)
        .context("standard input cannot be read")
        .map_err(|error| Failure::new(Exit::Failed, error))?;
    if u64::try_from(read).is_ok_and(|read| read > MAX_TEXT_BYTES) {
        let long =
            format!("standard input is longer than {MAX_TEXT_BYTES} bytes; nothing was taken");
        return Err(Failure::usage(long).hint("give less, or put it into a file and name that"));
    }
    String::from_utf8(bytes)
        .context("standard input is not UTF-8 text")
        .map_err(|error| Failure::new(Exit::Usage, error))
}
