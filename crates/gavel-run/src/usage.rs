//! What was spent, from the ledger: calls that were answered, and apart from them calls that were
//! lost.

use std::collections::BTreeMap;

use gavel_domain::{MicroUsd, SpendClass, TokenUsage, Tokens};
use gavel_store::{CallRow, CallState, CallsQuery, CallsRead, DamagedCall, Store};

use crate::RunError;

/// The built-in rules: what they read and write is counted in no token.
const RULES: &str = "offline";

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
    /// How often each source outside the project was asked; nobody counts what that cost.
    pub sources: BTreeMap<String, u64>,
    /// How often each model replied in each role.
    pub replies: BTreeMap<ModelInRole, u64>,
    /// By UTC day, as `2026-11-16`: the day on which a call was reserved.
    pub by_day: BTreeMap<String, Spend>,
}

/// A model in a role.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ModelInRole {
    /// The model.
    pub model: String,
    /// The role.
    pub role: String,
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
    /// Those of them whose ceiling is not known either.
    pub interrupted_unpriced: u64,
    /// Calls under way, or left behind by a dead driver.
    pub under_way: u64,
    /// Their ceilings.
    pub reserved: MicroUsd,
    /// What providers counted, and what stands for it where the rules replied.
    pub tokens: TokenUsage,
    /// The part of it that stands for the rules.
    pub of_rules: TokenUsage,
    /// What the replies cost.
    pub cost: MicroUsd,
    /// Replies whose price is not known; their tokens are.
    pub unpriced: u64,
    /// Replies of which nobody counts anything.
    pub unmetered: u64,
    /// Calls to sources outside the project, of which nobody counts anything. They stand in the total
    /// alone: no model made them, and no price is behind them.
    pub source_calls: u64,
    /// Replies with the figures of the agent that gave them.
    pub reported: u64,
    /// Replies for which a provider counted more than was possible: booked at their ceilings.
    pub above_ceiling: u64,
    /// What their counts come to; no cap counts it.
    pub claimed: MicroUsd,
}

/// Sums the calls of a run or a month.
pub async fn usage(store: &dyn Store, query: CallsQuery) -> Result<Usage, RunError> {
    let mut usage = Usage::of(&store.calls(query.clone()).await?);
    usage.sources = store.source_calls(query).await?;
    usage.total.source_calls = usage.sources.values().sum();
    Ok(usage)
}

/// The same without the rows of the ledger that cannot be read; they are named.
pub async fn usage_and_damage(
    store: &dyn Store,
    query: CallsQuery,
) -> Result<(Usage, Vec<DamagedCall>), RunError> {
    let CallsRead { rows, damaged } = store.calls_and_damage(query.clone()).await?;
    let mut usage = Usage::of(&rows);
    usage.sources = store.source_calls(query).await?;
    usage.total.source_calls = usage.sources.values().sum();
    Ok((usage, damaged))
}

impl Usage {
    /// Sums calls. Each of them stands once under every heading, so the parts of a heading add up to
    /// the total.
    pub fn of(rows: &[CallRow]) -> Self {
        let mut usage = Self::default();
        for row in rows {
            usage.total.add(row);
            if row.state == CallState::Settled {
                let place = ModelInRole {
                    model: row.model.clone(),
                    role: word(&row.role),
                };
                *usage.replies.entry(place).or_default() += 1;
            }
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

    /// The models that replied, each once.
    pub fn models(&self) -> Vec<String> {
        let mut models: Vec<String> = self.replies.keys().map(|one| one.model.clone()).collect();
        models.dedup();
        models
    }
}

impl Spend {
    fn add(&mut self, row: &CallRow) {
        match row.state {
            CallState::Settled => {
                self.calls += 1;
                self.cost = self.cost + row.cost;
                self.tokens = sum(self.tokens, row.usage);
                if row.model == RULES {
                    self.of_rules = sum(self.of_rules, row.usage);
                }
                match row.class {
                    SpendClass::Metered => {}
                    SpendClass::Reported => self.reported += 1,
                    SpendClass::Unmetered if row.usage == TokenUsage::default() => {
                        self.unmetered += 1;
                    }
                    SpendClass::Unmetered => self.unpriced += 1,
                }
                if let Some(claimed) = row.claimed {
                    self.above_ceiling += 1;
                    self.claimed = self.claimed + claimed.cost;
                }
            }
            CallState::Lost => {
                self.interrupted += 1;
                self.interrupted_ceiling = self.interrupted_ceiling + row.ceiling;
                self.interrupted_unpriced += u64::from(row.class == SpendClass::Unmetered);
            }
            CallState::Reserved => {
                self.under_way += 1;
                self.reserved = self.reserved + row.ceiling;
            }
            CallState::Released => {}
        }
    }

    /// What is known to have been spent, lost calls in full; none when nothing is known of what was
    /// spent, which is not the same as nothing.
    pub fn known(&self) -> Option<MicroUsd> {
        let spent = self.cost + self.interrupted_ceiling;
        let unknown =
            self.unpriced + self.unmetered + self.interrupted_unpriced + self.source_calls;
        (spent > MicroUsd::ZERO || unknown == 0).then_some(spent)
    }

    /// What is known of what the replies cost. A call whose reply was lost may have been paid for, too.
    pub fn known_cost(&self) -> Option<MicroUsd> {
        let unknown =
            self.unpriced + self.unmetered + self.interrupted_unpriced + self.source_calls;
        (self.cost > MicroUsd::ZERO || unknown == 0).then_some(self.cost)
    }

    /// At most what the lost calls cost; none when nothing is known of it.
    pub fn known_lost(&self) -> Option<MicroUsd> {
        let lost = self.interrupted_ceiling;
        (lost > MicroUsd::ZERO || self.interrupted_unpriced == 0).then_some(lost)
    }

    /// What was spent, for people: `$0.25 and 3 calls of unknown price`.
    pub fn text(&self) -> String {
        let calls = |number: u64| if number == 1 { "call" } else { "calls" };
        let mut parts: Vec<String> = self
            .known()
            .iter()
            .map(|known| format!("${}", known.to_decimal()))
            .collect();
        if self.unpriced > 0 {
            let number = self.unpriced;
            parts.push(format!("{number} {} of unknown price", calls(number)));
        }
        if self.interrupted_unpriced > 0 {
            let number = self.interrupted_unpriced;
            parts.push(format!("{number} lost {} of unknown price", calls(number)));
        }
        if self.unmetered > 0 {
            let number = self.unmetered;
            parts.push(format!("{number} {} that nobody counts", calls(number)));
        }
        if self.source_calls > 0 {
            let number = self.source_calls;
            parts.push(format!("{number} {} to sources, unmetered", calls(number)));
        }
        parts.join(" and ")
    }

    /// All input tokens of models, cached or not; the rules have none.
    pub fn input_tokens(&self) -> Tokens {
        let of = |usage: TokenUsage| usage.input.0 + usage.cache_read.0 + usage.cache_write.0;
        Tokens(of(self.tokens).saturating_sub(of(self.of_rules)))
    }

    /// All output tokens of models; the rules have none.
    pub const fn output_tokens(&self) -> Tokens {
        let (all, rules) = (self.tokens.output.0, self.of_rules.output.0);
        Tokens(all.saturating_sub(rules))
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
