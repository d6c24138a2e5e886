//! `gavel review`: the run as a document, for a terminal, a pipe or a browser.

mod terminal;

use std::io::IsTerminal as _;
use std::path::Path;

use anyhow::Context as _;
use gavel_product::Report;
use gavel_store::Access;

use crate::args::ReviewArgs;
use crate::context::{Context, Newest};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::ui::Look;

pub(crate) async fn run(context: &Context, args: ReviewArgs) -> Result<Exit, Failure> {
    let store = context.store(Access::ReadOnly).await?;
    let head = context
        .run(store.as_ref(), args.run.as_deref(), Newest::OfAll)
        .await?;
    let report = Report::read(store.as_ref(), head.run).await?;
    match args.html {
        Some(file) if file == Path::new("-") => {
            context.ui.raw(report.document().page().as_bytes());
            return Ok(Exit::Done);
        }
        Some(file) => {
            let file = context.directory().join(file);
            write(&file, &report.document().page())?;
            context.ui.line(format!("wrote {}", file.display()));
        }
        None if std::io::stdout().is_terminal() => {
            terminal::show(&context.ui, &report, args.full);
        }
        None => context.ui.line(report.document().markdown().trim_end()),
    }
    context.ui.data("review", &report);
    Ok(Exit::Done)
}

fn write(file: &Path, page: &str) -> Result<(), Failure> {
    let written = std::fs::write(file, page);
    written
        .with_context(|| format!("cannot write {}", file.display()))
        .map_err(|error| Failure::new(Exit::Failed, error))
}

/// How a piece of a document looks on a terminal.
pub(crate) const fn look(tone: gavel_product::report::Tone) -> Look {
    use gavel_product::report::Tone;
    match tone {
        Tone::Plain | Tone::Code | Tone::File => Look::Plain,
        Tone::Strong => Look::Strong,
        Tone::Faint => Look::Faint,
        Tone::Good => Look::Good,
        Tone::Warn => Look::Warn,
        Tone::Bad => Look::Bad,
    }
}
