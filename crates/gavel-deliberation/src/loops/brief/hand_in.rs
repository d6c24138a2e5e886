//! How a turn is handed in: the call, with everything filled in that is known.

use gavel_domain::{AgentId, LoopPhase};
use gavel_rules::deliberation::{CRITIQUE, LoopState, NOTHING_NEW, PLAN_DRAFT, artifact_name};
use serde::Serialize;
use serde_json::Value;

use super::BriefAsk;

/// What stands for a text that the reader writes.
const TEXT: &str = "<your text>";
/// The most critiques in the example: a plan that leaves one out is refused.
const MOST: usize = 200;

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
        artifacts: [example(ask.state, ask.phase, items)],
    };
    let call = serde_json::to_string_pretty(&call).unwrap_or_default();
    format!(
        "\n\nHand it in with the tool `gavel_loop` and these arguments, your texts and ids filled \
         in. If you cannot take the turn, give `outcome` as `failed` and say why in \
         `reason`.\n\n```json\n{call}\n```"
    )
}

/// What a turn of a phase hands in, as an example: with its texts filled in it can be sent.
pub(in crate::loops) fn example_of(
    state: &LoopState,
    phase: &LoopPhase,
    items: &[String],
) -> Value {
    serde_json::to_value([example(state, phase, items)]).unwrap_or_default()
}

fn example<'a>(state: &LoopState, phase: &'a LoopPhase, items: &'a [String]) -> Example<'a> {
    let takes = |kind: &str| phase.produces.iter().any(|made| made.as_str() == kind);
    let plain = |kind| Example {
        kind,
        body: TEXT,
        cites: Some(Vec::new()),
        addresses_critique: None,
        waived: None,
    };
    if takes(CRITIQUE) {
        if items.is_empty() && takes(NOTHING_NEW) {
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
    if takes(PLAN_DRAFT) {
        let critiques = state.counting(CRITIQUE);
        let critiques = critiques.map(|one| artifact_name(state.id, one.artifact));
        return Example {
            cites: None,
            addresses_critique: Some(critiques.take(MOST).collect()),
            waived: Some([]),
            ..plain(PLAN_DRAFT)
        };
    }
    let kind = phase.produces.first();
    plain(kind.map_or("note", |kind| kind.as_str()))
}
