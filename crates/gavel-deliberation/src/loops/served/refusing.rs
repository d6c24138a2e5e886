//! Refusals: a code, a sentence, and the calls that help whoever made this one.

use gavel_agent::{NextCall, Refused};
use gavel_domain::{AgentId, LoopStatus};
use gavel_rules::deliberation::{AdvanceError, LoopState};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::LOOP;
use super::next::calls;
use crate::loops::problem::LoopProblem;
use crate::loops::view::next_steps;

/// The call that was refused.
pub(super) struct Asked {
    tool: &'static str,
    arguments: Map<String, Value>,
    caller: Option<AgentId>,
}

impl Asked {
    pub(super) fn new(tool: &'static str, input: &impl Serialize, caller: Option<AgentId>) -> Self {
        let arguments = match serde_json::to_value(input) {
            Ok(Value::Object(fields)) => fields,
            Ok(_) | Err(_) => Map::new(),
        };
        Self {
            tool,
            arguments: said(arguments),
            caller,
        }
    }

    /// The same call with something else in it; a null takes a field out.
    fn again(&self, with: Value, when: &str) -> NextCall {
        let mut arguments = self.arguments.clone();
        if let Value::Object(fields) = with {
            for (name, value) in fields {
                if value.is_null() {
                    arguments.remove(&name);
                } else {
                    arguments.insert(name, value);
                }
            }
        }
        NextCall {
            tool: self.tool,
            arguments: Value::Object(arguments),
            when: when.to_owned(),
        }
    }

    fn get(&self, when: &str) -> Option<NextCall> {
        let loop_id = self.arguments.get("loop_id")?;
        Some(NextCall {
            tool: LOOP,
            arguments: json!({ "intent": "get", "loop_id": loop_id }),
            when: when.to_owned(),
        })
    }

    /// What this caller can do with the loop as it stands.
    fn standing(&self, state: Option<&LoopState>) -> Vec<NextCall> {
        let mut next = match state {
            Some(state) => {
                let steps = next_steps(state);
                calls(&state.id.to_string(), &steps, self.caller.as_ref())
            }
            None => Vec::new(),
        };
        next.extend(self.get("to see where it stands"));
        next
    }

    /// The plan with the critiques in it that it passed over.
    fn covering(&self, critiques: &[String]) -> Vec<NextCall> {
        let mut artifacts = self.arguments.get("artifacts").cloned();
        let plans = artifacts.as_mut().and_then(Value::as_array_mut);
        for plan in plans.into_iter().flatten() {
            let Some(fields) = plan.as_object_mut() else {
                continue;
            };
            if fields.get("type") != Some(&json!("plan_draft")) {
                continue;
            }
            let named = fields.entry("addresses_critique").or_insert(json!([]));
            if let Some(named) = named.as_array_mut() {
                named.extend(critiques.iter().map(|id| json!(id)));
            }
        }
        let when = "once the plan heeds them; what it leaves goes into `waived` as {id, reason}";
        vec![self.again(json!({ "artifacts": artifacts }), when)]
    }
}

/// What was really said: neither nulls nor empty lists.
fn said(fields: Map<String, Value>) -> Map<String, Value> {
    let silent = |value: &Value| {
        value.is_null()
            || value == &Value::Bool(false)
            || value.as_array().is_some_and(Vec::is_empty)
    };
    let inner = |value: Value| match value {
        Value::Object(fields) => Value::Object(said(fields)),
        Value::Array(items) => Value::Array(items.into_iter().map(said_in).collect()),
        plain @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => plain,
    };
    let fields = fields.into_iter().filter(|(_, value)| !silent(value));
    fields.map(|(name, value)| (name, inner(value))).collect()
}

fn said_in(item: Value) -> Value {
    match item {
        Value::Object(fields) => Value::Object(said(fields)),
        other @ (Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Array(_)) => other,
    }
}

pub(super) fn refused(problem: &LoopProblem, asked: &Asked, state: Option<&LoopState>) -> Refused {
    Refused {
        code: problem.code(),
        message: told(problem),
        next: next_of(problem, asked, state),
        data: data_of(problem),
    }
}

