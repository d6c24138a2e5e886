//! Who leads, sits and helps in a council: one choice for a run and for a council on its own.

use std::collections::BTreeSet;

use gavel_domain::Settings;
use gavel_models::{ModelId, ModelInfo, Tier};
use gavel_rules::council::{
    CouncilTask, Experience, ModelCard, ModelTier, model_for, pick_leader, pick_seats,
};
use serde_json::Value;

use crate::{Reach, Slots};

/// The rules are no voice.
pub(crate) const RULES: &str = "offline";
/// The most stances that a leader plans.
const SEATS: usize = 4;

/// What the run's own settings say about councils.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CouncilChoices {
    pub(crate) experience: Experience,
    pub(crate) gate: bool,
    pub(crate) cost_aware: bool,
}

impl CouncilChoices {
    pub(crate) fn of(settings: &Settings) -> Self {
        let word = |key: &str| settings.values.get(key).and_then(Value::as_str);
        let experience = word("council.experience").unwrap_or_default();
        Self {
            experience: Experience::from_word(experience).unwrap_or_default(),
            gate: word("council.gate") != Some("off"),
            cost_aware: word("council.cost_aware") != Some("off"),
        }
    }
}

/// Who takes part in a council, by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Panel {
    pub(crate) leader: String,
    /// The model that was configured to lead, when another one took its place.
    pub(crate) promoted_from: Option<String>,
    /// In order of preference; they repeat when there are more stances.
    pub(crate) seats: Vec<String>,
    pub(crate) judge: String,
    pub(crate) researcher: String,
    pub(crate) fast: String,
    pub(crate) balanced: String,
}

/// Chooses among what is configured now; nothing where only the rules are there.
pub(crate) fn pick(slots: &Slots, reach: &Reach, choices: CouncilChoices) -> Option<Panel> {
    // The rules cannot lead a debate: whoever sits first does.
    let session = Some(&slots.leader).filter(|id| is_voice(id));
    let session = session.or_else(|| slots.stances.iter().find(|id| is_voice(id)))?;
    let cards: Vec<ModelCard<'_>> = reach
        .models
        .iter()
        .filter(|info| is_voice(&info.id))
        .map(card)
        .collect();
    let named = |id: &ModelId| cards.iter().find(|card| card.id == id.as_str()).copied();
    let session = named(session).unwrap_or_else(|| unlisted(session));
    let leader = pick_leader(&session, reach.leader_named.then_some(&session), &cards);
    let leads = cards.iter().find(|card| card.id == leader.model);
    let leads = leads.copied().unwrap_or(session);
    let task = |task| model_for(task, &leads, &cards, choices.cost_aware);
    let or_leader = |id: &ModelId| {
        let voice = Some(id).filter(|id| is_voice(id));
        voice.map_or_else(|| leader.model.clone(), ModelId::to_string)
    };
    Some(Panel {
        seats: seats((slots, reach), &cards, &leader.model),
        judge: or_leader(&slots.judge),
        researcher: or_leader(&slots.researcher),
        fast: task(CouncilTask::ResearchNeed),
        balanced: task(CouncilTask::EvaluateRound),
        promoted_from: leader.promoted_from,
        leader: leader.model,
    })
}

/// Seats that a person named stay as they are, the rules beside a model included.
fn seats((slots, reach): (&Slots, &Reach), cards: &[ModelCard<'_>], leader: &str) -> Vec<String> {
    if reach.seats_named && slots.stances.iter().any(is_voice) {
        return slots.stances.iter().map(ModelId::to_string).collect();
    }
    let mut seats = pick_seats(SEATS, &[], cards);
    let mut known = BTreeSet::new();
    // They repeat by themselves where there are more stances.
    seats.retain(|seat| known.insert(seat.clone()));
    if seats.is_empty() {
        seats.push(leader.to_owned());
    }
    seats
}

pub(crate) fn is_voice(id: &ModelId) -> bool {
    id.as_str() != RULES
}

pub(crate) fn card(info: &ModelInfo) -> ModelCard<'_> {
    ModelCard {
        id: info.id.as_str(),
        provider: info.id.provider(),
        tier: match info.tier {
            Tier::Fast => ModelTier::Fast,
            Tier::Balanced => ModelTier::Balanced,
            Tier::Premium => ModelTier::Premium,
        },
    }
}

/// One that cannot be reached by now: the engine says so when it is asked.
fn unlisted(id: &ModelId) -> ModelCard<'_> {
    ModelCard {
        id: id.as_str(),
        provider: id.provider(),
        tier: ModelTier::Balanced,
    }
}

#[cfg(test)]
#[path = "panel_tests.rs"]
mod tests;
