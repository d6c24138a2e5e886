//! The schema of a protocol: every word that it may hold, written down once, since conditions hold
//! conditions and a derived schema cannot be inlined.

use gavel_domain::{Category, CountScope, ExitWhen, Flow, Schedule};
use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

/// What `protocol` may hold.
pub(super) fn schema(_generator: &mut SchemaGenerator) -> Schema {
    let words = json!({ "type": "array", "items": { "type": "string" } });
    let categories: Vec<&str> = Category::ALL.iter().map(|known| known.word()).collect();
    let exits: Vec<&str> = ExitWhen::ALL.iter().map(|known| known.word()).collect();
    let schedules: Vec<&str> = Schedule::ALL.iter().map(|known| known.word()).collect();
    let flows: Vec<&str> = Flow::ALL.iter().map(|known| known.word()).collect();
    json_schema!({
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "phases": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["name"],
                    "properties": {
                        "name": { "type": "string" },
                        "roles": words,
                        "produces": words,
                        "context": {
                            "type": "array", "items": { "type": "string", "enum": categories }
                        },
                        "gate": condition()
                    }
                }
            },
            "iteration": {
                "type": "object",
                "required": ["cycle", "exit_when"],
                "properties": {
                    "cycle": words,
                    "max_iterations": { "type": "integer" },
                    "exit_when": { "type": "string", "enum": exits }
                }
            },
            "stop": { "type": "object", "description": "as gate" },
            "schedule": { "type": "string", "enum": schedules },
            "flow": { "type": "string", "enum": flows }
        }
    })
}

/// The kinds of conditions, as a test compares them with what is read.
pub(super) const CONDITIONS: [&str; 10] = [
    "phase_reached",
    "reviewer_green",
    "max_iterations",
    "min_iterations",
    "artifact_produced",
    "min_artifacts_by_type",
    "no_open_questions",
    "manual",
    "any",
    "all",
];

fn condition() -> Value {
    let scopes = [CountScope::Phase, CountScope::Loop];
    let scopes = scopes.map(|scope| serde_json::to_value(scope).unwrap_or_default());
    json!({
        "type": "object",
        "required": ["kind"],
        "properties": {
            "kind": { "type": "string", "enum": CONDITIONS },
            "phase": { "type": "string" },
            "type": { "type": "string" },
            "n": { "type": "integer" },
            "scope": { "type": "string", "enum": scopes },
            "conditions": { "type": "array", "items": { "type": "object" } }
        }
    })
}

#[cfg(test)]
mod tests {
    use gavel_domain::StopCondition;

    use super::*;

    #[test]
    fn every_kind_of_condition_in_the_schema_is_read_and_no_other() {
        for kind in CONDITIONS {
            let given = json!({
                "kind": kind, "phase": "a", "type": "b", "n": 1, "scope": "loop", "conditions": []
            });
            let read: Result<StopCondition, _> = serde_json::from_value(given);
            assert!(read.is_ok(), "{kind}: {read:?}");
        }
        let other: Result<StopCondition, _> = serde_json::from_value(json!({ "kind": "never" }));
        let told = other.unwrap_err().to_string();
        for kind in CONDITIONS {
            assert!(told.contains(kind), "{kind}: {told}");
        }
        assert_eq!(
            told.matches('`').count(),
            2 * CONDITIONS.len() + 2,
            "{told}"
        );
    }
}
