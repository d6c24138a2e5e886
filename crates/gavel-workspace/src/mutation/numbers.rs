//! The numbers of places: drawn from the seed, none twice.

use std::collections::BTreeSet;

use gavel_domain::Digest;

use super::helper::{Numbers, Position};

impl Numbers {
    pub(super) fn draw(what: &str, seed: &Digest, taken: &mut BTreeSet<u64>) -> Self {
        let first = next_number(seed, &format!("first {what}"), taken);
        let second = next_number(seed, &format!("second {what}"), taken);
        // Which of the two is the fault is not to be seen from their order.
        let fault = match Digest::keyed(seed, what).number() % 2 {
            0 => Position::First,
            _ => Position::Second,
        };
        Self {
            first,
            second,
            fault,
        }
    }

    pub(super) const fn of_fault(self) -> u64 {
        match self.fault {
            Position::First => self.first,
            Position::Second => self.second,
        }
    }

    pub(super) const fn of_neutral(self) -> u64 {
        match self.fault {
            Position::First => self.second,
            Position::Second => self.first,
        }
    }
}

/// A number that nothing else has; JavaScript knows whole numbers up to 2⁵³, and adds two of these.
pub(super) fn next_number(seed: &Digest, what: &str, taken: &mut BTreeSet<u64>) -> u64 {
    const WHOLE: u64 = (1 << 52) - 1;
    let mut digest = Digest::keyed(seed, what);
    loop {
        let number = digest.number() & WHOLE;
        if taken.insert(number) {
            return number;
        }
        digest = Digest::of(digest.bytes());
    }
}
