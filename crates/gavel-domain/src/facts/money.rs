//! Money: what was reserved, settled, lost, and where the caps stand.

use serde::{Deserialize, Serialize};

use crate::fact::fact_group;
use crate::{BlobRef, Cap, MicroUsd, Role, Speaker, SpendClass, Stage, TokenUsage, Tokens};

fact_group!(
    /// Facts of the money door.
    MoneyFact {
        /// A ceiling was reserved; the call counts as sent from here on.
        UsageReserved = "usage_reserved",
        /// The provider's figures replaced the ceiling.
        UsageSettled = "usage_settled",
        /// A living client knew that nothing was billed.
        UsageReleased = "usage_released",
        /// Nobody knows what was billed: booked in full.
        UsageLost = "usage_lost",
        /// Spend crossed 50, 80 or 100 percent of a cap.
        SpendThreshold = "spend_threshold",
        /// A provider billed above the ceiling.
        CeilingBroken = "ceiling_broken",
        /// A person agreed to a spend that the door would refuse.
        SpendAllowed = "spend_allowed",
        /// Whether a source that nobody meters may be asked.
        SourceDecided = "source_decided",
        /// A cap was changed.
        CapChanged = "cap_changed",
        /// What the run may cost was told before the first paid call.
        CostPreviewed = "cost_previewed",
        /// A stage spent more than its soft share.
        ShareExceeded = "share_exceeded",
    }
);

/// A reservation, in a commit of its own before the call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsageReserved {
    /// `provider/model`.
    pub model: String,
    /// For whom.
    pub role: Role,
    /// How the spend is known.
    pub class: SpendClass,
    /// The most it may cost; `None` when the price is unknown.
    pub ceiling: Option<MicroUsd>,
    /// The most input tokens.
    pub input_max: Tokens,
    /// The most output tokens, past which the stream is cut.
    pub output_max: Tokens,
    /// The request: a list of message digests and parameters, as a blob.
    pub request: BlobRef,
}

/// A reply was paid for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsageSettled {
    /// `provider/model`.
    pub model: String,
    /// What the provider counted.
    pub usage: TokenUsage,
    /// What it cost; `None` when the price is unknown.
    pub cost: Option<MicroUsd>,
    /// The input tokens that were expected, to learn how good the counting is.
    pub input_max: Tokens,
}

/// A reservation was given back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsageReleased {}

/// Why the cost of a call is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LossCause {
    /// The stream broke or was malformed.
    Failed,
    /// Somebody cancelled it.
    Cancelled,
    /// The driver died before it could record the reply.
    DriverDied,
}

/// The full ceiling was booked as unconfirmed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsageLost {
    /// Why.
    pub cause: LossCause,
    /// What was booked; `None` when the price is unknown.
    pub ceiling: Option<MicroUsd>,
}

/// Settled and unconfirmed spend crossed a share of a cap.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpendThreshold {
    /// Which cap.
    pub cap: Cap,
    /// 50, 80 or 100.
    pub percent: u8,
    /// What was spent when it was crossed.
    pub spent: u64,
}

/// A provider counted more than the call could come to; the model stops until a person agrees.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CeilingBroken {
    /// `provider/model`.
    pub model: String,
    /// What was reserved.
    pub ceiling: MicroUsd,
    /// What its count comes to; zero when the price is unknown.
    pub cost: MicroUsd,
    /// What it counted. Journals from before this was kept hold none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed: Option<TokenUsage>,
    /// What was booked instead. Journals that hold none booked all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub booked: Option<MicroUsd>,
}

/// A person agreed that this model may be used although the door would refuse.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpendAllowed {
    /// `provider/model`.
    pub model: String,
    /// How many times its ceiling had been broken when they agreed.
    pub broken: u32,
    /// Who.
    pub by: Speaker,
}

/// Why a source may be asked, or may not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceRule {
    /// The person's own settings agree.
    Settings,
    /// A person said so in an earlier run of the project.
    Earlier,
    /// A person was asked in this run.
    Person,
    /// `--yes`: nobody was to be asked, and it cannot agree in a person's name.
    Unasked,
}

/// Whether a source outside the project may be asked in this run, where money caps are in force: none
/// of them counts what that costs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceDecided {
    /// The name that a person gave it.
    pub source: String,
    /// Whether it may be asked.
    pub allowed: bool,
    /// Why.
    pub rule: SourceRule,
    /// Who said so; the engine where nobody was asked in this run.
    pub by: Speaker,
}

/// What a run had from a source outside the project. Nobody counts what it cost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceUse {
    /// The name that a person gave it.
    pub source: String,
    /// How often it was asked, whether it answered or not.
    pub calls: u64,
    /// Whether it might be asked.
    pub allowed: bool,
    /// Who said so; none where no money cap was in force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<SourceRule>,
}

/// A cap was changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CapChanged {
    /// The cap as it is now.
    pub cap: Cap,
    /// Who.
    pub by: Speaker,
}

/// What the run may cost, told before the first paid call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CostPreviewed {
    /// The least that is likely; `None` when a price is unknown.
    pub low: Option<MicroUsd>,
    /// The most that is likely; `None` when a price is unknown.
    pub high: Option<MicroUsd>,
    /// Models without a known price.
    #[serde(default)]
    pub unpriced: Vec<String>,
    /// The range of each stage, as JSON.
    pub stages: BlobRef,
}

/// A stage spent more than one and a half times its soft share: a warning, nothing stops.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShareExceeded {
    /// Which.
    pub stage: Stage,
    /// What it spent.
    pub spent: MicroUsd,
    /// Its soft share of the cap.
    pub share: MicroUsd,
}
