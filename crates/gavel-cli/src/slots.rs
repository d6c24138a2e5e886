//! Which model does what: from the settings, or from what a run recorded when it started.

use std::collections::BTreeMap;

use gavel_domain::{ModelsChosen, Record, RunStarted};
use gavel_models::ModelId;
use gavel_product::Slots;
use gavel_rules::Origin;
use serde_json::Value;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::Loaded;

/// The id of the rule-based model.
pub(crate) const OFFLINE: &str = "offline";

/// Reads the slots out of settings: whoever is not named follows the leader, and a leader with a
/// model debates with itself when no seats are named.
pub(crate) fn slots_of(values: &BTreeMap<String, Value>) -> Result<Slots, Failure> {
    let named = |slot: &str| values.get(&format!("models.slots.{slot}"));
    let model = |text: &str| {
        text.parse::<ModelId>()
            .map_err(|error| Failure::new(Exit::Usage, error))
    };
    let one = |slot: &str| named(slot).and_then(Value::as_str).map(model).transpose();
    let leader = match one("leader")? {
        Some(leader) => leader,
        None => model(OFFLINE)?,
    };
    let stances = match named("stances").and_then(Value::as_array) {
        Some(seats) => {
            let names = seats.iter().filter_map(Value::as_str);
            names.map(model).collect::<Result<_, _>>()?
        }
        None if is_offline(&leader) => Vec::new(),
        None => vec![leader.clone(), leader.clone()],
    };
    Ok(Slots {
        coder: one("coder")?.unwrap_or_else(|| leader.clone()),
        judge: match one("judge")? {
            Some(judge) => judge,
            None => one("auditor")?.unwrap_or_else(|| leader.clone()),
        },
        auditor: one("auditor")?.unwrap_or_else(|| leader.clone()),
        researcher: one("researcher")?.unwrap_or_else(|| leader.clone()),
        stances,
        leader,
    })
}

/// The slots to go on with. What a person says now by a flag or a variable wins; else a run keeps
/// the models that it had, unless these were the rules alone.
pub(crate) fn slots_now(loaded: &Loaded, before: &Slots) -> Result<Slots, Failure> {
    let now = slots_of(&loaded.of_run().values)?;
    let said_now = loaded.effective.iter().any(|value| {
        value.key.starts_with("models.slots.")
            && matches!(value.origin, Origin::Flag(_) | Origin::Environment(_))
    });
    Ok(if said_now || offline_alone(before) {
        now
    } else {
        before.clone()
    })
}

/// The slots that a run worked with last, as its facts say.
pub(crate) fn slots_before(records: &[Record]) -> Result<Slots, Failure> {
    let last = |found: Option<ModelsChosen>, record: &Record| record.read().ok().or(found);
    if let Some(chosen) = records.iter().fold(None, last) {
        let model = |text: &String| {
            text.parse::<ModelId>()
                .map_err(|error| Failure::new(Exit::Failed, error))
        };
        return Ok(Slots {
            leader: model(&chosen.leader)?,
            stances: chosen.stances.iter().map(model).collect::<Result<_, _>>()?,
            coder: model(&chosen.coder)?,
            auditor: model(&chosen.auditor)?,
            judge: model(chosen.judge.as_ref().unwrap_or(&chosen.auditor))?,
            researcher: model(
                chosen
                    .council
                    .as_ref()
                    .map_or(&chosen.leader, |council| &council.researcher),
            )?,
        });
    }
    let started = records.first().and_then(|record| record.read().ok());
    let settings = started.map(|started: RunStarted| started.settings);
    slots_of(&settings.unwrap_or_default().values)
}

/// True when no model but the rules does anything.
pub(crate) fn offline_alone(slots: &Slots) -> bool {
    every(slots).all(is_offline)
}

/// The models of the slots, the leader first, each once.
pub(crate) fn models_of(slots: &Slots) -> Vec<ModelId> {
    let mut models: Vec<ModelId> = Vec::new();
    for id in every(slots) {
        if !models.contains(id) {
            models.push(id.clone());
        }
    }
    models
}

/// One line for people: who works.
pub(crate) fn told(slots: &Slots) -> String {
    let rules = "offline (rule-based, no network)";
    let name = |id: &ModelId| if is_offline(id) { rules } else { id.as_str() }.to_owned();
    let models = models_of(slots);
    if let [only] = models.as_slice() {
        return name(only);
    }
    let mut parts = vec![format!("leader {}", name(&slots.leader))];
    for (role, id) in [("coder", &slots.coder), ("auditor", &slots.auditor)] {
        if *id != slots.leader {
            parts.push(format!("{role} {}", name(id)));
        }
    }
    let seats: Vec<String> = slots.stances.iter().map(name).collect();
    if seats.iter().any(|seat| *seat != name(&slots.leader)) {
        parts.push(format!("seats {}", seats.join(" and ")));
    }
    parts.join(", ")
}

fn every(slots: &Slots) -> impl Iterator<Item = &ModelId> {
    let named = [&slots.leader, &slots.coder, &slots.auditor, &slots.judge];
    named
        .into_iter()
        .chain([&slots.researcher])
        .chain(&slots.stances)
}

fn is_offline(id: &ModelId) -> bool {
    id.as_str() == OFFLINE
}

#[cfg(test)]
#[path = "slots_tests.rs"]
mod tests;
