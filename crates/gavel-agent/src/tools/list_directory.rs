//! `list_directory`: one folder, or all files below it.

use gavel_workspace::{Entry, EntryKind, Listing, RepoDir, TreeRoot, Walked};
use schemars::JsonSchema;
use serde::Deserialize;

use super::files::{parse_folder, refuse};
use crate::{Data, ToolClass, ToolContext, ToolHandler, ToolOutput, ToolRefusal};

const MAX_ENTRIES: usize = 400;

/// The tool.
#[derive(Debug, Clone, Copy)]
pub struct ListDirectory;

/// Its arguments.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListDirectoryInput {
    /// The root without it.
    path: Option<String>,
    /// All files below, without ignored ones.
    recursive: Option<bool>,
}

impl ToolHandler for ListDirectory {
    type Input = ListDirectoryInput;
    const NAME: &'static str = "list_directory";
    const PURPOSE: &'static str = "List a folder.";
    const CLASS: ToolClass = ToolClass::Pure;

    async fn run(
        &self,
        context: &ToolContext,
        input: ListDirectoryInput,
    ) -> Result<ToolOutput, ToolRefusal> {
        let folder = parse_folder(context, input.path.as_deref())?;
        let recursive = input.recursive.unwrap_or(false);
        context
            .blocking(move |context| {
                if recursive {
                    walk(context.files(), &folder)
                } else {
                    list(context.files(), &folder)
                }
            })
            .await
    }
}

fn list(files: &TreeRoot, folder: &RepoDir) -> Result<ToolOutput, ToolRefusal> {
    let Listing { entries, left_out } = files
        .list(folder, MAX_ENTRIES)
        .map_err(|error| refuse(&error))?;
    let lines = entries.iter().map(line).collect();
    Ok(answer(folder, entries.len(), left_out, lines))
}

fn line(entry: &Entry) -> String {
    let name = &entry.name;
    match entry.kind {
        EntryKind::File { bytes } => format!("{name} ({bytes} bytes)\n"),
        EntryKind::Folder => format!("{name}/\n"),
        EntryKind::Symlink => format!("{name} (symlink)\n"),
        EntryKind::Special => format!("{name} (no file)\n"),
    }
}

fn walk(files: &TreeRoot, folder: &RepoDir) -> Result<ToolOutput, ToolRefusal> {
    let Walked {
        files: found,
        left_out,
        unaddressable,
    } = files
        .walk(folder, MAX_ENTRIES)
        .map_err(|error| refuse(&error))?;
    let mut lines: String = found.iter().map(|path| format!("{path}\n")).collect();
    for name in &unaddressable {
        lines.push_str(&format!("{name} (a name that no tool can use)\n"));
    }
    let count = found.len() + unaddressable.len();
    Ok(answer(folder, count, left_out, lines))
}

fn answer(folder: &RepoDir, count: usize, left_out: usize, lines: String) -> ToolOutput {
    let mut words = format!("{folder}: {count} entries");
    if left_out > 0 {
        words.push_str(&format!("; {left_out} more left out: name a deeper folder"));
    }
    if lines.is_empty() {
        return ToolOutput::words(words);
    }
    ToolOutput::words(words).with(Data::new(format!("names in {folder}"), lines))
}
