//! The council, or the review that stands in its place.

use serde::{Deserialize, Serialize};

use crate::BlobRef;
use crate::fact::fact_group;

fact_group!(
    /// Facts of a debate.
    CouncilFact {
        /// The debate moved on.
        CouncilPhase = "council_phase",
        /// A seat spoke.
        StanceSpoke = "stance_spoke",
        /// A round was compared.
        RoundEvaluated = "round_evaluated",
        /// Something was decided.
        DecisionMade = "decision_made",
        /// The debate is over.
        DebateClosed = "debate_closed",
        /// Rules reviewed the plan, without a debate.
        ReviewMade = "review_made",
    }
);

/// A part of a debate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DebatePart {
    /// Every seat drafts without seeing the others.
    Drafts,
    /// Every seat answers the others.
    Round,
    /// The leader draws it together.
    Synthesis,
}

/// The debate moved on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CouncilPhase {
    /// To what.
    pub part: DebatePart,
    /// The models of the seats, in order.
    pub seats: Vec<String>,
}

/// A seat spoke.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StanceSpoke {
    /// The seat, counted from one.
    pub seat: u32,
    /// Its model.
    pub model: String,
    /// Zero for the blind draft.
    pub round: u32,
    /// What it said, as JSON.
    pub text: BlobRef,
    /// How many of its evidence tags name something that exists.
    pub evidence_held: u32,
    /// How many do not.
    pub evidence_broken: u32,
}

/// A round was compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundEvaluated {
    /// Which.
    pub round: u32,
    /// Points on which seats agree.
    pub agreed: u32,
    /// Points in dispute.
    pub disputed: u32,
}

/// Something was decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecisionMade {
    /// Counted from one in its debate.
    pub number: u32,
    /// The decision with its reasons, as JSON.
    pub text: BlobRef,
    /// True when a seat did not agree.
    pub dissent: bool,
}

/// The debate is over; its decisions are facts of their own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DebateClosed {
    /// What the leader drew from it, with the dissent and the questions that nobody answered.
    pub summary: BlobRef,
}

/// Rules reviewed the plan: a checklist, no voices.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewMade {
    /// The checklist, as JSON.
    pub items: BlobRef,
    /// How many items speak for the plan.
    pub speaks_for: u32,
    /// How many speak against it.
    pub speaks_against: u32,
}
