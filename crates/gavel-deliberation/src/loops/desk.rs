//! The desk: where everybody outside does something to a loop, or looks at it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gavel_domain::{
    AgentId, Digest, Head, LoopOpened, LoopStatus, ProjectId, Protocol, RequestAnswered, Role,
    RunId, RunState, Seq, Settings, Slot, Speaker,
};
use gavel_rules::deliberation::{LoopState, validate};
use gavel_run::{Amendment, Engine, NewRun};
use serde::{Deserialize, Serialize};

use super::known::Shared;
use super::looking::blocked;
use super::problem::{LoopProblem, no_loop};
use super::promote::Keeper;
use super::remember::Remembers;
use super::sitting::{LoopMeans, Sitting, text};
use super::turns::Handed;
use super::verbs::{Done, Verb};
use super::view::{LoopAnswer, Warning, loop_id, next_steps};

/// The driver's name in `run_started`.
pub const DRIVER: &str = "loop";
/// The version of its flow, which new loops follow.
pub const FLOW: u32 = 1;
/// The oldest flow that is still driven.
pub const OLDEST_FLOW: u32 = 1;

/// The longest goal, in bytes.
const MAX_GOAL: usize = 32 * 1024;
/// The longest title, in characters.
const MAX_TITLE: usize = 120;

/// Where a loop belongs, kept as JSON with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoopBrief {
    /// The checkout whose memory is asked.
    pub checkout: PathBuf,
    /// True when project memory is not to be asked.
    #[serde(default)]
    pub without_memory: bool,
}

/// Who does something, and how sure they are of what they saw.
#[derive(Debug, Clone)]
pub struct Hand {
    /// Who; needed for everything that changes something.
    pub agent: AgentId,
    /// Through which door.
    pub speaker: Speaker,
    /// The version that they saw; another one is a conflict.
    pub expected: Option<Seq>,
    /// Their idempotency key, with the canonical digest of the call.
    pub request: Option<(String, Digest)>,
}

/// A loop that somebody wants to open.
#[derive(Debug, Clone)]
pub struct NewLoop {
    /// Its id, when it is known before.
    pub id: Option<RunId>,
    /// How it goes.
    pub protocol: Protocol,
    /// Who takes part.
    pub slots: Vec<Slot>,
    /// What it is about.
    pub title: String,
    /// What it is to achieve.
    pub goal: Option<String>,
    /// What is handed in at once, by whoever opens it.
    pub first: Option<Handed>,
    /// What somebody should know.
    pub warnings: Vec<Warning>,
    /// What the loop runs with.
    pub settings: Settings,
}

/// The desk of one project.
#[derive(Debug, Clone)]
pub struct Desk {
    engine: Engine,
    means: LoopMeans,
    place: LoopBrief,
    project: Option<ProjectId>,
    configured: Vec<AgentId>,
    pub(super) shared: Shared,
}

/// Which project a desk is of.
#[derive(Debug, Clone)]
pub struct DeskPlace {
    /// Its checkout, canonical.
    pub checkout: PathBuf,
    /// Its id, when it has one.
    pub project: Option<ProjectId>,
    /// Agents that the settings name: they are known before they ever came.
    pub configured: Vec<AgentId>,
    /// True when project memory is not to be asked.
    pub without_memory: bool,
}

impl Desk {
    /// The desk of a project.
    pub fn new(engine: Engine, memory: Arc<dyn Remembers>, place: DeskPlace) -> Self {
        let store = engine.store().clone();
        Self {
            engine,
            means: LoopMeans { store, memory },
            place: LoopBrief {
                checkout: place.checkout,
                without_memory: place.without_memory,
            },
            project: place.project,
            configured: place.configured,
            shared: Shared::default(),
        }
    }

    /// True when project memory is not to be asked.
    pub(super) const fn is_without_memory(&self) -> bool {
        self.place.without_memory
    }

