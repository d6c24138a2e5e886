//! Numbers that look random and follow from a seed.

/// A sequence that is the same for the same seed (splitmix64).
#[derive(Debug, Clone)]
pub(super) struct Sequence(u64);

impl Sequence {
    pub(super) const fn of(seed: u64, attempt: u64) -> Self {
        Self(seed ^ attempt.wrapping_mul(0xD134_2543_DE82_EF95))
    }

    const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below the bound; zero when there is none.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.next().checked_rem(bound).unwrap_or(0)
    }

    /// One of these.
    pub(super) fn pick<T: Copy>(&mut self, all: &[T]) -> Option<T> {
        let at = usize::try_from(self.below(all.len() as u64)).ok()?;
        all.get(at).copied()
    }
}
