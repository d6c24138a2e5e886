//! Whether a prompt is clear: the rules are asked only where they cannot read it.

use serde_json::{Value, json};

use super::conversation::{Conversation, Halt};

/// Says honestly that nobody read it.
pub(super) fn judge(talk: &Conversation<'_>) -> Result<Value, Halt> {
    talk.text("prompt")?;
    let reason = "These rules read English alone, so they cannot vouch for this text.";
    Ok(json!({"clarity": "vague", "reason": reason}))
}
