//! Contracts: fetch what is known, submit, and mend once what words from outside may have broken.

use gavel_domain::{ContractKind, DiscoveryAnswer, MemoryNote, Spec};
use serde_json::json;

use super::conversation::{Call, Conversation, Halt, parsed};
use super::project::{design, joined, why_not};
use crate::contracts::{Plan, read_contracts, write_contract};
use crate::criteria::criteria;

/// What the task of the contract `phases` says where everything has to go into one.
const ONE_PHASE: &str = "At most 1 phase(s).";

pub(super) fn write(talk: &Conversation<'_>) -> Result<String, Halt> {
    let word = talk.first_line("Contract").unwrap_or_default();
    let kind = ContractKind::from_word(word)
        .ok_or_else(|| Halt::cannot(format!("there is no contract `{word}`")))?;
    let plan = plan(talk, kind)?;
    // What people and memory say stands in contracts as it is, and may not fit the form.
    let plain = Plan {
        answers: Vec::new(),
        memory: Vec::new(),
        ..plan.clone()
    };
    let mut why = String::new();
    for plan in [plan, plain] {
        let call = (
            "submit_contract",
            json!({"content": write_contract(kind, &plan)}),
        );
        match talk.answer(&call) {
            None => return Err(Halt::Call(vec![call])),
            Some(refused) => why = joined(refused.said.split_whitespace(), " "),
        }
    }
    Err(Halt::cannot(format!(
        "`{kind}` was refused, and there is no other way to write it: {why}"
    )))
}

fn about(what: &str) -> Call {
    ("gavel_get_project_context", json!({"about": what}))
}

/// A contract that is already written.
pub(super) fn contract(kind: ContractKind) -> Call {
    ("gavel_get_contract", json!({"kind": kind}))
}

/// A phase and the one after it.
pub(super) fn window(phase: u32) -> Call {
    ("gavel_get_phase_window", json!({"phase": phase}))
}

fn plan(talk: &Conversation<'_>, kind: ContractKind) -> Result<Plan, Halt> {
    let [idea, answers, memory] = talk.texts(["idea", "answers", "memory"].map(about))?;
    let answers: Vec<DiscoveryAnswer> = parsed(&answers, "answers")?;
    let memory: Vec<MemoryNote> = parsed(&memory, "memory")?;
    let design = if kind > ContractKind::Physics {
        // From now on, what is written counts.
        let written = [ContractKind::Schema, ContractKind::Physics].map(contract);
        let [schema, physics] = talk.texts(written)?;
        let read = read_contracts(&schema, &physics, &[], u32::MAX);
        read.map_err(|problem| Halt::cannot(problem.to_string()))?.0
    } else {
        design(&idea, &answers)?
    };
    let criteria = if kind >= ContractKind::Phases {
        let [spec] = talk.texts([about("spec")])?;
        parsed::<Spec>(&spec, "the spec")?.criteria
    } else {
        criteria(&design)
    };
    let one_phase = match kind {
        ContractKind::Phases => talk.task_says(ONE_PHASE),
        ContractKind::BuilderDirective => {
            // The contract is not handed out whole; its first two phases tell enough.
            let [first] = talk.texts([window(0)])?;
            let headings = first.lines().filter(|line| line.starts_with("## Phase "));
            headings.count() == 1
        }
        ContractKind::Manifesto
        | ContractKind::Blueprint
        | ContractKind::Stack
        | ContractKind::Schema
        | ContractKind::Physics
        | ContractKind::Boundaries
        | ContractKind::Ui => false,
    };
    Ok(Plan {
        design,
        criteria,
        one_phase,
        // What the rules do not do is not settled, whoever said it.
        answers: answers
            .into_iter()
            .filter(|one| why_not(one).is_none())
            .map(|one| (one.question, one.answer))
            .collect(),
        memory: memory.into_iter().map(|note| note.text).collect(),
    })
}
