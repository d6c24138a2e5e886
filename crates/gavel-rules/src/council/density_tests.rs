use proptest::prelude::*;

use super::*;

fn count(confirmed: u32, refuted: u32, unverified: u32, broken: u32) -> TagCount {
    TagCount {
        confirmed,
        refuted,
        unverified,
        broken,
    }
}

#[test]
fn density_is_the_share_that_was_checked() {
    assert_eq!(density([]), None);
    assert_eq!(density([TagCount::default(), TagCount::default()]), None);
    assert_eq!(density([count(0, 0, 0, 1)]), Some(0));
    assert_eq!(density([count(1, 1, 1, 0), count(0, 0, 0, 1)]), Some(50));
    // 0.5999 is not 0.6.
    assert_eq!(density([count(5999, 0, 4001, 0)]), Some(59));
    assert_eq!(density([count(u32::MAX, u32::MAX, 0, 0); 3]), Some(100));
    assert_eq!(final_density(None, None), None);
    assert_eq!(final_density(Some(20), None), Some(20));
    assert_eq!(final_density(None, Some(0)), Some(0));
    assert_eq!(final_density(Some(20), Some(70)), Some(70));
    assert_eq!(final_density(Some(70), Some(20)), Some(70));
}

#[test]
fn the_badge_follows_the_density() {
    let table = [
        (Some(100), Badge::High),
        (Some(60), Badge::High),
        (Some(59), Badge::Medium),
        (Some(30), Badge::Medium),
        (Some(29), Badge::Low),
        (Some(0), Badge::Low),
        (None, Badge::NotMeasured),
    ];
    for (density, wanted) in table {
        assert_eq!(badge(density, true), wanted, "{density:?}");
        assert_eq!(badge(density, false), Badge::Low, "{density:?}");
    }
}

proptest! {
    #[test]
    fn density_is_a_share(counts in prop::collection::vec(any::<[u32; 4]>(), 0..6)) {
        let counts = counts.into_iter().map(|[a, b, c, d]| count(a, b, c, d));
        prop_assert!(density(counts).is_none_or(|density| density <= 100));
    }
}

#[test]
fn what_only_exists_never_makes_a_badge_high() {
    let worth = |whole, half, open| Worth {
        whole,
        half,
        open,
        broken: 0,
    };
    for (worth, density, badge) in [
        (worth(0, 9, 0), Some(50), Badge::Medium),
        (worth(3, 0, 0), Some(100), Badge::High),
        (worth(2, 2, 0), Some(75), Badge::Medium),
        (worth(3, 1, 1), Some(70), Badge::High),
        (worth(0, 1, 3), Some(12), Badge::Low),
        (worth(0, 0, 0), None, Badge::NotMeasured),
    ] {
        assert_eq!(
            (shown_density(worth), shown_badge(worth, true)),
            (density, badge)
        );
        assert_eq!(shown_badge(worth, false), Badge::Low);
    }
}
