//! `gavel review`: the run as a document, for a terminal, a pipe or a browser.

pub(super) mod terminal;

use std::io::IsTerminal as _;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;
use gavel_domain::RunId;
use gavel_report::run_document;
use gavel_store::{Access, SqliteStore};
use gavel_view::Report;

use super::loops::{Shown, document};
use crate::args::ReviewArgs;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::ui::Look;
use crate::which_run::Unnamed;

pub(crate) async fn run(context: &Context, args: ReviewArgs) -> Result<Exit, Failure> {
    let store = context.store(Access::ReadOnly).await?;
    let head = context
        .run(store.as_ref(), args.run.as_deref(), Unnamed::Newest)
        .await?;
    if head.driver == gavel_deliberation::loops::DRIVER {
        return of_loop(context, &store, (head.run, args)).await;
    }
    let is_closed_council = head.driver == gavel_product::meeting::DRIVER && head.state.is_final();
    if is_closed_council && args.html.is_none() {
        super::council::tell_outcome(context, &store, &head).await?;
        return Ok(Exit::Done);
    }
    let report = Report::read(store.as_ref(), head.run).await?;
    match args.html {
        Some(file) if file == Path::new("-") => {
            context.ui.raw(run_document(&report).page().as_bytes());
            return Ok(Exit::Done);
        }
        Some(file) => {
            let file = context.directory().join(file);
            write(&file, &run_document(&report).page())?;
            context.ui.line(format!("wrote {}", file.display()));
        }
        None if std::io::stdout().is_terminal() => {
            terminal::show(&context.ui, &report, args.full);
        }
        None => context.ui.line(run_document(&report).markdown().trim_end()),
    }
    context.ui.data("review", &report);
    Ok(Exit::Done)
}

/// A loop as a document: on a terminal the page that `gavel loop get` shows.
async fn of_loop(
    context: &Context,
    store: &Arc<SqliteStore>,
    (run, args): (RunId, ReviewArgs),
) -> Result<Exit, Failure> {
    let shown = Shown::of(context, store, run).await?;
    match args.html {
        Some(file) if file == Path::new("-") => {
            context.ui.raw(document(&shown).page().as_bytes());
            return Ok(Exit::Done);
        }
        Some(file) => {
            let file = context.directory().join(file);
            write(&file, &document(&shown).page())?;
            context.ui.line(format!("wrote {}", file.display()));
        }
        None if std::io::stdout().is_terminal() => {
            shown.print(context);
            return Ok(Exit::Done);
        }
        None => context.ui.line(document(&shown).markdown().trim_end()),
    }
    context.ui.data("review", &shown.as_json());
    Ok(Exit::Done)
}

fn write(file: &Path, page: &str) -> Result<(), Failure> {
    let written = std::fs::write(file, page);
    written
        .with_context(|| format!("cannot write {}", file.display()))
        .map_err(|error| Failure::new(Exit::Failed, error))
}

/// How a piece of a document looks on a terminal.
pub(crate) const fn look(tone: gavel_report::Tone) -> Look {
    use gavel_report::Tone;
    match tone {
        Tone::Plain | Tone::Code | Tone::File => Look::Plain,
        Tone::Strong => Look::Strong,
        Tone::Faint => Look::Faint,
        Tone::Good => Look::Good,
        Tone::Warn => Look::Warn,
        Tone::Bad => Look::Bad,
    }
}
