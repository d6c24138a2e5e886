//! Money and tokens: whole micro-dollars, whole tokens, one cost function.

use std::fmt;
use std::iter::Sum;
use std::ops::Add;

use serde::{Deserialize, Serialize};

use crate::Timestamp;

/// An amount in millionths of a US dollar.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct MicroUsd(pub u64);

impl MicroUsd {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// Whole dollars.
    pub const fn dollars(dollars: u64) -> Self {
        Self(dollars.saturating_mul(1_000_000))
    }

    /// The amount left after taking `other`, never below nothing.
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// Reads a plain decimal dollar amount such as `2.5`; at most six decimals, no sign, no exponent.
    pub fn parse_dollars(text: &str) -> Option<Self> {
        let (whole, fraction) = text.trim().split_once('.').unwrap_or((text.trim(), ""));
        let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
        if whole.is_empty() || fraction.len() > 6 || !digits(whole) || !digits(fraction) {
            return None;
        }
        let whole: u64 = whole.parse().ok()?;
        let fraction: u64 = format!("{fraction:0<6}").parse().ok()?;
        Some(Self(whole.checked_mul(1_000_000)?.checked_add(fraction)?))
    }

    /// The exact decimal dollar amount, as machine output prints it: `2.5`, `0.000001`.
    pub fn to_decimal(self) -> String {
        let text = format!("{}.{:06}", self.0 / 1_000_000, self.0 % 1_000_000);
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    }
}

/// Shows dollars and cents, with as many decimals as the amount needs: `$2.50`, `$0.0042`.
impl fmt::Display for MicroUsd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{}.{:06}", self.0 / 1_000_000, self.0 % 1_000_000);
        let mut shown = text.trim_end_matches('0').to_owned();
        let decimals = shown.split_once('.').map_or(0, |(_, d)| d.len());
        shown.extend(std::iter::repeat_n('0', 2_usize.saturating_sub(decimals)));
        write!(f, "${shown}")
    }
}

impl Add for MicroUsd {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sum for MicroUsd {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::ZERO, Add::add)
    }
}

/// A number of tokens.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Tokens(pub u64);

impl Add for Tokens {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl fmt::Display for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// What a provider counted for one reply. The three input classes do not overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TokenUsage {
    /// Input tokens billed at the plain price.
    pub input: Tokens,
    /// Input tokens read from a prompt cache.
    #[serde(default)]
    pub cache_read: Tokens,
    /// Input tokens written to a prompt cache.
    #[serde(default)]
    pub cache_write: Tokens,
    /// Output tokens, reasoning included.
    pub output: Tokens,
}

impl TokenUsage {
    /// All tokens of the call.
    pub fn total(&self) -> Tokens {
        self.input + self.cache_read + self.cache_write + self.output
    }
}

/// Prices in micro-dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Price {
    /// Plain input.
    pub input: u64,
    /// Input read from a cache.
    pub cache_read: u64,
    /// Input written to a cache.
    pub cache_write: u64,
    /// Output.
    pub output: u64,
}

impl Price {
    /// The price of a model that costs nothing, such as one on this machine.
    pub const FREE: Self = Self {
        input: 0,
        cache_read: 0,
        cache_write: 0,
        output: 0,
    };

    /// The dearest class that an input token can be billed at.
    pub fn dearest_input(&self) -> u64 {
        self.input.max(self.cache_read).max(self.cache_write)
    }

    /// The usage that costs the most for these limits: what a reservation must cover.
    pub fn worst_case(&self, input: Tokens, output: Tokens) -> MicroUsd {
        let dearest = self.dearest_input();
        let price = Self {
            input: dearest,
            cache_read: dearest,
            cache_write: dearest,
            ..*self
        };
        cost(
            &price,
            &TokenUsage {
                input,
                output,
                ..TokenUsage::default()
            },
        )
    }
}

/// The cost of a usage: `ceil(Σ tokens × price / 10⁶)`, in whole micro-dollars.
///
/// The only place where tokens become money. An amount beyond `u64` saturates, so it fits no cap.
pub fn cost(price: &Price, usage: &TokenUsage) -> MicroUsd {
    let part = |tokens: Tokens, price: u64| u128::from(tokens.0) * u128::from(price);
    let sum = part(usage.input, price.input)
        .saturating_add(part(usage.cache_read, price.cache_read))
        .saturating_add(part(usage.cache_write, price.cache_write))
        .saturating_add(part(usage.output, price.output));
    MicroUsd(u64::try_from(sum.div_ceil(1_000_000)).unwrap_or(u64::MAX))
}

/// How a spend became known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SpendClass {
    /// Reserved and settled at the door, by prices we know.
    Metered,
    /// An agent's own figures. No door of this version takes such figures: the word is stored, and
    /// read.
    Reported,
    /// Nobody counts it, or the price is unknown.
    Unmetered,
}

/// What a cap limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CapScope {
    /// Money of one run.
    RunUsd,
    /// Money of one UTC month over all projects.
    MonthUsd,
    /// Tokens of one run.
    RunTokens,
}

impl CapScope {
    /// The name of this cap inside keys.
    pub const fn room(self) -> &'static str {
        match self {
            Self::RunUsd => "run-usd",
            Self::MonthUsd => "month-usd",
            Self::RunTokens => "run-tokens",
        }
    }

    /// The setting that holds this cap.
    pub const fn setting(self) -> &'static str {
        match self {
            Self::RunUsd => "caps.run_usd",
            Self::MonthUsd => "caps.month_usd",
            Self::RunTokens => "caps.run_tokens",
        }
    }
}

/// A cap and its limit, in micro-dollars or tokens as the scope says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cap {
    /// What is limited.
    pub scope: CapScope,
    /// The most that settled + unconfirmed + reserved may reach.
    pub limit: u64,
}

/// A UTC month: the key of the ledger that spans all projects.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Month(String);

impl Month {
    /// The month of a moment.
    pub fn of(at: Timestamp) -> Self {
        let date = jiff::tz::Offset::UTC.to_datetime(at);
        Self(format!("{:04}-{:02}", date.year(), date.month()))
    }

    /// The text form, `2026-11`.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
#[path = "money_tests.rs"]
mod tests;
