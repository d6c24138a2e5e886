//! Three seats and one recommendation: who wins, what else is offered, what it may cost.

use gavel_domain::MicroUsd;

/// The least that the recommenders of a run may cost together.
const LEAST_GUARD: MicroUsd = MicroUsd(2_500_000);
/// What one more council is expected to cost.
const EXPECTED: MicroUsd = MicroUsd(450_000);
/// So many that say the same decide.
const MAJORITY: usize = 2;
/// How many other answers are offered.
const MOST_OTHERS: usize = 2;

/// What one seat recommends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vote {
    /// The answer in words.
    pub answer: String,
    /// Its normal form; the same for answers that mean the same.
    pub normal: String,
    /// Why.
    pub why: String,
    /// How sure the seat is, from 0 to 100.
    pub confidence: u8,
}

/// What the seats came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tally {
    /// Nobody said anything.
    Silent,
    /// Two or more said the same; the places of the winner and of the others to offer.
    Agreed {
        /// The surest of those who agree.
        winner: usize,
        /// What the others said, each once.
        others: Vec<usize>,
    },
    /// Everybody said something else; the surest is first.
    Split {
        /// The places, surest first; equally sure ones in the order of the seats.
        order: Vec<usize>,
    },
}

/// Counts votes that mean the same.
pub fn tally(votes: &[Vote]) -> Tally {
    let mut order: Vec<usize> = (0..votes.len()).collect();
    let confidence = |place: &usize| votes.get(*place).map_or(0, |vote| vote.confidence);
    order.sort_by_key(|place| (std::cmp::Reverse(confidence(place)), *place));
    let normal = |place: &usize| votes.get(*place).map_or("", |vote| vote.normal.as_str());
    let same = |place: &usize| {
        order
            .iter()
            .filter(|other| normal(other) == normal(place))
            .count()
    };
    let Some(surest) = order.first() else {
        return Tally::Silent;
    };
    // Of three votes one pair at most is the same; of more, the larger group wins.
    let largest = order
        .iter()
        .max_by_key(|place| (same(place), confidence(place)));
    let winner = *largest.unwrap_or(surest);
    if same(&winner) < MAJORITY {
        return Tally::Split { order };
    }
    let winner = *order
        .iter()
        .find(|place| normal(place) == normal(&winner))
        .unwrap_or(&winner);
    let mut others: Vec<usize> = Vec::new();
    for place in &order {
        let known = others.iter().any(|other| normal(other) == normal(place));
        if normal(place) != normal(&winner) && !known {
            others.push(*place);
        }
    }
    others.truncate(MOST_OTHERS);
    Tally::Agreed { winner, others }
}

/// What the recommenders of a run may cost together: 15 % of its cap, and never less than 2.50.
pub fn recommender_guard(cap: Option<MicroUsd>) -> MicroUsd {
    let share = cap.map_or(0, |cap| cap.0 / 100 * 15);
    MicroUsd(share).max(LEAST_GUARD)
}

/// Whether one more council fits under the guard, after what the recommenders really cost so far.
pub fn council_fits(spent: MicroUsd, cap: Option<MicroUsd>) -> bool {
    spent + EXPECTED <= recommender_guard(cap)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn votes(all: &[(&str, u8)]) -> Vec<Vote> {
        all.iter()
            .map(|(normal, confidence)| Vote {
                answer: format!("use {normal}"),
                normal: (*normal).to_owned(),
                why: "because".to_owned(),
                confidence: *confidence,
            })
            .collect()
    }

    #[test]
    fn two_that_say_the_same_win() {
        let agreed = |winner, others: &[usize]| Tally::Agreed {
            winner,
            others: others.to_vec(),
        };
        for (all, came_to) in [
            (
                &[("sqlite", 10), ("file", 99), ("sqlite", 20)][..],
                agreed(2, &[1]),
            ),
            (
                &[("sqlite", 50), ("sqlite", 50), ("sqlite", 50)],
                agreed(0, &[]),
            ),
            (&[("a", 1), ("b", 9), ("b", 1)], agreed(1, &[0])),
            (&[("a", 1), ("a", 1)], agreed(0, &[])),
            (
                &[("a", 1), ("a", 1), ("b", 1), ("c", 2), ("d", 3)],
                agreed(0, &[4, 3]),
            ),
        ] {
            assert_eq!(tally(&votes(all)), came_to, "{all:?}");
        }
    }

    #[test]
    fn a_split_is_ordered_by_confidence() {
        let split = tally(&votes(&[("a", 40), ("b", 70), ("c", 70)]));
        assert_eq!(
            split,
            Tally::Split {
                order: vec![1, 2, 0]
            }
        );
        assert_eq!(tally(&votes(&[("a", 3)])), Tally::Split { order: vec![0] });
        assert_eq!(tally(&[]), Tally::Silent);
    }

    #[test]
    fn the_guard_has_a_floor_and_a_share() {
        let usd = |text: &str| MicroUsd::parse_dollars(text).unwrap();
        assert_eq!(recommender_guard(None), usd("2.5"));
        assert_eq!(recommender_guard(Some(usd("10"))), usd("2.5"));
        assert_eq!(recommender_guard(Some(usd("100"))), usd("15"));
        assert!(council_fits(usd("2.00"), Some(usd("10"))));
        assert!(council_fits(usd("2.05"), Some(usd("10"))));
        assert!(!council_fits(usd("2.06"), Some(usd("10"))));
        assert!(council_fits(usd("14"), Some(usd("100"))));
        assert!(!council_fits(MicroUsd(u64::MAX), None));
    }
}
