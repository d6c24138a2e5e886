//! The contracts of runs, for the tools that read contracts.

use std::sync::Arc;

use gavel_agent::{Refused, Visit};
use gavel_contracts::{
    ContractInputs, ContractSource, HeldContract, RunContracts, RunInputs, Sought,
};
use gavel_domain::{Head, MemoryNote};
use serde_json::json;

use super::desk::RunDesk;
use gavel_view::ContractTold;
use gavel_view::Report;
use gavel_view::Text;

/// How many runs are looked through for contracts.
const LOOK_BACK: usize = 20;

impl ContractSource for RunDesk {
    fn of_run<'a>(&'a self, visit: &'a Visit, run: Option<&'a str>) -> Sought<'a, RunContracts> {
        Box::pin(async move {
            let report = self.with_contracts(visit, run).await?;
            Ok(contracts_of(&report))
        })
    }

    fn of_project<'a>(&'a self, _visit: &'a Visit) -> Sought<'a, Vec<RunContracts>> {
        Box::pin(async move {
            let mut all = Vec::new();
            for head in self.heads(false, LOOK_BACK).await? {
                let report = self.report_among(&head).await?;
                let report = report.filter(|report| !report.contracts.is_empty());
                all.extend(report.map(|report| contracts_of(&report)));
            }
            Ok(all)
        })
    }

    fn inputs<'a>(&'a self, visit: &'a Visit, run: Option<&'a str>) -> Sought<'a, RunInputs> {
        Box::pin(async move {
            let head = self.asked(visit, run).await?;
            let report = self.report(&head).await?;
            Ok(inputs_of(&report))
        })
    }
}

impl RunDesk {
    /// The run that is meant; when nobody says which, the newest one with contracts.
    async fn with_contracts(
        &self,
        visit: &Visit,
        run: Option<&str>,
    ) -> Result<Arc<Report>, Refused> {
        if run.is_some() || visit.session.run.is_some() {
            let head = self.asked(visit, run).await?;
            let report = self.report(&head).await?;
            if report.contracts.is_empty() {
                return Err(none_written(&head));
            }
            return Ok(report);
        }
        for head in self.heads(false, LOOK_BACK).await? {
            let report = self.report_among(&head).await?;
            if let Some(report) = report.filter(|report| !report.contracts.is_empty()) {
                return Ok(report);
            }
        }
        let refused = Refused::new("not_found", "no run of this project has contracts yet");
        let arguments = json!({ "idea": "<what to build>" });
        Err(refused.then("gavel_start_run", arguments, "to have them written"))
    }
}

fn none_written(head: &Head) -> Refused {
    let message = format!("run {} has no contracts yet", head.run.short());
    let arguments = json!({ "run": head.run.to_string() });
    let refused = Refused::new("not_written", message);
    refused.then("gavel_run_status", arguments, "to see where it stands")
}

fn contracts_of(report: &Report) -> RunContracts {
    let held = |told: &ContractTold| HeldContract {
        kind: told.kind,
        version: told.version,
        pinned: told.pinned,
        text: match &told.text {
            Text::Kept(text) | Text::Odd(text) => Some(text.clone()),
            Text::Gone => None,
        },
    };
    RunContracts {
        run: report.run,
        state: report.state,
        started_at: report.started_at,
        idea: kept(report.idea.as_ref()),
        contracts: report.contracts.iter().map(held).collect(),
        versions: report.versions.iter().map(held).collect(),
    }
}

fn inputs_of(report: &Report) -> RunInputs {
    let answers = report
        .discovery
        .as_ref()
        .and_then(|told| told.answers.kept());
    let decisions = report.debate.decisions.iter();
    let decisions = decisions.filter_map(|told| told.decision.kept());
    let spec = report.spec.as_ref().and_then(Text::kept);
    let memory = report.memory.iter().filter_map(|told| told.texts.kept());
    let memory = memory.filter_map(|notes| serde_json::from_value(notes.clone()).ok());
    let inputs = ContractInputs {
        idea: kept(report.idea.as_ref()),
        answers: answers.cloned().unwrap_or_default(),
        decisions: decisions.cloned().collect(),
        spec: spec.cloned().unwrap_or_default(),
        memory: memory.flat_map(|notes: Vec<MemoryNote>| notes).collect(),
        most_phases: None,
    };
    RunInputs {
        run: report.run,
        inputs,
        has_spec: spec.is_some(),
    }
}

fn kept(text: Option<&Text>) -> String {
    text.and_then(Text::kept).cloned().unwrap_or_default()
}
