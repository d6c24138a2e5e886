//! `gavel replay`: folds a journal again and verifies its chain.

use gavel_domain::Seq;
use gavel_run::replay;
use gavel_store::Access;
use serde_json::json;

use super::status;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::ui::Look;
use crate::which_run::Unnamed;

pub(crate) async fn run(
    context: &Context,
    run: Option<String>,
    until: Option<u64>,
) -> Result<Exit, Failure> {
    let store = context.store(Access::ReadOnly).await?;
    let head = context
        .run(store.as_ref(), run.as_deref(), Unnamed::Newest)
        .await?;
    let replayed = replay(store.as_ref(), head.run, until.map(Seq)).await?;
    let verdict = match replayed.same_head {
        Some(false) => context
            .ui
            .look("the stored head differs from the fold", Look::Bad),
        Some(true) => context
            .ui
            .look("the chain holds, the head is the fold", Look::Good),
        None => context.ui.look("the chain holds", Look::Good),
    };
    context
        .ui
        .line(format!("{} records: {verdict}", replayed.records));
    context.ui.line(format!(
        "state {}, stage {}, spent {}",
        replayed.head.state,
        replayed.head.stage.map_or("-", gavel_domain::Stage::word),
        replayed.head.spent_text()
    ));
    if let Some(first) = replayed.texts_gone.first() {
        let count = replayed.texts_gone.len();
        context.ui.line(format!(
            "{count} texts are no longer kept, the first of {first}"
        ));
    }
    context.ui.data(
        "replay",
        &json!({
            "records": replayed.records,
            "same_head": replayed.same_head,
            "texts_gone": replayed.texts_gone,
            "head": status::as_json(&replayed.head),
        }),
    );
    Ok(if replayed.same_head == Some(false) {
        Exit::Failed
    } else {
        Exit::Done
    })
}
