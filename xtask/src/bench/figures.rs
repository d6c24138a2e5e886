//! Medians and percentiles of a handful of samples.

/// Samples in ascending order.
#[derive(Debug)]
pub(super) struct Samples(Vec<f64>);

impl Samples {
    /// Sorts.
    pub(super) fn of(mut samples: Vec<f64>) -> Self {
        samples.sort_by(f64::total_cmp);
        Self(samples)
    }

    /// The middle one.
    pub(super) fn median(&self) -> f64 {
        self.percentile(50)
    }

    /// The smallest sample that at least `percent` of all do not exceed (nearest rank).
    pub(super) fn percentile(&self, percent: usize) -> f64 {
        let rank = (self.0.len() * percent).div_ceil(100).saturating_sub(1);
        self.0.get(rank).copied().unwrap_or(f64::NAN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_nearest() {
        let samples = Samples::of((1..=20).rev().map(f64::from).collect());
        assert!((samples.median() - 10.0).abs() < f64::EPSILON);
        assert!((samples.percentile(95) - 19.0).abs() < f64::EPSILON);
        assert!(Samples::of(Vec::new()).median().is_nan());
    }
}
