//! What people and programs see of a loop.

use gavel_domain::{
    Advance, AgentId, ArtifactAdded, Discounted, DraftPromoted, LoopKind, LoopStatus,
    PhaseAdvanced, Profile, RunId, Slot, Timestamp, TurnOutcome, Word,
};
use gavel_rules::deliberation::{
    CRITIQUE, Expected, LoopState, PLAN_DRAFT, SlotStatus, TurnState, artifact_name,
    current_proposal, expected,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::brief::example_of;
use super::problem::unmet_told;

/// A turn that was given out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TurnGiven {
    /// The loop.
    pub loop_id: String,
    /// The slot that has its turn.
    pub slot_id: String,
    /// Its role.
    pub role: Word,
    /// Who holds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentId>,
    /// The number of the turn.
    pub turn: u32,
    /// The phase that it belongs to.
    pub phase: Word,
    /// The iteration that it belongs to.
    pub iteration: u32,
    /// The artifact that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposal_artifact_id: Option<String>,
    /// The memory items that the brief holds.
    pub items: Vec<String>,
    /// How many items and artifacts did not fit.
    pub dropped: u32,
    /// What to do, with everything that is needed for it; left out for those who do not hold the slot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub brief: Option<String>,
}

impl TurnGiven {
    pub(super) fn new(state: &LoopState, (turn, slot): (&TurnState, &Slot), brief: String) -> Self {
        let proposal = current_proposal(state).map(|artifact| artifact.artifact);
        Self {
            loop_id: state.id.to_string(),
            slot_id: slot.id.clone(),
            role: slot.role.clone(),
            agent: slot.agent.clone(),
            turn: turn.given.turn,
            phase: turn.given.phase.clone(),
            iteration: turn.given.iteration,
            proposal_artifact_id: proposal.map(|number| artifact_name(state.id, number)),
            items: turn.given.items.clone(),
            dropped: turn.given.dropped,
            brief: Some(brief),
        }
    }
}

/// What became of something that was handed in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ArtifactTaken {
    /// Its id.
    pub artifact_id: String,
    /// What it is.
    #[serde(rename = "type")]
    pub kind: Word,
    /// True when it counts at gates.
    pub counts: bool,
    /// Why it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why_not: Option<String>,
    /// Citations that hold.
    pub cites: Vec<String>,
    /// Citations that do not: its brief did not hold them.
    pub refused_cites: Vec<String>,
    /// Critiques that a plan neither addresses nor waives.
    pub uncovered: Vec<String>,
    /// How many bytes are shown; the whole text is kept.
    pub shown_bytes: u32,
}

impl ArtifactTaken {
    pub(super) fn new(state: &LoopState, added: &ArtifactAdded, refused: Vec<String>) -> Self {
        let name = |number: &u32| artifact_name(state.id, *number);
        Self {
            artifact_id: name(&added.artifact),
            kind: added.kind.clone(),
            counts: added.discounted.is_none(),
            why_not: added.discounted.map(why_not),
            cites: added.cites.clone(),
            refused_cites: refused,
            uncovered: added.uncovered.iter().map(name).collect(),
            shown_bytes: added.shown,
        }
    }
}

/// Why an artifact does not count, in words.
pub fn why_not(discounted: Discounted) -> String {
    match discounted {
        Discounted::Empty => "there is nothing in it",
        Discounted::NoValidCitation => {
            "it cites no accepted memory item of its brief: name one in `cites`, or hand in nothing_new"
        }
        Discounted::SaidBefore => "the same was handed in before",
        Discounted::Late => "its turn belongs to a phase or an iteration that is over",
    }
    .to_owned()
}

/// A step from one phase to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Moved {
    /// From.
    pub from: Word,
    /// To.
    pub to: Word,
    /// The iteration from then on.
    pub iteration: u32,
    /// advance_to, iterate_to, exit_cycle, max_iterations or forced.
    pub how: String,
}

