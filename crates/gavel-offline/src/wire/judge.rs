//! Judging what no test shows: these rules read no code, and say so. Only a change that leaves no
//! choice can be looked for in the files.

use serde_json::{Value, json};

use super::change;
use super::conversation::{Conversation, Halt};

const WHY: &str = "These rules do not read code: a criterion without a test of its name is not \
    shown to them.";

/// The criterion that states a small change, and what runs of flow 4 call it.
const CHANGE_MADE: [&str; 2] = ["change-made", "change_made"];

/// Every criterion but that of a small change is unmet, whatever the files look like.
pub(super) fn judge(talk: &Conversation<'_>) -> Result<Value, Halt> {
    let criteria = talk.text("criteria")?.lines().filter_map(|line| {
        let criterion: Value = serde_json::from_str(line).ok()?;
        let text = |field: &str| criterion.get(field)?.as_str().map(str::to_owned);
        Some((text("id")?, text("statement").unwrap_or_default()))
    });
    let judgements: Vec<Value> = criteria
        .map(|(id, statement)| judged(talk, &id, &statement))
        .collect();
    Ok(json!({"judgements": judgements}))
}

fn judged(talk: &Conversation<'_>, id: &str, statement: &str) -> Value {
    let shown = if CHANGE_MADE.contains(&id) {
        change::shown(talk, statement)
    } else {
        Err(WHY.to_owned())
    };
    match shown {
        Ok(evidence) => {
            let why = "The changed lines are as the request says, by comparing texts.";
            json!({"id": id, "standing": "met", "evidence": [evidence], "why": why})
        }
        Err(why) => json!({"id": id, "standing": "unmet", "evidence": [], "why": why}),
    }
}
