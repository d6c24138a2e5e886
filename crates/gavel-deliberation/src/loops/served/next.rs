//! What a caller can do next, as calls: the same form in every answer and every refusal.

use gavel_agent::NextCall;
use gavel_domain::AgentId;
use serde_json::{Map, Value, json};

use super::LOOP;
use crate::loops::view::NextStep;

/// The steps of a loop that are the caller's, as calls; where none is, the inbox, since whatever the
/// caller has to do comes there. Whoever did not say who they are is told everybody's.
pub(super) fn calls(loop_id: &str, steps: &[NextStep], caller: Option<&AgentId>) -> Vec<NextCall> {
    let ours = |step: &&NextStep| {
        let other = step.agent.as_ref().zip(caller);
        other.is_none_or(|(agent, caller)| agent == caller)
    };
    let own: Vec<NextCall> = steps
        .iter()
        .filter(ours)
        .map(|step| call(loop_id, step, caller))
        .collect();
    match (own.is_empty() && !steps.is_empty(), caller) {
        (true, Some(caller)) => vec![inbox(caller, &waits_for(steps))],
        (_, _) => own,
    }
}

/// Who is waited for.
pub(super) fn waits_for(steps: &[NextStep]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for step in steps {
        let name = match (&step.agent, &step.slot_id) {
            (Some(agent), _) => agent.to_string(),
            (None, Some(slot)) => slot.clone(),
            (None, None) => continue,
        };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn inbox(caller: &AgentId, others: &[String]) -> NextCall {
    NextCall {
        tool: LOOP,
        arguments: json!({ "intent": "inbox", "agent_id": caller }),
        when: format!(
            "later: it waits for {}; what is yours comes there",
            others.join(", ")
        ),
    }
}

fn call(loop_id: &str, step: &NextStep, caller: Option<&AgentId>) -> NextCall {
    let mut arguments = Map::new();
    let mut put = |name: &str, value: Value| {
        if !value.is_null() {
            arguments.insert(name.to_owned(), value);
        }
    };
    let (intent, outcome, reason) = match step.intent.as_str() {
        // Nobody outside takes a turn of Gavel's own models.
        "wait" => ("get", Value::Null, Value::Null),
        "cancel_turn" => ("complete_turn", json!("cancelled"), json!("<why>")),
        "complete_turn" => ("complete_turn", json!("done"), Value::Null),
        intent => (intent, Value::Null, Value::Null),
    };
    put("intent", json!(intent));
    put("loop_id", json!(loop_id));
    if intent != "get" {
        put("slot_id", json!(step.slot_id));
    }
    put("agent_id", json!(step.agent.as_ref().or(caller)));
    put("to_phase", json!(step.to_phase));
    put("outcome", outcome);
    put("reason", reason);
    put("artifacts", step.artifacts.clone().unwrap_or_default());
    NextCall {
        tool: LOOP,
        arguments: Value::Object(arguments),
        when: step.when.clone(),
    }
}
