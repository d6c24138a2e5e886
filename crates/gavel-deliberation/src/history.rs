//! The record of a debate: read from the journal of its run, and asked without any model.
//!
//! There is no second source of truth: whatever stands here is a fact of the run or a text beside
//! one, and everything that is told cites the key where it stands.

mod answers;
mod ask;
mod fold;
mod intent;
mod memory;
mod rooms;
mod row;
mod search;
mod told;

use gavel_domain::{
    ActionPlan, Assumption, Badge, ChoiceMade, ClarifiedMatter, CouncilOutcome, DebatePart,
    DebatePlan, DebateStop, Decision, DraftsCompared, FactError, MicroUsd, OutputKind,
    PhaseOutcome, ResearchOutcome, RoundEvaluated, RunId, SeatTaken, SynthesisOutcome, TagCount,
    Timestamp, Voices,
};
use gavel_rules::ChainProblem;
use gavel_rules::council::MemoryLooked;
use gavel_store::{ReadError, Store};
use serde::Serialize;

pub use ask::{AnswerLine, RecordAnswer};
pub(crate) use row::row;
pub use row::{CouncilRow, RowStance};
pub use told::Told;

/// The name of the step that keeps a plan of action, in the room `after-N/plan-M` of the N-th debate.
pub const PLAN_MADE: &str = "make_plan";
/// The answer by which a person agrees to carry such a plan out.
pub const PLAN_AGREED: &str = "approve";

/// A debate as its run recorded it, finished or not.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CouncilRecord {
    /// The run.
    pub run: RunId,
    /// Which debate of the run it is, counted from one.
    pub meeting: u32,
    /// How many debates the run held.
    pub meetings: u32,
    /// The room of its keys.
    pub room: String,
    /// What was asked.
    pub topic: Option<Told>,
    /// Earlier councils on the subject whose outcome was doubted, a line each.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doubted: Option<Told>,
    /// What it came to mean, where people were asked.
    pub matter: Option<Told<ClarifiedMatter>>,
    /// How it was planned.
    pub plan: Option<PlanTold>,
    /// Who led.
    pub leader: Option<LeaderTold>,
    /// Who sat where.
    pub participants: Vec<SeatTaken>,
    /// What was looked up.
    pub research: Vec<ResearchTold>,
    /// What the comparison of two drafts came to.
    pub gate: Option<Keyed<DraftsCompared>>,
    /// Everything that was said, in order.
    pub archive: Vec<TurnTold>,
    /// Who was to speak and did not.
    pub silent: Vec<SilenceTold>,
    /// What the leader made of each round.
    pub evaluations: Vec<EvaluationTold>,
    /// Why it ended; nothing for one that did not come to its end.
    pub stop: Option<StopTold>,
    /// The last word of every seat.
    pub final_positions: Vec<PositionTold>,
    /// What the leader drew from it.
    pub synthesis: Option<SynthesisTold>,
    /// What the judge said.
    pub verdict: Option<VerdictTold>,
    /// What was decided.
    pub decisions: Vec<DecisionTold>,
    /// What it takes for granted.
    pub assumptions: Vec<Assumption>,
    /// The plan of action that was made of it, for a council on its own; the last one.
    pub action_plan: Option<ActionPlanTold>,
    /// Whether project memory was looked into.
    pub memory: MemoryLooked,
    /// How much it can be relied on; nothing before it was closed.
    pub confidence: Option<ConfidenceTold>,
    /// What it took.
    pub stats: Stats,
    /// The records whose texts retention dropped.
    pub dropped: Vec<String>,
}

/// Something with the key where it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Keyed<T> {
    /// The key.
    pub key: String,
    /// What stands there.
    #[serde(flatten)]
    pub value: T,
}

/// How a debate was planned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlanTold {
    /// Where it stands.
    pub key: String,
    /// What kind of answer it was to give.
    pub kind: OutputKind,
    /// How many rounds were to be held.
    pub rounds: u32,
    /// True when the generic plan stood in.
    pub fallback: bool,
    /// The plan.
    pub plan: Told<DebatePlan>,
}

/// Who led a debate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LeaderTold {
    /// Where it stands.
    pub key: String,
    /// The model.
    pub model: String,
    /// The model that was configured, when a better one took its place.
    pub promoted_from: Option<String>,
    /// True when all seats are one model.
    pub one_model: bool,
}

