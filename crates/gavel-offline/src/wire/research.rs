//! Looking things up for a council: the rules compare words and understand no answer, so they say
//! that they cannot.

use serde_json::{Value, json};

/// The first line of a task for whoever looks things up.
pub(super) const LABEL: &str = "Research";

const NO_NEED: &str = "Rule: what would have to be looked up, these rules cannot tell, and they \
    could not look.";
const NOTHING_NEW: &str = "NOTHING NEW\nRule: these rules cannot tell what bears on a question.";

/// Whether something is looked up before a debate.
pub(super) fn need() -> Value {
    json!({"needed": false, "why": NO_NEED})
}

/// The report of a lookup.
pub(super) fn report() -> String {
    NOTHING_NEW.to_owned()
}
