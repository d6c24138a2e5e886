//! What there is to look into, written down before anybody is asked to.

use gavel_agent::{ListDirectory, ToolContext, ToolHandler as _};
use gavel_domain::{Key, ToolFinished};
use gavel_run::{Pure, Run, RunError};
use gavel_workspace::{Entry, EntryKind, FileError, Listing, RepoDir};
use serde::{Deserialize, Serialize};

use super::sources::{Outside, names, offers};
use crate::ask_source::AskSource;

/// The most names of one folder.
const MOST: usize = 150;
/// The folder whose names are listed beside the root's.
const DOCS: &str = "docs";
const NOTHING: &str = "there is no file to look into";

/// What there is to look into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Look {
    /// The uppermost names of the tree; nothing when it is empty.
    pub(super) files: Option<String>,
    /// Who outside the project can be asked what; nothing when nobody can.
    pub(super) sources: Option<String>,
    /// Sources that did not answer, a sentence each.
    pub(super) trouble: String,
}

impl Look {
    pub(super) const fn is_empty(&self) -> bool {
        self.files.is_none() && self.sources.is_none()
    }
}

/// How closely sources are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Closely<'a> {
    /// By their names: nothing is started.
    Named,
    /// By what they can be asked; these may not be asked, and are not started.
    Asked(&'a [String]),
}

/// What is recorded where there are sources.
#[derive(Debug, Serialize, Deserialize)]
struct Seen {
    files: Option<String>,
    outside: Outside,
}

/// Looks around, or reads what was seen before: which tools are offered must not change with the
/// tree or with what is configured while a run goes on.
pub(super) async fn look(
    run: &Run,
    key: Key,
    context: &ToolContext,
    closely: Closely<'_>,
) -> Result<Look, RunError> {
    // Who is configured is no input: the record says who was there when it was looked.
    let listed = run.step(key, Pure, &"uppermost files", |blobs| async move {
        let (tool, ok, text) = seen(context, closely).await;
        Ok(ToolFinished {
            tool: tool.to_owned(),
            ok,
            result: blobs.keep(context.scrub(&text)),
            level: None,
            source: None,
        })
    });
    let listed = listed.await?.value;
    let text = run.text(listed.result).await?;
    if listed.tool != AskSource::NAME {
        return Ok(Look {
            files: listed.ok.then_some(text),
            sources: None,
            trouble: String::new(),
        });
    }
    let Seen { files, outside } = serde_json::from_str(&text).map_err(|error| RunError::Brief {
        run: run.id(),
        problem: error.to_string(),
    })?;
    Ok(Look {
        files,
        sources: (!outside.offers.is_empty()).then_some(outside.offers),
        trouble: outside.trouble,
    })
}

/// Whether anything is there, and what: the names of files alone where nobody else is configured.
async fn seen(context: &ToolContext, closely: Closely<'_>) -> (&'static str, bool, String) {
    let files = uppermost(context);
    let refused = match closely {
        Closely::Named => &[],
        Closely::Asked(refused) => refused,
    };
    let outside = match closely {
        _ if context.sources().is_empty() && refused.is_empty() => {
            let (ok, text) = match files {
                Ok(files) if files.is_empty() => (false, NOTHING.to_owned()),
                Ok(files) => (true, files),
                Err(error) => (false, error.to_string()),
            };
            return (ListDirectory::NAME, ok, text);
        }
        Closely::Named => names(context),
        Closely::Asked(refused) => offers(context).await.without(refused),
    };
    let seen = Seen {
        files: files.ok().filter(|files| !files.is_empty()),
        outside,
    };
    let ok = seen.files.is_some() || !seen.outside.offers.is_empty();
    let text = serde_json::to_string(&seen).unwrap_or_default();
    (AskSource::NAME, ok, text)
}

/// The names at the root and in the folder of the docs, Gavel's own left out.
fn uppermost(context: &ToolContext) -> Result<String, FileError> {
    let tree = context.files();
    let Listing { entries, left_out } = tree.list(&RepoDir::ROOT, MOST)?;
    let mut names = String::new();
    for entry in entries.iter().filter(|entry| !is_gavels_own(entry)) {
        names.push_str(&line(entry));
    }
    if names.is_empty() {
        return Ok(names);
    }
    if left_out > 0 {
        names.push_str(&format!("({left_out} more)\n"));
    }
    let docs = |entry: &Entry| entry.kind == EntryKind::Folder && entry.name.to_string() == DOCS;
    if entries.iter().any(docs)
        && let Ok(folder) = RepoDir::new(DOCS)
    {
        names.extend(tree.list(&folder, MOST)?.entries.iter().map(line));
    }
    Ok(names)
}

fn line(entry: &Entry) -> String {
    let name = &entry.name;
    match entry.kind {
        EntryKind::Folder => format!("{name}/\n"),
        EntryKind::File { .. } | EntryKind::Symlink | EntryKind::Special => format!("{name}\n"),
    }
}

/// Settings, memory and what cannot be read are nothing to look into.
fn is_gavels_own(entry: &Entry) -> bool {
    match entry.kind {
        EntryKind::Folder => entry.name.to_string() == ".gavel",
        EntryKind::File { .. } => entry.name.to_string() == "gavel.toml",
        EntryKind::Symlink | EntryKind::Special => true,
    }
}
