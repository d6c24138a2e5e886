//! `search_code`: lines of the tree that match.

use std::collections::BTreeMap;

use gavel_workspace::{
    Case, FoundLine, Pattern, RepoPath, SearchGaps, SearchLimits, SearchQuery, SearchResult,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::files::{is_in_own_folder, parse_folder, read_text};
use crate::{Data, ToolClass, ToolContext, ToolHandler, ToolOutput, ToolRefusal};

/// How many lines are shown.
const SHOWN: usize = 100;
const LIMITS: SearchLimits = SearchLimits {
    // Gavel's own folder comes first and is left out: it must not use up what is shown.
    matches: 10 * SHOWN,
    line_bytes: 200,
    file_bytes: 2 * 1024 * 1024,
};
/// What stands for a line that is part of a secret.
const HIDDEN: &str = "[part of a secret]";

/// The tool.
#[derive(Debug, Clone, Copy)]
pub struct SearchCode;

/// Its arguments.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchCodeInput {
    /// Regular expression, matched line by line.
    pattern: String,
    /// Take the pattern as plain text.
    literal: Option<bool>,
    ignore_case: Option<bool>,
    /// Files, such as *.rs or src/**/*.py
    glob: Option<String>,
    /// Folder to search.
    path: Option<String>,
}

impl ToolHandler for SearchCode {
    type Input = SearchCodeInput;
    const NAME: &'static str = "search_code";
    const PURPOSE: &'static str = "Find lines in files that git does not ignore.";
    const CLASS: ToolClass = ToolClass::Pure;

    async fn run(
        &self,
        context: &ToolContext,
        input: SearchCodeInput,
    ) -> Result<ToolOutput, ToolRefusal> {
        let shown = input.pattern.clone();
        let query = SearchQuery {
            below: parse_folder(context, input.path.as_deref())?,
            glob: input.glob,
            case: match input.ignore_case {
                Some(true) => Case::Ignored,
                Some(false) | None => Case::Counts,
            },
            pattern: match input.literal {
                Some(true) => Pattern::Literal(input.pattern),
                Some(false) | None => Pattern::Regex(input.pattern),
            },
        };
        let (result, lines) = context
            .blocking(move |context| search(context, &query))
            .await?;
        let words = describe(&result);
        if lines.is_empty() {
            return Ok(ToolOutput::words(words));
        }
        let source = format!("lines that match `{shown}`");
        Ok(ToolOutput::words(words).with(Data::new(source, lines)))
    }
}

fn search(
    context: &ToolContext,
    query: &SearchQuery,
) -> Result<(SearchResult, String), ToolRefusal> {
    let mut result = context
        .files()
        .search(query, LIMITS)
        .map_err(|error| ToolRefusal::from_error(&error))?;
    result
        .lines
        .retain(|line| !is_in_own_folder(line.path.as_str()));
    if result.lines.len() > SHOWN {
        result.lines.truncate(SHOWN);
        result.stopped_early = true;
    }
    let mut clean = CleanLines::new(context);
    let lines = result.lines.iter().map(|line| clean.show(line)).collect();
    Ok((result, lines))
}

/// Looks at whole files, since one line of a key does not look like a secret.
struct CleanLines<'a> {
    context: &'a ToolContext,
    /// The scrubbed text of files that hold secrets.
    scrubbed: BTreeMap<RepoPath, Option<String>>,
}

impl<'a> CleanLines<'a> {
    const fn new(context: &'a ToolContext) -> Self {
        Self {
            context,
            scrubbed: BTreeMap::new(),
        }
    }

    fn show(&mut self, found: &FoundLine) -> String {
        let FoundLine {
            path,
            line,
            text,
            cut,
        } = found;
        let context = self.context;
        let scrubbed = self.scrubbed.entry(path.clone()).or_insert_with(|| {
            let whole = read_text(context, path).ok()?;
            let clean = context.scrub(&whole);
            (clean != whole).then_some(clean)
        });
        let text = match scrubbed {
            Some(clean) if !clean.contains(text.as_str()) => HIDDEN,
            Some(_) | None => text,
        };
        let more = if *cut { " …" } else { "" };
        format!("{path}:{line}: {text}{more}\n")
    }
}

fn describe(result: &SearchResult) -> String {
    let SearchGaps {
        binary,
        large,
        credentials,
        unreadable,
        beyond,
    } = result.left_out;
    let mut words = match result.lines.len() {
        0 => format!("no line matches in {} files", result.searched),
        1 => format!("1 line matches, {} files searched", result.searched),
        lines => format!("{lines} lines match, {} files searched", result.searched),
    };
    if result.stopped_early {
        words.push_str("; there are more: narrow the search");
    }
    let gaps = [
        (binary, "binary"),
        (large, "large"),
        (credentials, "with credentials"),
        (unreadable, "unreadable"),
        (beyond, "beyond the limit"),
    ];
    let gaps: Vec<String> = gaps
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    if !gaps.is_empty() {
        words.push_str(&format!("; files left out: {}", gaps.join(", ")));
    }
    words
}