impl Moved {
    pub(super) fn new(advanced: &PhaseAdvanced) -> Self {
        Self {
            from: advanced.from.clone(),
            to: advanced.to.clone(),
            iteration: advanced.iteration,
            how: how_word(advanced.how).to_owned(),
        }
    }
}

/// The word for how a loop went on.
pub const fn how_word(how: Advance) -> &'static str {
    match how {
        Advance::AdvanceTo => "advance_to",
        Advance::IterateTo => "iterate_to",
        Advance::ExitCycle => "exit_cycle",
        Advance::MaxIterations => "max_iterations",
        Advance::Forced => "forced",
    }
}

/// Something that somebody should know, and that stops nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Warning {
    /// For programs.
    pub code: String,
    /// For people.
    pub message: String,
}

/// A call that would get the loop on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NextStep {
    /// The intent of `gavel_loop`.
    pub intent: String,
    /// The slot that it concerns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slot_id: Option<String>,
    /// Who should make it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentId>,
    /// The phase to name with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_phase: Option<Word>,
    /// What a turn hands in, as an example with places for its texts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifacts: Option<Value>,
    /// When, and what for.
    pub when: String,
}

/// What the loop waits for, the most helpful first.
pub fn next_steps(state: &LoopState) -> Vec<NextStep> {
    let mut steps = Vec::new();
    for next in expected(state) {
        let failed = match &next {
            Expected::Turn { slot } => state.slot(slot).filter(|slot| has_failed(state, slot)),
            Expected::CompleteTurn { .. }
            | Expected::Force { .. }
            | Expected::Advance { .. }
            | Expected::Close
            | Expected::Resume => None,
        };
        let back = failed.map(|slot| NextStep {
            slot_id: Some(slot.id.clone()),
            ..owners(
                state,
                "cancel_turn",
                format!(
                    "to go on without {}: its failed turn is taken back",
                    slot.id
                ),
            )
        });
        steps.push(step(state, next));
        steps.extend(back);
    }
    steps.extend(keeping(state));
    steps
}

/// A step that whoever opened the loop takes.
fn owners(state: &LoopState, intent: &str, when: String) -> NextStep {
    NextStep {
        intent: intent.to_owned(),
        agent: Some(state.owner.clone()),
        slot_id: None,
        to_phase: None,
        artifacts: None,
        when,
    }
}

fn step(state: &LoopState, next: Expected) -> NextStep {
    match next {
        Expected::Turn { slot } => {
            let failed = state
                .slot(&slot)
                .is_some_and(|slot| has_failed(state, slot));
            let when = match failed {
                true => format!("the turn of {slot} failed: this gives it out again"),
                false => format!("{slot} may have a turn in {}", state.phase),
            };
            NextStep {
                slot_id: Some(slot),
                ..owners(state, "turn", when)
            }
        }
        Expected::CompleteTurn { turn, slot, agent } => handing_in(state, turn, (slot, agent)),
        Expected::Force { unmet, to } => {
            let lacks: Vec<String> = unmet.iter().map(unmet_told).collect();
            let when = format!(
                "{}, and nobody is left who could bring it: send it on, or close it",
                lacks.join("; ")
            );
            NextStep {
                to_phase: to,
                ..owners(state, "advance", when)
            }
        }
        Expected::Advance { to } => owners(state, "advance", format!("it goes on to {}", to.to)),
        Expected::Close => owners(
            state,
            "close",
            "there is no phase after this one".to_owned(),
        ),
        Expected::Resume => owners(state, "resume", "it is paused".to_owned()),
    }
}

/// A turn under way, with an example of what it hands in.
fn handing_in(state: &LoopState, turn: u32, (slot, agent): (String, Option<AgentId>)) -> NextStep {
    let of_gavel = agent.as_ref().is_some_and(AgentId::is_gavel);
    let when = match of_gavel {
        true => format!(
            "turn {turn} is Gavel's own: `gavel resume {}` takes it",
            state.id
        ),
        false => format!("{slot} has its turn"),
    };
    let given = state.turn(turn).map(|turn| &turn.given);
    let phase = given.and_then(|given| state.phase_named(&given.phase));
    let example = phase.zip(given).map(|(phase, given)| {
        let held = given.items.iter();
        let held = held.filter(|item| !given.proposed.contains(item));
        example_of(state, phase, &held.cloned().collect::<Vec<_>>())
    });
    NextStep {
        intent: if of_gavel { "wait" } else { "complete_turn" }.to_owned(),
        slot_id: Some(slot),
        agent,
        to_phase: None,
        artifacts: example.filter(|_| !of_gavel),
        when,
    }
}

