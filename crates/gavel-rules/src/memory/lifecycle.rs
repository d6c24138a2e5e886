//! How much an item still weighs: it fades with time, what is confirmed and what helped weighs more,
//! what was contradicted or misled somebody weighs less.

use gavel_domain::Timestamp;
use serde::Serialize;

/// A confirmation counts as recent for so many days.
pub const RECENT_DAYS: f64 = 30.0;

/// What is left of the weight of something very old.
const FADED: f64 = 0.5;
const CONFIRMED: f64 = 1.2;
const CONTRADICTED: f64 = 0.3;
const UNCONFIRMED: f64 = 0.9;
const PER_SAVED: f64 = 0.05;
const PER_MISLED: f64 = 0.15;
/// More marks of a sort say nothing new.
const MOST_COUNTED: u32 = 3;
/// After so many half-lives without a confirmation something is stale.
const STALE_HALF_LIVES: f64 = 2.0;

/// What is known about the life of an item.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Life {
    /// After how many days half of its weight is gone; `None` for what does not age.
    pub half_life_days: Option<f64>,
    /// When it was written.
    pub created_at: Timestamp,
    /// When somebody last said that it holds.
    pub confirmed_at: Option<Timestamp>,
    /// When somebody last said that it does not.
    pub contradicted_at: Option<Timestamp>,
    /// How often it saved somebody.
    pub saved: u32,
    /// How often it misled somebody.
    pub misled: u32,
}

/// In which part of its life an item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LifeClass {
    /// Young, or confirmed not long ago.
    Fresh,
    /// Older than its half-life.
    Aging,
    /// Older than two half-lives.
    Stale,
    /// Older than its half-life, and nobody ever confirmed it.
    NeverConfirmed,
    /// Somebody contradicted it, and nobody confirmed it since.
    Contradicted,
}

impl LifeClass {
    /// The stored word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Fresh => "fresh",
            Self::Aging => "aging",
            Self::Stale => "stale",
            Self::NeverConfirmed => "never_confirmed",
            Self::Contradicted => "contradicted",
        }
    }
}

impl Life {
    /// Days since it was written or last confirmed, whichever is later; a clock that went back is
    /// no age.
    fn age_days(&self, now: Timestamp) -> f64 {
        let last = self
            .confirmed_at
            .map_or(self.created_at, |at| at.max(self.created_at));
        days_between(last, now)
    }

    fn half_lives(&self, now: Timestamp) -> f64 {
        self.half_life_days
            .filter(|days| *days > 0.0)
            .map_or(0.0, |days| self.age_days(now) / days)
    }

    /// True when the last word about it was a no.
    pub fn is_contradicted(&self) -> bool {
        self.contradicted_at
            .is_some_and(|no| self.confirmed_at.is_none_or(|yes| no > yes))
    }

    fn is_confirmed_recently(&self, now: Timestamp) -> bool {
        self.confirmed_at
            .is_some_and(|at| days_between(at, now) <= RECENT_DAYS)
    }
}

/// The factor by which an item's score is multiplied: above 0, about 1 for something fresh, at most
/// 1.38.
pub fn lifecycle(life: &Life, now: Timestamp) -> f64 {
    let half_lives = life.half_lives(now);
    let mut weight = FADED + (1.0 - FADED) * (-half_lives).exp2();
    if life.is_contradicted() {
        weight *= CONTRADICTED;
    } else if life.is_confirmed_recently(now) {
        weight *= CONFIRMED;
    }
    if life.confirmed_at.is_none() && half_lives > 1.0 {
        weight *= UNCONFIRMED;
    }
    weight *= 1.0 + PER_SAVED * f64::from(life.saved.min(MOST_COUNTED));
    weight * (1.0 - PER_MISLED * f64::from(life.misled.min(MOST_COUNTED)))
}

/// In which part of its life an item is.
pub fn life_class(life: &Life, now: Timestamp) -> LifeClass {
    let half_lives = life.half_lives(now);
    if life.is_contradicted() {
        LifeClass::Contradicted
    } else if half_lives > STALE_HALF_LIVES {
        LifeClass::Stale
    } else if half_lives > 1.0 && life.confirmed_at.is_none() {
        LifeClass::NeverConfirmed
    } else if half_lives > 1.0 {
        LifeClass::Aging
    } else {
        LifeClass::Fresh
    }
}

pub(super) fn days_between(from: Timestamp, to: Timestamp) -> f64 {
    let seconds = to.as_second().saturating_sub(from.as_second()).max(0);
    // Seconds of a few centuries are exact in a float.
    let seconds = u32::try_from(seconds).map_or(f64::from(u32::MAX), f64::from);
    seconds / 86_400.0
}

#[cfg(test)]
#[path = "lifecycle_tests.rs"]
mod tests;
