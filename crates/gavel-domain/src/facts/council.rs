//! A debate as it goes: phases, seats, research, turns, rounds.

use serde::{Deserialize, Serialize};

use crate::fact::fact_group;
use crate::{BlobRef, DebateStop, OutputKind, StanceOrigin, TagCount};

fact_group!(
    /// Facts of a debate as it goes.
    CouncilFact {
        /// A phase began.
        CouncilPhase = "council_phase",
        /// A phase ended.
        CouncilPhaseEnded = "council_phase_ended",
        /// What is asked is clear.
        MatterClarified = "matter_clarified",
        /// The debate was planned.
        DebatePlanned = "debate_planned",
        /// The seats were given to models.
        CouncilSeated = "council_seated",
        /// Whether something is looked up first.
        ResearchDecided = "research_decided",
        /// Something was looked up.
        ResearchMade = "research_made",
        /// Independent drafts were compared.
        DraftsCompared = "drafts_compared",
        /// A seat spoke.
        StanceSpoke = "stance_spoke",
        /// A seat was to speak and did not.
        SeatFailed = "seat_failed",
        /// A seat left the debate.
        SeatLeft = "seat_left",
        /// A round was evaluated.
        RoundEvaluated = "round_evaluated",
        /// A round was summed up for those who go on.
        RoundSummarised = "round_summarised",
        /// The debate ended.
        DebateStopped = "debate_stopped",
    }
);

/// A phase of a council.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DebatePart {
    /// Every seat drafts without seeing the others (runs of older versions).
    Drafts,
    /// What is asked is made clear.
    Clarify,
    /// The leader plans the debate.
    Plan,
    /// Something is looked up.
    Research,
    /// Two seats draft by themselves, to see whether a debate is worth it.
    Gate,
    /// Every seat opens without seeing the others.
    Openings,
    /// Seats answer each other, in pairs.
    Round,
    /// The leader draws it together.
    Synthesis,
    /// A judge reads what was drawn together.
    Judgement,
}

/// A phase began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CouncilPhase {
    /// Which.
    pub part: DebatePart,
    /// Counted from one for rounds and lookups; zero elsewhere.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub round: u32,
    /// The models of the seats that take part, in order.
    pub seats: Vec<String>,
}

/// What a phase came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PhaseOutcome {
    /// What it was for.
    Done,
    /// Something stands in for it.
    Fallback,
    /// It was not needed.
    Skipped,
    /// There is nothing to look into.
    NoSources,
    /// It was tried and nothing came of it.
    Failed,
}

/// A phase ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CouncilPhaseEnded {
    /// Which.
    pub part: DebatePart,
    /// As in its beginning.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub round: u32,
    /// What it came to.
    pub outcome: PhaseOutcome,
    /// Why, for a phase that did not come to what it was for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<BlobRef>,
}

/// What is asked is clear.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatterClarified {
    /// The matter, as JSON.
    pub matter: BlobRef,
    /// How many questions people answered.
    pub answered: u32,
    /// How many rounds of questions it took.
    pub rounds: u32,
    /// True when a person approved it; false when nobody was asked.
    pub approved: bool,
}

/// The debate was planned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DebatePlanned {
    /// What kind of answer it is to give.
    pub kind: OutputKind,
    /// The plan, as JSON.
    pub plan: BlobRef,
    /// How many rounds will be held, cut to what the kind allows.
    pub rounds: u32,
    /// How many decisions are open.
    pub decisions: u32,
    /// True when the generic plan stands in.
    #[serde(default)]
    pub fallback: bool,
}

/// A seat of a council.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeatTaken {
    /// Counted from one.
    pub seat: u32,
    /// The name of its stance.
    pub stance: String,
    /// Where the stance comes from.
    #[serde(default)]
    pub origin: StanceOrigin,
    /// Its model.
    pub model: String,
}

/// The seats were given to models.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CouncilSeated {
    /// The leader's model.
    pub leader: String,
    /// The model that was configured to lead, when a better one of its provider took its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub promoted_from: Option<String>,
    /// The seats, in order.
    pub seats: Vec<SeatTaken>,
    /// True when all of them are one model.
    #[serde(default)]
    pub one_model: bool,
}

/// Who said whether something is looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResearchSay {
    /// The leader.
    Leader,
    /// A person, who may overrule the leader.
    Person,
    /// A rule, where the leader said nothing usable.
    Rule,
}

