//! What a caller can do next, by the state of a run.

use gavel_domain::{Audience, Head, RunState};
use gavel_run::OpenQuestion;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::meeting;

/// A call that makes sense now.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(super) struct Next {
    pub(super) tool: String,
    pub(super) arguments: Map<String, Value>,
    pub(super) when: String,
}

impl Next {
    fn new(tool: &str, arguments: Value, when: &str) -> Self {
        let arguments = match arguments {
            Value::Object(fields) => fields,
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_) => Map::new(),
        };
        Self {
            tool: tool.to_owned(),
            arguments,
            when: when.to_owned(),
        }
    }
}

/// Where a run stands, with or without somebody who drives it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Standing<'a> {
    pub(super) head: &'a Head,
    pub(super) driven: bool,
    pub(super) open: &'a [OpenQuestion],
}

/// The calls that make sense now.
pub(super) fn next(standing: Standing<'_>) -> Vec<Next> {
    let Standing { head, driven, open } = standing;
    let run = json!({ "run": head.run.to_string() });
    let poll = |when| Next::new("gavel_run_status", run.clone(), when);
    if let Some(question) = open.first() {
        let answer = match question.asked.audience {
            Audience::Any => Next::new(
                "gavel_answer",
                json!({
                    "run": head.run.to_string(),
                    "question": question.id.as_str(),
                    "answer": "<option or words>"
                }),
                "to answer the open question",
            ),
            Audience::Person => poll("once a person answered; you cannot answer it"),
        };
        return vec![answer];
    }
    match head.state {
        RunState::Running if driven => vec![poll("in some seconds: it is at work")],
        RunState::Waiting if driven => {
            vec![poll("in some seconds: it takes up what was answered")]
        }
        RunState::Running | RunState::Waiting | RunState::Paused | RunState::Faulted => {
            let mut arguments = run.clone();
            if let Value::Object(fields) = &mut arguments {
                fields.insert("action".to_owned(), "resume".into());
            }
            vec![Next::new(
                "gavel_control",
                arguments,
                "to go on: nobody drives it",
            )]
        }
        RunState::Closed => vec![Next::new(
            "gavel_council",
            run.clone(),
            "to read the outcome",
        )],
        RunState::Sealed => vec![
            Next::new(
                "gavel_get_branch_status",
                run.clone(),
                "to see what was sealed",
            ),
            Next::new(
                "gavel_get_summary",
                run.clone(),
                "to see what it was held to",
            ),
        ],
        RunState::Halted | RunState::Aborted if head.driver == meeting::DRIVER => Vec::new(),
        RunState::Halted | RunState::Aborted => {
            vec![Next::new(
                "gavel_get_summary",
                run.clone(),
                "to see how far it came",
            )]
        }
    }
}