/// True for a slot whose last turn in this phase failed.
pub(super) fn has_failed(state: &LoopState, slot: &Slot) -> bool {
    let ended = |status| match status {
        SlotStatus::Ended { outcome, .. } => outcome == TurnOutcome::Failed,
        SlotStatus::Open | SlotStatus::Assigned { .. } => false,
    };
    ended(state.status_of(slot))
}

/// A plan that a loop came to, and that is no memory yet.
fn keeping(state: &LoopState) -> Option<NextStep> {
    if !state.status.is_final() {
        return None;
    }
    let plan = state.counting(PLAN_DRAFT).last()?;
    let kept = |done: &DraftPromoted| done.artifact == plan.artifact;
    let when = "the plan becomes an item of project memory";
    (!state.promoted.iter().any(kept)).then(|| owners(state, "promote", when.to_owned()))
}

/// What a call did to a loop, and where it stands now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LoopAnswer {
    /// The loop.
    pub loop_id: String,
    /// ok, or partial when something was left out with a warning.
    pub outcome: String,
    /// The version now: the number of its last record.
    pub version: u64,
    /// open, paused, completed, blocked or cancelled.
    pub status: LoopStatus,
    /// The phase that it is in.
    pub phase: Word,
    /// The iteration that it is in, from zero.
    pub iteration: u32,
    /// Turns that this call gave out.
    pub turns: Vec<TurnGiven>,
    /// What became of what was handed in.
    pub artifacts: Vec<ArtifactTaken>,
    /// The phases that it went through.
    pub moves: Vec<Moved>,
    /// What is missing before it can go on.
    pub blocked: Vec<String>,
    /// What it waits for.
    pub next: Vec<NextStep>,
    /// What somebody should know.
    pub warnings: Vec<Warning>,
    /// True when the same call was answered before.
    pub duplicate: bool,
}

/// A slot as it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SlotView {
    /// Its id.
    pub slot_id: String,
    /// Its role.
    pub role: Word,
    /// Who holds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentId>,
    /// What it looks out for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
    /// True when it has a turn in this phase.
    pub acts: bool,
    /// open, assigned, done, failed or cancelled: in this phase.
    pub status: String,
    /// Since when its turn is under way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting_since: Option<String>,
}

/// An artifact as it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ArtifactView {
    /// Its id.
    pub artifact_id: String,
    /// What it is.
    #[serde(rename = "type")]
    pub kind: Word,
    /// Where it belongs.
    pub phase: Word,
    /// When it belongs there.
    pub iteration: u32,
    /// Whose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slot_id: Option<String>,
    /// Who handed it in.
    pub by: AgentId,
    /// True when it counts.
    pub counts: bool,
    /// Why it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why_not: Option<String>,
    /// What it cites.
    pub cites: Vec<String>,
    /// The critiques that a plan addresses.
    pub addresses_critique: Vec<String>,
    /// The critiques that a plan leaves, with the reason.
    pub waived: Vec<WaivedView>,
    /// The critiques that a plan passes over.
    pub uncovered: Vec<String>,
    /// The text, as far as it is shown.
    pub text: String,
    /// How many bytes the whole text has.
    pub bytes: u64,
}

/// A critique that a plan leaves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WaivedView {
    /// Which.
    pub id: String,
    /// Why.
    pub reason: String,
}

