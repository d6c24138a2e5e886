//! Contracts: fetch what is known, submit, and mend once what words from outside may have broken.

use gavel_domain::{ContractKind, Criterion, DiscoveryAnswer, Spec};
use serde_json::{Value, json};

use super::conversation::{Conversation, Done, Halt};
use super::project::design;
use crate::contracts::{Plan, read_contracts, write_contract};
use crate::criteria::criteria;
use crate::design::Design;

const ABOUT: &str = "gavel_get_project_context";
const CONTRACT: &str = "gavel_get_contract";
const SUBMIT: &str = "submit_contract";

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
        let content = json!({"content": write_contract(kind, &plan)});
        match talk.answer(SUBMIT, &content) {
            None => return Err(Halt::Call(vec![(SUBMIT, content)])),
            Some(refused) => why.clone_from(&refused.said),
        }
    }
    let why = why.split_whitespace().collect::<Vec<_>>().join(" ");
    Err(Halt::cannot(format!(
        "the contract `{kind}` was refused, and the rules have no other way to write it: {why}"
    )))
}

fn plan(talk: &Conversation<'_>, kind: ContractKind) -> Result<Plan, Halt> {
    let about = |what: &str| (ABOUT, json!({"about": what}));
    let [idea, answers, memory] = talk.need(&[about("idea"), about("answers"), about("memory")])?;
    let answers: Vec<DiscoveryAnswer> = json_of(answers)?;
    let design = if kind > ContractKind::Physics {
        let contract = |kind: &str| (CONTRACT, json!({"kind": kind}));
        let [schema, physics] = talk.need(&[contract("schema"), contract("physics")])?;
        written(&schema.whole()?, &physics.whole()?)?
    } else {
        design(&idea.whole()?, &answers)?
    };
    let criteria = if kind >= ContractKind::Phases {
        let [spec] = talk.need(&[about("spec")])?;
        criteria_of(spec, &design)?
    } else {
        criteria(&design)
    };
    Ok(Plan {
        design,
        criteria,
        answers: answers
            .into_iter()
            .map(|one| (one.question, one.answer))
            .collect(),
        memory: texts(memory),
    })
}

/// The design that the contracts state by now.
fn written(schema: &str, physics: &str) -> Result<Design, Halt> {
    let read = read_contracts(schema, physics, &[], u32::MAX);
    let (design, _) = read.map_err(|problem| Halt::cannot(problem.to_string()))?;
    Ok(design)
}

/// The spec's criteria, word for word. One that is too long for an answer states those of the design,
/// for the rules wrote it; if they did not, the check of the contract says so.
fn criteria_of(spec: &Done, design: &Design) -> Result<Vec<Criterion>, Halt> {
    if spec.ok && spec.piece().cut {
        return Ok(criteria(design));
    }
    let spec: Spec = json_of(spec)?;
    Ok(spec.criteria)
}

fn json_of<T: serde::de::DeserializeOwned>(done: &Done) -> Result<T, Halt> {
    let Done {
        name, arguments, ..
    } = done;
    serde_json::from_str(&done.whole()?)
        .map_err(|error| Halt::cannot(format!("{name} {arguments} cannot be read: {error}")))
}

/// What memory says, as far as it can be read: contracts only quote it.
fn texts(memory: &Done) -> Vec<String> {
    let items: Vec<Value> = json_of(memory).unwrap_or_default();
    let text = |item: &Value| {
        let text = item.as_str().or_else(|| item.get("text")?.as_str());
        text.map(str::to_owned)
    };
    items.iter().filter_map(text).collect()
}
