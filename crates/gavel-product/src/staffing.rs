//! Which models a run works with: as configured when it was looked at, and on record from then on.

use std::collections::BTreeMap;

use gavel_domain::{
    AnswerShape, AnswerValue, Audience, Key, ModelRoom, ModelsChosen, OnTimeout, Purpose,
    QuestionCard, Scope,
};
use gavel_models::{ModelId, ModelInfo};
use gavel_rules::HaltReason;
use gavel_run::{Blobs, Pure, Question, Run, RunError};

use crate::Means;
use crate::way::{Leave, Way, halt, unusable};

/// The models of a run, as facts say.
#[derive(Debug, Clone)]
pub(crate) struct Staff {
    pub(crate) leader: ModelInfo,
    pub(crate) seats: Vec<ModelInfo>,
    pub(crate) coder: ModelInfo,
    pub(crate) auditor: ModelInfo,
    /// Judges what no test shows.
    pub(crate) judge: ModelInfo,
    /// Those that worked before others took over.
    before: Vec<String>,
}

impl Staff {
    /// Takes the models that are configured now, or those on record. `n` counts how often models
    /// were chosen in this run.
    pub(crate) async fn choose(way: Way<'_>, n: u32) -> Result<Self, RunError> {
        Self::look(way, Key::new(format!("models-{n}/chosen"))?).await
    }

    /// Takes the models that are configured now, or those on record in the scope.
    pub(crate) async fn choose_in(way: Way<'_>, scope: &Scope) -> Result<Self, RunError> {
        Self::look(way, scope.key("models")?).await
    }

    /// Takes over what is configured by now, as what failed is to be tried again: a person may have
    /// connected another model meanwhile.
    pub(crate) async fn choose_again(
        &mut self,
        way: Way<'_>,
        scope: &Scope,
    ) -> Result<(), RunError> {
        let mut next = Self::look(way, scope.key("models")?).await?;
        next.before = self.names();
        *self = next;
        Ok(())
    }

    async fn look(way: Way<'_>, key: Key) -> Result<Self, RunError> {
        let Way { run, means, .. } = way;
        let slots = &means.slots;
        let chosen = ModelsChosen {
            leader: slots.leader.to_string(),
            stances: slots.stances.iter().map(ModelId::to_string).collect(),
            coder: slots.coder.to_string(),
            auditor: slots.auditor.to_string(),
            judge: Some(slots.judge.to_string()),
            rooms: rooms(means),
            council: None,
        };
        let effect = |_: Blobs| {
            let chosen = chosen.clone();
            async move { Ok(chosen) }
        };
        // What is configured is no input: the record says what was found when it was looked at.
        let chosen = run.step(key, Pure, &"models", effect).await?.value;
        let known = |name: &String| info(run, means, (name, chosen.rooms.get(name)));
        Ok(Self {
            leader: known(&chosen.leader)?,
            seats: chosen.stances.iter().map(known).collect::<Result<_, _>>()?,
            coder: known(&chosen.coder)?,
            auditor: known(&chosen.auditor)?,
            judge: known(chosen.judge.as_ref().unwrap_or(&chosen.auditor))?,
            before: Vec::new(),
        })
    }

    /// Every model that worked in this run, by name, each once.
    pub(crate) fn names(&self) -> Vec<String> {
        let all = [&self.leader, &self.coder, &self.auditor, &self.judge];
        let mut names: Vec<String> = all
            .into_iter()
            .chain(&self.seats)
            .map(|model| model.id.to_string())
            .chain(self.before.iter().cloned())
            .collect();
        names.sort();
        names.dedup();
        names
    }
}

/// The room of every model that has a slot and is known.
fn rooms(means: &Means) -> BTreeMap<String, ModelRoom> {
    let slots = &means.slots;
    let named = [&slots.leader, &slots.coder, &slots.auditor, &slots.judge];
    let named = named.into_iter().chain(&slots.stances);
    named
        .filter_map(|id| {
            let known = means.models.get(id)?;
            let room = ModelRoom {
                context: known.context,
                max_output: known.max_output,
            };
            Some((id.to_string(), room))
        })
        .collect()
}

fn info(
    run: &Run,
    means: &Means,
    (name, room): (&str, Option<&ModelRoom>),
) -> Result<ModelInfo, RunError> {
    let id: ModelId = name.parse().map_err(|error| unusable(run, &error))?;
    // What is on record needs no model to be read, so one that is no longer configured stands in the
    // way only when it is to be asked again; the engine says so then.
    let known = means.models.get(&id).cloned();
    let mut info = known.unwrap_or_else(|| ModelInfo::unlisted(id));
    // Another room would cut the recorded conversations elsewhere.
    if let Some(room) = room {
        info.context = room.context;
        info.max_output = room.max_output;
    }
    Ok(info)
}

/// What is wrong may be the request itself (a file that is not there) as well as the reach of the
/// present model, so other words come first: nobody is sent to buy a model for a slip.
const TITLE: &str =
    "This cannot be done as it was said. Say it in other words, or connect a model that can.";

/// Asks for a model that can do what the present one cannot; returns the idea in other words, if a
/// person says it so.
pub(crate) async fn ask_for_a_model(
    run: &Run,
    scope: &Scope,
    why: &str,
) -> Result<Option<String>, Leave> {
    let card = QuestionCard::with_options(
        TITLE.to_owned(),
        Some(format!(
            "{why}\n\nTo connect one: set ANTHROPIC_API_KEY or OPENAI_API_KEY, or name a server in \
             your config.toml; `gavel models list` shows what can be reached. Then \
             `gavel resume --model PROVIDER/MODEL` goes on with it, or set models.slots.leader for \
             every run. Or say the idea in other words, without what is out of reach."
        )),
        &[
            ("connected", "a model is connected; go on with it"),
            ("stop", "stop here"),
        ],
    );
    let question = Question {
        purpose: Purpose::Model,
        card,
        shape: AnswerShape::ChoiceOrText {
            options: vec!["connected".to_owned(), "stop".to_owned()],
            max_bytes: 8_000,
        },
        recommended: None,
        audience: Audience::Person,
        deadline: None,
        on_timeout: OnTimeout::Wait,
    };
    let answer = run.ask(scope.key("needs-a-model")?, question).await?;
    match answer.value.value {
        AnswerValue::Option { id } if id == "connected" => Ok(None),
        AnswerValue::Text { text } => Ok(Some(run.text(text).await?)),
        AnswerValue::Option { .. } | AnswerValue::Decide | AnswerValue::Limit { .. } => {
            Err(halt(run, HaltReason::NeedsAModel, why).await)
        }
    }
}
