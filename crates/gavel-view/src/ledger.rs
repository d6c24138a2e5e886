//! What was taken for granted, and what became of it.

use gavel_domain::{Assumption, AssumptionStatus, Confidence, Stage, Timestamp};
use serde::Serialize;

use crate::{Report, Text};

/// An entry of the assumption ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AssumptionTold {
    /// Its id.
    pub id: String,
    /// What is taken for granted.
    pub claim: Text,
    /// Who raised it.
    pub raised_by: String,
    /// In which stage.
    pub stage: Option<Stage>,
    /// How sure they were.
    pub confidence: Confidence,
    /// How one would find out.
    pub how_to_validate: Text,
    /// What became of it.
    pub status: AssumptionStatus,
    /// What settled it: `verify`, `repository`, `person`; none while it is open.
    pub settled_by: Option<String>,
    /// What shows it; none while it is open.
    pub evidence: Option<Text>,
    /// When it was raised.
    pub at: Timestamp,
}

impl AssumptionTold {
    /// True when nobody looked yet.
    pub fn is_open(&self) -> bool {
        self.status == AssumptionStatus::Unverified
    }

    /// True when the plan rests on it and nobody looked yet.
    pub fn is_critical(&self) -> bool {
        self.is_open() && self.confidence == Confidence::High
    }

    /// Claim and way to find out, from the text beside the fact.
    pub(crate) fn words(text: Text<Assumption>) -> (Text, Text) {
        match text {
            Text::Kept(whole) => (Text::Kept(whole.claim), Text::Kept(whole.how_to_validate)),
            Text::Odd(raw) => (Text::Odd(raw), Text::Kept(String::new())),
            Text::Gone => (Text::Gone, Text::Gone),
        }
    }
}

impl Report {
    /// The ledger in the order in which it is worth reading: what is open, and among it first what
    /// the plan rests on; then what fell, what was put off, what turned out to be so.
    pub fn ledger(&self) -> Vec<&AssumptionTold> {
        let mut all: Vec<&AssumptionTold> = self.assumptions.iter().collect();
        all.sort_by_key(|told| {
            let standing = match told.status {
                AssumptionStatus::Unverified => 0,
                AssumptionStatus::Refuted => 1,
                AssumptionStatus::Deferred => 2,
                AssumptionStatus::Validated => 3,
            };
            (standing, std::cmp::Reverse(told.confidence))
        });
        all
    }

    /// What nobody looked at yet.
    pub fn open_assumptions(&self) -> impl Iterator<Item = &AssumptionTold> {
        self.assumptions.iter().filter(|told| told.is_open())
    }
}
