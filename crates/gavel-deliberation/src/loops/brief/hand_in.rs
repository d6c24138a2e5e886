//! How a turn is handed in: the call, with everything filled in that is known.

use gavel_domain::AgentId;
use gavel_rules::deliberation::{CRITIQUE, NOTHING_NEW, PLAN_DRAFT};
use serde::Serialize;

use super::BriefAsk;
use super::contract::{critiques, takes};

/// What stands for a text that the reader writes.
const TEXT: &str = "your text";
/// The most critiques in the example.
const MOST: usize = 20;

/// The arguments of the call, in the order in which people read them.
#[derive(Debug, Serialize)]
struct Call<'a> {
    intent: &'static str,
    loop_id: String,
    slot_id: &'a str,
    agent_id: &'a str,
    outcome: &'static str,
    artifacts: [Example<'a>; 1],
}

#[derive(Debug, Serialize)]
struct Example<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    body: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    cites: Option<Vec<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    addresses_critique: Option<Vec<String>>,
    /// None: the rule above says how one is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    waived: Option<[(); 0]>,
}

/// The last lines of a brief. Gavel's own models answer in a form that they are given elsewhere.
pub(super) fn hand_in(ask: &BriefAsk<'_>, items: &[String]) -> String {
    let agent = ask.slot.agent.as_ref();
    if agent.is_some_and(AgentId::is_gavel) {
        return String::new();
    }
    let call = Call {
        intent: "complete_turn",
        loop_id: ask.state.id.to_string(),
        slot_id: &ask.slot.id,
        agent_id: agent.map_or("your agent id", AgentId::as_str),
        outcome: "done",
        artifacts: [example(ask, items)],
    };
    let call = serde_json::to_string_pretty(&call).unwrap_or_default();
    format!(
        "\n\nHand it in with the tool `gavel_loop` and these arguments, your texts and ids filled \
         in. If you cannot take the turn, give `outcome` as `failed` and say why in \
         `reason`.\n\n```json\n{call}\n```"
    )
}

fn example<'a>(ask: &BriefAsk<'a>, items: &'a [String]) -> Example<'a> {
    let plain = |kind| Example {
        kind,
        body: TEXT,
        cites: Some(Vec::new()),
        addresses_critique: None,
        waived: None,
    };
    if takes(ask, CRITIQUE) {
        if items.is_empty() && takes(ask, NOTHING_NEW) {
            return Example {
                body: "memory holds nothing about this",
                cites: None,
                ..plain(NOTHING_NEW)
            };
        }
        return Example {
            cites: Some(items.iter().take(1).map(String::as_str).collect()),
            ..plain(CRITIQUE)
        };
    }
    if takes(ask, PLAN_DRAFT) {
        return Example {
            cites: None,
            addresses_critique: Some(critiques(ask).into_iter().take(MOST).collect()),
            waived: Some([]),
            ..plain(PLAN_DRAFT)
        };
    }
    let kind = ask.phase.produces.first();
    plain(kind.map_or("note", |kind| kind.as_str()))
}
