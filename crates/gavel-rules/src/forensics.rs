//! Where the tokens of a run went, and what is odd about it: an analysis over its calls.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use gavel_domain::{Digest, MicroUsd, Role, Stage, TokenUsage, Tokens};

/// More fresh input than this in one call is worth a look.
pub const MUCH_FRESH: Tokens = Tokens(80_000);
/// From here on a provider that caches is expected to read or write its cache.
const WORTH_CACHING: Tokens = Tokens(50_000);
/// A count below this percentage of what was expected is not believed.
const BELIEVED_PERCENT: u64 = 10;
/// An expectation below this says nothing.
const WORTH_COMPARING: Tokens = Tokens(1_000);
/// How many calls and blocks are named.
const MOST_NAMED: usize = 5;

/// What became of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CallEnd {
    /// A reply is on record.
    Replied,
    /// Nobody knows what was billed; booked in full.
    Lost,
    /// Under way, or left behind by a dead driver.
    UnderWay,
    /// Nothing was billed.
    Released,
}

/// One call of a run, as ledger and journal know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallSeen {
    /// Its key, with the attempt: `council-1/opening@2`.
    pub key: String,
    /// `provider/model`.
    pub model: String,
    /// For whom.
    pub role: Role,
    /// In which stage.
    pub stage: Option<Stage>,
    /// What became of it.
    pub end: CallEnd,
    /// What the provider counted.
    pub usage: TokenUsage,
    /// What it cost, or its ceiling when it was lost; `None` when the price is unknown.
    pub cost: Option<MicroUsd>,
    /// The tokens that the provider counted and what they come to, where that was not possible.
    pub claimed: Option<ClaimSeen>,
    /// The input tokens that were expected, where that is on record.
    pub expected_input: Option<Tokens>,
    /// True when the model's provider has a cache.
    pub caches: bool,
    /// The messages that were sent; `None` when their texts are gone.
    pub blocks: Option<Vec<BlockSeen>>,
}

/// What a provider counted above what was possible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClaimSeen {
    /// All tokens of it.
    pub tokens: Tokens,
    /// What they come to; zero when the price is unknown.
    pub cost: MicroUsd,
}

/// A message that was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockSeen {
    /// What it is known by: the same for the same content.
    pub digest: Digest,
    /// How long it is.
    pub bytes: u64,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Forensics {
    /// Replies.
    pub replies: u64,
    /// Calls that are booked in full.
    pub lost: u64,
    /// Calls under way.
    pub under_way: u64,
    /// Calls for which nothing was billed.
    pub released: u64,
    /// Everything that providers counted.
    pub tokens: TokenUsage,
    /// What the replies cost.
    pub cost: MicroUsd,
    /// The ceilings of lost calls.
    pub lost_ceiling: MicroUsd,
    /// Lost calls whose ceiling is not known either.
    pub lost_unpriced: u64,
    /// Replies without a known price.
    pub unpriced: u64,
    /// The part of the input that came from a cache, in thousandths; `None` without any input.
    pub cache_ratio: Option<u64>,
    /// The call with the most input.
    pub peak_input: Option<Peak>,
    /// The call with the most input that came from no cache.
    pub peak_fresh: Option<Peak>,
    /// What is odd, in the order of the calls.
    pub findings: Vec<Finding>,
    /// The blocks that were sent most in vain, the worst first.
    pub repeated: Vec<Repeated>,
    /// Bytes of messages that were sent.
    pub sent_bytes: u64,
    /// Of these, bytes that had been sent before.
    pub repeated_bytes: u64,
    /// The dearest calls, the dearest first.
    pub dearest: Vec<Dear>,
    /// Calls whose texts are gone.
    pub without_texts: u64,
}

/// A call that stands out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Peak {
    /// Which.
    pub key: String,
    /// By what.
    pub tokens: Tokens,
}

/// Something odd about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Which.
    pub key: String,
    /// What.
    pub oddity: Oddity,
}

/// What may be odd about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Oddity {
    /// More than 80,000 tokens that came from no cache.
    MuchFresh {
        /// How many.
        fresh: Tokens,
    },
    /// The provider counted nothing, or nothing of the input or the output.
    NoUsage {
        /// What it counted.
        usage: TokenUsage,
    },
    /// Much input, and the cache was neither read nor written.
    NoCache {
        /// How much.
        input: Tokens,
    },
    /// Far less input was counted than expected.
    BelowEstimate {
        /// What was counted.
        counted: Tokens,
        /// What was expected.
        expected: Tokens,
    },
    /// More was counted than the call could come to.
    AboveCeiling {
        /// What the provider counted.
        claimed: ClaimSeen,
    },
}

