//! What was judged on the way: criteria with their evidence, the owner's review, breakers, and what
//! the next sprint was told because of it.

use std::collections::BTreeMap;

use gavel_domain::{
    BreakerTripped, CriterionJudged, CriterionStanding, EvidenceRank, EvidenceRef, OwnerReviewed,
    Role, Stage, Timestamp,
};
use serde::{Deserialize, Deserializer, Serialize};

use crate::evidence::evidence_words;
use crate::{AnswerTold, Report, Text};

/// The criteria as they were judged at one time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CriteriaTold {
    /// How many hold.
    pub met: u32,
    /// How many hold in part.
    pub partial: u32,
    /// How many do not, or nobody knows.
    pub unmet: u32,
    /// The weighted share, in thousandths.
    pub score: u32,
    /// Each of them.
    pub judged: Text<Vec<CriterionTold>>,
    /// When.
    pub at: Timestamp,
}

impl CriteriaTold {
    /// How many there are.
    pub const fn all(&self) -> u32 {
        self.met
            .saturating_add(self.partial)
            .saturating_add(self.unmet)
    }
}

/// What was shown for a criterion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CriterionTold {
    /// The criterion.
    pub id: String,
    /// True when it was shown.
    pub holds: bool,
    /// How far it holds.
    pub standing: CriterionStanding,
    /// What shows it, in a few words; else why nothing does.
    pub evidence: String,
    /// What shows it, each of which was looked up and found.
    pub links: Vec<EvidenceRef>,
    /// What the judge said.
    pub note: String,
    /// Its weight in the score.
    pub weight: u32,
    /// How firmly it was shown; none where nothing shows it, and in older runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<EvidenceRank>,
    /// A fault that its test caught; empty when none is known.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub caught: String,
}

impl CriterionTold {
    fn of(judged: CriterionJudged) -> Self {
        let shown: Vec<String> = judged.evidence.iter().map(evidence_words).collect();
        Self {
            id: judged.id,
            holds: judged.standing == CriterionStanding::Met,
            standing: judged.standing,
            evidence: if shown.is_empty() {
                judged.note.clone()
            } else {
                shown.join(", ")
            },
            links: judged.evidence,
            note: judged.note,
            weight: judged.weight,
            rank: judged.rank,
            caught: judged.caught,
        }
    }

    /// The judgement that it was told from.
    pub(crate) fn judged(&self) -> CriterionJudged {
        CriterionJudged {
            id: self.id.clone(),
            standing: self.standing,
            evidence: self.links.clone(),
            note: self.note.clone(),
            weight: self.weight,
            rank: self.rank,
            caught: self.caught.clone(),
        }
    }
}

/// Reads what judges write now, and what the gate of the first version wrote: the name of a test,
/// or why there is none.
impl<'de> Deserialize<'de> for CriterionTold {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            Shown {
                id: String,
                holds: bool,
                evidence: String,
            },
            Judged(CriterionJudged),
        }
        Ok(match Form::deserialize(deserializer)? {
            Form::Judged(judged) => Self::of(judged),
            Form::Shown {
                id,
                holds: true,
                evidence,
            } => Self::of(CriterionJudged {
                id,
                standing: CriterionStanding::Met,
                evidence: vec![EvidenceRef::Test { name: evidence }],
                note: String::new(),
                weight: 1,
                rank: None,
                caught: String::new(),
            }),
            Form::Shown {
                id,
                holds: false,
                evidence,
            } => Self::of(CriterionJudged {
                id,
                standing: CriterionStanding::Unmet,
                evidence: Vec::new(),
                note: evidence,
                weight: 1,
                rank: None,
                caught: String::new(),
            }),
        })
    }
}

/// What failed, who was to look at it, and what the next sprint was told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FeedbackTold {
    /// The sprint that got it.
    pub sprint: u32,
    /// The condition that failed.
    pub condition: String,
    /// Who was to act on it.
    pub to: String,
    /// What they were told.
    pub focus: Text,
    /// When.
    pub at: Timestamp,
}

/// Owner and customer looked at the result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OwnerTold {
    /// How independent they were.
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
    /// What was said, in order.
    pub said: Text<Vec<TurnTold>>,
    /// When.
    pub at: Timestamp,
}

/// Owner or customer spoke.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnTold {
    /// Counted from one.
    #[serde(default)]
    pub round: u32,
    /// `owner` or `customer`.
    pub who: String,
    /// Their model.
    #[serde(default)]
    pub model: String,
    /// True when they would ship.
    pub ship: bool,
    /// Why.
    #[serde(default)]
    pub reasons: Vec<String>,
    /// What stands against it.
    #[serde(default)]
    pub objections: Vec<String>,
    /// What they said about the objections of the other.
    #[serde(default)]
    pub answers: Vec<String>,
}

impl OwnerTold {
    pub(crate) fn of(fact: OwnerReviewed, said: Text<Vec<TurnTold>>, at: Timestamp) -> Self {
        Self {
            mode: fact.mode,
            owner: fact.owner,
            customer: fact.customer,
            rounds: fact.rounds,
            ship: fact.ship,
            dissent: fact.dissent,
            said,
            at,
        }
    }
}

/// A circuit breaker that tripped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BreakerTold {
    /// Which.
    pub breaker: String,
    /// Its reason code.
    pub reason: String,
    /// In which stage.
    pub stage: Option<Stage>,
    /// In which sprint.
    pub sprint: Option<u32>,
    /// The role that it is about.
    pub role: Option<Role>,
    /// True when the run went on with less instead of asking.
    pub degraded: bool,
    /// What it looked at, by name.
    pub numbers: BTreeMap<String, i64>,
    /// The question that was asked because of it.
    pub question: Option<String>,
    /// When.
    pub at: Timestamp,
}

impl BreakerTold {
    pub(crate) fn of(fact: BreakerTripped, stage: Option<Stage>, at: Timestamp) -> Self {
        Self {
            breaker: fact.breaker,
            reason: fact.reason,
            stage,
            sprint: fact.sprint,
            role: fact.role,
            degraded: fact.degraded,
            numbers: fact.numbers,
            question: None,
            at,
        }
    }
}

impl Report {
    /// What a person chose when a breaker tripped; none while nobody has, or when nobody was asked.
    pub fn chosen(&self, breaker: &BreakerTold) -> Option<&AnswerTold> {
        let id = breaker.question.as_ref()?;
        let asked = self.questions.iter().find(|told| told.id == *id)?;
        asked.answer.as_ref()
    }
}
