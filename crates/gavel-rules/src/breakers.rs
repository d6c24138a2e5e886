//! Circuit breakers: when a run must not simply go on. Each looks at numbers that facts hold, and a
//! trip names them, so that whoever decides sees what the breaker saw.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use gavel_domain::MicroUsd;

use crate::Repetition;

/// How many sprints the projection of the cost looks back.
const COSTS: usize = 3;
/// How often the same ship refusal is heard before it is a breaker.
const REFUSALS: usize = 2;
/// How many sprints may leave every file as it was.
const IDLE_SPRINTS: usize = 2;
/// Before this sprint scores say nothing about a trend.
const TREND_FROM: usize = 3;

/// The ten breakers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Breaker {
    /// CB-1: the next sprint is likely to cost more than is left.
    CostProjection,
    /// CB-2: the score does not rise.
    Oscillation,
    /// CB-3: nothing could ever be verified.
    BlankVerification,
    /// CB-4: a call would break a cap.
    CapBreach,
    /// CB-5: one model in two roles that must differ.
    RoleCollision,
    /// CB-6: no provider for a role.
    NoProvider,
    /// CB-7: shipping was refused twice for the same reasons.
    ShipRefused,
    /// CB-8: sprints that change nothing.
    Stall,
    /// CB-9: it takes too long.
    WallClock,
    /// CB-10: a model repeats itself.
    RepeatedAction,
}

impl Breaker {
    /// All of them, in order.
    pub const ALL: [Self; 10] = [
        Self::CostProjection,
        Self::Oscillation,
        Self::BlankVerification,
        Self::CapBreach,
        Self::RoleCollision,
        Self::NoProvider,
        Self::ShipRefused,
        Self::Stall,
        Self::WallClock,
        Self::RepeatedAction,
    ];

    /// The stored word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::CostProjection => "cb_1",
            Self::Oscillation => "cb_2",
            Self::BlankVerification => "cb_3",
            Self::CapBreach => "cb_4",
            Self::RoleCollision => "cb_5",
            Self::NoProvider => "cb_6",
            Self::ShipRefused => "cb_7",
            Self::Stall => "cb_8",
            Self::WallClock => "cb_9",
            Self::RepeatedAction => "cb_10",
        }
    }

    /// What it says to a person, one sentence.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::CostProjection => "The next sprint is likely to cost more than is left.",
            Self::Oscillation => "The last sprints did not come closer to what was asked for.",
            Self::BlankVerification => {
                "No test command was found here, so nothing could be proven."
            }
            Self::CapBreach => "The next call could break a cap.",
            Self::RoleCollision => "One model would judge its own work.",
            Self::NoProvider => "No provider can be reached for a role of this run.",
            Self::ShipRefused => "Shipping was refused twice for the same reasons.",
            Self::Stall => "The last two sprints changed no file.",
            Self::WallClock => "The run has been driven longer than it may.",
            Self::RepeatedAction => "A model repeats the same action with the same result.",
        }
    }

    /// What a person may choose, the safest first; `Stop` is always the last.
    pub const fn options(self) -> &'static [BreakerOption] {
        use BreakerOption::{ChangeModel, Raise, Rethink, Retry, Skip, Stop};
        match self {
            Self::CostProjection => &[Retry, ChangeModel, Stop],
            Self::CapBreach => &[Raise, Stop],
            Self::Oscillation => &[Rethink, Retry, ChangeModel, Skip, Stop],
            Self::BlankVerification => &[Retry, Skip, Stop],
            Self::RoleCollision => &[ChangeModel, Skip, Stop],
            Self::NoProvider => &[ChangeModel, Stop],
            Self::ShipRefused => &[Rethink, Retry, Stop],
            Self::Stall | Self::RepeatedAction => &[Retry, ChangeModel, Rethink, Skip, Stop],
            Self::WallClock => &[Raise, Stop],
        }
    }

    /// True when it is about money: the run is paused at a budget.
    pub const fn is_about_money(self) -> bool {
        match self {
            Self::CostProjection | Self::CapBreach => true,
            Self::Oscillation
            | Self::BlankVerification
            | Self::RoleCollision
            | Self::NoProvider
            | Self::ShipRefused
            | Self::Stall
            | Self::WallClock
            | Self::RepeatedAction => false,
        }
    }

    /// True when the run goes on with less instead of asking.
    pub const fn degrades(self) -> bool {
        matches!(self, Self::RoleCollision)
    }

    /// Finds the breaker of a stored word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|breaker| breaker.word() == word)
    }
}

impl fmt::Display for Breaker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// What a person may do about a tripped breaker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BreakerOption {
    /// The same again, one more sprint.
    Retry,
    /// Let the council think again about what happened.
    Rethink,
    /// Go on with the models that are configured now.
    ChangeModel,
    /// Allow more of what ran out.
    Raise,
    /// Go on without what the breaker misses; the seal tells.
    Skip,
    /// Stop here.
    Stop,
}

impl BreakerOption {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Retry,
        Self::Rethink,
        Self::ChangeModel,
        Self::Raise,
        Self::Skip,
        Self::Stop,
    ];

    /// The option's id on a card.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Retry => "retry",
            Self::Rethink => "rethink",
            Self::ChangeModel => "change-model",
            Self::Raise => "raise",
            Self::Skip => "skip",
            Self::Stop => "stop",
        }
    }

    /// Finds the option of an id.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|option| option.id() == id)
    }
}

