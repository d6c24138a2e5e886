//! When spend crosses a share of a cap.

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
    use super::*;

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
