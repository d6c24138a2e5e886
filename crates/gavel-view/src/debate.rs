//! The review by rules, or the council.

use std::collections::BTreeMap;

use gavel_deliberation::ReviewItem;
use gavel_domain::{ChoiceMade, DebatePart, Decision, RoundEvaluated};
use serde::Serialize;
use serde_json::Value;

use crate::{CouncilTold, Text};

/// What was said for and against the plan, and what was settled.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Debate {
    /// The models of the council's seats; empty when there was no council.
    pub seats: Vec<String>,
    /// The parts of the debate that were reached, in order.
    pub parts: Vec<DebatePart>,
    /// The debates of the council, in order; in runs of older versions there is none here.
    pub councils: Vec<CouncilTold>,
    /// Reviews by rules.
    pub reviews: Vec<ReviewTold>,
    /// What the seats said, openings and turns.
    pub stances: Vec<StanceTold>,
    /// How far the seats agreed, round by round.
    pub rounds: Vec<RoundEvaluated>,
    /// What was decided.
    pub decisions: Vec<DecisionTold>,
    /// What the leader drew from it.
    pub summary: Option<Text>,
}

impl Debate {
    /// True when nothing of it happened yet.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// What each seat still disputed when it last spoke, in the order of the seats.
    pub fn disputes(&self) -> Vec<Dispute> {
        let mut last: BTreeMap<u32, &StanceTold> = BTreeMap::new();
        for told in &self.stances {
            last.insert(told.seat, told);
        }
        let text = |value: &Value, name: &str| {
            let found = value.get(name).and_then(Value::as_str);
            found.unwrap_or_default().trim().to_owned()
        };
        let mut all = Vec::new();
        for told in last.into_values() {
            let said = told.said.kept().and_then(|said| said.get("dispute"));
            for item in said.and_then(Value::as_array).into_iter().flatten() {
                let claim = item.as_str().map(str::to_owned);
                all.push(Dispute {
                    seat: told.seat,
                    model: told.model.clone(),
                    claim: claim.unwrap_or_else(|| text(item, "claim")),
                    why: text(item, "why"),
                });
            }
        }
        all
    }

    /// How many evidence tags name something that exists, and how many do not.
    pub fn evidence(&self) -> EvidenceCount {
        let sum = |count: fn(&StanceTold) -> u32| self.stances.iter().map(count).sum();
        EvidenceCount {
            held: sum(|stance| stance.evidence.held),
            broken: sum(|stance| stance.evidence.broken),
        }
    }
}

/// Something that a seat still disputed when it last spoke.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Dispute {
    /// The seat, counted from one.
    pub seat: u32,
    /// Its model.
    pub model: String,
    /// What it does not agree with.
    pub claim: String,
    /// Why.
    pub why: String,
}

/// A review by rules.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReviewTold {
    /// The checklist.
    pub items: Text<Vec<ReviewItem>>,
    /// How many items speak for the plan.
    pub speaks_for: u32,
    /// How many speak against it.
    pub speaks_against: u32,
}

/// What a seat said.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StanceTold {
    /// In which debate, counted from one; zero in runs of older versions.
    pub council: u32,
    /// The seat, counted from one.
    pub seat: u32,
    /// The name of its stance; empty in runs of older versions.
    pub stance: String,
    /// Its model.
    pub model: String,
    /// Zero for the blind opening.
    pub round: u32,
    /// The seat that it answered.
    pub answers: Option<u32>,
    /// What it said.
    pub said: Text<Value>,
    /// What became of its evidence.
    pub evidence: EvidenceCount,
    /// What it chose.
    pub choices: Vec<ChoiceMade>,
}

/// Evidence that was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct EvidenceCount {
    /// Tags that name something that exists.
    pub held: u32,
    /// Tags that do not.
    pub broken: u32,
}

/// Something that was settled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DecisionTold {
    /// Counted from one.
    pub number: u32,
    /// The decision.
    pub decision: Text<Decision>,
    /// True when somebody did not agree.
    pub dissent: bool,
}