impl Oddity {
    /// The code for scripts.
    pub const fn code(self) -> &'static str {
        match self {
            Self::MuchFresh { .. } => "much_fresh_input",
            Self::NoUsage { .. } => "no_usage",
            Self::NoCache { .. } => "no_cache",
            Self::BelowEstimate { .. } => "below_estimate",
            Self::AboveCeiling { .. } => "above_ceiling",
        }
    }

    /// One sentence for people.
    pub fn told(self) -> String {
        match self {
            Self::MuchFresh { fresh } => {
                format!("{fresh} input tokens came from no cache, more than {MUCH_FRESH}")
            }
            Self::NoUsage { usage } if usage.total() == Tokens(0) => {
                "the provider counted no tokens, so nothing could be billed".to_owned()
            }
            Self::NoUsage { usage } => format!(
                "the provider counted {} tokens in and {} out",
                all_input(&usage),
                usage.output
            ),
            Self::NoCache { input } => {
                format!("{input} input tokens, and the cache was neither read nor written")
            }
            Self::BelowEstimate { counted, expected } => format!(
                "{counted} input tokens were counted where up to {expected} were expected: the \
                 count may be wrong"
            ),
            Self::AboveCeiling { claimed } => format!(
                "the provider counted {} tokens ({}), more than was possible: booked was what had \
                 been reserved",
                claimed.tokens, claimed.cost
            ),
        }
    }
}

/// A block that was sent several times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repeated {
    /// Which.
    pub digest: Digest,
    /// In how many calls.
    pub times: u64,
    /// How long it is.
    pub bytes: u64,
}

impl Repeated {
    /// The bytes that were sent again.
    pub const fn again(&self) -> u64 {
        self.bytes.saturating_mul(self.times.saturating_sub(1))
    }
}

/// An expensive call, and what it was for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dear {
    /// Which.
    pub key: String,
    /// `provider/model`.
    pub model: String,
    /// For whom.
    pub role: Role,
    /// In which stage.
    pub stage: Option<Stage>,
    /// What it cost; `None` when the price is unknown.
    pub cost: Option<MicroUsd>,
    /// What the provider counted.
    pub usage: TokenUsage,
}

/// All input of a call, cached or not.
pub fn all_input(usage: &TokenUsage) -> Tokens {
    usage.input + usage.cache_read + usage.cache_write
}

/// The input that came from no cache.
pub fn fresh_input(usage: &TokenUsage) -> Tokens {
    usage.input + usage.cache_write
}

/// Analyses the calls of a run.
pub fn analyse_calls(calls: &[CallSeen]) -> Forensics {
    let mut found = Forensics::default();
    let warm = warm_models(calls);
    for call in calls {
        found.count(call);
        if call.end == CallEnd::Replied {
            let caches = call.caches || warm.contains(call.model.as_str());
            let odd = oddities(call, caches).into_iter();
            found.findings.extend(odd.map(|oddity| Finding {
                key: call.key.clone(),
                oddity,
            }));
        }
    }
    let input = all_input(&found.tokens).0;
    found.cache_ratio = found
        .tokens
        .cache_read
        .0
        .saturating_mul(1_000)
        .checked_div(input);
    found.dearest = dearest(calls);
    found.count_blocks(calls);
    found
}

/// Models whose cache was used in this run.
fn warm_models(calls: &[CallSeen]) -> BTreeSet<&str> {
    let used = |usage: &TokenUsage| usage.cache_read + usage.cache_write > Tokens(0);
    let warm = calls.iter().filter(|call| used(&call.usage));
    warm.map(|call| call.model.as_str()).collect()
}

