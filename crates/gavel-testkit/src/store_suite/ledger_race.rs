//! The ledger under contention: many reservations, one cap.

use std::sync::Arc;

use futures_util::future::join_all;
use gavel_domain::{Cap, CapScope, Digest, Month, RunId};
use gavel_store::{CommitError, Store, Totals, TotalsOf};

use super::StoreUnderTest;
use super::driver::{Driver, Plan, moment};

/// What one of the racing calls costs; not a divisor of the cap.
pub(super) const PRICE: u64 = 1_000_003;

/// A cap that fits 37 of them, with a rest.
const MONTH: Cap = Cap {
    scope: CapScope::MonthUsd,
    limit: 37 * PRICE + 5,
};
const WALK_MONTH: Cap = Cap {
    scope: CapScope::MonthUsd,
    limit: 4_000,
};
const WALK_RUN: Cap = Cap {
    scope: CapScope::RunUsd,
    limit: 900,
};

/// Two hundred reservations through two handles, of which exactly 37 fit the month.
pub async fn handles_race_for_a_month<S: StoreUnderTest>() {
    let subject = S::fresh();
    let (one, two) = (subject.open().await, subject.open().await);
    let drivers = (0..20).map(|n| {
        let store = if n % 2 == 0 { &one } else { &two };
        race(store, 10)
    });
    let fitted: u32 = join_all(drivers).await.into_iter().sum();
    assert_eq!(fitted, 37);
    let month = TotalsOf::Month(Month::of(moment(0)));
    let totals = one.totals(month).await.unwrap();
    assert_eq!(totals.reserved.0, 37 * PRICE);
    assert_eq!(subject.check().await, [""; 0]);
}

/// One driver that tries `calls` reservations; answers with how many fitted.
pub(super) async fn race(store: &Arc<dyn Store>, calls: u32) -> u32 {
    let mut driver = Driver::start(store).await;
    let mut fitted = 0;
    for n in 0..calls {
        let plan = Plan::new().reserve(&format!("call-{n}"), PRICE, 1, &[MONTH]);
        match driver.commit(store, plan).await {
            Ok(_) => fitted += 1,
            Err(CommitError::OverCap { .. }) => {}
            Err(error) => panic!("{error}: {error:?}"),
        }
    }
    fitted
}

/// Drivers reserve, settle, lose and release at random through two handles: at no moment is a cap
/// passed, and in the end nothing is missing or booked twice.
pub async fn random_interleavings_keep_the_caps<S: StoreUnderTest>() {
    let subject = S::fresh();
    let (one, two) = (subject.open().await, subject.open().await);
    let drivers = (0..6_u64).map(|n| {
        let store = if n % 2 == 0 { &one } else { &two };
        wander(store, n)
    });
    let expected = join_all(drivers).await;
    for (run, totals) in &expected {
        let found = one.totals(TotalsOf::Run(*run)).await.unwrap();
        assert_eq!(found, *totals);
    }
    let month = TotalsOf::Month(Month::of(moment(0)));
    let month = two.totals(month).await.unwrap();
    let sum = |amount: fn(&Totals) -> u64| -> u64 {
        expected.iter().map(|(_, totals)| amount(totals)).sum()
    };
    assert_eq!(month.settled.0, sum(|totals| totals.settled.0));
    assert_eq!(month.unconfirmed.0, sum(|totals| totals.unconfirmed.0));
    assert_eq!(month.reserved.0, sum(|totals| totals.reserved.0));
    assert_eq!(subject.check().await, [""; 0]);
}

/// One driver on a random walk; answers with the totals that it expects of its run.
async fn wander(store: &Arc<dyn Store>, seed: u64) -> (RunId, Totals) {
    let mut driver = Driver::start(store).await;
    let mut expected = Totals::default();
    let mut open: Vec<(String, u64)> = Vec::new();
    for n in 0..40_u64 {
        let dice = Digest::of(format!("{seed}/{n}")).number();
        let (plan, after) = stride(dice, n, &mut open, expected);
        match driver.commit(store, plan).await {
            Ok(committed) => {
                expected = after;
                let booked = committed.booked.unwrap();
                let (run, month) = (booked.run, booked.of_month);
                assert_eq!(run, expected);
                assert!(run.money().0 <= WALK_RUN.limit, "{run:?}");
                assert!(month.money().0 <= WALK_MONTH.limit, "{month:?}");
            }
            Err(CommitError::OverCap { cap, taken, wanted }) => {
                assert!(taken + wanted > cap.limit);
                open.pop();
            }
            Err(error) => panic!("{error}: {error:?}"),
        }
    }
    (driver.run(), expected)
}

/// One random change, and the totals after it.
fn stride(dice: u64, n: u64, open: &mut Vec<(String, u64)>, mut sums: Totals) -> (Plan, Totals) {
    let ending = if dice.is_multiple_of(4) {
        None
    } else {
        open.pop()
    };
    let Some((call, ceiling)) = ending else {
        let (call, size) = (format!("call-{n}"), 1 + dice / 7 % 120);
        let plan = Plan::new().reserve(&call, size, size, &[WALK_MONTH, WALK_RUN]);
        open.push((call, size));
        sums.reserved.0 += size;
        sums.reserved_tokens.0 += size;
        return (plan, sums);
    };
    sums.reserved.0 -= ceiling;
    sums.reserved_tokens.0 -= ceiling;
    let plan = match dice % 4 {
        1 => {
            let cost = ceiling - ceiling.min(dice % 5);
            sums.settled.0 += cost;
            sums.settled_tokens.0 += cost;
            Plan::new().settle(&call, cost, cost)
        }
        2 => {
            sums.unconfirmed.0 += ceiling;
            sums.unconfirmed_tokens.0 += ceiling;
            Plan::new().lose(&call, ceiling)
        }
        _ => Plan::new().release(&call),
    };
    (plan, sums)
}
