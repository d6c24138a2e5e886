use proptest::prelude::*;

use super::*;

#[test]
fn amounts_read_and_show_exactly() {
    for (text, micro, shown, decimal) in [
        ("5", 5_000_000, "$5.00", "5"),
        ("2.5", 2_500_000, "$2.50", "2.5"),
        ("0.0042", 4_200, "$0.0042", "0.0042"),
        ("0.000001", 1, "$0.000001", "0.000001"),
        ("0", 0, "$0.00", "0"),
    ] {
        let amount = MicroUsd::parse_dollars(text).unwrap();
        assert_eq!(
            (amount.0, amount.to_string(), amount.to_decimal()),
            (micro, shown.into(), decimal.into())
        );
    }
    for bad in [
        "",
        "-1",
        "1e3",
        "1.0000001",
        ".5",
        "1.2.3",
        "NaN",
        "99999999999999999999",
    ] {
        assert_eq!(MicroUsd::parse_dollars(bad), None, "{bad}");
    }
}

#[test]
fn a_fraction_of_a_micro_dollar_is_rounded_up() {
    let price = Price {
        input: 1,
        ..Price::FREE
    };
    let one = TokenUsage {
        input: Tokens(1),
        ..TokenUsage::default()
    };
    assert_eq!(cost(&price, &one), MicroUsd(1));
    assert_eq!(cost(&price, &TokenUsage::default()), MicroUsd::ZERO);
}

#[test]
fn months_are_utc() {
    let month = |text: &str| Month::of(text.parse().unwrap()).as_str().to_owned();
    assert_eq!(month("2026-11-30T23:59:59.999Z"), "2026-11");
    assert_eq!(month("2026-11-30T23:59:59-01:00"), "2026-12");
}

proptest! {
    /// Whatever classes the provider bills within the limits, the ceiling covers it.
    #[test]
    fn the_worst_case_is_the_worst(
        input in 0u64..1_000_000_000, read in 0u64..1_000_000_000, write in 0u64..1_000_000_000,
        out in 0u64..1_000_000_000, p in prop::array::uniform4(0u64..1_000_000_000),
    ) {
        let price = Price { input: p[0], cache_read: p[1], cache_write: p[2], output: p[3] };
        let usage = TokenUsage {
            input: Tokens(input), cache_read: Tokens(read), cache_write: Tokens(write), output: Tokens(out),
        };
        let ceiling = price.worst_case(Tokens(input + read + write), Tokens(out));
        prop_assert!(cost(&price, &usage) <= ceiling);
    }

    #[test]
    fn decimal_text_round_trips(micro in any::<u64>()) {
        prop_assert_eq!(MicroUsd::parse_dollars(&MicroUsd(micro).to_decimal()), Some(MicroUsd(micro)));
    }
}
