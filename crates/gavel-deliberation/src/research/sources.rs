//! Who outside the project can be asked, and what.

use futures_util::future::join_all;
use gavel_agent::{SourceError, SourceTool, ToolContext, ToolRefusal};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::task::list;

/// A longer description costs more than it tells.
const DESCRIPTION: usize = 400;
/// A longer schema is shown by the names of its arguments.
const SCHEMA: usize = 1_500;

/// What sources offer.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Outside {
    /// One entry per tool; empty when there is none.
    pub(super) offers: String,
    /// Who did not answer, a sentence each.
    pub(super) trouble: String,
}

/// Sources by their names.
pub(super) fn names(context: &ToolContext) -> Outside {
    let entries = context.sources().iter();
    let entries = entries.map(|source| json!({"source": source.name()}));
    Outside {
        offers: list(entries),
        trouble: String::new(),
    }
}

/// Sources by what they can be asked, all of them at once; starts them.
pub(super) async fn offers(context: &ToolContext) -> Outside {
    let asked = context.sources().iter().map(|source| source.tools());
    let answers = join_all(asked).await;
    let mut entries = Vec::new();
    let mut trouble = Vec::new();
    for (source, answer) in context.sources().iter().zip(answers) {
        match answer {
            Ok(tools) if tools.is_empty() => trouble.push(nothing_offered(source.name())),
            Ok(tools) => entries.extend(tools.iter().map(|tool| entry(source.name(), tool))),
            Err(error) => trouble.push(told(&error)),
        }
    }
    Outside {
        offers: if entries.is_empty() {
            String::new()
        } else {
            list(entries)
        },
        trouble: trouble.join("; "),
    }
}

fn nothing_offered(name: &str) -> String {
    format!(
        "the source `{name}` has no tool that says it only reads: name those that may be used \
         under `tools` in your config.toml"
    )
}

fn told(error: &SourceError) -> String {
    ToolRefusal::from_error(error).sentence
}

fn entry(source: &str, tool: &SourceTool) -> Value {
    let words = tool.description.split_whitespace().collect::<Vec<_>>();
    let description: String = words.join(" ").chars().take(DESCRIPTION).collect();
    json!({
        "source": source,
        "tool": tool.name,
        "description": description,
        "arguments": arguments(&tool.schema),
    })
}

/// The schema of the arguments, or their names alone where it is long.
fn arguments(schema: &Value) -> Value {
    if schema.to_string().len() <= SCHEMA {
        let shown = |name: &str| schema.get(name).cloned().unwrap_or_else(|| json!({}));
        return json!({"properties": shown("properties"), "required": shown("required")});
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    let names = properties.into_iter().flat_map(|fields| fields.keys());
    json!({"properties": names.take(40).collect::<Vec<_>>()})
}
