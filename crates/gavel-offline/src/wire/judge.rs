//! Judging what no test shows: these rules read no code, and say so.

use serde_json::{Value, json};

use super::conversation::{Conversation, Halt};

const WHY: &str = "These rules do not read code: a criterion without a test of its name is not \
    shown to them.";

/// Every criterion is unmet, whatever the files look like.
pub(super) fn judge(talk: &Conversation<'_>) -> Result<Value, Halt> {
    let ids = talk.text("criteria")?.lines().filter_map(|line| {
        let criterion: Value = serde_json::from_str(line).ok()?;
        criterion.get("id")?.as_str().map(str::to_owned)
    });
    let judgements: Vec<Value> = ids
        .map(|id| json!({"id": id, "standing": "unmet", "evidence": [], "why": WHY}))
        .collect();
    Ok(json!({"judgements": judgements}))
}
