//! `gavel mcp install`: tells a client of this server. Prints what belongs into the client's file,
//! or writes it there; what others wrote into the file stays as it is.

mod client;
mod jsonc;
mod tomls;
mod write;
mod yaml;

use std::path::PathBuf;

use anyhow::anyhow;
use serde_json::json;

use self::client::{Form, Target};
use crate::args::McpInstallArgs;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::ui::Look;

/// What a file is after our entry is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Merged {
    /// It was there already.
    Same,
    /// The new text.
    Changed(String),
}

/// A file that cannot be edited without harm.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
enum MergeError {
    /// It is not what the client reads.
    #[error("line {line}: {problem}")]
    Damaged { line: usize, problem: &'static str },
    /// It is not valid TOML.
    #[error("{0}")]
    Toml(#[from] toml_edit::TomlError),
    /// What stands where our entry belongs is something else.
    #[error("`{0}` is not a table of servers")]
    NoTable(&'static str),
    /// It is of a form that is only shown.
    #[error("Gavel does not edit this form of file")]
    Unedited,
    /// The edit would have changed more than our entry.
    #[error("the edit would change more than Gavel's entry")]
    Harmful,
}

pub(crate) fn run(context: &Context, args: &McpInstallArgs) -> Result<Exit, Failure> {
    let target = Target::of(context, args.client, args.scope)?;
    if !args.write {
        show(context, &target);
        return Ok(Exit::Done);
    }
    let old = write::read(&target)?;
    let merged = merge(&target, old.as_deref().unwrap_or_default()).map_err(|error| {
        context.ui.line(target.snippet().trim_end());
        let file = target.file.display();
        let told = anyhow!(error).context(format!("{file} is left as it is"));
        Failure::new(Exit::Refused, told).hint("put the entry above into it by hand")
    })?;
    let backup = match &merged {
        Merged::Same => {
            let file = target.file.display();
            let line = format!("{file} has it already; nothing was changed");
            context.ui.line(line);
            None
        }
        Merged::Changed(new) => written(context, &target, (old.as_deref(), new))?,
    };
    let told = json!({
        "client": target.name,
        "file": target.file,
        "changed": merged != Merged::Same,
        "backup": backup,
    });
    context.ui.data("mcp_install", &told);
    Ok(Exit::Done)
}

/// Writes the file, and says what changed in it.
fn written(
    context: &Context,
    target: &Target,
    (old, new): (Option<&str>, &str),
) -> Result<Option<PathBuf>, Failure> {
    let backup = write::replace(target, old, new)?;
    for (sign, line) in write::difference(old.unwrap_or_default(), new) {
        let look = match sign {
            '+' => Look::Good,
            '-' => Look::Bad,
            _ => Look::Faint,
        };
        let line = context.ui.look(&format!("{sign} {line}"), look);
        context.ui.line(line);
    }
    context.ui.line(format!("wrote {}", target.file.display()));
    if let Some(backup) = &backup {
        let line = format!("the file as it was: {}", backup.display());
        context.ui.line(line);
    }
    Ok(backup)
}

fn show(context: &Context, target: &Target) {
    context
        .ui
        .line(format!("put this into {}:", target.file.display()));
    context.ui.line(target.snippet().trim_end());
    if let Some(command) = &target.own_command {
        context.ui.line(format!("or type: {command}"));
    }
    if !matches!(target.form, Form::Yaml { .. }) {
        context
            .ui
            .line("or add --write: then it is merged into the file");
    }
    let told = json!({
        "client": target.name,
        "file": target.file,
        "changed": false,
        "text": target.snippet(),
    });
    context.ui.data("mcp_install", &told);
}

fn merge(target: &Target, old: &str) -> Result<Merged, MergeError> {
    match target.form {
        Form::Json { table } => jsonc::merge(old, table, &target.entry),
        Form::Toml { table } => tomls::merge(old, table, &target.entry),
        Form::Yaml { .. } => Err(MergeError::Unedited),
    }
}