/// Whether something is looked up first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResearchDecided {
    /// True when it is.
    pub needed: bool,
    /// Who said so.
    pub by: ResearchSay,
}

/// What looking something up came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResearchOutcome {
    /// Findings whose sources are results of tools of this run.
    Found,
    /// Nothing that was not known before.
    NothingNew,
    /// There is nothing to look into.
    NoSources,
    /// The text cites no result of a tool of this run.
    Rejected,
    /// The model gave nothing usable.
    Failed,
}

/// Something was looked up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResearchMade {
    /// Counted from one in its debate.
    pub number: u32,
    /// What it came to.
    pub outcome: ResearchOutcome,
    /// How many results of tools there were.
    pub results: u32,
    /// How many of its citations hold.
    pub held: u32,
    /// The findings, as text; what was written, for one that was rejected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<BlobRef>,
}

/// Independent drafts were compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DraftsCompared {
    /// The two seats.
    pub seats: Vec<u32>,
    /// In how many decisions they chose the same.
    pub same: u32,
    /// How many decisions there are.
    pub decisions: u32,
    /// True when both cite something and everything they cite holds.
    pub evidence_holds: bool,
    /// True when the rounds are skipped.
    pub skip: bool,
}

/// What a seat chose, in figures; the words stand beside it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChoiceMade {
    /// The decision's id.
    pub decision: String,
    /// The option, counted from zero.
    pub option: u32,
    /// How sure, in hundredths.
    pub confidence: u32,
    /// How many of its citations hold.
    pub held: u32,
    /// How many do not.
    pub broken: u32,
}

/// A seat spoke.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StanceSpoke {
    /// The seat, counted from one.
    pub seat: u32,
    /// Its model.
    pub model: String,
    /// Zero for the blind opening.
    pub round: u32,
    /// What it said, checked, as JSON.
    pub text: BlobRef,
    /// How many of its evidence tags name something that exists.
    pub evidence_held: u32,
    /// How many do not.
    pub evidence_broken: u32,
    /// The name of its stance; empty in runs of older versions.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stance: String,
    /// The seat that it answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<u32>,
    /// How long the text is, in characters.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub length: u32,
    /// Its tags.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tags: Option<TagCount>,
    /// What it chose.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<ChoiceMade>,
    /// True when it says that everything is settled.
    #[serde(default, skip_serializing_if = "is_false")]
    pub locked: bool,
    /// The memory items that it cites, which are there and were not shown to it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beyond_brief: Vec<String>,
    /// The tools that it called before it spoke.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub looked_up: Vec<String>,
}

/// A seat was to speak and did not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeatFailed {
    /// The seat.
    pub seat: u32,
    /// Zero for the opening.
    pub round: u32,
    /// Why.
    pub why: BlobRef,
}

/// A seat left the debate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeatLeft {
    /// The seat.
    pub seat: u32,
    /// After which round.
    pub round: u32,
    /// How often it failed.
    pub failures: u32,
}

/// A round was evaluated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundEvaluated {
    /// Which.
    pub round: u32,
    /// Points on which seats agree: decisions that all of them answer alike.
    pub agreed: u32,
    /// Points in dispute.
    pub disputed: u32,
    /// The leader's evaluation as JSON; nothing when it gave none that could be used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<BlobRef>,
    /// The criteria that hold, by their place, counted from zero.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub met: Vec<u32>,
    /// How many points the leader sees unresolved.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unresolved: u32,
    /// The share of turns that say everything is settled, in hundredths.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub converged: u32,
    /// Checked of all tagged claims of this round, in hundredths; nothing when nobody tagged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub density: Option<u32>,
    /// How many pairs failed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub failed_pairs: u32,
    /// How many pairs there were.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub pairs: u32,
    /// By how many rounds the debate was extended.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub extended: u32,
    /// Why no further round follows; nothing when one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<DebateStop>,
}

/// A round was summed up for those who go on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundSummarised {
    /// Which.
    pub round: u32,
    /// The summary.
    pub text: BlobRef,
    /// True when it was put together from positions, since no model gave one.
    #[serde(default)]
    pub by_rules: bool,
}

/// The debate ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DebateStopped {
    /// Why.
    pub reason: DebateStop,
    /// How many rounds were held.
    pub rounds: u32,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde's skip_serializing_if passes a reference"
)]
const fn is_zero(value: &u32) -> bool {
    *value == 0
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde's skip_serializing_if passes a reference"
)]
const fn is_false(value: &bool) -> bool {
    !*value
}
