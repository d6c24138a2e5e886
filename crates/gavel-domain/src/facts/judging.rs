//! Judgements on the way: assumptions, criteria, breakers, and what the next sprint makes of them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::fact::fact_group;
use crate::{AssumptionStatus, BlobRef, Confidence, Role};

fact_group!(
    /// Facts of those who judge.
    JudgingFact {
        /// Something was taken for granted.
        AssumptionRaised = "assumption_raised",
        /// It turned out to be so, or not.
        AssumptionResolved = "assumption_resolved",
        /// The criteria of a sprint were judged.
        CriteriaJudged = "criteria_judged",
        /// The next sprint got its focus.
        FeedbackRouted = "feedback_routed",
        /// Owner and customer looked at the result.
        OwnerReviewed = "owner_reviewed",
        /// A circuit breaker tripped.
        BreakerTripped = "breaker_tripped",
    }
);

/// Something was taken for granted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AssumptionRaised {
    /// Its id, the same for the same claim.
    pub id: String,
    /// Who raised it: a role or the name of a stance.
    pub raised_by: String,
    /// How sure they were.
    pub confidence: Confidence,
    /// The whole of it, a [`crate::Assumption`] as JSON.
    pub assumption: BlobRef,
}

/// An assumption turned out to be so, or not, or was put off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AssumptionResolved {
    /// Which.
    pub id: String,
    /// What it came to; never `unverified`.
    pub status: AssumptionStatus,
    /// What settled it: `verify`, `repository`, `person`, or `engine` when nobody looked.
    pub by: String,
    /// What shows it.
    pub evidence: BlobRef,
}

/// The criteria of a sprint were judged, by tests of their names or by a judge whose evidence was
/// checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CriteriaJudged {
    /// In which sprint; zero for the done gate.
    pub sprint: u32,
    /// Criteria that hold.
    pub met: u32,
    /// Criteria that hold in part.
    pub partial: u32,
    /// Criteria that do not hold, or of which nobody knows.
    pub unmet: u32,
    /// The weighted share, in thousandths.
    pub score: u32,
    /// Each of them, a JSON array of [`crate::CriterionJudged`].
    pub judged: BlobRef,
}

/// What failed decides who looks at it next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeedbackRouted {
    /// The sprint that gets it.
    pub sprint: u32,
    /// The condition that failed, for example `engineering_floor`.
    pub condition: String,
    /// Who is to act on it: `coder`, `tester`, `owner`, `architect`, `everybody`.
    pub to: String,
    /// The focus, in words.
    pub focus: BlobRef,
}

/// Owner and customer looked at the result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnerReviewed {
    /// How independent they were: `cross_provider`, `other_tier`, `same_tier`, `self_review`.
    pub mode: String,
    /// The owner's model.
    pub owner: String,
    /// The customer's model.
    pub customer: String,
    /// How many rounds they had.
    pub rounds: u32,
    /// True when they would ship.
    pub ship: bool,
    /// True when somebody said something against it.
    pub dissent: bool,
    /// What was said, as JSON.
    pub said: BlobRef,
}

/// A circuit breaker tripped; what a person chose is the answer to the question beside it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BreakerTripped {
    /// Which, for example `cb_2`.
    pub breaker: String,
    /// Its reason code, for example `oscillation`.
    pub reason: String,
    /// Where it tripped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sprint: Option<u32>,
    /// The role that it is about, where it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// True when the run goes on with less instead of asking.
    #[serde(default)]
    pub degraded: bool,
    /// The numbers that it looked at, by name; money in micro-dollars, shares in thousandths.
    #[serde(default)]
    pub numbers: BTreeMap<String, i64>,
}
