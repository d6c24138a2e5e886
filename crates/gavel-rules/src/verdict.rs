//! The verdict of a seal: what the gate said, and what was left out on the way.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::GateVerdict;

/// What a seal says of a run; the order is from the worst to the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SealVerdict {
    /// The gate did not pass.
    Flagged,
    /// The gate passed, but something is missing.
    Conditional,
    /// Every condition holds and nothing was left out.
    Certified,
}

impl SealVerdict {
    /// The stored word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Flagged => "flagged",
            Self::Conditional => "conditional",
            Self::Certified => "certified",
        }
    }
}

impl fmt::Display for SealVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// Something that belongs to a whole run and did not happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Omission {
    /// No models debated the plan; rules reviewed it.
    Debate,
    /// The seats of the debate were one model.
    SecondOpinion,
    /// The auditor was the model that wrote the code.
    IndependentAudit,
    /// Project memory was not asked.
    Memory,
    /// A person asked to ship before the repairs were through.
    Repairs,
    /// Commands ran without walls.
    Sandbox,
    /// Project memory knows traps, and no criterion proves that they are avoided.
    Traps,
}

impl Omission {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Debate,
        Self::SecondOpinion,
        Self::IndependentAudit,
        Self::Memory,
        Self::Repairs,
        Self::Sandbox,
        Self::Traps,
    ];
}

impl fmt::Display for Omission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Debate => "debate: rule-based review only",
            Self::SecondOpinion => "second opinion: one model had every seat of the debate",
            Self::IndependentAudit => "independent audit: the model that wrote the code audited it",
            Self::Memory => "memory: project memory was not asked",
            Self::Repairs => "repairs: a person asked to ship before they were through",
            Self::Sandbox => "sandbox: commands ran without walls",
            Self::Traps => {
                "traps: memory knows some, and no criterion proves that they are avoided"
            }
        })
    }
}

/// What was left out of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LeftOut(BTreeSet<Omission>);

impl LeftOut {
    /// Notes something.
    pub fn note(&mut self, omission: Omission) {
        self.0.insert(omission);
    }

    /// True when nothing was left out.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What was left out, one line each.
    pub fn lines(&self) -> Vec<String> {
        self.0.iter().map(ToString::to_string).collect()
    }
}

impl FromIterator<Omission> for LeftOut {
    fn from_iter<T: IntoIterator<Item = Omission>>(omissions: T) -> Self {
        Self(omissions.into_iter().collect())
    }
}

/// The verdict of a seal, and why it is no better; for a certified run, why it is so good.
pub fn seal_verdict(gate: &GateVerdict, left_out: &LeftOut) -> (SealVerdict, Vec<String>) {
    let verdict = if !gate.passed || !gate.holds_where_it_must() {
        SealVerdict::Flagged
    } else if !gate.holds_whole() || !left_out.is_empty() {
        SealVerdict::Conditional
    } else {
        SealVerdict::Certified
    };
    let mut reasons = gate.reasons.clone();
    reasons.extend(
        left_out
            .lines()
            .into_iter()
            .map(|line| format!("left out: {line}")),
    );
    if reasons.is_empty() {
        reasons.push(match verdict {
            SealVerdict::Certified => "every condition holds, and nothing was left out".to_owned(),
            SealVerdict::Conditional | SealVerdict::Flagged => {
                "the gate does not say which conditions hold".to_owned()
            }
        });
    }
    (verdict, reasons)
}

#[cfg(test)]
#[path = "verdict_tests.rs"]
mod tests;
