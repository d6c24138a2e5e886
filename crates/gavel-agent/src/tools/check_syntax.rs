//! `check_syntax`: does a file parse?

use gavel_workspace::{RepoPath, SourceLanguage, SyntaxReport, check_syntax};
use schemars::JsonSchema;
use serde::Deserialize;

use super::files::{parse_path, read_text};
use crate::{Data, ToolClass, ToolContext, ToolHandler, ToolOutput, ToolRefusal};

/// The tool.
#[derive(Debug, Clone, Copy)]
pub struct CheckSyntax;

/// Its arguments.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckSyntaxInput {
    path: String,
}

impl ToolHandler for CheckSyntax {
    type Input = CheckSyntaxInput;
    const NAME: &'static str = "check_syntax";
    const PURPOSE: &'static str = "Parse a Rust, Python, JavaScript or TypeScript file.";
    const CLASS: ToolClass = ToolClass::Pure;

    async fn run(
        &self,
        context: &ToolContext,
        input: CheckSyntaxInput,
    ) -> Result<ToolOutput, ToolRefusal> {
        let path = parse_path(context, &input.path)?;
        context.blocking(move |context| check(context, &path)).await
    }
}

fn check(context: &ToolContext, path: &RepoPath) -> Result<ToolOutput, ToolRefusal> {
    let Some(language) = SourceLanguage::of_path(path) else {
        return Err(ToolRefusal::new(format!(
            "the syntax of {path} cannot be checked: only Rust, Python, JavaScript and TypeScript"
        )));
    };
    let text = read_text(context, path)?;
    let SyntaxReport { problems, left_out } =
        check_syntax(language, &text).map_err(|error| ToolRefusal::from_error(&error))?;
    if problems.is_empty() {
        return Ok(ToolOutput::words(format!("{path} parses")));
    }
    let count = problems.len() + left_out;
    let lines: String = problems
        .iter()
        .map(|problem| format!("{}:{}: {}\n", problem.line, problem.column, problem.message))
        .collect();
    // Messages quote the file, so they are data like it.
    let data = Data::new(format!("problems in {path} by line and column"), lines);
    Err(ToolRefusal::new(format!("{path} does not parse, {count} problems")).with(data))
}
