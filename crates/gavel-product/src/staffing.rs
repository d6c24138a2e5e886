//! Which models a run works with: as configured when it was looked at, and on record from then on.

use std::collections::BTreeMap;

use gavel_agent::ToolContext;
use gavel_deliberation::{Council, Edition};
use gavel_domain::{
    AnswerShape, AnswerValue, Audience, CouncilModels, Key, ModelRoom, ModelsChosen, OnTimeout,
    Purpose, QuestionCard, Scope, Settings,
};
use gavel_models::{ModelId, ModelInfo};
use gavel_rules::HaltReason;
use gavel_rules::council::{ModelCard, most_independent};
use gavel_run::{Blobs, Pure, Question, Run, RunError};

use crate::panel::{CouncilChoices, Panel, card, is_voice, pick};
use crate::way::{Leave, Way, halt, unusable};
use crate::{Means, Reach};

/// The setting that names the seats of councils.
const SEATS: &str = "models.slots.stances";

/// The models of a run, as facts say.
#[derive(Debug, Clone)]
pub(crate) struct Staff {
    pub(crate) leader: ModelInfo,
    pub(crate) seats: Vec<ModelInfo>,
    pub(crate) coder: ModelInfo,
    pub(crate) auditor: ModelInfo,
    /// Judges what no test shows.
    pub(crate) judge: ModelInfo,
    /// Who takes part in a council; nothing where rules review.
    pub(crate) council: Option<Panelists>,
    /// Those that worked before others took over.
    before: Vec<String>,
}

/// The models of a council.
#[derive(Debug, Clone)]
pub(crate) struct Panelists {
    pub(crate) leader: ModelInfo,
    promoted_from: Option<ModelId>,
    pub(crate) seats: Vec<ModelInfo>,
    judge: ModelInfo,
    researcher: ModelInfo,
    fast: ModelInfo,
    balanced: ModelInfo,
}

impl Panelists {
    /// A council of them, as the run's settings want it.
    pub(crate) fn council(
        &self,
        (settings, edition): (&Settings, Edition),
        context: &ToolContext,
    ) -> Council {
        let choices = CouncilChoices::of(settings);
        Council {
            edition,
            leader: self.leader.clone(),
            promoted_from: self.promoted_from.clone(),
            seats: self.seats.clone(),
            judge: self.judge_of(edition).clone(),
            researcher: self.researcher.clone(),
            fast: self.fast.clone(),
            balanced: self.balanced.clone(),
            context: context.clone(),
            experience: choices.experience,
            gate: choices.gate,
        }
    }

    /// Who judges: whom a person named, else the model at hand that is furthest from the leader and the
    /// seats.
    fn judge_of(&self, edition: Edition) -> &ModelInfo {
        if edition == Edition::First || self.judge.id != self.leader.id {
            return &self.judge;
        }
        let seats: Vec<String> = self.seats.iter().map(|seat| seat.id.to_string()).collect();
        let voices = self.models().filter(|info| is_voice(&info.id));
        let cards: Vec<ModelCard<'_>> = voices.map(card).collect();
        let chosen = most_independent(&card(&self.leader), &seats, &cards);
        let mut models = self.models();
        let found = models.find(|info| Some(info.id.as_str()) == chosen);
        found.unwrap_or(&self.judge)
    }

    fn models(&self) -> impl Iterator<Item = &ModelInfo> {
        let helpers = [&self.researcher, &self.fast, &self.balanced];
        let all = [&self.leader, &self.judge].into_iter().chain(helpers);
        all.chain(&self.seats)
    }
}

impl Staff {
    /// Takes the models that are configured now, or those on record. `n` counts how often models
    /// were chosen in this run.
    pub(crate) async fn choose(way: Way<'_>, n: u32) -> Result<Self, RunError> {
        Self::look(way, Key::new(format!("models-{n}/chosen"))?, false).await
    }

    /// Takes the models that are configured now, or those on record in the scope.
    pub(crate) async fn choose_in(way: Way<'_>, scope: &Scope) -> Result<Self, RunError> {
        Self::look(way, scope.key("models")?, false).await
    }

    /// Takes over what is configured by now, as what failed is to be tried again: a person may have
    /// connected another model meanwhile.
    pub(crate) async fn choose_again(
        &mut self,
        way: Way<'_>,
        scope: &Scope,
    ) -> Result<(), RunError> {
        let promoted = self.council.as_ref();
        let promoted = promoted.is_some_and(|council| council.promoted_from.is_some());
        let mut next = Self::look(way, scope.key("models")?, promoted).await?;
        next.before = self.names();
        *self = next;
        Ok(())
    }

