use proptest::prelude::*;

use super::*;

fn day(days: i64) -> Timestamp {
    Timestamp::from_second(days * 86_400).unwrap()
}

fn trap(created: i64) -> Life {
    Life {
        half_life_days: Some(90.0),
        created_at: day(created),
        confirmed_at: None,
        contradicted_at: None,
        saved: 0,
        misled: 0,
    }
}

#[test]
fn a_table_of_lives() {
    let now = day(1_000);
    let confirmed = |created, at| Life {
        confirmed_at: Some(day(at)),
        ..trap(created)
    };
    let lives = [
        ("new", trap(1_000)),
        ("one half-life", trap(910)),
        ("three half-lives", trap(730)),
        ("old, confirmed last week", confirmed(100, 993)),
        ("old, confirmed 60 days ago", confirmed(100, 940)),
        (
            "confirmed, then contradicted",
            Life {
                contradicted_at: Some(day(995)),
                ..confirmed(900, 993)
            },
        ),
        (
            "contradicted, then confirmed",
            Life {
                contradicted_at: Some(day(990)),
                ..confirmed(900, 993)
            },
        ),
        (
            "saved five",
            Life {
                saved: 5,
                ..trap(1_000)
            },
        ),
        (
            "misled five",
            Life {
                misled: 5,
                ..trap(1_000)
            },
        ),
        (
            "does not age",
            Life {
                half_life_days: None,
                ..trap(0)
            },
        ),
    ];
    let told = lives.map(|(name, life)| {
        let class = life_class(&life, now).word();
        format!("{:.3} {class:15} {name}", lifecycle(&life, now))
    });
    insta::assert_snapshot!(told.join("\n"), @"
    1.000 fresh           new
    0.750 fresh           one half-life
    0.506 stale           three half-lives
    1.169 fresh           old, confirmed last week
    0.815 fresh           old, confirmed 60 days ago
    0.292 contradicted    confirmed, then contradicted
    1.169 fresh           contradicted, then confirmed
    1.150 fresh           saved five
    0.550 fresh           misled five
    1.000 fresh           does not age
    ");
}

fn lives() -> impl Strategy<Value = Life> {
    let moment = || proptest::option::of(0_i64..2_000);
    (
        proptest::option::of(1.0_f64..200.0),
        0_i64..2_000,
        (moment(), moment()),
        (0_u32..9, 0_u32..9),
    )
        .prop_map(|(half, created, (yes, no), (saved, misled))| Life {
            half_life_days: half,
            created_at: day(created),
            confirmed_at: yes.map(day),
            contradicted_at: no.map(day),
            saved,
            misled,
        })
}

proptest! {
    #[test]
    fn the_factor_is_bounded_and_marks_move_it_their_way(life in lives(), now in 0_i64..3_000) {
        let now = day(now);
        let weight = lifecycle(&life, now);
        prop_assert!(weight > 0.0 && weight <= 1.38 + 1e-9, "{weight}");
        let confirmed = lifecycle(&Life { confirmed_at: Some(now), contradicted_at: None, ..life }, now);
        prop_assert!(confirmed >= weight);
        let contradicted = Life { contradicted_at: Some(now), confirmed_at: None, ..life };
        prop_assert!(lifecycle(&contradicted, now) <= weight + 1e-9);
        let saved = lifecycle(&Life { saved: life.saved + 1, ..life }, now);
        prop_assert!(saved >= weight);
        let misled = lifecycle(&Life { misled: life.misled + 1, ..life }, now);
        prop_assert!(misled <= weight);
    }

    #[test]
    fn time_alone_never_adds_weight(life in lives(), now in 0_i64..3_000, later in 0_i64..3_000) {
        let (before, after) = (lifecycle(&life, day(now)), lifecycle(&life, day(now + later)));
        prop_assert!(after <= before + 1e-9, "{before} {after}");
    }
}
