//! The desk: where everybody outside does something to a loop, or looks at it.

use std::collections::BTreeMap;
use std::sync::Arc;

use gavel_domain::{
    AgentId, Digest, Head, LoopOpened, Protocol, RequestAnswered, RunId, Seq, Settings, Slot,
    Speaker,
};
use gavel_rules::deliberation::{LoopState, SlotStatus, current_proposal, validate};
use gavel_run::{Amendment, Engine, NewRun};
use gavel_store::HeadsQuery;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::problem::{LoopProblem, no_loop, unmet_told};
use super::remember::Remembers;
use super::sitting::{LoopMeans, Sitting, text};
use super::turns::Handed;
use super::verbs::{Done, Verb};
use super::view::{
    ArtifactView, InboxEntry, LoopAnswer, LoopRow, LoopView, Moved, SlotView, WaivedView, Warning,
    loop_id, moment, next_steps, row, why_not,
};

/// The driver's name in `run_started`.
pub const DRIVER: &str = "loop";
/// The version of its flow.
pub const FLOW: u32 = 1;

/// The longest title, in characters.
const MAX_TITLE: usize = 120;
/// How many loops are looked at for a list or an inbox, the newest first.
const MOST_LOOPS: u32 = 500;

/// Where a loop belongs, kept as JSON with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoopBrief {
    /// The checkout whose memory is asked.
    pub checkout: std::path::PathBuf,
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
    project: Option<gavel_domain::ProjectId>,
}

impl Desk {
    /// The desk of a project.
    pub fn new(
        engine: Engine,
        memory: Arc<dyn Remembers>,
        (place, project): (LoopBrief, Option<gavel_domain::ProjectId>),
    ) -> Self {
        let store = engine.store().clone();
        Self {
            engine,
            means: LoopMeans { store, memory },
            place,
            project,
        }
    }

    /// What sittings work with.
    pub const fn means(&self) -> &LoopMeans {
        &self.means
    }

    /// Opens a loop.
    pub async fn open(&self, hand: &Hand, new: NewLoop) -> Result<LoopAnswer, LoopProblem> {
        let id = match (&new.id, &hand.request) {
            (Some(id), _) => *id,
            // The same request opens the same loop.
            (None, Some((key, _))) => id_of(&self.place, &hand.agent, key),
            (None, None) => RunId::from_uuid(Uuid::now_v7()),
        };
        if self.means.store.head(id).await?.is_some() {
            return self.opened_before(id, hand).await;
        }
        let title: String = new.title.trim().chars().take(MAX_TITLE).collect();
        if title.is_empty() {
            return Err(LoopProblem::Missing {
                what: "the title",
                why: "say what the loop is about",
            });
        }
        validate(&new.protocol, &new.slots)?;
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
            done = sitting
                .act(Verb::Add {
                    slot: None,
                    artifact: first,
                })
                .await?;
        } else {
            sitting.settle(&mut done).await?;
        }
        let mut answer = answer(&sitting.state, &done, &hand.agent);
        answer.warnings = new.warnings;
        if !answer.warnings.is_empty() {
            "partial".clone_into(&mut answer.outcome);
        }
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
        let version = self.engine.start_with((id, seed), new, amendment).await?;
        answer.version = version.0;
        Ok(answer)
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
        let who = (hand.agent.clone(), held.now());
        let mut sitting = Sitting::of(&self.means, id, &held.records(), who)?;
        if let Some(answer) = self.answered(&sitting.state, hand).await? {
            return Ok(answer);
        }
        let actual = sitting.state.version;
        if let Some(expected) = hand.expected.filter(|expected| *expected != actual) {
            return Err(LoopProblem::Version { expected, actual });
        }
        let done = sitting.act(verb).await?;
        let mut answer = answer(&sitting.state, &done, &hand.agent);
        if done.refused.is_none() || !done.artifacts.is_empty() || !done.moves.is_empty() {
            self.remember_answer(&mut sitting, hand, &mut answer)?;
        }
        let nothing_else =
            done.artifacts.is_empty() && done.moves.is_empty() && done.turns.is_empty();
        let (amendment, state) = sitting.finish();
        let version = held.commit(amendment).await?;
        answer.version = version.0;
        match done.refused {
            // What was asked for is the very thing that could not be done.
            Some(refused) if nothing_else && !is_completion(&state, actual) => Err(refused),
            Some(_) | None => Ok(answer),
        }
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
            serde_json::from_str(&told).map_err(|_| LoopProblem::KeyReused)?;
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

    /// A loop of this project by its id, or the end of it.
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

    /// A loop as it stands, with its texts.
    pub async fn get(&self, id: RunId) -> Result<LoopView, LoopProblem> {
        let state = self.state(id).await?;
        self.view(&state).await
    }