    /// `promoted` says that another model led the council so far than was named.
    async fn look(way: Way<'_>, key: Key, promoted: bool) -> Result<Self, RunError> {
        let Way { run, means, .. } = way;
        let chosen = chosen(&run.settings(), means, promoted);
        let effect = |_: Blobs| {
            let chosen = chosen.clone();
            async move { Ok(chosen) }
        };
        // What is configured is no input: the record says what was found when it was looked at.
        let chosen = run.step(key, Pure, &"models", effect).await?.value;
        let known = |name: &String| info(run, &means.models, (name, &chosen.rooms));
        Ok(Self {
            leader: known(&chosen.leader)?,
            seats: chosen.stances.iter().map(known).collect::<Result<_, _>>()?,
            coder: known(&chosen.coder)?,
            auditor: known(&chosen.auditor)?,
            judge: known(chosen.judge.as_ref().unwrap_or(&chosen.auditor))?,
            council: panelists(run, &means.models, &chosen)?,
            before: Vec::new(),
        })
    }

    /// Every model that worked in this run, by name, each once.
    pub(crate) fn names(&self) -> Vec<String> {
        let all = [&self.leader, &self.coder, &self.auditor, &self.judge];
        let council = self.council.iter().flat_map(Panelists::models);
        let mut names: Vec<String> = all
            .into_iter()
            .chain(&self.seats)
            .chain(council)
            .map(|model| model.id.to_string())
            .chain(self.before.iter().cloned())
            .collect();
        names.sort();
        names.dedup();
        names
    }
}

/// What is configured now, as it is recorded.
fn chosen(settings: &Settings, means: &Means, promoted: bool) -> ModelsChosen {
    let slots = &means.slots;
    let named = settings
        .values
        .get(SEATS)
        .is_some_and(serde_json::Value::is_array);
    let reach = Reach {
        leader_named: means.reach.leader_named || promoted,
        seats_named: means.reach.seats_named || named,
        ..means.reach.clone()
    };
    // Without seats there is no council, and a person may want it so.
    let meets = slots.stances.iter().any(is_voice);
    let panel = meets.then(|| pick(slots, &reach, CouncilChoices::of(settings)));
    let mut chosen = ModelsChosen {
        leader: slots.leader.to_string(),
        stances: slots.stances.iter().map(ModelId::to_string).collect(),
        coder: slots.coder.to_string(),
        auditor: slots.auditor.to_string(),
        judge: Some(slots.judge.to_string()),
        rooms: BTreeMap::new(),
        council: None,
    };
    chosen.council = panel.flatten().map(|panel| panel.beside(&chosen));
    chosen.rooms = rooms(&means.models, &chosen);
    chosen
}

impl Panel {
    /// What is recorded of it beside those who work in the run anyway.
    fn beside(self, run: &ModelsChosen) -> CouncilModels {
        CouncilModels {
            researcher: self.researcher,
            fast: self.fast,
            balanced: self.balanced,
            promoted_from: self.promoted_from,
            leader: (self.leader != run.leader).then_some(self.leader),
            seats: if self.seats == run.stances {
                Vec::new()
            } else {
                self.seats
            },
        }
    }
}

/// The council that a record tells of.
pub(crate) fn panelists(
    run: &Run,
    models: &BTreeMap<ModelId, ModelInfo>,
    chosen: &ModelsChosen,
) -> Result<Option<Panelists>, RunError> {
    let Some(helpers) = &chosen.council else {
        return Ok(None);
    };
    let known = |name: &String| info(run, models, (name, &chosen.rooms));
    let leader = known(helpers.leader.as_ref().unwrap_or(&chosen.leader))?;
    let seats = if helpers.seats.is_empty() {
        &chosen.stances
    } else {
        &helpers.seats
    };
    let judge = known(chosen.judge.as_ref().unwrap_or(&chosen.auditor))?;
    let promoted = helpers.promoted_from.as_ref();
    let promoted = promoted.map(|name| name.parse()).transpose();
    Ok(Some(Panelists {
        promoted_from: promoted.map_err(|error| unusable(run, &error))?,
        seats: seats.iter().map(known).collect::<Result<_, _>>()?,
        // The rules count and do not judge.
        judge: if is_voice(&judge.id) {
            judge
        } else {
            leader.clone()
        },
        researcher: known(&helpers.researcher)?,
        fast: known(&helpers.fast)?,
        balanced: known(&helpers.balanced)?,
        leader,
    }))
}

/// The room of every model that is chosen and known.
pub(crate) fn rooms(
    models: &BTreeMap<ModelId, ModelInfo>,
    chosen: &ModelsChosen,
) -> BTreeMap<String, ModelRoom> {
    let names = [&chosen.leader, &chosen.coder, &chosen.auditor];
    let names = names
        .into_iter()
        .chain(&chosen.judge)
        .chain(&chosen.stances);
    let council = chosen.council.iter().flat_map(|council| {
        let helpers = [&council.researcher, &council.fast, &council.balanced];
        helpers
            .into_iter()
            .chain(&council.leader)
            .chain(&council.seats)
    });
    names
        .chain(council)
        .filter_map(|name| {
            let known = models.get(&name.parse::<ModelId>().ok()?)?;
            let room = ModelRoom {
                context: known.context,
                max_output: known.max_output,
            };
            Some((name.clone(), room))
        })
        .collect()
}

