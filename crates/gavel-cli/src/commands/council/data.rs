//! What a debate came to, as data.

use gavel_deliberation::CouncilRecord;
use gavel_domain::{Badge, DecisionVote};
use serde_json::{Map, Value, json};

use super::page::drawn;

/// The outcome as data.
pub(super) fn outcome(record: &CouncilRecord) -> Map<String, Value> {
    let mut data = match drawn(record).map(serde_json::to_value) {
        Some(Ok(Value::Object(fields))) => fields,
        Some(_) | None => without_synthesis(record),
    };
    let sure = record.confidence.as_ref();
    let share = |hundredths: u32| f64::from(hundredths) / 100.0;
    let verdict = record.verdict.as_ref();
    let more = json!({
        "run": record.run,
        "debate": record.meeting,
        "topic": record.topic,
        "confidence": verdict.and_then(|verdict| verdict.confidence).map(share),
        "needs_person": verdict.is_some_and(|verdict| verdict.needs_person),
        "judged": verdict.map(|verdict| &verdict.reason),
        "self_judged": verdict.is_some_and(|verdict| verdict.self_judged),
        "density": sure.and_then(|sure| sure.density).map(share),
        "badge": sure.and_then(|sure| sure.badge).map(Badge::word),
        "voices": sure.map(|sure| sure.voices),
        "rounds": record.stop.as_ref().map(|stop| stop.rounds),
        "stop": record.stop.as_ref().map(|stop| stop.reason),
        "synthesis": record.synthesis.as_ref().map(|synthesis| synthesis.how),
        "readable": record.synthesis.as_ref().map(|synthesis| &synthesis.text),
        "leader": record.leader.as_ref().map(|leader| &leader.model),
        "seats": record.participants,
        "cost_usd": record.stats.known_cost().map(super::super::usage::dollars),
        "unpriced_calls": record.stats.unpriced,
        "source_calls": record.stats.source_calls,
        "lost_usd": record.stats.known_lost().map(super::super::usage::dollars),
        "lost_unpriced_calls": record.stats.lost_unpriced,
    });
    if let Value::Object(more) = more {
        data.extend(more);
    }
    if let Some(outcome) = drawn(record) {
        let votes = outcome.decisions.iter().map(vote);
        data.insert("decisions".to_owned(), votes.collect());
    }
    let made = record.action_plan.as_ref();
    if let Some(plan) = made.and_then(|told| told.plan.kept()) {
        data.insert("plan".to_owned(), json!(plan));
    }
    data
}

/// A vote with shares between nought and one, and the words of what was chosen.
fn vote(vote: &DecisionVote) -> Value {
    let place = vote.option.and_then(|option| usize::try_from(option).ok());
    let shares = vote.weights.iter();
    let shares: Vec<f64> = shares.map(|weight| f64::from(*weight) / 1000.0).collect();
    json!({
        "id": vote.id,
        "question": vote.question,
        "options": vote.options,
        "option": vote.option,
        "choice": place.and_then(|place| vote.options.get(place)),
        "weights": shares,
        "agreed": vote.agreed,
        "voters": vote.voters,
        "changed": vote.changed,
    })
}

/// What can be said where nobody drew it together: nothing is invented.
fn without_synthesis(record: &CouncilRecord) -> Map<String, Value> {
    let decisions: Vec<Value> = record
        .decisions
        .iter()
        .map(|told| json!({ "id": told.id, "option": told.option, "decision": told.decision }))
        .collect();
    let fields = json!({
        "type": record.plan.as_ref().map(|plan| plan.kind),
        "summary": "",
        "sections": {},
        "agreed": [],
        "tradeoffs": [],
        "recommendation": "",
        "action_items": [],
        "resolved_question": null,
        "plan": null,
        "dissent": [],
        "decisions": decisions,
    });
    match fields {
        Value::Object(fields) => fields,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            serde_json::Map::new()
        }
    }
}
