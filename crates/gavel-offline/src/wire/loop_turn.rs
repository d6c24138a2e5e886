//! The turns of loops, by the shape of their answer.

use serde_json::Value;

use super::conversation::{Conversation, Halt};
use super::loop_brief::Brief;
use super::{loop_critique, loop_ideation as ideation, loop_review as review};

/// Takes a turn; nothing where the shape is none of a loop's.
pub(super) fn take(talk: &Conversation<'_>, shape: &str) -> Option<Result<Value, Halt>> {
    let turn: fn(&Brief) -> Value = match shape {
        "loop_proposal" => ideation::proposal,
        "loop_critique" => loop_critique::critique,
        "loop_revision" => ideation::revision,
        "loop_reframe" => ideation::reframe,
        "loop_plan" => ideation::plan,
        "loop_advice" => review::advice,
        "loop_finding" => review::finding,
        "loop_response" => review::response,
        "loop_verdict" => review::verdict,
        "loop_artifact" => return Some(Err(ideation::unknown())),
        _ => return None,
    };
    Some(Brief::read(talk.task()).map(|brief| turn(&brief)))
}
