//! `ask_source`: what somebody outside the project says, for those who look things up.

use gavel_agent::{
    Data, SourceError, ToolClass, ToolContext, ToolHandler, ToolOutput, ToolRefusal,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

/// Stands before the addresses of the pages that were asked for, at the end of the first line.
const PAGES: &str = "; pages: ";
/// A longer address is not repeated.
const LONGEST: usize = 500;
const MOST_PAGES: usize = 5;

/// `ask_source`. Whom it can ask is looked up when it is called: a source that was there when the
/// run began may be gone.
pub(crate) struct AskSource;

/// Its arguments.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AskSourceInput {
    /// The name of a source.
    source: String,
    /// The name of a tool of that source.
    tool: String,
    /// The tool's arguments, by its schema.
    #[serde(default)]
    arguments: Map<String, Value>,
}

impl ToolHandler for AskSource {
    type Input = AskSourceInput;
    const NAME: &'static str = "ask_source";
    const PURPOSE: &'static str = "Ask a source outside the project; which there are, and their tools, stands under `sources`.";
    const CLASS: ToolClass = ToolClass::Pure;

    async fn run(
        &self,
        context: &ToolContext,
        input: AskSourceInput,
    ) -> Result<ToolOutput, ToolRefusal> {
        let sources = context.sources();
        let Some(source) = sources.iter().find(|one| one.name() == input.source) else {
            let names: Vec<_> = sources.iter().map(|one| one.name()).collect();
            return Err(no_such_source(&input.source, &names));
        };
        let words = first_line(&input);
        let from = format!("{}/{}", input.source, input.tool);
        match source.call(&input.tool, input.arguments).await {
            Ok(said) => {
                let output = ToolOutput::words(words).asked(&input.source);
                Ok(output.with(Data::new(from, said)))
            }
            Err(error) => {
                let refusal = ToolRefusal::from_error(&error);
                Err(match error {
                    SourceError::Refused { said, .. } => {
                        let refusal = refusal.asked(&input.source);
                        refusal.with(Data::new(from, said))
                    }
                    // The call was sent; what it costs it may cost without an answer.
                    SourceError::Silent { .. } | SourceError::Ended { .. } => {
                        refusal.asked(&input.source)
                    }
                    SourceError::NotStarted { .. }
                    | SourceError::NotASource { .. }
                    | SourceError::LeftAlone { .. }
                    | SourceError::NoSuchTool { .. } => refusal,
                })
            }
        }
    }
}

fn no_such_source(wanted: &str, names: &[&str]) -> ToolRefusal {
    let wanted: String = wanted.chars().take(64).collect();
    let wanted = wanted.escape_debug();
    ToolRefusal::new(if names.is_empty() {
        format!("the source `{wanted}` is not configured here any more: go on without it")
    } else {
        let names = names.join(", ");
        format!("there is no source `{wanted}`; there are: {names}")
    })
}

/// Names the source, the tool and the pages that were asked for, so that they can be cited.
fn first_line(input: &AskSourceInput) -> String {
    let mut pages = Vec::new();
    for value in input.arguments.values() {
        add_pages(value, &mut pages);
    }
    pages.truncate(MOST_PAGES);
    let mut line = format!("{} answered {}", input.source, input.tool);
    if !pages.is_empty() {
        line.push_str(PAGES);
        line.push_str(&pages.join(" "));
    }
    line
}

fn add_pages<'v>(value: &'v Value, pages: &mut Vec<&'v str>) {
    match value {
        Value::String(text) if is_address(text) => pages.push(text),
        Value::Array(items) => {
            for item in items {
                add_pages(item, pages);
            }
        }
        Value::String(_) | Value::Object(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn is_address(text: &str) -> bool {
    let web = ["https://", "http://"]
        .iter()
        .any(|scheme| text.starts_with(scheme));
    web && text.len() <= LONGEST && !text.contains(char::is_whitespace)
}

/// The pages that a result was asked for, by its first line.
pub(crate) fn pages_asked(result: &str) -> impl Iterator<Item = &str> {
    let first = result.lines().next().unwrap_or_default();
    let pages = first.split_once(PAGES).map_or("", |(_, pages)| pages);
    pages.split_whitespace()
}

/// True when a result names a page.
pub(crate) fn names_page(result: &str, url: &str) -> bool {
    let url = url.trim_end_matches('/');
    !url.is_empty()
        && result.match_indices(url).any(|(at, _)| {
            let rest = result.get(at + url.len()..).unwrap_or_default();
            let rest = rest.strip_prefix('/').unwrap_or(rest);
            // A sentence may end behind an address; a longer address is another page.
            let rest = rest.trim_start_matches(['.', ',', ';', ':', '!', '?', ')']);
            rest.chars()
                .next()
                .is_none_or(|next| next.is_whitespace() || "\"'<>()[]{}`\\|".contains(next))
        })
}
