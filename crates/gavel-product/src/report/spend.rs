//! Where the money went.

use std::collections::BTreeMap;

use gavel_domain::MicroUsd;
use gavel_run::{Spend, Usage};
use serde::{Serialize, Serializer};

/// The spend of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct SpendTold {
    /// Everything together.
    pub total: SpendLine,
    /// The run's money cap.
    #[serde(rename = "cap_usd", serialize_with = "dollars_or_none")]
    pub cap: Option<MicroUsd>,
    /// By model.
    pub by_model: Vec<SpendLine>,
    /// By role.
    pub by_role: Vec<SpendLine>,
    /// By stage.
    pub by_stage: Vec<SpendLine>,
}

/// One sum.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct SpendLine {
    /// Of what; empty for the total.
    pub name: String,
    /// Replies in the journal.
    pub calls: u64,
    /// Calls without a reply that are booked in full.
    pub interrupted: u64,
    /// Their ceilings.
    #[serde(rename = "interrupted_usd", serialize_with = "dollars")]
    pub interrupted_ceiling: MicroUsd,
    /// All input tokens.
    pub input_tokens: u64,
    /// Output tokens.
    pub output_tokens: u64,
    /// What the replies cost.
    #[serde(rename = "cost_usd", serialize_with = "dollars")]
    pub cost: MicroUsd,
    /// Replies whose price is not known.
    pub unpriced: u64,
}

impl SpendLine {
    fn of(name: &str, spend: &Spend) -> Self {
        Self {
            name: name.to_owned(),
            calls: spend.calls,
            interrupted: spend.interrupted,
            interrupted_ceiling: spend.interrupted_ceiling,
            input_tokens: spend.input_tokens().0,
            output_tokens: spend.tokens.output.0,
            cost: spend.cost,
            unpriced: spend.unpriced,
        }
    }

    /// All tokens.
    pub const fn tokens(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }
}

impl SpendTold {
    pub(super) fn of(usage: &Usage, cap: Option<MicroUsd>) -> Self {
        let lines = |parts: &BTreeMap<String, Spend>| {
            let lines = parts.iter().map(|(name, spend)| SpendLine::of(name, spend));
            lines.collect()
        };
        Self {
            total: SpendLine::of("", &usage.total),
            cap,
            by_model: lines(&usage.by_model),
            by_role: lines(&usage.by_role),
            by_stage: lines(&usage.by_stage),
        }
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde's serialize_with passes a reference"
)]
fn dollars<S: Serializer>(amount: &MicroUsd, serializer: S) -> Result<S::Ok, S::Error> {
    in_dollars(*amount).serialize(serializer)
}

#[expect(
    clippy::ref_option,
    reason = "serde's serialize_with passes a reference"
)]
fn dollars_or_none<S: Serializer>(
    amount: &Option<MicroUsd>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    amount.map(in_dollars).serialize(serializer)
}

/// Dollars as a JSON number, as `usage` prints them.
#[expect(
    clippy::cast_precision_loss,
    reason = "micro-dollars below 2^53 are exact"
)]
fn in_dollars(amount: MicroUsd) -> f64 {
    amount.0 as f64 / 1_000_000.0
}
