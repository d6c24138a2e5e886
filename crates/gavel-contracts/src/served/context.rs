//! The tool that hands out what contracts are written from.

use std::sync::Arc;

use gavel_agent::{Refused, Served, ServedTool, ToolHints, ToolSet, Visit};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::ContractSource;
use super::text::{TextPage, page};
use crate::project::{About, text_about};

/// `gavel_get_project_context`: what the contracts of a run are written from.
pub(crate) struct GetProjectContext(pub(super) Arc<dyn ContractSource>);

/// What is read.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProjectContextArguments {
    about: About,
    run: Option<String>,
    from: Option<u32>,
}

impl ServedTool for GetProjectContext {
    type Input = ProjectContextArguments;
    type Output = TextPage;
    const NAME: &'static str = "gavel_get_project_context";
    const PURPOSE: &'static str =
        "Read the idea, the answers, the decisions, the spec or what memory said to a run";
    const SET: ToolSet = ToolSet::Contracts;
    const HINTS: ToolHints = ToolHints::READS;

    async fn call(
        &self,
        visit: &Visit,
        input: ProjectContextArguments,
    ) -> Result<Served<TextPage>, Refused> {
        let of = self.0.inputs(visit, input.run.as_deref()).await?;
        if matches!(input.about, About::Spec) && !of.has_spec {
            let run = of.run.short();
            let message = format!("run {run} has no spec yet: nothing is agreed to be built");
            let arguments = json!({ "run": of.run.to_string() });
            let refused = Refused::new("not_written", message);
            return Err(refused.then("gavel_run_status", arguments, "to see where it stands"));
        }
        let (name, text) = text_about(&of.inputs, input.about);
        let text = text.map_err(|error| Refused::from_error("internal", &error))?;
        let page = page(of.run, (name, &text), input.from)?;
        let line = page.line();
        Ok(Served::new(page, line))
    }
}
