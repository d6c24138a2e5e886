//! Who answers whom.

use gavel_domain::Choice;

/// The pairs of a round: everybody with their neighbour, the last with the first.
///
/// Two seats are one pair, fewer are none. Seats are numbers, so that two of them with the same
/// model or the same role stay two.
pub fn ring(seats: &[u32]) -> Vec<(u32, u32)> {
    match seats {
        [] | [_] => Vec::new(),
        [one, other] => vec![(*one, *other)],
        [first, rest @ ..] => {
            let next = rest.iter().chain([first]);
            seats.iter().copied().zip(next.copied()).collect()
        }
    }
}

/// A seat in a round, and where it stands.
#[derive(Debug, Clone, Copy)]
pub struct Standing<'a> {
    /// The seat, counted from one.
    pub seat: u32,
    /// What its word weighs, in thousandths.
    pub weight: u32,
    /// What it chose.
    pub choices: &'a [Choice],
}

/// Whom each seat answers in a round, once: the strongest seat that stands against it in a decision
/// where they differ; where nobody does, its neighbour. Fewer than two seats answer nobody.
pub fn opponents(seats: &[Standing<'_>]) -> Vec<(u32, u32)> {
    let answers = seats.iter().enumerate().filter_map(|(place, own)| {
        let against = seats
            .iter()
            .filter(|other| differ(own.choices, other.choices));
        // Of two that weigh the same the first one in the order of seats.
        let strongest = against.min_by_key(|other| (std::cmp::Reverse(other.weight), other.seat));
        let next = || {
            let mut others = seats.iter().cycle().skip(place + 1).take(seats.len());
            others.find(|other| other.seat != own.seat)
        };
        let other = strongest.or_else(next)?;
        Some((own.seat, other.seat))
    });
    answers.collect()
}

/// True when two seats chose otherwise in a decision that both answered.
fn differ(one: &[Choice], other: &[Choice]) -> bool {
    one.iter().any(|choice| {
        let mut others = other
            .iter()
            .filter(|other| other.decision == choice.decision);
        others.any(|other| other.option != choice.option)
    })
}

#[cfg(test)]
#[path = "ring_tests.rs"]
mod tests;
