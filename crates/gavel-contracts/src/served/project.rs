//! The tools that read what holds in a project now, whatever run wrote it.

use std::sync::Arc;

use gavel_agent::{Refused, Served, ServedTool, ToolHints, ToolSet, Visit};
use gavel_domain::RunState;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::text::{TextPage, held, kind_of, page};
use super::{ContractSource, RunContracts};

/// No arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ServedNoArguments {}

/// `gavel_list_project_contracts`: the runs of a project with contracts, and which of them hold.
pub(crate) struct ListProjectContracts(pub(super) Arc<dyn ContractSource>);

/// The runs of a project that have contracts.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ProjectContracts {
    /// The run whose contracts hold in the project.
    holds: Option<String>,
    /// Newest first.
    runs: Vec<ProjectRun>,
}

/// A run with contracts.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ProjectRun {
    run: String,
    state: String,
    started_at: String,
    kinds: Vec<String>,
}

impl ServedTool for ListProjectContracts {
    type Input = ServedNoArguments;
    type Output = ProjectContracts;
    const NAME: &'static str = "gavel_list_project_contracts";
    const PURPOSE: &'static str =
        "List the project's runs that have contracts, and whose contracts hold now";
    const SET: ToolSet = ToolSet::Contracts;
    const HINTS: ToolHints = ToolHints::READS;

    async fn call(
        &self,
        visit: &Visit,
        _: ServedNoArguments,
    ) -> Result<Served<ProjectContracts>, Refused> {
        let all = self.0.of_project(visit).await?;
        let holds = holding(&all).map(|of| of.run);
        let runs = all.iter().map(|of| ProjectRun {
            run: of.run.to_string(),
            state: of.state.to_string(),
            started_at: of.started_at.to_string(),
            kinds: of
                .contracts
                .iter()
                .map(|held| held.kind.word().to_owned())
                .collect(),
        });
        let list = ProjectContracts {
            holds: holds.map(|run| run.to_string()),
            runs: runs.collect(),
        };
        let line = match holds {
            Some(run) => format!("those of run {} hold", run.short()),
            None => "no run of this project has contracts yet".to_owned(),
        };
        Ok(Served::new(list, line))
    }
}

/// `gavel_get_project_contract`: a contract that holds in the project.
pub(crate) struct GetProjectContract(pub(super) Arc<dyn ContractSource>);

/// Which contract is read.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProjectContractArguments {
    /// As with `gavel_get_contract`.
    kind: String,
    from: Option<u32>,
}

impl ServedTool for GetProjectContract {
    type Input = ProjectContractArguments;
    type Output = TextPage;
    const NAME: &'static str = "gavel_get_project_contract";
    const PURPOSE: &'static str = "Read a contract that holds in the project now";
    const SET: ToolSet = ToolSet::Contracts;
    const HINTS: ToolHints = ToolHints::READS;

    async fn call(
        &self,
        visit: &Visit,
        input: ProjectContractArguments,
    ) -> Result<Served<TextPage>, Refused> {
        let kind = kind_of(&input.kind)?;
        let all = self.0.of_project(visit).await?;
        let Some(of) = holding(&all) else {
            let refused = Refused::new("not_found", "no run of this project has contracts yet");
            let arguments = json!({ "idea": "<what to build>" });
            return Err(refused.then("gavel_start_run", arguments, "to have them written"));
        };
        let (contract, text) = held(of, (kind, None))?;
        let page = page(of.run, (contract.kind.file_name(), text), input.from)?.of(contract);
        let line = format!("{} (of run {})", page.line(), of.run.short());
        Ok(Served::new(page, line))
    }
}

/// The newest sealed run, else the newest.
fn holding(all: &[RunContracts]) -> Option<&RunContracts> {
    let sealed = all.iter().find(|of| of.state == RunState::Sealed);
    sealed.or_else(|| all.first())
}