    /// The loops of this project, the most recently changed first.
    pub async fn list(&self, only_open: bool) -> Result<Vec<LoopRow>, LoopProblem> {
        let mut rows = Vec::new();
        for head in self.heads(only_open).await? {
            let state = self.state(head.run).await?;
            let title = self.told(state.id, state.title).await?;
            rows.push(row(&state, title));
        }
        Ok(rows)
    }

    /// The turns that wait for an agent, in this project, the oldest first.
    pub async fn inbox(&self, agent: &AgentId) -> Result<Vec<InboxEntry>, LoopProblem> {
        let mut waiting = Vec::new();
        for head in self.heads(true).await? {
            let state = self.state(head.run).await?;
            for slot in state
                .slots
                .iter()
                .filter(|slot| slot.agent.as_ref() == Some(agent))
            {
                let SlotStatus::Assigned { turn, since } = state.status_of(slot) else {
                    continue;
                };
                let Some(turn) = state.turn(turn) else {
                    continue;
                };
                let proposal = current_proposal(&state).map(|artifact| artifact.artifact);
                let name = |number| gavel_rules::deliberation::artifact_name(state.id, number);
                waiting.push((
                    since,
                    InboxEntry {
                        intent: "complete_turn".to_owned(),
                        loop_id: state.id.to_string(),
                        slot_id: slot.id.clone(),
                        phase: turn.given.phase.clone(),
                        iteration: turn.given.iteration,
                        proposal_artifact_id: proposal.map(name),
                        title: self.told(state.id, state.title).await?,
                        since: moment(since),
                        brief: self.told(state.id, turn.given.brief).await?,
                    },
                ));
            }
        }
        waiting.sort_by_key(|(since, _)| *since);
        Ok(waiting.into_iter().map(|(_, entry)| entry).collect())
    }

    /// The brief of a slot: the one of its turn, or the one that it would get now.
    pub async fn brief(&self, id: RunId, slot: &str) -> Result<String, LoopProblem> {
        let records = self.means.store.records(id, Seq::ZERO, u32::MAX).await?;
        let records: Vec<_> = records.into_iter().map(Arc::new).collect();
        let who = (AgentId::gavel(), self.engine.now());
        let sitting = Sitting::of(&self.means, id, &records, who)?;
        let state = &sitting.state;
        let Some(slot) = state.slot(slot) else {
            let known = state.slots.iter();
            let known: Vec<_> = known
                .map(|slot| format!("{} ({})", slot.id, slot.role))
                .collect();
            return Err(LoopProblem::NoSlot {
                slot: slot.chars().take(80).collect(),
                known: known.join(", "),
            });
        };
        match state.turn_of(slot) {
            Some(turn) if turn.ended.is_none() => sitting.text(turn.given.brief).await,
            Some(_) | None => Ok(sitting.brief(slot, None).await?.text),
        }
    }

    async fn heads(&self, unfinished: bool) -> Result<Vec<Head>, LoopProblem> {
        let query = HeadsQuery {
            project: self.project,
            unfinished,
            limit: MOST_LOOPS,
        };
        let heads = self.means.store.heads(query).await?;
        let mut ours = Vec::new();
        for head in heads.into_iter().filter(|head| head.driver == DRIVER) {
            if self.project.is_some() || self.is_here(&head).await? {
                ours.push(head);
            }
        }
        Ok(ours)
    }

    /// Without an id a project is known by its folder.
    async fn is_here(&self, head: &Head) -> Result<bool, LoopProblem> {
        let first = self.means.store.records(head.run, Seq::ZERO, 1).await?;
        let started: Option<gavel_domain::RunStarted> =
            first.first().and_then(|record| record.read().ok());
        let Some(brief) = started.and_then(|started| started.brief) else {
            return Ok(false);
        };
        let told = self.told(head.run, brief).await?;
        let place: Result<LoopBrief, _> = serde_json::from_str(&told);
        Ok(place.is_ok_and(|place| place.checkout == self.place.checkout))
    }

    async fn told(&self, run: RunId, name: gavel_domain::BlobRef) -> Result<String, LoopProblem> {
        text(&self.means, run, name).await
    }

