//! Who answers whom.

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

#[cfg(test)]
#[path = "ring_tests.rs"]
mod tests;
