//! How a turn is handed in: the call, with everything filled in that is known.

use gavel_domain::AgentId;
use gavel_rules::deliberation::{CRITIQUE, NOTHING_NEW, PLAN_DRAFT};
use serde_json::{Value, json};

use super::BriefAsk;
use super::contract::{critiques, takes};

/// What stands for a text that the reader writes.
const TEXT: &str = "your text";
/// The most critiques in the example.
const MOST: usize = 20;

/// The last lines of a brief. Gavel's own models answer in a form that they are given elsewhere.
pub(super) fn hand_in(ask: &BriefAsk<'_>, items: &[String]) -> String {
    if ask.slot.agent.as_ref().is_some_and(AgentId::is_gavel) {
        return String::new();
    }
    let call = serde_json::to_string_pretty(&call(ask, items)).unwrap_or_default();
    format!(
        "\n\nHand it in with the tool `gavel_loop` and these arguments, your texts and ids filled in. If you cannot \
         take the turn, give `outcome` as `failed` and say why in `reason`.\n\n```json\n{call}\n```"
    )
}

/// The arguments of the call.
fn call(ask: &BriefAsk<'_>, items: &[String]) -> Value {
    let agent = ask.slot.agent.as_ref();
    let agent = agent.map_or("your agent id", AgentId::as_str);
    json!({
        "intent": "complete_turn",
        "loop_id": ask.state.id.to_string(),
        "slot_id": ask.slot.id,
        "agent_id": agent,
        "outcome": "done",
        "artifacts": [artifact(ask, items)],
    })
}

fn artifact(ask: &BriefAsk<'_>, items: &[String]) -> Value {
    if takes(ask, CRITIQUE) {
        return match items.first() {
            Some(item) => json!({ "type": CRITIQUE, "body": TEXT, "cites": [item] }),
            None if takes(ask, NOTHING_NEW) => {
                json!({ "type": NOTHING_NEW, "body": "memory holds nothing about this" })
            }
            None => json!({ "type": CRITIQUE, "body": TEXT, "cites": [] }),
        };
    }
    if takes(ask, PLAN_DRAFT) {
        let addressed: Vec<String> = critiques(ask).into_iter().take(MOST).collect();
        return json!({
            "type": PLAN_DRAFT,
            "body": TEXT,
            "addresses_critique": addressed,
            "waived": [],
        });
    }
    let kind = ask.phase.produces.first();
    let kind = kind.map_or("note", |kind| kind.as_str());
    json!({ "type": kind, "body": TEXT, "cites": [] })
}
