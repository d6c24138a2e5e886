//! Who calls, and how the same call is known again.

use gavel_agent::Visit;
use gavel_domain::{AgentId, Digest, Seq};
use serde::Serialize;
use serde_json::Value;

use super::super::desk::Hand;
use super::super::problem::LoopProblem;
use super::input::LoopInput;

/// Whoever calls: as their session has it, or as they say. A session is not left by an argument.
pub(super) fn named<'a>(
    said: Option<&'a str>,
    visit: &'a Visit,
) -> Result<Option<&'a str>, LoopProblem> {
    match (visit.session.agent.as_deref(), said) {
        (Some(session), Some(agent)) if session != agent => Err(LoopProblem::OtherAgent {
            session: session.to_owned(),
            agent: agent.chars().take(80).collect(),
        }),
        (Some(session), _) => Ok(Some(session)),
        (None, said) => Ok(said),
    }
}

pub(super) fn agent(input: &LoopInput, visit: &Visit) -> Result<Option<AgentId>, LoopProblem> {
    match named(input.agent_id.as_deref(), visit)? {
        Some(name) => agent_named(Some(name)).map(Some),
        None => Ok(None),
    }
}

pub(super) fn needed(input: &LoopInput, visit: &Visit) -> Result<AgentId, LoopProblem> {
    agent_named(named(input.agent_id.as_deref(), visit)?)
}

/// Nobody outside speaks as Gavel itself.
pub(super) fn agent_named(name: Option<&str>) -> Result<AgentId, LoopProblem> {
    let Some(name) = name else {
        return Err(LoopProblem::Missing {
            what: "agent_id",
            why: "every change of a loop is somebody's; gavel_set_session can keep it",
        });
    };
    let agent: AgentId = name.parse()?;
    if agent.is_gavel() {
        return Err(LoopProblem::Missing {
            what: "an agent_id of your own",
            why: "`gavel` is Gavel itself",
        });
    }
    Ok(agent)
}

pub(super) fn hand(
    input: &LoopInput,
    visit: &Visit,
    asked: &impl Serialize,
) -> Result<Hand, LoopProblem> {
    Ok(Hand {
        agent: needed(input, visit)?,
        speaker: visit.speaker,
        expected: input.expected_version.map(Seq),
        request: request(input.client_request_id.as_deref(), asked),
    })
}

/// The key, and a digest of everything that was asked: objects by their sorted names, at any depth.
pub(super) fn request(key: Option<&str>, asked: &impl Serialize) -> Option<(String, Digest)> {
    let key = key?;
    let asked = serde_json::to_value(asked).unwrap_or(Value::Null);
    Some((key.to_owned(), request_digest(&asked)))
}

/// A digest of a call: the same for the same call, whatever the order of its fields.
pub fn request_digest(asked: &Value) -> Digest {
    Digest::of(canonical(asked))
}

fn canonical(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let mut names: Vec<&String> = fields.keys().collect();
            names.sort();
            let part = |name: &&String| {
                let value = fields.get(name.as_str()).map(canonical).unwrap_or_default();
                format!("{}:{value}", Value::from(name.as_str()))
            };
            let parts: Vec<String> = names.iter().map(part).collect();
            format!("{{{}}}", parts.join(","))
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(canonical).collect();
            format!("[{}]", items.join(","))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.to_string(),
    }
}