    /// Where plans are kept.
    pub fn keeper(&self) -> Keeper<'_> {
        Keeper {
            engine: &self.engine,
            means: &self.means,
            checkout: &self.place.checkout,
            project: self.project,
        }
    }

    /// Its project's id.
    pub(super) const fn project(&self) -> Option<ProjectId> {
        self.project
    }

    /// The moment.
    pub(super) fn now(&self) -> gavel_domain::Timestamp {
        self.engine.now()
    }

    /// The checkout that it is about.
    pub fn checkout(&self) -> &Path {
        &self.place.checkout
    }

    /// Says that an agent came: from now on it is known here.
    pub async fn see(&self, agent: &AgentId) -> Result<(), LoopProblem> {
        if agent.is_gavel() {
            return Ok(());
        }
        let (key, now) = (self.key(), self.engine.now());
        // Whoever asks every second is not written down every second.
        if self.shared.came_lately(agent, now) {
            return Ok(());
        }
        let store = &self.means.store;
        store.see_agent(&key, agent.as_str(), now).await?;
        self.shared.tell_came(agent, now);
        Ok(())
    }

    /// True for an agent that the settings name, or that came before.
    pub async fn knows(&self, agent: &AgentId) -> Result<bool, LoopProblem> {
        if agent.is_gavel() || self.configured.contains(agent) {
            return Ok(true);
        }
        let came = self.means.store.agents(&self.key()).await?;
        Ok(came.iter().any(|name| name == agent.as_str()))
    }

    /// Whoever is to take part and has not come yet: its turn waits, and a name may be a slip of the pen.
    async fn unknown_agents(
        &self,
        slots: &[Slot],
        hand: &Hand,
    ) -> Result<Vec<Warning>, LoopProblem> {
        let named = slots.iter().filter_map(|slot| slot.agent.as_ref());
        let others: BTreeSet<&AgentId> = named.filter(|agent| **agent != hand.agent).collect();
        let mut warnings = Vec::new();
        for agent in others {
            if !self.knows(agent).await? {
                warnings.push(unknown_agent(agent));
            }
        }
        Ok(warnings)
    }

    /// A project is known by its id, or by the folder of a checkout that has none.
    fn key(&self) -> String {
        match self.project {
            Some(project) => project.to_string(),
            None => self.place.checkout.display().to_string(),
        }
    }

    /// What sittings work with.
    pub const fn means(&self) -> &LoopMeans {
        &self.means
    }

    /// Opens a loop.
    pub async fn open(&self, hand: &Hand, mut new: NewLoop) -> Result<LoopAnswer, LoopProblem> {
        let id = match (&new.id, &hand.request) {
            (Some(id), _) => *id,
            // The same request opens the same loop.
            (None, Some((key, _))) => id_of(&self.place, &hand.agent, key),
            (None, None) => RunId::from_uuid(gavel_run::fresh_id()),
        };
        if self.means.store.head(id).await?.is_some() {
            return self.opened_before(id, hand).await;
        }
        let title = check_new(&new)?;
        let mut warnings = self.unknown_agents(&new.slots, hand).await?;
        warnings.extend(std::mem::take(&mut new.warnings));
        let mut amendment = Amendment::default();
        let mut texts = BTreeMap::new();
        let mut keep = |text: &str| {
            let name = amendment.keep(text);
            texts.insert(name.digest, text.to_owned());
            name
        };
        let opened = LoopOpened {
            title: keep(&title),
            goal: new.goal.as_deref().map(&mut keep),
            protocol: new.protocol,
            slots: new.slots,
            by: hand.agent.clone(),
            speaker: hand.speaker,
        };
        amendment.note("loop/opened", &opened)?;
        let who = (hand.agent.clone(), self.engine.now());
        let mut sitting = Sitting::opening(&self.means, id, (amendment, texts), who)?;
        let mut done = Done::default();
        if let Some(first) = new.first {
            let (slot, artifacts) = (None, vec![first]);
            done = sitting.act(Verb::Add { slot, artifacts }).await?;
        } else {
            sitting.settle(&mut done).await?;
        }
        let mut answer = answer(&sitting.state, &done, &hand.agent);
        answer.warnings = warnings;
        let told = self.all_warnings(&sitting.state).await?;
        answer.warnings.extend(told);
        self.remember_answer(&mut sitting, hand, &mut answer)?;
        let (amendment, _) = sitting.finish();
        let brief = serde_json::to_string(&self.place).map_err(|source| {
            let key = gavel_domain::Key::engine("run/started");
            LoopProblem::Run(match key {
                Ok(key) => gavel_run::Bug::Input { key, source }.into(),
                Err(error) => error.into(),
            })
        })?;
        let new = NewRun {
            driver: DRIVER.to_owned(),
            flow: FLOW,
            settings: new.settings,
            project: self.project,
            brief: Some(brief),
        };
        let seed = Digest::of(id.to_string());
        match self.engine.start_with((id, seed), new, amendment).await {
            Ok(version) => {
                answer.version = version.0;
                Ok(answer)
            }
            // The same request came through twice at once, and the other one was faster.
            Err(error) if hand.request.is_some() => match self.means.store.head(id).await? {
                Some(_) => self.opened_before(id, hand).await,
                None => Err(error.into()),
            },
            Err(error) => Err(error.into()),
        }
    }

    async fn opened_before(&self, id: RunId, hand: &Hand) -> Result<LoopAnswer, LoopProblem> {
        let state = self.state(id).await?;
        match self.answered(&state, hand).await? {
            Some(answer) => Ok(answer),
            None => Err(LoopProblem::KeyReused),
        }
    }

    /// Does something to a loop.
    pub async fn act(&self, id: RunId, hand: &Hand, verb: Verb) -> Result<LoopAnswer, LoopProblem> {
        let held = match self.engine.hold(id).await {
            Err(gavel_run::RunError::NoRun(id)) => return Err(no_loop(id)),
            held => held?,
        };
        let head = self.means.store.head(id).await?;
        if head.is_some_and(|head| head.state == RunState::Aborted) {
            let status = LoopStatus::Cancelled;
            return Err(LoopProblem::NotOpen { status });
        }
        let who = (hand.agent.clone(), held.now());
        let mut sitting = Sitting::of(&self.means, id, &held.records(), who)?;
        if let Some(answer) = self.answered(&sitting.state, hand).await? {
            return Ok(answer);
        }
        let actual = sitting.state.version;
        if let Some(expected) = hand.expected.filter(|expected| *expected != actual) {
            return Err(LoopProblem::Version { expected, actual });
        }
        sitting.person = hand.speaker.role == Role::Person;
        // Only whoever asks a loop to go on is told that it does not; to all others that is news.
        let asked_on = matches!(verb, Verb::Advance { .. });
        let done = sitting.act(verb).await?;
        let mut answer = answer(&sitting.state, &done, &hand.agent);
        answer.warnings = self.all_warnings(&sitting.state).await?;
        let refused = done.refused.filter(|_| asked_on && done.moves.is_empty());
        if refused.is_none() {
            self.remember_answer(&mut sitting, hand, &mut answer)?;
        }
        let (amendment, _) = sitting.finish();
        let version = held.commit(amendment).await?;
        answer.version = version.0;
        refused.map_or(Ok(answer), Err)
    }

    /// The answer to the same call before.
    async fn answered(
        &self,
        state: &LoopState,
        hand: &Hand,
    ) -> Result<Option<LoopAnswer>, LoopProblem> {
        let Some((key, asked)) = &hand.request else {
            return Ok(None);
        };
        let Some(before) = state.requests.get(&request_of(&hand.agent, key)) else {
            return Ok(None);
        };
        if before.asked != *asked {
            return Err(LoopProblem::KeyReused);
        }
        let told = text(&self.means, state.id, before.answer).await?;
        let mut answer: LoopAnswer =
            serde_json::from_str(&told).map_err(LoopProblem::AnswerUnreadable)?;
        answer.duplicate = true;
        Ok(Some(answer))
    }

    fn remember_answer(
        &self,
        sitting: &mut Sitting<'_>,
        hand: &Hand,
        answer: &mut LoopAnswer,
    ) -> Result<(), LoopProblem> {
        let Some((key, asked)) = &hand.request else {
            return Ok(());
        };
        let version = sitting.state.version;
        // The fact that keeps the answer is the last of this commit.
        answer.version = version.0 + 1;
        let told = serde_json::to_string(&answer).unwrap_or_default();
        let request = request_of(&hand.agent, key);
        let answered = RequestAnswered {
            request,
            asked: *asked,
            answer: sitting.keep(&told),
            version,
        };
        sitting.note(&format!("request/r-{}", request.short()), &answered)
    }

    /// Where a loop stands.
    pub async fn state(&self, id: RunId) -> Result<LoopState, LoopProblem> {
        let records = self.means.store.records(id, Seq::ZERO, u32::MAX).await?;
        LoopState::of(&records)?.ok_or_else(|| no_loop(id))
    }

    /// A loop of this project, and of no other, by its id or the end of it.
    pub async fn find_here(&self, name: &str) -> Result<RunId, LoopProblem> {
        let id = self.find(name).await?;
        let head = self.means.store.head(id).await?;
        match head {
            Some(head) if self.is_ours(&head).await? => Ok(id),
            Some(_) | None => Err(no_loop(id)),
        }
    }

    /// A loop by its id, whatever its project, or the end of the id of one of this project.
    pub async fn find(&self, name: &str) -> Result<RunId, LoopProblem> {
        if let Some(id) = loop_id(name) {
            return Ok(id);
        }
        let name = name.trim();
        let heads = self.heads(false).await?;
        let fits = |head: &&Head| !name.is_empty() && head.run.to_string().ends_with(name);
        let mut found = heads.iter().filter(fits);
        match (found.next(), found.next()) {
            (Some(head), None) => Ok(head.run),
            (Some(_), Some(_)) => Err(LoopProblem::Several(name.chars().take(80).collect())),
            (None, _) => Err(LoopProblem::NoLoop(name.chars().take(80).collect())),
        }
    }
}