/// A loop as it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LoopView {
    /// Which.
    pub loop_id: String,
    /// What it is for.
    pub kind: LoopKind,
    /// What it is about.
    pub title: String,
    /// What it is to achieve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    /// Who opened it.
    pub owner: AgentId,
    /// When.
    pub opened_at: String,
    /// The number of its last record.
    pub version: u64,
    /// open, paused, completed, blocked or cancelled.
    pub status: LoopStatus,
    /// How it ended: stop_condition, limit, closed or stuck.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<String>,
    /// What was said about the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Its phases, in order.
    pub phases: Vec<Word>,
    /// The phase that it is in.
    pub phase: Word,
    /// The iteration that it is in, from zero.
    pub iteration: u32,
    /// At most so many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_iterations: Option<u32>,
    /// Who takes part.
    pub slots: Vec<SlotView>,
    /// What was handed in.
    pub artifacts: Vec<ArtifactView>,
    /// The way so far.
    pub moves: Vec<Moved>,
    /// What is missing before it can go on, since it was tried last.
    pub blocked: Vec<String>,
    /// Memory items that plan drafts became.
    pub promoted: Vec<String>,
    /// What it waits for.
    pub next: Vec<NextStep>,
    /// What somebody should know.
    pub warnings: Vec<Warning>,
}

/// A loop in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LoopRow {
    /// Which.
    pub loop_id: String,
    /// What it is for.
    pub kind: LoopKind,
    /// What it is about.
    pub title: String,
    /// open, paused, completed, blocked or cancelled.
    pub status: LoopStatus,
    /// The phase that it is in.
    pub phase: Word,
    /// The iteration that it is in.
    pub iteration: u32,
    /// Critiques that count.
    pub critiques: u32,
    /// Who is waited for.
    pub waits_for: Vec<String>,
    /// When it changed last.
    pub updated_at: String,
}

/// A turn that waits for an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InboxEntry {
    /// The intent to call with next.
    pub intent: String,
    /// The loop.
    pub loop_id: String,
    /// The slot.
    pub slot_id: String,
    /// The phase.
    pub phase: Word,
    /// The iteration.
    pub iteration: u32,
    /// The artifact that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposal_artifact_id: Option<String>,
    /// What the loop is about.
    pub title: String,
    /// Since when it waits.
    pub since: String,
    /// How many memory items and artifacts had no room in the brief.
    #[serde(default)]
    pub dropped: u32,
    /// What to do, with everything that is needed for it.
    pub brief: String,
    /// The call that hands it in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub next: Vec<NextStep>,
}

/// A loop that waits for whoever opened it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WaitsForYou {
    /// The loop.
    pub loop_id: String,
    /// What it is about.
    pub title: String,
    /// The phase.
    pub phase: Word,
    /// The iteration.
    pub iteration: u32,
    /// Since when.
    pub since: String,
    /// What it waits for.
    pub why: String,
    /// What would get it on, the most helpful first.
    pub next: Vec<NextStep>,
}

/// What waits for an agent in a project.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inbox {
    /// Its turns, the oldest first.
    pub inbox: Vec<InboxEntry>,
    /// Its own loops that nobody else gets on, the oldest first.
    pub waits_for_you: Vec<WaitsForYou>,
}

/// A row of a list.
pub(super) fn row(state: &LoopState, title: String) -> LoopRow {
    let waits = expected(state).into_iter().filter_map(|next| match next {
        Expected::CompleteTurn { slot, agent, .. } => {
            Some(agent.map_or(slot, |agent| agent.to_string()))
        }
        Expected::Turn { .. }
        | Expected::Force { .. }
        | Expected::Advance { .. }
        | Expected::Close
        | Expected::Resume => None,
    });
    LoopRow {
        loop_id: state.id.to_string(),
        kind: state.protocol.kind,
        title,
        status: state.status,
        phase: state.phase.clone(),
        iteration: state.iteration,
        critiques: u32::try_from(state.counting(CRITIQUE).count()).unwrap_or(u32::MAX),
        waits_for: waits.collect(),
        updated_at: moment(state.updated_at),
    }
}

/// A moment, to the second.
pub(super) fn moment(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// The id of a loop, from text.
pub(super) fn loop_id(text: &str) -> Option<RunId> {
    text.trim().parse().ok()
}
