//! A loop that a caller describes: the kind's own protocol, and what is set over it.

use gavel_domain::{
    AgentId, Flow, Iteration, LoopKind, LoopPhase, Protocol, Schedule, Settings, Slot,
    StopCondition, Word,
};
use gavel_rules::deliberation::{CHAMPION, consult, ideation, review, word};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::input::{LoopInput, handed};
use crate::loops::desk::{Hand, NewLoop};
use crate::loops::problem::LoopProblem;

/// What a caller may set of a protocol.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
struct ProtocolInput {
    phases: Option<Vec<LoopPhase>>,
    iteration: Option<Iteration>,
    stop: Option<StopCondition>,
    schedule: Option<Schedule>,
    flow: Option<Flow>,
}

pub(super) fn new_loop(input: &LoopInput, hand: &Hand) -> Result<NewLoop, LoopProblem> {
    let kind = input.kind.unwrap_or(LoopKind::Ideation);
    let protocol = protocol(kind, input.protocol.as_ref())?;
    let mut slots = Vec::new();
    for (place, slot) in input.slots.iter().enumerate() {
        slots.push(Slot {
            id: format!("slot-{}", place + 1),
            role: slot.role.parse()?,
            agent: slot.agent.as_deref().map(str::parse).transpose()?,
            profile: slot.profile,
        });
    }
    if slots.is_empty() {
        slots = everybody(&protocol, &hand.agent);
    }
    let mut first = input.artifacts.iter().map(handed);
    Ok(NewLoop {
        id: None,
        protocol,
        slots,
        title: input.title.clone().unwrap_or_default(),
        goal: input.goal.clone(),
        first: first.next().transpose()?,
        warnings: Vec::new(),
        settings: Settings::default(),
    })
}

/// A slot of every role, all held by whoever opens the loop.
fn everybody(protocol: &Protocol, agent: &AgentId) -> Vec<Slot> {
    let mut roles: Vec<&Word> = Vec::new();
    for role in protocol.phases.iter().flat_map(|phase| &phase.roles) {
        if !roles.contains(&role) {
            roles.push(role);
        }
    }
    let slot = |(place, role): (usize, &Word)| Slot {
        id: format!("slot-{}", place + 1),
        role: role.clone(),
        agent: Some(agent.clone()),
        profile: None,
    };
    let slots: Vec<Slot> = roles.into_iter().enumerate().map(slot).collect();
    if slots.is_empty() {
        return vec![Slot {
            id: "slot-1".to_owned(),
            role: word(CHAMPION),
            agent: Some(agent.clone()),
            profile: None,
        }];
    }
    slots
}

fn protocol(kind: LoopKind, over: Option<&Map<String, Value>>) -> Result<Protocol, LoopProblem> {
    let over: ProtocolInput = match over {
        None => ProtocolInput::default(),
        Some(fields) => read(fields)?,
    };
    let mut protocol = match kind {
        LoopKind::Ideation => ideation(false),
        LoopKind::Review => review(),
        LoopKind::Consult => consult(),
        LoopKind::Custom => Protocol {
            kind,
            phases: Vec::new(),
            iteration: None,
            stop: StopCondition::Manual,
            schedule: Schedule::Parallel,
            flow: Flow::Manual,
        },
    };
    if let Some(phases) = over.phases {
        protocol.phases = phases;
        // Other phases, another cycle: that of the kind would name phases that are not there.
        protocol.iteration = None;
    }
    protocol.iteration = over.iteration.or(protocol.iteration);
    protocol.stop = over.stop.unwrap_or(protocol.stop);
    protocol.schedule = over.schedule.unwrap_or(protocol.schedule);
    protocol.flow = over.flow.unwrap_or(protocol.flow);
    Ok(protocol)
}

/// Reads what is set over a protocol; a field that nobody knows is an error, at any depth.
fn read(fields: &Map<String, Value>) -> Result<ProtocolInput, LoopProblem> {
    let wrong = |error: serde_json::Error| LoopProblem::ProtocolForm(error.to_string());
    let given = Value::Object(fields.clone());
    let over: ProtocolInput = serde_json::from_value(given.clone()).map_err(wrong)?;
    let understood = serde_json::to_value(&over).map_err(wrong)?;
    match passed_over(&given, &understood) {
        Some(field) => Err(LoopProblem::ProtocolForm(format!(
            "the field `{field}` is not known"
        ))),
        None => Ok(over),
    }
}

/// The first field that was given and not understood.
fn passed_over(given: &Value, understood: &Value) -> Option<String> {
    match (given, understood) {
        (Value::Object(given), Value::Object(understood)) => {
            given.iter().find_map(|(name, value)| {
                match understood.get(name) {
                    // Nothing and not there are the same.
                    None if value.is_null() => None,
                    None => Some(name.clone()),
                    Some(known) => passed_over(value, known).map(|field| format!("{name}.{field}")),
                }
            })
        }
        (Value::Array(given), Value::Array(understood)) => {
            let mut pairs = given.iter().zip(understood);
            pairs.find_map(|(value, known)| passed_over(value, known))
        }
        _ => None,
    }
}
