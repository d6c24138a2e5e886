//! What there is to look into, written down before anybody is asked to.

use gavel_agent::{ListDirectory, ToolContext, ToolHandler as _};
use gavel_domain::{Key, ToolFinished};
use gavel_run::{Pure, Run, RunError};
use gavel_workspace::{Entry, EntryKind, FileError, Listing, RepoDir};

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
}

/// Lists the tree, or reads what was listed before: which tools are offered must not change with
/// the tree while a run goes on.
pub(super) async fn look(run: &Run, key: Key, context: &ToolContext) -> Result<Look, RunError> {
    let listed = run.step(key, Pure, &"uppermost files", |blobs| {
        let names = uppermost(context);
        let (ok, text) = match &names {
            Ok(names) if names.is_empty() => (false, NOTHING.to_owned()),
            Ok(names) => (true, context.scrub(names)),
            Err(error) => (false, context.scrub(&error.to_string())),
        };
        let finished = ToolFinished {
            tool: ListDirectory::NAME.to_owned(),
            ok,
            result: blobs.keep(text),
            level: None,
        };
        async move { Ok(finished) }
    });
    let listed = listed.await?.value;
    let files = match listed.ok {
        true => Some(run.text(listed.result).await?),
        false => None,
    };
    Ok(Look { files })
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
