use gavel_domain::{Month, Role, RunId, Stage, Timestamp};
use gavel_store::CallId;
use proptest::prelude::*;

use super::*;

/// A call from a few numbers.
fn row((place, state, at, cost): (usize, u8, i64, u64)) -> CallRow {
    let at = Timestamp::from_second(1_790_000_000 + at).unwrap();
    let pick = |names: &[&str]| names[place % names.len()].to_owned();
    CallRow {
        call: CallId {
            run: RunId::from_uuid(uuid::Uuid::from_u128(1)),
            key: "a@1:reserved".parse().unwrap(),
        },
        month: Month::of(at),
        at,
        model: pick(&["fake/one", "fake/two", "other/group/three", "bare"]),
        role: [Role::Coder, Role::Auditor, Role::Leader][place % 3],
        stage: [None, Some(Stage::Council), Some(Stage::Building)][place % 3],
        class: [SpendClass::Metered, SpendClass::Unmetered][place % 2],
        state: [
            CallState::Settled,
            CallState::Lost,
            CallState::Reserved,
            CallState::Released,
        ][usize::from(state % 4)],
        ceiling: MicroUsd(cost + 1),
        ceiling_tokens: Tokens(7),
        cost: MicroUsd(cost),
        usage: TokenUsage {
            input: Tokens(cost),
            cache_read: Tokens(2),
            cache_write: Tokens(3),
            output: Tokens(4),
        },
        claimed: (state == 0 && cost % 2 == 0).then_some(gavel_store::Claimed {
            cost: MicroUsd(cost + 2),
            tokens: Tokens(8),
        }),
    }
}

fn sum_of(parts: &BTreeMap<String, Spend>) -> Spend {
    parts.values().fold(Spend::default(), |all, part| Spend {
        calls: all.calls + part.calls,
        interrupted: all.interrupted + part.interrupted,
        interrupted_ceiling: all.interrupted_ceiling + part.interrupted_ceiling,
        interrupted_unpriced: all.interrupted_unpriced + part.interrupted_unpriced,
        under_way: all.under_way + part.under_way,
        reserved: all.reserved + part.reserved,
        tokens: sum(all.tokens, part.tokens),
        cost: all.cost + part.cost,
        unpriced: all.unpriced + part.unpriced,
        unmetered: all.unmetered + part.unmetered,
        source_calls: all.source_calls + part.source_calls,
        of_rules: sum(all.of_rules, part.of_rules),
        reported: all.reported + part.reported,
        above_ceiling: all.above_ceiling + part.above_ceiling,
        claimed: all.claimed + part.claimed,
    })
}

proptest! {
    #[test]
    fn the_parts_of_every_heading_add_up_to_the_total(
        calls in prop::collection::vec((0_usize..12, 0_u8..4, 0_i64..900_000, 0_u64..1_000_000), 0..60)
    ) {
        let rows: Vec<_> = calls.into_iter().map(row).collect();
        let usage = Usage::of(&rows);
        for parts in [
            &usage.by_model,
            &usage.by_provider,
            &usage.by_role,
            &usage.by_stage,
            &usage.by_day,
        ] {
            prop_assert_eq!(sum_of(parts), usage.total);
        }
    }
}

#[test]
fn days_are_utc_and_providers_are_the_first_part_of_a_model() {
    let late = CallRow {
        at: "2026-11-16T23:59:59Z".parse().unwrap(),
        ..row((2, 0, 0, 5))
    };
    let next = CallRow {
        at: "2026-11-17T00:00:00Z".parse().unwrap(),
        ..row((3, 0, 0, 6))
    };
    let usage = Usage::of(&[late, next]);
    let days: Vec<_> = usage.by_day.keys().map(String::as_str).collect();
    assert_eq!(days, ["2026-11-16", "2026-11-17"]);
    let providers: Vec<_> = usage.by_provider.keys().map(String::as_str).collect();
    assert_eq!(providers, ["bare", "other"]);
    assert_eq!(usage.by_day["2026-11-17"].cost, MicroUsd(6));
}

#[test]
fn what_nobody_knows_is_never_nothing() {
    let spend = |cost, unpriced, unmetered| Spend {
        cost: MicroUsd(cost),
        calls: 4,
        unpriced,
        unmetered,
        ..Spend::default()
    };
    for (spend, known, text) in [
        (spend(0, 0, 0), Some(0), "$0"),
        (spend(250_000, 0, 0), Some(250_000), "$0.25"),
        (spend(0, 3, 0), None, "3 calls of unknown price"),
        (spend(0, 0, 1), None, "1 call that nobody counts"),
        (
            spend(250_000, 1, 2),
            Some(250_000),
            "$0.25 and 1 call of unknown price and 2 calls that nobody counts",
        ),
    ] {
        assert_eq!(spend.known(), known.map(MicroUsd));
        assert_eq!(spend.text(), text);
    }
}