/// What a call did, and where the loop stands now. Briefs go to those who hold the slot.
pub(super) fn answer(state: &LoopState, done: &Done, agent: &AgentId) -> LoopAnswer {
    let turns = done.turns.iter().cloned().map(|mut turn| {
        if turn.agent.as_ref().is_some_and(|holder| holder != agent) {
            turn.brief = None;
        }
        turn
    });
    LoopAnswer {
        loop_id: state.id.to_string(),
        outcome: "ok".to_owned(),
        version: state.version.0,
        status: state.status,
        phase: state.phase.clone(),
        iteration: state.iteration,
        turns: turns.collect(),
        artifacts: done.artifacts.clone(),
        moves: done.moves.clone(),
        blocked: blocked(state),
        next: next_steps(state),
        warnings: Vec::new(),
        duplicate: false,
    }
}

/// Looks at what somebody wants to open; gives its title in one line.
fn check_new(new: &NewLoop) -> Result<String, LoopProblem> {
    let title = new.title.split_whitespace().collect::<Vec<_>>().join(" ");
    let title: String = title.chars().take(MAX_TITLE).collect();
    if title.is_empty() {
        return Err(LoopProblem::Missing {
            what: "the title",
            why: "say what the loop is about",
        });
    }
    if let Some(goal) = new.goal.as_ref().filter(|goal| goal.len() > MAX_GOAL) {
        return Err(LoopProblem::TooLong {
            bytes: goal.len(),
            most: MAX_GOAL,
        });
    }
    validate(&new.protocol, &new.slots)?;
    Ok(title)
}

fn request_of(agent: &AgentId, key: &str) -> Digest {
    Digest::of_fields([agent.as_str().as_bytes(), key.as_bytes()])
}

/// The id of a loop that a request opens: the same request, the same loop.
fn id_of(place: &LoopBrief, agent: &AgentId, key: &str) -> RunId {
    let folder = place.checkout.display().to_string();
    let digest = Digest::of_fields([folder.as_bytes(), agent.as_str().as_bytes(), key.as_bytes()]);
    let mut bytes = [0; 16];
    for (place, byte) in bytes.iter_mut().zip(digest.bytes()) {
        *place = *byte;
    }
    RunId::from_uuid(uuid::Builder::from_random_bytes(bytes).into_uuid())
}

fn unknown_agent(agent: &AgentId) -> Warning {
    Warning {
        code: "unknown_agent".to_owned(),
        message: format!(
            "{agent} has not come to this project yet, and no [[agents]] of the settings names it: \
             its turn waits until it asks for its inbox"
        ),
    }
}
