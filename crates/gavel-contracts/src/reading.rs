//! The tools that read contracts.

use std::sync::Arc;

use gavel_agent::{
    Registry, RegistryError, ToolClass, ToolContext, ToolHandler, ToolOutput, ToolRefusal,
};
use gavel_domain::{Contract, ContractKind};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::paging::page;
use crate::{Shelf, parse_phases, phase_window};

/// The tools that read the contracts of one build, for whoever assembles a registry.
pub fn reading_tools(registry: &mut Registry, shelf: Arc<Shelf>) -> Result<(), RegistryError> {
    registry.add(ListContracts(shelf.clone()))?;
    registry.add(GetContract(shelf.clone()))?;
    registry.add(GetPhaseWindow(shelf))
}

#[derive(Debug)]
struct ListContracts(Arc<Shelf>);

/// Its arguments: none.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListContractsInput {}

impl ToolHandler for ListContracts {
    type Input = ListContractsInput;
    const NAME: &'static str = "gavel_list_contracts";
    const PURPOSE: &'static str = "List the contracts that are written.";
    const CLASS: ToolClass = ToolClass::Pure;

    async fn run(&self, _: &ToolContext, _: ListContractsInput) -> Result<ToolOutput, ToolRefusal> {
        let mut words: Vec<_> = self.0.iter().map(line_about).collect();
        let missing: Vec<_> = self.0.missing().map(ContractKind::word).collect();
        if !missing.is_empty() {
            words.push(format!("not written yet: {}", missing.join(", ")));
        }
        Ok(ToolOutput::words(words.join("\n")))
    }
}

fn line_about(contract: &Contract) -> String {
    let kind = contract.kind;
    let lines = contract.text.lines().count();
    let how = match (kind, parse_phases(&contract.text)) {
        (ContractKind::Phases, Ok(phases)) => {
            let last = phases.len().saturating_sub(1);
            format!("; read phases 0..{last} with gavel_get_phase_window")
        }
        _ => String::new(),
    };
    format!("{kind}: {}, {lines} lines{how}", kind.file_name())
}

#[derive(Debug)]
struct GetContract(Arc<Shelf>);

/// Its arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct GetContractInput {
    /// manifesto, blueprint, stack, schema, physics, boundaries, ui or builder_directive.
    kind: String,
    /// Leave it out to read all; the line to go on with where a text was cut.
    from: Option<u32>,
}

impl ToolHandler for GetContract {
    type Input = GetContractInput;
    const NAME: &'static str = "gavel_get_contract";
    const PURPOSE: &'static str = "Read a contract.";
    const CLASS: ToolClass = ToolClass::Pure;

    async fn run(
        &self,
        context: &ToolContext,
        input: GetContractInput,
    ) -> Result<ToolOutput, ToolRefusal> {
        let Some(kind) = ContractKind::from_word(&input.kind) else {
            let kinds = ContractKind::ALL.map(ContractKind::word).join(", ");
            return Err(ToolRefusal::new(format!(
                "there is no contract of that kind; the kinds are {kinds}"
            )));
        };
        if kind == ContractKind::Phases {
            return Err(ToolRefusal::new(
                "the contract phases is not handed out whole: read one phase and the next with \
                 gavel_get_phase_window",
            ));
        }
        let contract = self.0.get(kind).ok_or_else(|| not_written(kind))?;
        page(context, (kind.file_name(), &contract.text), input.from)
    }
}

#[derive(Debug)]
struct GetPhaseWindow(Arc<Shelf>);

/// Its arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct GetPhaseWindowInput {
    /// Counted from 0.
    phase: u32,
    /// Leave it out to read all; the line to go on with where a text was cut.
    from: Option<u32>,
}

impl ToolHandler for GetPhaseWindow {
    type Input = GetPhaseWindowInput;
    const NAME: &'static str = "gavel_get_phase_window";
    const PURPOSE: &'static str = "Read a phase and the one after it.";
    const CLASS: ToolClass = ToolClass::Pure;

    async fn run(
        &self,
        context: &ToolContext,
        input: GetPhaseWindowInput,
    ) -> Result<ToolOutput, ToolRefusal> {
        let kind = ContractKind::Phases;
        let contract = self.0.get(kind).ok_or_else(|| not_written(kind))?;
        let window = phase_window(&contract.text, input.phase)
            .map_err(|error| ToolRefusal::from_error(&error))?;
        page(context, (kind.file_name(), &window), input.from)
    }
}

fn not_written(kind: ContractKind) -> ToolRefusal {
    ToolRefusal::new(format!(
        "the contract {kind} is not written yet; gavel_list_contracts says which are"
    ))
}
