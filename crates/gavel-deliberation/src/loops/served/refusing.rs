//! Refusals: a code, a sentence, and where something helps, the call that does.

use gavel_agent::{NextCall, Refused};
use gavel_rules::deliberation::AdvanceError;
use serde_json::json;

use super::LOOP;
use super::input::LoopInput;
use crate::loops::problem::LoopProblem;

pub(super) fn refused(problem: &LoopProblem, input: &LoopInput) -> Refused {
    let loop_id = input.loop_id.clone().unwrap_or_default();
    let call = |intent: &str, when: &str| NextCall {
        tool: LOOP,
        arguments: json!({ "intent": intent, "loop_id": loop_id }),
        when: when.to_owned(),
    };
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "for all others the sentence says what to do"
    )]
    let next = match problem {
        LoopProblem::NoLoop(_) | LoopProblem::Several(_) => vec![NextCall {
            tool: LOOP,
            arguments: json!({ "intent": "list" }),
            when: "to see the loops of this project".to_owned(),
        }],
        LoopProblem::NoTurn { slot } => vec![NextCall {
            tool: LOOP,
            arguments: json!({ "intent": "turn", "loop_id": loop_id, "slot_id": slot }),
            when: "to give the slot its turn".to_owned(),
        }],
        LoopProblem::Advance(_) | LoopProblem::Version { .. } | LoopProblem::NotActing { .. } => {
            vec![call("get", "`next` says what the loop waits for")]
        }
        LoopProblem::NotOpen { .. } => vec![call("get", "to see how it ended")],
        _ => Vec::new(),
    };
    refused_by(problem, next)
}

pub(super) fn refused_by(problem: &LoopProblem, next: Vec<NextCall>) -> Refused {
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
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the others have nothing that a program could use"
    )]
    let data = match problem {
        LoopProblem::Version { actual, .. } => Some(json!({ "actual_version": actual.0 })),
        LoopProblem::Advance(AdvanceError::Blocked { phase, unmet }) => {
            Some(json!({ "phase": phase, "unmet": unmet }))
        }
        _ => None,
    };
    Refused {
        code: problem.code(),
        message,
        next,
        data,
    }
}
