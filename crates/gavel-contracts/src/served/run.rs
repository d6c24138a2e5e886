//! The tools that read the contracts of one run.

use std::sync::Arc;

use gavel_agent::{Cap, Refused, Served, ServedTool, ToolHints, ToolSet, Visit};
use gavel_domain::ContractKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::text::{TextPage, held, kind_of, page, scrubbed};
use super::{ContractSource, RunContracts};
use crate::{parse_phases, phase_window};

/// How much of an idea a summary tells.
const IDEA_CHARS: usize = 600;
/// The most bytes of texts that a build's contracts are handed out with at once.
const MOST_BYTES: usize = 3 * Cap::RESULT.bytes;

/// Which run is meant.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunArguments {
    /// Its id or the end of it; without it, yours or the newest.
    run: Option<String>,
}

/// `gavel_get_summary`: what a run is about and which contracts hold.
pub(crate) struct GetSummary(pub(super) Arc<dyn ContractSource>);

/// What a run is about.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Summary {
    run: String,
    state: String,
    idea: String,
    /// The contracts that are written.
    contracts: Vec<String>,
    missing: Vec<String>,
    phases: Vec<PhaseRow>,
    /// The layers that code is kept apart in.
    layers: Vec<String>,
}

/// A phase of the build.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PhaseRow {
    number: u32,
    name: String,
}

impl ServedTool for GetSummary {
    type Input = RunArguments;
    type Output = Summary;
    const NAME: &'static str = "gavel_get_summary";
    const PURPOSE: &'static str = "What a run builds: its idea, contracts, phases and layers";
    const SET: ToolSet = ToolSet::Contracts;
    const HINTS: ToolHints = ToolHints::READS;

    async fn call(&self, visit: &Visit, input: RunArguments) -> Result<Served<Summary>, Refused> {
        let of = self.0.of_run(visit, input.run.as_deref()).await?;
        let text = |kind| {
            let contract = of.contracts.iter().find(|held| held.kind == kind);
            contract.and_then(|held| held.text.as_deref()).unwrap_or("")
        };
        let phases = phases(text(ContractKind::Phases));
        let layers = layers(text(ContractKind::Boundaries));
        let unread = [
            ("phases", phases.is_none()),
            ("boundaries", layers.is_none()),
        ];
        let unread = unread.iter().filter(|(_, unread)| *unread);
        let unread: Vec<&str> = unread.map(|(name, _)| *name).collect();
        let summary = Summary {
            run: of.run.to_string(),
            state: of.state.to_string(),
            idea: scrubbed(&of.idea)?.chars().take(IDEA_CHARS).collect(),
            contracts: written(&of),
            missing: missing(&of),
            layers: layers.unwrap_or_default(),
            phases: phases.unwrap_or_default(),
        };
        let mut line = format!(
            "run {} is {}: {} contracts, {} phases",
            of.run.short(),
            of.state,
            summary.contracts.len(),
            summary.phases.len()
        );
        if !unread.is_empty() {
            line.push_str("; cannot be read: ");
            line.push_str(&unread.join(", "));
        }
        Ok(Served::new(summary, line))
    }
}

fn written(of: &RunContracts) -> Vec<String> {
    let kinds = of.contracts.iter();
    kinds.map(|held| held.kind.word().to_owned()).collect()
}

fn missing(of: &RunContracts) -> Vec<String> {
    let has = |kind| of.contracts.iter().any(|held| held.kind == kind);
    let kinds = ContractKind::ALL.into_iter().filter(|kind| !has(*kind));
    kinds.map(|kind| kind.word().to_owned()).collect()
}

/// The phases, none where no contract is; `None` where it cannot be read.
fn phases(text: &str) -> Option<Vec<PhaseRow>> {
    if text.is_empty() {
        return Some(Vec::new());
    }
    let phases = parse_phases(text).ok()?.into_iter();
    let rows = phases.map(|phase| PhaseRow {
        number: phase.number,
        name: phase.name,
    });
    Some(rows.collect())
}

/// The names of the layers, none where no contract is; `None` where it cannot be read.
fn layers(boundaries: &str) -> Option<Vec<String>> {
    #[derive(Deserialize)]
    struct Boundaries {
        layers: Vec<Layer>,
    }
    #[derive(Deserialize)]
    struct Layer {
        name: String,
    }
    if boundaries.is_empty() {
        return Some(Vec::new());
    }
    let read: Boundaries = serde_json::from_str(boundaries).ok()?;
    Some(read.layers.into_iter().map(|layer| layer.name).collect())
}

/// `gavel_list_contracts`: which contracts a run has.
pub(crate) struct ListContracts(pub(super) Arc<dyn ContractSource>);

/// The contracts of a run.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ContractList {
    run: String,
    contracts: Vec<ContractRow>,
    missing: Vec<String>,
}

/// One contract, without its text.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ContractRow {
    kind: String,
    version: u32,
    /// The build is held to it.
    pinned: bool,
    lines: usize,
}

impl ServedTool for ListContracts {
    type Input = RunArguments;
    type Output = ContractList;
    const NAME: &'static str = "gavel_list_contracts";
    const PURPOSE: &'static str = "List the contracts of a run";
    const SET: ToolSet = ToolSet::Contracts;
    const HINTS: ToolHints = ToolHints::READS;