/// Something that was looked up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ResearchTold {
    /// Where it stands.
    pub key: String,
    /// Counted from one.
    pub number: u32,
    /// What it came to.
    pub outcome: ResearchOutcome,
    /// How many results of tools there were.
    pub results: u32,
    /// How many of its citations hold.
    pub held: u32,
    /// The findings.
    pub text: Option<Told>,
}

/// Something that a seat said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TurnTold {
    /// Where it stands.
    pub key: String,
    /// Zero for the blind opening.
    pub round: u32,
    /// The seat, counted from one.
    pub seat: u32,
    /// Its stance.
    pub stance: String,
    /// Its model.
    pub model: String,
    /// The seat that it answered.
    pub answers: Option<u32>,
    /// How it begins, at most 400 characters.
    pub excerpt: Told,
    /// How long it is, in characters.
    pub length: u32,
    /// Its tags, after they were checked.
    pub tags: Option<TagCount>,
    /// What it chose, in figures.
    pub choices: Vec<ChoiceMade>,
    /// The memory items that it cites, which are there and were not shown to it.
    pub beyond_brief: Vec<String>,
    /// The tools that it called before it spoke.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub looked_up: Vec<String>,
    /// All of it, for whoever asks.
    #[serde(skip)]
    pub(crate) said: String,
    /// What its choices cite, as it was found.
    #[serde(skip)]
    pub(crate) cites: Vec<String>,
}

/// A seat that was to speak and did not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SilenceTold {
    /// Where it stands.
    pub key: String,
    /// The seat.
    pub seat: u32,
    /// In which round; zero for the opening.
    pub round: u32,
    /// Why; nothing for a seat that left after it had failed too often.
    pub why: Option<Told>,
    /// True when it left the debate.
    pub left: bool,
}

/// The tool by whose name it is on record that earlier councils on the subject were looked for.
pub const DOUBTED: &str = "doubted";

/// What was made of a round.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EvaluationTold {
    /// Where it stands.
    pub key: String,
    /// The figures.
    #[serde(flatten)]
    pub figures: RoundEvaluated,
    /// What the leader said.
    pub said: Option<Told<serde_json::Value>>,
}

/// Why a debate ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StopTold {
    /// Where it stands.
    pub key: String,
    /// Why.
    pub reason: DebateStop,
    /// After how many rounds.
    pub rounds: u32,
}

/// The last word of a seat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PositionTold {
    /// The key of the turn.
    pub turn: String,
    /// The seat.
    pub seat: u32,
    /// Its stance.
    pub stance: String,
    /// Its model.
    pub model: String,
    /// What it said.
    pub text: Told,
    /// What it chose, in figures.
    pub choices: Vec<ChoiceMade>,
}

/// What the leader drew from a debate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SynthesisTold {
    /// Where it stands.
    pub key: String,
    /// How it came about.
    pub how: SynthesisOutcome,
    /// The outcome; what was counted alone, for one that failed.
    pub outcome: Option<Told<CouncilOutcome>>,
    /// The text for people; what was wrong, for one that failed.
    pub text: Told,
}

/// What the judge said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VerdictTold {
    /// Where it stands.
    pub key: String,
    /// How sure, in hundredths; nothing when nobody judged.
    pub confidence: Option<u32>,
    /// True when a person should look.
    pub needs_person: bool,
    /// Why.
    pub reason: Told,
    /// True when the model that wrote the synthesis judged it.
    pub self_judged: bool,
}

/// Something that was decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DecisionTold {
    /// Where it stands.
    pub key: String,
    /// Counted from one.
    pub number: u32,
    /// The id that the plan gave it.
    pub id: Option<String>,
    /// The option that carries it, counted from zero; nothing when it is open.
    pub option: Option<u32>,
    /// True when the debate changed what the openings came to.
    pub changed: Option<bool>,
    /// True when somebody disagrees.
    pub dissent: bool,
    /// The decision.
    pub decision: Told<Decision>,
}

/// A plan of action that was made of a debate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ActionPlanTold {
    /// Where it stands.
    pub key: String,
    /// The plan.
    pub plan: Told<ActionPlan>,
    /// True when a person agreed to carry it out, false when it is only kept; nothing while nobody
    /// said.
    pub agreed: Option<bool>,
}

