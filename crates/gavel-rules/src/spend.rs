//! When spend crosses a share of a cap, and what is booked of a provider's count.

use gavel_domain::{MicroUsd, TokenUsage, Tokens};

/// The most that a call can come to: its request is known, and its reply is cut at its maximum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallCeiling {
    /// The most input tokens.
    pub input: Tokens,
    /// The most output tokens.
    pub output: Tokens,
    /// What was reserved; `None` when the price is unknown.
    pub money: Option<MicroUsd>,
}

/// What a provider says that a call came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claim {
    /// What it counted.
    pub usage: TokenUsage,
    /// What that costs; `None` when the price is unknown.
    pub cost: Option<MicroUsd>,
}

/// What the ledger takes of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Booking {
    /// All of it, exactly.
    AsClaimed,
    /// The claim is not possible: no more than this, and the claim is kept apart.
    AtCeiling(Claim),
}

/// Decides what is booked: never more than the ceiling, whatever is claimed.
pub fn book(claim: &Claim, ceiling: &CallCeiling) -> Booking {
    let too_dear = match (claim.cost, ceiling.money) {
        (Some(cost), Some(most)) => cost > most,
        (None, _) | (_, None) => false,
    };
    let too_many = claim.usage.total() > ceiling.input + ceiling.output;
    if !too_dear && !too_many {
        return Booking::AsClaimed;
    }
    let usage = within(&claim.usage, ceiling);
    let cost = match (claim.cost, ceiling.money) {
        (Some(cost), Some(most)) => Some(cost.min(most)),
        (cost, None) => cost,
        (None, Some(_)) => None,
    };
    Booking::AtCeiling(Claim { usage, cost })
}

/// As much of a usage as was possible.
fn within(usage: &TokenUsage, ceiling: &CallCeiling) -> TokenUsage {
    let mut left = ceiling.input.0;
    let mut take = |tokens: Tokens| {
        let taken = tokens.0.min(left);
        left -= taken;
        Tokens(taken)
    };
    TokenUsage {
        input: take(usage.input),
        cache_read: take(usage.cache_read),
        cache_write: take(usage.cache_write),
        output: usage.output.min(ceiling.output),
    }
}

/// The shares that become facts.
pub const PERCENTS: [u8; 3] = [50, 80, 100];

/// The shares of a cap that `spent` has reached. A cap of zero is reached by nothing but spend.
pub fn crossed(spent: u64, limit: u64) -> impl Iterator<Item = u8> {
    PERCENTS.into_iter().filter(move |percent| {
        spent > 0 && u128::from(spent) * 100 >= u128::from(limit) * u128::from(*percent)
    })
}

#[cfg(test)]
mod tests {
    use gavel_domain::{Price, cost};
    use proptest::prelude::*;

    use super::*;

    const PRICE: Price = Price {
        input: 3_000_000,
        cache_read: 300_000,
        cache_write: 3_750_000,
        output: 15_000_000,
    };

    fn usage(input: u64, cached: u64, output: u64) -> TokenUsage {
        TokenUsage {
            input: Tokens(input),
            cache_read: Tokens(cached),
            cache_write: Tokens(0),
            output: Tokens(output),
        }
    }

    fn priced(usage: TokenUsage) -> Claim {
        let cost = Some(cost(&PRICE, &usage));
        Claim { usage, cost }
    }

    fn ceiling(input: u64, output: u64) -> CallCeiling {
        let (input, output) = (Tokens(input), Tokens(output));
        CallCeiling {
            input,
            output,
            money: Some(PRICE.worst_case(input, output)),
        }
    }

    #[test]
    fn a_count_is_booked_as_far_as_it_was_possible() {
        let most = ceiling(1_000, 100);
        let all = most.money;
        let unknown = |usage| Claim { usage, cost: None };
        let unpriced = CallCeiling {
            money: None,
            ..most
        };
        let at = |input, cached, output, cost| {
            let usage = usage(input, cached, output);
            Booking::AtCeiling(Claim { usage, cost })
        };
        for (claim, ceiling, expected) in [
            (priced(usage(1, 0, 1)), most, Booking::AsClaimed),
            (priced(usage(1_000, 0, 100)), most, Booking::AsClaimed),
            (priced(usage(10, 990, 100)), most, Booking::AsClaimed),
            // A token more than the bytes have is no reason to doubt a bill that was reserved for.
            (priced(usage(1_001, 0, 99)), most, Booking::AsClaimed),
            (
                priced(usage(1_000_000_000, 0, 1_000_000_000)),
                most,
                at(1_000, 0, 100, all),
            ),
            (priced(usage(400, 700, 2_000)), most, at(400, 600, 100, all)),
            // Dear output, although the sum of tokens fits.
            (priced(usage(1, 0, 1_000)), most, at(1, 0, 100, all)),
            (unknown(usage(1_000, 0, 100)), unpriced, Booking::AsClaimed),
            (
                unknown(usage(u64::MAX, 5, 9)),
                unpriced,
                at(1_000, 0, 9, None),
            ),
        ] {
            assert_eq!(book(&claim, &ceiling), expected, "{claim:?}");
        }
    }

    #[test]
    fn a_free_model_cannot_use_up_a_cap_of_tokens() {
        let most = CallCeiling {
            money: Some(MicroUsd::ZERO),
            ..ceiling(10, 10)
        };
        let claim = Claim {
            usage: usage(1_000, 0, 1_000),
            cost: Some(MicroUsd::ZERO),
        };
        let possible = Claim {
            usage: usage(10, 0, 10),
            ..claim
        };
        assert_eq!(book(&claim, &most), Booking::AtCeiling(possible));
    }

    proptest! {
        #[test]
        fn no_claim_books_more_than_was_reserved(
            (input, cached, output) in (any::<u64>(), any::<u64>(), any::<u64>()),
            (most_input, most_output) in (0_u64..1 << 40, 0_u64..1 << 40),
        ) {
            let (claim, most) = (priced(usage(input, cached, output)), ceiling(most_input, most_output));
            let booked = match book(&claim, &most) {
                Booking::AsClaimed => claim,
                Booking::AtCeiling(possible) => possible,
            };
            prop_assert!(booked.cost <= most.money);
            prop_assert!(booked.usage.total() <= most.input + most.output);
        }

        #[test]
        fn what_was_possible_is_booked_exactly(
            (input, cached, output) in (0_u64..=500, 0_u64..=500, 0_u64..=100),
        ) {
            let claim = priced(usage(input, cached, output));
            prop_assert_eq!(book(&claim, &ceiling(1_000, 100)), Booking::AsClaimed);
        }
    }

    #[test]
    fn shares_are_exact() {
        let at = |spent, limit| crossed(spent, limit).collect::<Vec<_>>();
        assert!(at(0, 100).is_empty());
        assert!(at(49, 100).is_empty());
        assert_eq!(at(50, 100), [50]);
        assert_eq!(at(80, 100), [50, 80]);
        assert_eq!(at(99, 100), [50, 80]);
        assert_eq!(at(100, 100), [50, 80, 100]);
        assert_eq!(at(1, 0), [50, 80, 100]);
        assert_eq!(at(u64::MAX, u64::MAX), [50, 80, 100]);
        assert!(at(u64::MAX / 2, u64::MAX).is_empty());
    }
}
