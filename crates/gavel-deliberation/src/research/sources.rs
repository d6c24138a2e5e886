//! Who outside the project can be asked, and what.

use futures_util::future::join_all;
use gavel_agent::{SourceError, SourceTool, ToolContext, ToolRefusal};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::task::list;

/// A longer description costs more than it tells.
const DESCRIPTION: usize = 240;
/// More arguments of a tool are not shown.
const ARGUMENTS: usize = 12;
/// More of what is said of an argument is not shown.
const SAID: usize = 80;

/// What sources offer.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Outside {
    /// One entry per tool; empty when there is none.
    pub(super) offers: String,
    /// Who did not answer, a sentence each.
    pub(super) trouble: String,
}

impl Outside {
    /// The same, with a sentence about each source that may not be asked.
    pub(super) fn without(mut self, refused: &[String]) -> Self {
        let sentences = refused.iter().map(|name| not_agreed(name));
        let trouble = (!self.trouble.is_empty()).then_some(self.trouble);
        let all: Vec<String> = trouble.into_iter().chain(sentences).collect();
        self.trouble = all.join("; ");
        self
    }
}

fn not_agreed(name: &str) -> String {
    format!(
        "the source `{name}` was not asked: nobody counts what that costs, a money cap is in force, \
         and no person agreed"
    )
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
            Ok(tools) => {
                let told = tools.iter().map(|tool| entry(source.name(), tool));
                entries.extend(told.enumerate());
            }
            Err(error) => trouble.push(told(&error)),
        }
    }
    // The first of each source before the second of any: where the list is cut, each has its share.
    entries.sort_by_key(|(place, _)| *place);
    let entries: Vec<_> = entries.into_iter().map(|(_, entry)| entry).collect();
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
    let description: String = flat(&tool.description).chars().take(DESCRIPTION).collect();
    json!({
        "source": source,
        "tool": tool.name,
        "description": description,
        "arguments": arguments(&tool.schema),
    })
}

/// The arguments in short: `{"word": "string: what to look for", "most": "number, optional"}`. A
/// whole schema takes three times the room; who calls wrongly is told by the source.
fn arguments(schema: &Value) -> Value {
    let properties = schema.get("properties").and_then(Value::as_object);
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|names| names.contains(&json!(name)));
    let shown = properties.into_iter().flatten().take(ARGUMENTS);
    let shown = shown.map(|(name, about)| {
        let mut told = kind(about);
        if !is_required(name) {
            told.push_str(", optional");
        }
        let said = about.get("description").and_then(Value::as_str);
        if let Some(said) = said {
            let said: String = flat(said).chars().take(SAID).collect();
            told.push_str(&format!(": {said}"));
        }
        (name.clone(), Value::String(told))
    });
    Value::Object(shown.collect())
}

/// What an argument has to be, as far as its schema says it plainly.
fn kind(about: &Value) -> String {
    if let Some(choices) = about.get("enum").and_then(Value::as_array) {
        let choices: Vec<_> = choices.iter().take(8).map(Value::to_string).collect();
        return format!("one of {}", choices.join(" "));
    }
    let kind = about.get("type").and_then(Value::as_str);
    kind.unwrap_or("any").to_owned()
}

fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