    async fn view(&self, state: &LoopState) -> Result<LoopView, LoopProblem> {
        let mut artifacts = Vec::new();
        for (artifact, _) in &state.artifacts {
            let whole = self.told(state.id, artifact.body).await?;
            let shown = usize::try_from(artifact.shown).unwrap_or(usize::MAX);
            let name = |number: u32| gavel_rules::deliberation::artifact_name(state.id, number);
            let mut waived = Vec::new();
            for left in &artifact.waived {
                waived.push(WaivedView {
                    id: name(left.artifact),
                    reason: self.told(state.id, left.reason).await?,
                });
            }
            artifacts.push(ArtifactView {
                artifact_id: name(artifact.artifact),
                kind: artifact.kind.clone(),
                phase: artifact.phase.clone(),
                iteration: artifact.iteration,
                slot_id: artifact.slot.clone(),
                by: artifact.by.clone(),
                counts: artifact.discounted.is_none(),
                why_not: artifact.discounted.map(why_not),
                cites: artifact.cites.clone(),
                addresses_critique: artifact.addresses.iter().copied().map(name).collect(),
                waived,
                uncovered: artifact.uncovered.iter().copied().map(name).collect(),
                text: whole.get(..shown).unwrap_or(&whole).to_owned(),
                bytes: whole.len() as u64,
            });
        }
        let goal = match state.goal {
            Some(goal) => Some(self.told(state.id, goal).await?),
            None => None,
        };
        let reason = match state.closed.as_ref().and_then(|closed| closed.reason) {
            Some(reason) => Some(self.told(state.id, reason).await?),
            None => None,
        };
        Ok(LoopView {
            loop_id: state.id.to_string(),
            kind: state.protocol.kind,
            title: self.told(state.id, state.title).await?,
            goal,
            owner: state.owner.clone(),
            opened_at: moment(state.opened_at),
            version: state.version.0,
            status: state.status,
            end: state
                .closed
                .as_ref()
                .map(|closed| end_word(closed.end).to_owned()),
            reason,
            phases: state
                .protocol
                .phases
                .iter()
                .map(|phase| phase.name.clone())
                .collect(),
            phase: state.phase.clone(),
            iteration: state.iteration,
            max_iterations: state
                .protocol
                .iteration
                .as_ref()
                .map(|rule| rule.max_iterations),
            slots: slots(state),
            artifacts,
            moves: state
                .way
                .iter()
                .map(|(advanced, _)| Moved::new(advanced))
                .collect(),
            blocked: blocked(state),
            promoted: state
                .promoted
                .iter()
                .map(|done| done.item.clone())
                .collect(),
            next: next_steps(state),
            warnings: warnings(state),
        })
    }
}

/// The word for how a loop ended.
const fn end_word(end: gavel_domain::LoopEnd) -> &'static str {
    match end {
        gavel_domain::LoopEnd::StopCondition => "stop_condition",
        gavel_domain::LoopEnd::Limit => "limit",
        gavel_domain::LoopEnd::Closed => "closed",
        gavel_domain::LoopEnd::Stuck => "stuck",
    }
}

fn slots(state: &LoopState) -> Vec<SlotView> {
    let view = |slot: &Slot| {
        let status = state.status_of(slot);
        SlotView {
            slot_id: slot.id.clone(),
            role: slot.role.clone(),
            agent: slot.agent.clone(),
            profile: slot.profile,
            acts: state.acting().any(|acting| acting.id == slot.id),
            status: status.word().to_owned(),
            waiting_since: match status {
                SlotStatus::Assigned { since, .. } => Some(moment(since)),
                SlotStatus::Open | SlotStatus::Ended { .. } => None,
            },
        }
    };
    state.slots.iter().map(view).collect()
}

fn blocked(state: &LoopState) -> Vec<String> {
    let unmet = state.blocked.as_ref().map(|blocked| &blocked.unmet);
    unmet.into_iter().flatten().map(unmet_told).collect()
}

/// What somebody should know about a loop: a plan that passes critiques over, or had none.
pub(super) fn warnings(state: &LoopState) -> Vec<Warning> {
    use gavel_rules::deliberation::{CRITIQUE, PLAN_DRAFT};
    let mut warnings = Vec::new();
    let Some(plan) = state.counting(PLAN_DRAFT).last() else {
        return warnings;
    };
    if !plan.uncovered.is_empty() {
        let name = |number: &u32| gavel_rules::deliberation::artifact_name(state.id, *number);
        let passed: Vec<_> = plan.uncovered.iter().map(name).collect();
        warnings.push(Warning {
            code: "critiques_uncovered".to_owned(),
            message: format!(
                "the plan neither addresses nor waives {}",
                passed.join(", ")
            ),
        });
    }
    if state.counting(CRITIQUE).next().is_none() {
        warnings.push(Warning {
            code: "no_critiques".to_owned(),
            message: "nothing spoke against the proposal: no critique counts in this loop"
                .to_owned(),
        });
    }
    warnings
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
        warnings: warnings(state),
        duplicate: false,
    }
}

/// True when a turn ended or something else was written beside the refusal.
fn is_completion(state: &LoopState, before: Seq) -> bool {
    // The refusal itself is one record.
    state.version.0 > before.0 + 1
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
