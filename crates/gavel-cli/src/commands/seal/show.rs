//! `gavel seal show`: what a seal says, as a document, with the answer whether it holds in its first line.

use std::path::Path;

use anyhow::{Context as _, anyhow};
use gavel_report::seal_document;

use super::{Checked, card, check};
use crate::args::SealShowArgs;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;

pub(super) async fn run(context: &Context, args: &SealShowArgs) -> Result<Exit, Failure> {
    let checked = check(context, args.branch.as_deref(), &[]).await?;
    let Checked {
        check: found,
        branch,
        ..
    } = &checked;
    let Some(statement) = &found.statement else {
        let first = found.problems.first();
        let why = first.map_or_else(|| "it cannot be read".to_owned(), ToString::to_string);
        let none = anyhow!("{}: {}", branch.short(), card::plain(&why));
        return Err(Failure::new(Exit::Gate, none));
    };
    let told = checked.told();
    let document = seal_document(found, statement, &card::first_line(&told).0);
    match &args.html {
        Some(file) if file == Path::new("-") => {
            context.ui.raw(document.page().as_bytes());
            return Ok(checked.exit());
        }
        Some(file) => {
            let file = context.directory().join(file);
            std::fs::write(&file, document.page())
                .with_context(|| format!("cannot write {}", file.display()))
                .map_err(|error| Failure::new(Exit::Failed, error))?;
            context.ui.line(format!("wrote {}", file.display()));
        }
        None => context.ui.line(document.markdown().trim_end()),
    }
    context.ui.data("seal-show", &card::as_json(&told));
    Ok(checked.exit())
}