fn oddities(call: &CallSeen, caches: bool) -> Vec<Oddity> {
    let usage = call.usage;
    let (input, fresh) = (all_input(&usage), fresh_input(&usage));
    let mut odd = Vec::new();
    if input == Tokens(0) || usage.output == Tokens(0) {
        odd.push(Oddity::NoUsage { usage });
    }
    if let Some(claimed) = call.claimed {
        odd.push(Oddity::AboveCeiling { claimed });
    }
    if fresh > MUCH_FRESH {
        odd.push(Oddity::MuchFresh { fresh });
    }
    let touched = usage.cache_read + usage.cache_write;
    if caches && input > WORTH_CACHING && touched == Tokens(0) {
        odd.push(Oddity::NoCache { input });
    }
    if let Some(expected) = call.expected_input
        && input > Tokens(0)
        && expected >= WORTH_COMPARING
        && u128::from(input.0) * 100 < u128::from(expected.0) * u128::from(BELIEVED_PERCENT)
    {
        odd.push(Oddity::BelowEstimate {
            counted: input,
            expected,
        });
    }
    odd
}

fn dearest(calls: &[CallSeen]) -> Vec<Dear> {
    let replied = calls.iter().filter(|call| call.end == CallEnd::Replied);
    let mut dear: Vec<_> = replied.collect();
    // Where nothing has a price, the longest calls are what there is to tell.
    dear.sort_by_key(|call| Reverse((call.cost, call.usage.total())));
    let named = dear.into_iter().take(MOST_NAMED).map(|call| Dear {
        key: call.key.clone(),
        model: call.model.clone(),
        role: call.role,
        stage: call.stage,
        cost: call.cost,
        usage: call.usage,
    });
    named.collect()
}

impl Forensics {
    /// What the replies cost, as far as it is known; none when nothing is known of it.
    pub fn known_cost(&self) -> Option<MicroUsd> {
        let unknown = self.unpriced + self.lost_unpriced;
        (self.cost > MicroUsd::ZERO || unknown == 0).then_some(self.cost)
    }

    /// What the lost calls cost at most; none when nothing is known of it.
    pub fn known_lost(&self) -> Option<MicroUsd> {
        let lost = self.lost_ceiling;
        (lost > MicroUsd::ZERO || self.lost_unpriced == 0).then_some(lost)
    }

    fn count(&mut self, call: &CallSeen) {
        match call.end {
            CallEnd::Replied => {
                self.replies += 1;
                self.cost = self.cost + call.cost.unwrap_or_default();
                self.unpriced += u64::from(call.cost.is_none());
                self.tokens = TokenUsage {
                    input: self.tokens.input + call.usage.input,
                    cache_read: self.tokens.cache_read + call.usage.cache_read,
                    cache_write: self.tokens.cache_write + call.usage.cache_write,
                    output: self.tokens.output + call.usage.output,
                };
                raise(&mut self.peak_input, call, all_input(&call.usage));
                raise(&mut self.peak_fresh, call, fresh_input(&call.usage));
            }
            CallEnd::Lost => {
                self.lost += 1;
                self.lost_ceiling = self.lost_ceiling + call.cost.unwrap_or_default();
                self.lost_unpriced += u64::from(call.cost.is_none());
            }
            CallEnd::UnderWay => self.under_way += 1,
            CallEnd::Released => self.released += 1,
        }
    }

    /// A message that is there twice in one call counts twice: it is paid for twice.
    fn count_blocks(&mut self, calls: &[CallSeen]) {
        let mut seen: BTreeMap<Digest, Repeated> = BTreeMap::new();
        for call in calls {
            let Some(blocks) = &call.blocks else {
                self.without_texts += 1;
                continue;
            };
            for block in blocks {
                let times = seen.entry(block.digest).or_insert(Repeated {
                    digest: block.digest,
                    times: 0,
                    bytes: block.bytes,
                });
                times.times += 1;
                self.sent_bytes = self.sent_bytes.saturating_add(block.bytes);
            }
        }
        let mut repeated: Vec<_> = seen.into_values().filter(|block| block.times > 1).collect();
        self.repeated_bytes = repeated.iter().map(Repeated::again).sum();
        repeated.sort_by_key(|block| (Reverse(block.again()), block.digest));
        repeated.truncate(MOST_NAMED);
        self.repeated = repeated;
    }
}

fn raise(peak: &mut Option<Peak>, call: &CallSeen, tokens: Tokens) {
    let is_higher = peak.as_ref().is_none_or(|peak| tokens > peak.tokens);
    if is_higher && tokens > Tokens(0) {
        *peak = Some(Peak {
            key: call.key.clone(),
            tokens,
        });
    }
}

#[cfg(test)]
#[path = "forensics_tests.rs"]
mod tests;