    async fn call(
        &self,
        visit: &Visit,
        input: RunArguments,
    ) -> Result<Served<ContractList>, Refused> {
        let of = self.0.of_run(visit, input.run.as_deref()).await?;
        let rows = of
            .contracts
            .iter()
            .chain(&of.versions)
            .map(|held| ContractRow {
                kind: held.kind.word().to_owned(),
                version: held.version,
                pinned: held.pinned,
                lines: held.text.as_deref().map_or(0, |text| text.lines().count()),
            });
        let list = ContractList {
            run: of.run.to_string(),
            contracts: rows.collect(),
            missing: missing(&of),
        };
        let line = format!("run {}: {}", of.run.short(), written(&of).join(", "));
        Ok(Served::new(list, line))
    }
}

/// `gavel_get_contract`: one contract.
pub(crate) struct GetContract(pub(super) Arc<dyn ContractSource>);

/// Which contract is read.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ContractArguments {
    /// manifesto, blueprint, stack, schema, physics, boundaries, ui, `builder_directive`
    kind: String,
    run: Option<String>,
    /// Another version than the one that holds
    version: Option<u32>,
    /// The line to go on with.
    from: Option<u32>,
}

impl ServedTool for GetContract {
    type Input = ContractArguments;
    type Output = TextPage;
    const NAME: &'static str = "gavel_get_contract";
    const PURPOSE: &'static str = "Read a contract of a run";
    const SET: ToolSet = ToolSet::Contracts;
    const HINTS: ToolHints = ToolHints::READS;

    async fn call(
        &self,
        visit: &Visit,
        input: ContractArguments,
    ) -> Result<Served<TextPage>, Refused> {
        let kind = kind_of(&input.kind)?;
        let of = self.0.of_run(visit, input.run.as_deref()).await?;
        let (contract, text) = held(&of, (kind, input.version))?;
        let page = page(of.run, (contract.kind.file_name(), text), input.from)?.of(contract);
        let line = page.line();
        Ok(Served::new(page, line))
    }
}

/// `gavel_get_phase_window`: a phase and the one after it.
pub(crate) struct GetPhaseWindow(pub(super) Arc<dyn ContractSource>);

/// Which phases are read.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WindowArguments {
    /// Counted from 0.
    phase: u32,
    run: Option<String>,
    from: Option<u32>,
}

impl ServedTool for GetPhaseWindow {
    type Input = WindowArguments;
    type Output = TextPage;
    const NAME: &'static str = "gavel_get_phase_window";
    const PURPOSE: &'static str = "Read a phase of the build and the one after it";
    const SET: ToolSet = ToolSet::Contracts;
    const HINTS: ToolHints = ToolHints::READS;

    async fn call(
        &self,
        visit: &Visit,
        input: WindowArguments,
    ) -> Result<Served<TextPage>, Refused> {
        let of = self.0.of_run(visit, input.run.as_deref()).await?;
        let (contract, text) = held(&of, (ContractKind::Phases, None))?;
        let window = phase_window(text, input.phase).map_err(|error| {
            let arguments = json!({ "run": of.run.to_string() });
            let refused = Refused::from_error("no_such_phase", &error);
            refused.then("gavel_get_summary", arguments, "to see the phases")
        })?;
        let name = contract.kind.file_name();
        let page = page(of.run, (name, &window), input.from)?.of(contract);
        let line = page.line();
        Ok(Served::new(page, line))
    }
}

/// `gavel_get_build_contracts`: everything that a build is held to, at once.
pub(crate) struct GetBuildContracts(pub(super) Arc<dyn ContractSource>);

/// What a build is held to.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BuildContracts {
    run: String,
    contracts: Vec<WholeContract>,
    /// Too long for one answer, or read another way: get these one by one.
    left_out: Vec<String>,
}

/// A contract with its text.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WholeContract {
    kind: String,
    version: u32,
    text: String,
}

impl ServedTool for GetBuildContracts {
    type Input = RunArguments;
    type Output = BuildContracts;
    const NAME: &'static str = "gavel_get_build_contracts";
    const PURPOSE: &'static str =
        "Read every pinned contract of a build at once; phases come by gavel_get_phase_window";
    const SET: ToolSet = ToolSet::Contracts;
    const HINTS: ToolHints = ToolHints::READS;

    async fn call(
        &self,
        visit: &Visit,
        input: RunArguments,
    ) -> Result<Served<BuildContracts>, Refused> {
        let of = self.0.of_run(visit, input.run.as_deref()).await?;
        let run = of.run;
        if !of.contracts.iter().any(|held| held.pinned) {
            let message = format!(
                "run {} builds nothing yet: no contract is pinned",
                run.short()
            );
            let refused = Refused::new("not_pinned", message);
            let arguments = json!({ "run": run.to_string() });
            let when = "to see what is written so far";
            return Err(refused.then("gavel_list_contracts", arguments, when));
        }
        let (mut contracts, mut left_out, mut bytes) = (Vec::new(), Vec::new(), 0);
        for contract in of.contracts.iter().filter(|held| held.pinned) {
            let kind = contract.kind.word().to_owned();
            let text = contract.text.as_deref().unwrap_or_default();
            bytes += text.len();
            if contract.kind == ContractKind::Phases || text.is_empty() || bytes > MOST_BYTES {
                left_out.push(kind);
                continue;
            }
            contracts.push(WholeContract {
                kind,
                version: contract.version,
                text: scrubbed(text)?,
            });
        }
        let line = format!(
            "run {} is held to {} contracts",
            run.short(),
            contracts.len()
        );
        let build = BuildContracts {
            run: run.to_string(),
            contracts,
            left_out,
        };
        Ok(Served::new(build, line))
    }
}
