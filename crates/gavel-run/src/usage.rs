//! What was spent, from the ledger: calls that were answered, and apart from them calls that were
//! lost.

use std::collections::BTreeMap;

use gavel_domain::{MicroUsd, TokenUsage, Tokens};
use gavel_store::{CallRow, CallState, CallsQuery, Store};

use crate::RunError;

/// A spend report.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Usage {
    /// Everything together.
    pub total: Spend,
    /// By model.
    pub by_model: BTreeMap<String, Spend>,
    /// By provider.
    pub by_provider: BTreeMap<String, Spend>,
    /// By role.
    pub by_role: BTreeMap<String, Spend>,
    /// By stage; calls outside a stage stand under `-`.
    pub by_stage: BTreeMap<String, Spend>,
    /// By UTC day, as `2026-11-16`: the day on which a call was reserved.
    pub by_day: BTreeMap<String, Spend>,
}

/// Sums of some calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spend {
    /// Replies in the journal.
    pub calls: u64,
    /// Calls without a reply that are booked in full.
    pub interrupted: u64,
    /// Their ceilings.
    pub interrupted_ceiling: MicroUsd,
    /// Calls under way, or left behind by a dead driver.
    pub under_way: u64,
    /// Their ceilings.
    pub reserved: MicroUsd,
    /// What providers counted.
    pub tokens: TokenUsage,
    /// What the replies cost.
    pub cost: MicroUsd,
    /// Replies whose price is not known.
    pub unpriced: u64,
    /// Replies for which a provider counted more than was possible: booked at their ceilings.
    pub above_ceiling: u64,
    /// What their counts come to; no cap counts it.
    pub claimed: MicroUsd,
}

/// Sums the calls of a run or a month.
pub async fn usage(store: &dyn Store, query: CallsQuery) -> Result<Usage, RunError> {
    Ok(Usage::of(&store.calls(query).await?))
}

impl Usage {
    /// Sums calls. Each of them stands once under every heading, so the parts of a heading add up to
    /// the total.
    pub fn of(rows: &[CallRow]) -> Self {
        let mut usage = Self::default();
        for row in rows {
            usage.total.add(row);
            let provider = row.model.split('/').next().unwrap_or_default();
            let stage = row.stage.map_or("-", gavel_domain::Stage::word);
            let day = jiff::tz::Offset::UTC.to_datetime(row.at).date();
            for (parts, name) in [
                (&mut usage.by_model, row.model.clone()),
                (&mut usage.by_provider, provider.to_owned()),
                (&mut usage.by_role, word(&row.role)),
                (&mut usage.by_stage, stage.to_owned()),
                (&mut usage.by_day, day.to_string()),
            ] {
                parts.entry(name).or_default().add(row);
            }
        }
        usage
    }
}

impl Spend {
    fn add(&mut self, row: &CallRow) {
        match row.state {
            CallState::Settled => {
                self.calls += 1;
                self.cost = self.cost + row.cost;
                self.tokens = sum(self.tokens, row.usage);
                if row.class != gavel_domain::SpendClass::Metered {
                    self.unpriced += 1;
                }
                if let Some(claimed) = row.claimed {
                    self.above_ceiling += 1;
                    self.claimed = self.claimed + claimed.cost;
                }
            }
            CallState::Lost => {
                self.interrupted += 1;
                self.interrupted_ceiling = self.interrupted_ceiling + row.ceiling;
            }
            CallState::Reserved => {
                self.under_way += 1;
                self.reserved = self.reserved + row.ceiling;
            }
            CallState::Released => {}
        }
    }

    /// All input tokens, cached or not.
    pub fn input_tokens(&self) -> Tokens {
        self.tokens.input + self.tokens.cache_read + self.tokens.cache_write
    }
}

fn sum(left: TokenUsage, right: TokenUsage) -> TokenUsage {
    TokenUsage {
        input: left.input + right.input,
        cache_read: left.cache_read + right.cache_read,
        cache_write: left.cache_write + right.cache_write,
        output: left.output + right.output,
    }
}

/// The stored word of a small enum.
fn word(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        Ok(_) | Err(_) => "-".to_owned(),
    }
}

#[cfg(test)]
#[path = "usage_tests.rs"]
mod tests;
