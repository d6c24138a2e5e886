//! Soft shares: how a run's money is meant to be spread over its stages. Nothing stops at one; a
//! stage that leaves its own far behind is worth a warning.

use gavel_domain::{MicroUsd, Stage};

/// The soft share of a stage, in thousandths of the run's money cap.
///
/// Finding out what to build has 150, the debate 300, the spec 100. Contracts take the part of
/// planning and of the meetings between sprints, which they make unnecessary: 100. Sprints have 280,
/// reviews and the verdict of the gate 50, looking back 20. Intake, scouting and sealing have none:
/// what they do hardly costs anything.
pub const fn soft_share(stage: Stage) -> u64 {
    match stage {
        Stage::Discovery => 150,
        Stage::Council => 300,
        Stage::Scoping | Stage::Contracts => 100,
        Stage::Building => 280,
        Stage::Gating => 50,
        Stage::Lessons => 20,
        Stage::Intake | Stage::Scout | Stage::Sealing => 0,
    }
}

/// The share in money, when a stage spent more than one and a half times as much.
pub fn share_left_behind(stage: Stage, spent: MicroUsd, cap: MicroUsd) -> Option<MicroUsd> {
    let share = u128::from(cap.0) * u128::from(soft_share(stage)) / 1_000;
    let warned_at = share + share / 2;
    let is_over = share > 0 && u128::from(spent.0) > warned_at;
    is_over.then(|| MicroUsd(u64::try_from(share).unwrap_or(u64::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shares_are_the_whole_cap() {
        let all = [
            Stage::Intake,
            Stage::Scout,
            Stage::Discovery,
            Stage::Council,
            Stage::Scoping,
            Stage::Contracts,
            Stage::Building,
            Stage::Gating,
            Stage::Sealing,
            Stage::Lessons,
        ];
        let sum: u64 = all.into_iter().map(soft_share).sum();
        assert_eq!(sum, 1_000);
    }

    #[test]
    fn a_warning_comes_above_one_and_a_half_shares() {
        let cap = MicroUsd::dollars(10);
        let share = |micros| Some(MicroUsd(micros));
        for (stage, spent, warned) in [
            (Stage::Council, 4_500_000, None),
            (Stage::Council, 4_500_001, share(3_000_000)),
            (Stage::Building, 4_200_000, None),
            (Stage::Building, 9_000_000, share(2_800_000)),
            (Stage::Lessons, 300_001, share(200_000)),
            (Stage::Gating, 0, None),
            (Stage::Intake, 9_000_000, None),
            (Stage::Sealing, 1, None),
        ] {
            assert_eq!(
                share_left_behind(stage, MicroUsd(spent), cap),
                warned,
                "{stage} {spent}"
            );
        }
    }

    #[test]
    fn a_cap_too_small_for_shares_warns_about_nothing() {
        assert_eq!(
            share_left_behind(Stage::Lessons, MicroUsd(5), MicroUsd(40)),
            None
        );
        let most = MicroUsd(u64::MAX);
        assert!(share_left_behind(Stage::Council, most, most).is_some());
    }
}