fn list() -> NextCall {
    NextCall {
        tool: LOOP,
        arguments: json!({ "intent": "list" }),
        when: "to see the loops of this project".to_owned(),
    }
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "for all others what the loop waits for helps, or the sentence says what to do"
)]
fn next_of(problem: &LoopProblem, asked: &Asked, state: Option<&LoopState>) -> Vec<NextCall> {
    match problem {
        LoopProblem::NoLoop(_)
        | LoopProblem::Several(_)
        | LoopProblem::Missing {
            what: "loop_id", ..
        } => vec![list()],
        LoopProblem::Missing { what, .. } => missing(what, asked, state),
        LoopProblem::OtherAgent { session, .. } => {
            vec![asked.again(json!({ "agent_id": session }), "as who this session is")]
        }
        LoopProblem::KeyReused => {
            let fresh = json!({ "client_request_id": "<another id>" });
            vec![asked.again(fresh, "when it is another call")]
        }
        LoopProblem::Version { actual, .. } => {
            let mut next = Vec::from_iter(asked.get("to read it as it is now"));
            let now = json!({ "expected_version": actual.0 });
            next.push(asked.again(now, "when it is still what you want"));
            next
        }
        LoopProblem::NoReason { .. } => {
            vec![asked.again(json!({ "reason": "<why>" }), "with the reason")]
        }
        LoopProblem::NotTheirVoice { .. } => {
            let back = json!({ "outcome": "cancelled", "reason": "<why>", "artifacts": null });
            let mut next = vec![asked.again(back, "to take the turn back and go on without it")];
            next.extend(asked.get("to see where it stands"));
            next
        }
        LoopProblem::Uncovered { critiques } => asked.covering(critiques),
        LoopProblem::Protocol(_) | LoopProblem::ProtocolForm(_) => {
            vec![asked.again(json!({ "protocol": example() }), "such as this")]
        }
        LoopProblem::NotOpen {
            status: LoopStatus::Completed | LoopStatus::Blocked | LoopStatus::Cancelled,
        } => Vec::from_iter(asked.get("to see how it ended")),
        LoopProblem::Memory(_) | LoopProblem::Run(_) => {
            vec![asked.again(json!({}), "in a moment")]
        }
        LoopProblem::Name(_) | LoopProblem::Unknown(_) => Vec::new(),
        _ => asked.standing(state),
    }
}

fn missing(what: &str, asked: &Asked, state: Option<&LoopState>) -> Vec<NextCall> {
    let with = |fields: Value, when: &str| vec![asked.again(fields, when)];
    match what {
        "agent_id" | "an agent_id of your own" => {
            let mut next = with(json!({ "agent_id": "<your name>" }), "saying who you are");
            next.push(NextCall {
                tool: "gavel_set_session",
                arguments: json!({ "agent": "<your name>" }),
                when: "to say it once for all later calls".to_owned(),
            });
            next
        }
        "the task" => with(
            json!({ "task": "<what is proposed, asked or changed>" }),
            "with the task",
        ),
        "the title" => with(json!({ "title": "<what it is about>" }), "with a title"),
        "a final status" => with(json!({ "status": "completed" }), "to close it as that"),
        "a cycle" => with(
            json!({ "max_iterations": null, "exit_when": null }),
            "without rounds",
        ),
        _ => asked.standing(state),
    }
}

/// A protocol that can be followed.
fn example() -> Value {
    json!({
        "phases": [
            {"name": "ideas", "roles": ["champion"], "produces": ["idea"], "context": ["decisions"],
             "gate": {"kind": "min_artifacts_by_type", "type": "idea", "n": 1}}
        ],
        "stop": {"kind": "manual"}
    })
}

/// The sentence, with everything that its causes say.
fn told(problem: &LoopProblem) -> String {
    let mut message = problem.to_string();
    let mut source = std::error::Error::source(problem);
    while let Some(inner) = source {
        let told = inner.to_string();
        // Some problems tell their cause themselves.
        if !message.contains(&told) {
            message.push_str(": ");
            message.push_str(&told);
        }
        source = inner.source();
    }
    message
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the others have nothing that a program could use"
)]
fn data_of(problem: &LoopProblem) -> Option<Value> {
    match problem {
        LoopProblem::Version { actual, .. } => Some(json!({ "actual_version": actual.0 })),
        LoopProblem::Uncovered { critiques } => Some(json!({ "uncovered": critiques })),
        LoopProblem::Advance(AdvanceError::Blocked { phase, unmet }) => {
            Some(json!({ "phase": phase, "unmet": unmet }))
        }
        _ => None,
    }
}