fn info(
    run: &Run,
    models: &BTreeMap<ModelId, ModelInfo>,
    (name, rooms): (&str, &BTreeMap<String, ModelRoom>),
) -> Result<ModelInfo, RunError> {
    let id: ModelId = name.parse().map_err(|error| unusable(run, &error))?;
    // What is on record needs no model to be read, so one that is no longer configured stands in the
    // way only when it is to be asked again; the engine says so then.
    let known = models.get(&id).cloned();
    let mut info = known.unwrap_or_else(|| ModelInfo::unlisted(id));
    // Another room would cut the recorded conversations elsewhere.
    if let Some(room) = rooms.get(name) {
        info.context = room.context;
        info.max_output = room.max_output;
    }
    Ok(info)
}

/// What is wrong may be the request itself (a file that is not there) as well as the reach of the
/// present model, so other words come first: nobody is sent to buy a model for a slip.
const TITLE: &str =
    "This cannot be done as it was said. Say it in other words, or connect a model that can.";

/// The same where something of it can be done.
const PARTLY: &str = "Not all of this can be built here. Build it without that, say it in other words, \
    or connect a model that can.";
const WITHOUT: &str = "without";
const CONNECTED: &str = "connected";
const STOP: &str = "stop";

/// How to go on with what the present model cannot do.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outside {
    /// Another model is connected.
    Connected,
    /// In other words.
    Reworded(String),
    /// Without the spans that were offered to be left out.
    Without,
}

/// Asks for a model that can do what the present one cannot; returns the idea in other words, if a
/// person says it so.
pub(crate) async fn ask_for_a_model(
    run: &Run,
    scope: &Scope,
    why: &str,
) -> Result<Option<String>, Leave> {
    Ok(match ask_outside(run, scope, (why, &[])).await? {
        Outside::Reworded(text) => Some(text),
        Outside::Connected | Outside::Without => None,
    })
}

/// The same, with an offer to leave these spans of the idea out; without any, nothing of it can be done.
pub(crate) async fn ask_outside(
    run: &Run,
    scope: &Scope,
    (why, spans): (&str, &[String]),
) -> Result<Outside, Leave> {
    let named: Vec<String> = spans.iter().map(|span| format!("\"{span}\"")).collect();
    let build = format!("build it without {}", named.join(" and "));
    let mut options = vec![
        (CONNECTED, "a model is connected; go on with it"),
        (STOP, "stop here"),
    ];
    if !spans.is_empty() {
        options.insert(0, (WITHOUT, build.as_str()));
    }
    let left_out = if spans.is_empty() {
        String::new()
    } else {
        let lines: Vec<String> = named.iter().map(|span| format!("- {span}")).collect();
        format!(
            "\n\nThe rest can be built. This would be left out:\n{}\n\nThe end page and the seal name \
             it, and the seal is conditional at most.",
            lines.join("\n")
        )
    };
    let title = if spans.is_empty() { TITLE } else { PARTLY };
    let card = QuestionCard::with_options(
        title.to_owned(),
        Some(format!(
            "{why}{left_out}\n\nTo connect one: set ANTHROPIC_API_KEY or OPENAI_API_KEY, or name a server in \
             your config.toml; `gavel models list` shows what can be reached. Then \
             `gavel resume --model PROVIDER/MODEL` goes on with it, or set models.slots.leader for \
             every run. Or say the idea in other words, without what is out of reach."
        )),
        &options,
    );
    let question = Question {
        // What is offered, `--yes` takes, as it does with open asks later on.
        purpose: if spans.is_empty() {
            Purpose::Model
        } else {
            Purpose::Choice
        },
        card,
        shape: AnswerShape::ChoiceOrText {
            options: options.iter().map(|(id, _)| (*id).to_owned()).collect(),
            max_bytes: 8_000,
        },
        recommended: (!spans.is_empty()).then(|| WITHOUT.to_owned()),
        audience: Audience::Person,
        deadline: None,
        on_timeout: OnTimeout::Wait,
    };
    let answer = run.ask(scope.key("needs-a-model")?, question).await?;
    match answer.value.value {
        AnswerValue::Option { id } if id == WITHOUT => Ok(Outside::Without),
        AnswerValue::Option { id } if id == CONNECTED => Ok(Outside::Connected),
        AnswerValue::Text { text } => Ok(Outside::Reworded(run.text(text).await?)),
        AnswerValue::Option { .. } | AnswerValue::Decide | AnswerValue::Limit { .. } => {
            Err(halt(run, HaltReason::NeedsAModel, why).await)
        }
    }
}
