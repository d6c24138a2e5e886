//! How many replies a debate takes: as few as may be, with every round that is planned, and at most.

use gavel_rules::council::{MOST_PLANNED_ROUNDS, most_rounds};

use crate::chamber::TRIES;
use crate::looking_up::MOST_BETWEEN;
use crate::research::TURNS;

/// The fewest and the most seats of a debate.
const SEATS: (u64, u64) = (2, 5);
/// A plan, whether to look something up, a synthesis, a verdict.
const ONCE: u64 = 4;
/// A synthesis that failed is tried again once where nobody is asked.
const DRAWN: u64 = 2;

/// How many replies, by who gives them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Replies {
    /// The leader and the judge.
    pub led: u64,
    /// The seats.
    pub said: u64,
    /// Whoever looks things up.
    pub looked_up: u64,
}

impl Replies {
    /// Two drafts settle it.
    pub const FEWEST: Self = Self {
        led: ONCE,
        said: SEATS.0,
        looked_up: 0,
    };

    /// Every seat and every round that can be planned, with a look at each, minutes between them, and one
    /// lookup; everything is right at once.
    pub fn planned() -> Self {
        let rounds = u64::from(MOST_PLANNED_ROUNDS);
        Self {
            led: ONCE + rounds + (rounds - 1),
            said: SEATS.1 * (1 + rounds),
            looked_up: u64::from(TURNS),
        }
    }

    /// The most that can come: every answer is asked for again, seats look things up and speak after that,
    /// rounds are added, things are looked up again,
    /// and a lookup that fails is made by the leader. A person who wants a failed synthesis once more adds to
    /// it.
    pub fn most() -> Self {
        let (rounds, tries) = (u64::from(most_rounds()), u64::from(TRIES));
        let lookups = u64::from(1 + MOST_BETWEEN);
        Self {
            led: tries * (ONCE - 1 + DRAWN + 2 * rounds),
            said: 2 * tries * SEATS.1 * (1 + rounds),
            looked_up: lookups * u64::from(TURNS) * 2,
        }
    }

    /// All of them.
    pub const fn all(self) -> u64 {
        self.led + self.said + self.looked_up
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_is_what_every_limit_allows() {
        assert_eq!(Replies::FEWEST.all(), 6);
        assert_eq!(Replies::planned().all(), 13 + 30 + 6);
        // 2 × (3 + 2 + 2 × 7), 2 × 2 × 5 × 8, 3 × 6 × 2.
        assert_eq!(Replies::most().all(), 38 + 160 + 36);
    }
}
