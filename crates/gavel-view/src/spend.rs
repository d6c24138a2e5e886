//! Where the money went.

use std::collections::BTreeMap;

use gavel_domain::{Cap, MicroUsd, SourceRule, SourceUse, Speaker, Stage, Timestamp};
use gavel_run::{Spend, Usage};
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::Text;

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
    /// What the run might cost, told before the first paid call.
    pub preview: Option<PreviewTold>,
    /// Stages that spent more than their soft share.
    pub shares: Vec<ShareTold>,
    /// Caps that were changed on the way.
    pub caps: Vec<CapTold>,
    /// Sources outside the project: how often each was asked, or that it might not be.
    pub sources: Vec<SourceUse>,
}

/// What a run might cost, told before the first paid call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PreviewTold {
    /// The least that was likely; none when a price was unknown.
    #[serde(rename = "low_usd", serialize_with = "dollars_or_none")]
    pub low: Option<MicroUsd>,
    /// The most that was likely; none when a price was unknown.
    #[serde(rename = "high_usd", serialize_with = "dollars_or_none")]
    pub high: Option<MicroUsd>,
    /// Models without a known price.
    pub unpriced: Vec<String>,
    /// The range of each stage.
    pub stages: Text<Value>,
}

/// A stage that spent more than its soft share.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ShareTold {
    /// Which.
    pub stage: Stage,
    /// What it had spent.
    #[serde(rename = "spent_usd", serialize_with = "dollars")]
    pub spent: MicroUsd,
    /// Its soft share of the cap.
    #[serde(rename = "share_usd", serialize_with = "dollars")]
    pub share: MicroUsd,
}

/// A cap that was changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CapTold {
    /// The cap as it was from then on.
    pub cap: Cap,
    /// Who.
    pub by: Speaker,
    /// When.
    pub at: Timestamp,
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
    /// Those of them whose ceiling is not known either.
    pub interrupted_unpriced: u64,
    /// Their ceilings, as far as they are known; null when nothing is known of them.
    #[serde(rename = "interrupted_usd", serialize_with = "dollars_or_none")]
    pub known_lost: Option<MicroUsd>,
    /// All input tokens of models; the rules have none.
    pub input_tokens: u64,
    /// Output tokens of models.
    pub output_tokens: u64,
    /// What the replies cost.
    #[serde(skip)]
    pub cost: MicroUsd,
    /// The same, as far as it is known; null when nothing is known of it.
    #[serde(rename = "cost_usd", serialize_with = "dollars_or_none")]
    pub known: Option<MicroUsd>,
    /// Replies whose price is not known.
    pub unpriced: u64,
    /// Replies of which nobody counts anything.
    pub unmetered: u64,
    /// Calls to sources outside the project, of which nobody counts anything.
    pub source_calls: u64,
    /// Replies with the figures of the agent that gave them.
    pub reported: u64,
    /// Replies for which a provider counted more than was possible: booked at their ceilings.
    pub above_ceiling: u64,
    /// What their counts come to.
    #[serde(rename = "claimed_usd", serialize_with = "dollars")]
    pub claimed: MicroUsd,
}

impl SpendLine {
    /// What the replies cost, as people read it: never nothing for what is unknown.
    pub fn cost_text(&self) -> String {
        match (
            self.known,
            self.unpriced + self.unmetered + self.interrupted_unpriced + self.source_calls,
        ) {
            (None, _) => "unknown".to_owned(),
            (Some(cost), 0) => cost.to_string(),
            (Some(cost), _) => format!("{cost} and what is unknown"),
        }
    }

    /// What the calls without a reply cost at most, as people read it.
    pub fn lost_text(&self) -> String {
        match (self.known_lost, self.interrupted_unpriced) {
            (None, _) => "an unknown amount".to_owned(),
            (Some(lost), 0) => lost.to_string(),
            (Some(lost), _) => format!("{lost} and what is unknown"),
        }
    }

    fn of(name: &str, spend: &Spend) -> Self {
        Self {
            name: name.to_owned(),
            calls: spend.calls,
            interrupted: spend.interrupted,
            interrupted_unpriced: spend.interrupted_unpriced,
            known_lost: spend.known_lost(),
            input_tokens: spend.input_tokens().0,
            output_tokens: spend.output_tokens().0,
            cost: spend.cost,
            known: spend.known_cost(),
            unpriced: spend.unpriced,
            unmetered: spend.unmetered,
            source_calls: spend.source_calls,
            reported: spend.reported,
            above_ceiling: spend.above_ceiling,
            claimed: spend.claimed,
        }
    }

    /// Who replied how often, with how many tokens: the rules have none to show.
    pub fn replies_text(&self) -> String {
        let replies = match self.calls {
            1 => "one reply".to_owned(),
            many => format!("{many} replies"),
        };
        match self.tokens() {
            0 => replies,
            _ => format!(
                "{replies}, {} tokens in, {} out",
                self.input_tokens, self.output_tokens
            ),
        }
    }

    /// All tokens.
    pub const fn tokens(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }
}

impl SpendTold {
    /// The sums of the ledger; what facts say about money stays as it is.
    pub(crate) fn with(self, usage: &Usage, cap: Option<MicroUsd>) -> Self {
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
            ..self
        }
    }
}

/// What a run had from a source, as people read it.
pub fn source_line(told: &SourceUse) -> String {
    let name = &told.source;
    if !told.allowed {
        let why = match told.rule {
            Some(SourceRule::Unasked) => "--yes cannot agree to what nobody counts",
            Some(SourceRule::Earlier) => "a person said no in an earlier run",
            Some(SourceRule::Person | SourceRule::Settings) | None => "a person said no",
        };
        return format!("{name} was not asked: {why}");
    }
    let times = match told.calls {
        0 => "was not asked".to_owned(),
        1 => "was asked once, unmetered".to_owned(),
        many => format!("was asked {many} times, unmetered"),
    };
    let who = match told.rule {
        Some(SourceRule::Person) => "a person agreed",
        Some(SourceRule::Earlier) => "a person agreed in an earlier run",
        Some(SourceRule::Settings) => "the person's settings agree",
        Some(SourceRule::Unasked) | None => "no money cap was in force",
    };
    format!("{name} {times} ({who})")
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde's serialize_with passes a reference"
)]
pub(crate) fn dollars<S: Serializer>(amount: &MicroUsd, serializer: S) -> Result<S::Ok, S::Error> {
    in_dollars(*amount).serialize(serializer)
}

#[expect(
    clippy::ref_option,
    reason = "serde's serialize_with passes a reference"
)]
pub(crate) fn dollars_or_none<S: Serializer>(
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
