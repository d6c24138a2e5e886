//! Who leads, sits and helps in a council: chosen once, and on record from then on.

use std::collections::BTreeMap;

use gavel_agent::ToolContext;
use gavel_deliberation::Council;
use gavel_domain::{CouncilModels, Key, ModelRoom, ModelsChosen, Settings};
use gavel_models::{ModelId, ModelInfo, Tier};
use gavel_rules::council::{CouncilTask, ModelCard, ModelTier, model_for, pick_leader, pick_seats};
use gavel_run::{Blobs, Pure, Run, RunError};
use serde_json::Value;

use super::MeetingMeans;
use crate::way::unusable;

/// The rules are no voice.
const RULES: &str = "offline";
/// The most stances that a leader plans.
const SEATS: usize = 4;

/// Takes the models that are configured now, or those on record. `n` counts how often models were
/// chosen in this run. Nothing comes back where only the rules are there.
pub(super) async fn choose(
    run: &Run,
    n: u32,
    means: &MeetingMeans,
    context: &ToolContext,
) -> Result<Option<Council>, RunError> {
    let key = Key::new(format!("models-{n}/chosen"))?;
    let chosen = pick(&run.settings(), means);
    let effect = |_: Blobs| {
        let chosen = chosen.clone();
        async move { Ok(chosen) }
    };
    // What is configured is no input: the record says what was found when it was looked at.
    let chosen = run.step(key, Pure, &"models", effect).await?.value;
    let Some(helpers) = &chosen.council else {
        return Ok(None);
    };
    let known = |name: &String| info(run, means, (name, &chosen.rooms));
    let promoted = helpers.promoted_from.as_ref();
    let promoted = promoted.map(|name| name.parse()).transpose();
    let choices = Choices::of(&run.settings());
    Ok(Some(Council {
        leader: known(&chosen.leader)?,
        promoted_from: promoted.map_err(|error| unusable(run, &error))?,
        seats: chosen.stances.iter().map(known).collect::<Result<_, _>>()?,
        judge: known(chosen.judge.as_ref().unwrap_or(&chosen.leader))?,
        researcher: known(&helpers.researcher)?,
        fast: known(&helpers.fast)?,
        balanced: known(&helpers.balanced)?,
        context: context.clone(),
        experience: choices.experience,
        gate: choices.gate,
    }))
}

/// What the run's own settings say about councils.
struct Choices {
    experience: gavel_rules::council::Experience,
    gate: bool,
    cost_aware: bool,
    researcher: Option<ModelId>,
}

impl Choices {
    fn of(settings: &Settings) -> Self {
        let word = |key: &str| settings.values.get(key).and_then(Value::as_str);
        let experience = word("council.experience").unwrap_or_default();
        Self {
            experience: gavel_rules::council::Experience::from_word(experience).unwrap_or_default(),
            gate: word("council.gate") != Some("off"),
            cost_aware: word("council.cost_aware") != Some("off"),
            researcher: word("models.slots.researcher").and_then(|name| name.parse().ok()),
        }
    }
}

/// Chooses among what is configured now.
fn pick(settings: &Settings, means: &MeetingMeans) -> ModelsChosen {
    let slots = &means.slots;
    let choices = Choices::of(settings);
    let is_voice = |id: &&ModelId| id.as_str() != RULES;
    // The rules cannot lead a debate: whoever sits first does.
    let session = Some(&slots.leader).filter(is_voice);
    let Some(session) = session.or_else(|| slots.stances.iter().find(is_voice)) else {
        return nobody(means);
    };
    let cards: Vec<ModelCard<'_>> = means
        .models
        .iter()
        .filter(|info| is_voice(&&info.id))
        .map(card)
        .collect();
    let named = |id: &ModelId| cards.iter().find(|card| card.id == id.as_str()).copied();
    let session = named(session).unwrap_or_else(|| unlisted(session));
    let configured = means.leader_named.then_some(&session);
    let leader = pick_leader(&session, configured, &cards);
    let seats: Vec<ModelCard<'_>> = if means.seats_named {
        let seats = slots.stances.iter().filter(is_voice);
        seats
            .map(|id| named(id).unwrap_or_else(|| unlisted(id)))
            .collect()
    } else {
        Vec::new()
    };
    let stances = pick_seats(SEATS, &seats, &cards);
    let leads = cards.iter().find(|card| card.id == leader.model);
    let leads = leads.copied().unwrap_or(session);
    let task = |task| model_for(task, &leads, &cards, choices.cost_aware);
    let judge = Some(&slots.judge).filter(is_voice);
    let judge = judge.map_or_else(|| leader.model.clone(), ModelId::to_string);
    let researcher = choices.researcher.as_ref().filter(is_voice);
    let researcher = researcher.map_or_else(|| leader.model.clone(), ModelId::to_string);
    ModelsChosen {
        stances,
        coder: leader.model.clone(),
        auditor: leader.model.clone(),
        judge: Some(judge),
        rooms: rooms(means),
        council: Some(CouncilModels {
            researcher,
            fast: task(CouncilTask::ResearchNeed),
            balanced: task(CouncilTask::EvaluateRound),
            promoted_from: leader.promoted_from,
        }),
        leader: leader.model,
    }
}

/// The rules alone.
fn nobody(means: &MeetingMeans) -> ModelsChosen {
    let rules = || RULES.to_owned();
    ModelsChosen {
        leader: rules(),
        stances: Vec::new(),
        coder: rules(),
        auditor: rules(),
        judge: Some(rules()),
        rooms: rooms(means),
        council: None,
    }
}

fn card(info: &ModelInfo) -> ModelCard<'_> {
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

/// The room of every model that is known.
fn rooms(means: &MeetingMeans) -> BTreeMap<String, ModelRoom> {
    let room = |info: &ModelInfo| ModelRoom {
        context: info.context,
        max_output: info.max_output,
    };
    let known = means.models.iter();
    known
        .map(|info| (info.id.to_string(), room(info)))
        .collect()
}

fn info(
    run: &Run,
    means: &MeetingMeans,
    (name, rooms): (&str, &BTreeMap<String, ModelRoom>),
) -> Result<ModelInfo, RunError> {
    let id: ModelId = name.parse().map_err(|error| unusable(run, &error))?;
    let known = means.models.iter().find(|info| info.id == id).cloned();
    let mut info = known.unwrap_or_else(|| ModelInfo::unlisted(id));
    // Another room would cut the recorded conversations elsewhere.
    if let Some(room) = rooms.get(name) {
        info.context = room.context;
        info.max_output = room.max_output;
    }
    Ok(info)
}

#[cfg(test)]
#[path = "staff_tests.rs"]
mod tests;