/// How much a debate can be relied on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConfidenceTold {
    /// Where it stands.
    pub key: String,
    /// The badge.
    pub badge: Option<Badge>,
    /// Checked of all tagged claims, in hundredths; nothing when nobody tagged.
    pub density: Option<u32>,
    /// How many rounds were held.
    pub rounds: u32,
    /// Whose voices stand behind it.
    pub voices: Voices,
    /// How many stances still disagree.
    pub dissenters: u32,
}

/// What a debate took.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Stats {
    /// Replies of models.
    pub calls: u32,
    /// Calls whose reply was lost and that are booked in full.
    pub lost: u32,
    /// What is booked for them.
    pub lost_ceiling: MicroUsd,
    /// Those of them whose ceiling is not known.
    pub lost_unpriced: u32,
    /// What the replies cost.
    pub cost: MicroUsd,
    /// Replies whose price is not known.
    pub unpriced: u32,
    /// Calls to sources outside the project, of which nobody counts anything.
    pub source_calls: u32,
    /// When its first fact was written.
    pub began_at: Option<Timestamp>,
    /// From its first fact to its last, in milliseconds.
    pub duration_ms: u64,
    /// Its phases, in order.
    pub phases: Vec<PhaseTold>,
}

impl Stats {
    /// What the replies cost, as far as it is known; none when nothing is known of it.
    pub fn known_cost(&self) -> Option<MicroUsd> {
        let unknown = self.unpriced + self.lost_unpriced + self.source_calls;
        (self.cost > MicroUsd::ZERO || unknown == 0).then_some(self.cost)
    }

    /// What the lost calls cost at most; none when nothing is known of it.
    pub fn known_lost(&self) -> Option<MicroUsd> {
        let lost = self.lost_ceiling;
        (lost > MicroUsd::ZERO || self.lost_unpriced == 0).then_some(lost)
    }

    /// What calls without a reply may have cost, to follow the cost; empty where there are none.
    pub fn lost_text(&self) -> String {
        match (self.known_lost(), self.lost_unpriced) {
            _ if self.lost == 0 => String::new(),
            (None, _) => " and an unknown amount for calls without a reply".to_owned(),
            (Some(lost), 0) => format!(" and at most {lost} for calls without a reply"),
            (Some(lost), _) => {
                format!(" and at most {lost} and what is unknown for calls without a reply")
            }
        }
    }
}

/// A phase.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PhaseTold {
    /// Where its beginning stands.
    pub key: String,
    /// Which.
    pub part: DebatePart,
    /// Counted from one for rounds and lookups.
    pub round: u32,
    /// What it came to; nothing for one that did not end.
    pub outcome: Option<PhaseOutcome>,
    /// How long it took; nothing for one that did not end.
    pub millis: Option<u64>,
    /// Why it did not come to what it was for.
    pub why: Option<Told>,
    /// When it began.
    #[serde(skip)]
    pub(crate) began_at: Timestamp,
}

/// Why a debate cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// There is no such run.
    #[error("there is no run {0}")]
    NoRun(RunId),
    /// The journal is damaged; nothing was repaired.
    #[error("run {run} is damaged: {problem}; nothing was repaired")]
    Damaged {
        /// The run.
        run: RunId,
        /// Where and how.
        #[source]
        problem: Box<ChainProblem>,
    },
    /// A fact was written by a newer version.
    #[error("run {run} holds a fact that this version cannot read: use the gavel that wrote it")]
    Newer {
        /// The run.
        run: RunId,
        /// Which, and why.
        #[source]
        source: Box<FactError>,
    },
    /// The store could not read; trying again may help.
    #[error("run {run} cannot be read")]
    Unread {
        /// The run.
        run: RunId,
        /// Why.
        #[source]
        source: Box<ReadError>,
    },
}

impl CouncilRecord {
    /// Reads a debate of a run: the one with this number, counted from one, or its last. Nothing
    /// when the run held none, or not so many.
    pub async fn read(
        store: &dyn Store,
        run: RunId,
        meeting: Option<u32>,
    ) -> Result<Option<Self>, RecordError> {
        fold::read(store, run, meeting).await
    }

    /// Answers a question from the record alone. Every line cites the key where it stands.
    pub fn ask(&self, question: &str) -> RecordAnswer {
        ask::answer(self, question)
    }
}
