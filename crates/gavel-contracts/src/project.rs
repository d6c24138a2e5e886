//! What the contracts are written from, and the tool that hands it out.

use std::sync::Arc;

use gavel_agent::{ToolClass, ToolContext, ToolHandler, ToolOutput, ToolRefusal};
use gavel_domain::{Decision, DiscoveryAnswer, MemoryNote, Spec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::paging::page;

/// What the contracts are written from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContractInputs {
    /// The idea, in a person's words.
    pub idea: String,
    /// The answers of the discovery.
    pub answers: Vec<DiscoveryAnswer>,
    /// What was decided.
    pub decisions: Vec<Decision>,
    /// The spec.
    pub spec: Spec,
    /// What project memory said.
    pub memory: Vec<MemoryNote>,
    /// The most phases that the build may have, where somebody set a bound.
    pub most_phases: Option<u32>,
}

/// The tool `gavel_get_project_context`.
#[derive(Debug)]
pub(crate) struct GetProjectContext(pub(crate) Arc<ContractInputs>);

/// A part of what the contracts are written from.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum About {
    Idea,
    Answers,
    Decisions,
    Spec,
    Memory,
}

/// Its arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProjectContextInput {
    about: About,
    /// Leave it out to read all; the line to go on with where a text was cut.
    from: Option<u32>,
}

impl ToolHandler for GetProjectContext {
    type Input = ProjectContextInput;
    const NAME: &'static str = "gavel_get_project_context";
    const PURPOSE: &'static str = "Read the idea, the answers, the decisions, the spec or memory.";
    const CLASS: ToolClass = ToolClass::Pure;

    async fn run(
        &self,
        context: &ToolContext,
        input: ProjectContextInput,
    ) -> Result<ToolOutput, ToolRefusal> {
        let (source, text) = text_about(&self.0, input.about);
        let text = text.map_err(|error| ToolRefusal::from_error(&error))?;
        page(context, (source, &text), input.from)
    }
}

/// A part of what the contracts are written from, with its name.
pub(crate) fn text_about(
    inputs: &ContractInputs,
    about: About,
) -> (&'static str, Result<String, serde_json::Error>) {
    match about {
        About::Idea => ("idea", Ok(inputs.idea.clone())),
        About::Answers => ("answers", json_lines(&inputs.answers)),
        About::Decisions => ("decisions", json_lines(&inputs.decisions)),
        About::Spec => ("spec", json_lines(&inputs.spec)),
        About::Memory => ("memory", json_lines(&inputs.memory)),
    }
}

/// JSON with one entry of a list a line, so that a long text can be read in pieces.
fn json_lines(value: &impl Serialize) -> Result<String, serde_json::Error> {
    let text = match serde_json::to_value(value)? {
        Value::Array(items) => list(&items),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| {
                let text = match value {
                    Value::Array(items) => list(items),
                    Value::Object(_)
                    | Value::Null
                    | Value::Bool(_)
                    | Value::Number(_)
                    | Value::String(_) => value.to_string(),
                };
                format!("{}:{text}", Value::from(name.as_str()))
            });
            format!("{{{}}}", fields.collect::<Vec<_>>().join(",\n"))
        }
        other @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => {
            other.to_string()
        }
    };
    Ok(text)
}

fn list(items: &[Value]) -> String {
    let items: Vec<_> = items.iter().map(Value::to_string).collect();
    format!("[{}]", items.join(",\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_entries_and_all_of_it_is_json() {
        let value = serde_json::json!({"a": "x\ny", "list": [{"b": 1}, {"b": 2}], "none": []});
        let text = json_lines(&value).unwrap();
        assert_eq!(
            text,
            "{\"a\":\"x\\ny\",\n\"list\":[{\"b\":1},\n{\"b\":2}],\n\"none\":[]}"
        );
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
        assert_eq!(json_lines(&[1, 2]).unwrap(), "[1,\n2]");
    }
}
