//! `write_file`: writes a whole file, by a temporary one that takes its name.

use gavel_workspace::{FileError, RepoPath};
use schemars::JsonSchema;
use serde::Deserialize;

use super::files::{parse_path, refuse_placeholders, write_text};
use crate::{ToolClass, ToolContext, ToolHandler, ToolOutput, ToolRefusal};

/// The tool.
#[derive(Debug, Clone, Copy)]
pub struct WriteFile;

/// Its arguments.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WriteFileInput {
    path: String,
    content: String,
}

impl ToolHandler for WriteFile {
    type Input = WriteFileInput;
    const NAME: &'static str = "write_file";
    const PURPOSE: &'static str = "Create a file or replace it whole.";
    const CLASS: ToolClass = ToolClass::Tree;

    async fn run(
        &self,
        context: &ToolContext,
        input: WriteFileInput,
    ) -> Result<ToolOutput, ToolRefusal> {
        let path = parse_path(context, &input.path)?;
        context
            .blocking(move |context| write(context, &path, &input.content))
            .await
    }
}

fn write(context: &ToolContext, path: &RepoPath, content: &str) -> Result<ToolOutput, ToolRefusal> {
    let before = match context.files().read(path, super::files::MAX_FILE) {
        Ok(found) => Some(String::from_utf8_lossy(&found.bytes).into_owned()),
        Err(FileError::NotFound { .. }) => None,
        Err(error) => return Err(ToolRefusal::from_error(&error)),
    };
    refuse_placeholders(before.as_deref().unwrap_or_default(), content)?;
    write_text(context, path, content)?;
    let lines = content.lines().count();
    Ok(ToolOutput::words(match before {
        None => format!("created {path}: {lines} lines, {} bytes", content.len()),
        Some(before) => format!(
            "replaced {path}: {lines} lines, {} bytes (it had {} lines)",
            content.len(),
            before.lines().count()
        ),
    }))
}