/// A breaker that tripped, with the numbers that it looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trip {
    /// Which.
    pub breaker: Breaker,
    /// A reason code.
    pub reason: &'static str,
    /// By name; money in micro-dollars, shares in thousandths.
    pub numbers: BTreeMap<String, i64>,
}

impl Trip {
    /// A trip with its numbers.
    pub fn new<const N: usize>(
        breaker: Breaker,
        reason: &'static str,
        numbers: [(&str, i64); N],
    ) -> Self {
        Self {
            breaker,
            reason,
            numbers: numbers.map(|(name, n)| (name.to_owned(), n)).into(),
        }
    }
}

/// CB-1. The costs of the last sprints, smoothed and with a fifth on top, against one and a half
/// times what is left of the cap.
pub fn cost_projection(costs: &[MicroUsd], cap: MicroUsd, spent: MicroUsd) -> Option<Trip> {
    let last = costs.iter().rev().take(COSTS).rev();
    let smoothed = last
        .map(|cost| u128::from(cost.0))
        .reduce(|old, new| (old * 7 + new * 3) / 10)?;
    let projected = smoothed * 12 / 10;
    let left = u128::from(cap.saturating_sub(spent).0);
    (projected * 2 > left * 3).then(|| {
        Trip::new(
            Breaker::CostProjection,
            "cost_projection",
            [
                ("projected", number(projected)),
                ("left", number(left)),
                ("cap", number(u128::from(cap.0))),
                ("spent", number(u128::from(spent.0))),
            ],
        )
    })
}

/// CB-2. The scores of the sprints of one phase, in thousandths: the last two steps do not rise.
pub fn oscillation(scores: &[u32]) -> Option<Trip> {
    if scores.len() < TREND_FROM {
        return None;
    }
    let [.., first, second, third] = *scores else {
        return None;
    };
    let (earlier, later) = (delta(first, second), delta(second, third));
    (earlier <= 0 && later <= 0).then(|| {
        Trip::new(
            Breaker::Oscillation,
            "oscillation",
            [
                ("sprints", number(scores.len() as u128)),
                ("score", i64::from(third)),
                ("delta_before", earlier),
                ("delta_last", later),
            ],
        )
    })
}

/// What there is to verify with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecipeStanding {
    /// Nothing says how to build or test.
    NoRecipe,
    /// A build, but no test command.
    NoTests,
    /// The search for tests stopped before it had seen every file.
    Unseen,
    /// Tests, with their measured coverage in thousandths where something measures it.
    Tests {
        /// The coverage.
        coverage: Option<u32>,
    },
}

/// CB-3. A tree with source that cannot be verified; one without source may still bring its tests.
pub fn blank_verification(has_source: bool, standing: RecipeStanding) -> Option<Trip> {
    let reason = match standing {
        RecipeStanding::NoRecipe => "no_recipe",
        RecipeStanding::NoTests => "no_test_commands",
        RecipeStanding::Unseen => "search_stopped",
        RecipeStanding::Tests { coverage: Some(0) } => "zero_coverage",
        RecipeStanding::Tests { .. } => return None,
    };
    has_source.then(|| Trip::new(Breaker::BlankVerification, reason, []))
}

/// CB-6. A role whose model no provider serves.
pub fn no_provider(reachable: bool, tried: usize) -> Option<Trip> {
    let tried = number(tried as u128);
    (!reachable).then(|| Trip::new(Breaker::NoProvider, "no_provider", [("tried", tried)]))
}

/// CB-7. The reasons of each refusal, in any order: the last two are the same.
pub fn ship_refused(refusals: &[Vec<String>]) -> Option<Trip> {
    let sorted = |reasons: &Vec<String>| {
        let mut reasons = reasons.clone();
        reasons.sort();
        reasons
    };
    let [.., before, last] = refusals else {
        return None;
    };
    let numbers = [
        ("refusals", number(refusals.len() as u128)),
        ("reasons", number(last.len() as u128)),
    ];
    let same = refusals.len() >= REFUSALS && sorted(before) == sorted(last);
    same.then(|| Trip::new(Breaker::ShipRefused, "ship_refused", numbers))
}

/// CB-8. Whether each sprint changed a file, in order: the last two did not.
pub fn stall(changed: &[bool]) -> Option<Trip> {
    let idle = changed
        .iter()
        .rev()
        .take_while(|changed| !**changed)
        .count();
    let numbers = [("idle_sprints", number(idle as u128))];
    (idle >= IDLE_SPRINTS).then(|| Trip::new(Breaker::Stall, "no_change", numbers))
}

/// CB-9. How long the run has been driven.
pub fn wall_clock(driven: Duration, most: Duration) -> Option<Trip> {
    let seconds = |time: Duration| number(u128::from(time.as_secs()));
    let numbers = [
        ("driven_seconds", seconds(driven)),
        ("most_seconds", seconds(most)),
    ];
    (driven > most).then(|| Trip::new(Breaker::WallClock, "wall_clock", numbers))
}

/// CB-10. What the guard of the turn loop stopped.
pub fn repeated_action(repetition: Repetition) -> Trip {
    let (reason, times) = match repetition {
        Repetition::SameCall { times } => ("same_call", times),
        Repetition::PingPong { rounds } => ("ping_pong", rounds),
    };
    let times = number(times as u128);
    Trip::new(Breaker::RepeatedAction, reason, [("times", times)])
}

fn delta(from: u32, to: u32) -> i64 {
    i64::from(to) - i64::from(from)
}

fn number(count: u128) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
#[path = "breakers_tests.rs"]
mod tests;
