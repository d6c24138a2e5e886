//! What the other processes of the crash cases do. Without a place to go to, each part runs through
//! in a store of its own and must succeed.

use std::io::{BufRead, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::join_all;
use gavel_domain::{InboxId, RunId, Speaker};
use gavel_store::{InboxKind, InboxPost, StatementHook, Store};
use uuid::Uuid;

use super::StoreUnderTest;
use super::driver::{Driver, Plan, holder, moment, new_run};
use super::ledger_race::race;

/// The variable that tells a part where the store lies, and what is meant there.
pub(super) const PLACE: &str = "GAVEL_SUITE_PLACE";
/// The variable that names a run.
pub(super) const RUN: &str = "GAVEL_SUITE_RUN";
/// The variable that names an inbox row.
pub(super) const ROW: &str = "GAVEL_SUITE_ROW";
/// The variable that tells at which statement a part dies.
pub(super) const STATEMENT: &str = "GAVEL_SUITE_STATEMENT";
/// What a part writes before each line that is meant for its parent.
pub(super) const SAYS: &str = "suite: ";

/// A run with a call under way and a row in its inbox, for a commit that holds everything.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scene {
    pub(super) run: RunId,
    pub(super) row: InboxId,
}

impl Scene {
    pub(super) async fn set(store: &Arc<dyn Store>) -> Self {
        let mut driver = Driver::start(store).await;
        let plan = Plan::new().reserve("old", 100, 10, &[]);
        driver.commit(store, plan).await.unwrap();
        let row = InboxId::from_uuid(Uuid::now_v7());
        let run = driver.run();
        let post = InboxPost {
            id: row,
            run,
            by: Speaker::PERSON,
            at: moment(0),
            kind: InboxKind::Pause,
        };
        store.post(post).await.unwrap();
        Self { run, row }
    }

    /// A commit with everything that a commit can hold.
    pub(super) fn everything(&self) -> Plan {
        let plan = Plan::new().note("a").note("b").blob(b"one").blob(b"two");
        let plan = plan.settle("old", 90, 9).reserve("new", 50, 5, &[]);
        plan.accept(self.row)
    }
}

/// Makes the commit that holds everything, and dies before the statement it is told.
pub async fn commit_part<S: StoreUnderTest>() {
    let armed = Arc::new(AtomicBool::new(false));
    let deadly = told(STATEMENT).map(|text| text.parse::<u32>().unwrap());
    let hook: StatementHook = Arc::new({
        let armed = Arc::clone(&armed);
        move |n| {
            if armed.load(Ordering::SeqCst) && Some(n) == deadly {
                std::process::abort();
            }
        }
    });
    let (subject, scene) = match (told(PLACE), told(RUN), told(ROW)) {
        (Some(place), Some(run), Some(row)) => {
            let (run, row) = (run.parse().unwrap(), row.parse().unwrap());
            (S::at(&place), Scene { run, row })
        }
        _ => {
            let subject = S::fresh();
            let scene = Scene::set(&subject.open().await).await;
            (subject, scene)
        }
    };
    let store = subject.open_hooked(Some(hook)).await;
    let mut driver = Driver::resume(&store, scene.run).await;
    armed.store(true, Ordering::SeqCst);
    driver.commit(&store, scene.everything()).await.unwrap();
    assert_eq!(driver.head.seq.0, 7);
}

/// Takes a lease and holds it until its parent is gone.
pub async fn lease_part<S: StoreUnderTest>() {
    let place = told(PLACE);
    let run = told(RUN).map_or_else(new_run, |run| run.parse().unwrap());
    let subject = place.as_deref().map_or_else(S::fresh, S::at);
    let store = subject.open().await;
    let lease = store.acquire(run, holder()).await.unwrap();
    assert_eq!(lease.run, run);
    if place.is_some() {
        say("held");
        wait_for_parent();
    }
}

/// Four drivers write as fast as they can and tell what was acknowledged.
pub async fn writers_part<S: StoreUnderTest>() {
    let place = told(PLACE);
    // More than the parent lets happen; alone, a few.
    let commits = if place.is_some() { 500 } else { 5 };
    let subject = place.as_deref().map_or_else(S::fresh, S::at);
    let store = subject.open().await;
    let drivers = (0..4).map(|_| async {
        let mut driver = Driver::start(&store).await;
        for n in 0..commits {
            let call = format!("call-{}", n / 2);
            let plan = if n % 2 == 0 {
                Plan::new().reserve(&call, 10, 10, &[])
            } else {
                Plan::new().settle(&call, 9, 9).blob(call.as_bytes())
            };
            driver.commit(&store, plan).await.unwrap();
            say(&format!("{} {}", driver.run(), driver.head.seq));
        }
        driver.head.seq.0
    });
    let reached = join_all(drivers).await;
    assert_eq!(reached, [commits + 1; 4]);
}

/// Tries a hundred reservations of which 37 fit the month, if nobody else takes any.
pub async fn race_part<S: StoreUnderTest>() {
    let place = told(PLACE);
    let subject = place.as_deref().map_or_else(S::fresh, S::at);
    let store = subject.open().await;
    if place.is_some() {
        say("ready");
        wait_for_parent();
    }
    let fitted = race(&store, 100).await;
    if place.is_some() {
        say(&fitted.to_string());
    } else {
        assert_eq!(fitted, 37);
    }
}

/// Says a line to the parent, past the test runner's capture.
fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{SAYS}{line}").unwrap();
    out.flush().unwrap();
}

/// Waits for a line from the parent, or for its end.
fn wait_for_parent() {
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line).unwrap();
}

#[expect(
    clippy::disallowed_methods,
    reason = "a part of a test learns from its parent what to do"
)]
fn told(name: &str) -> Option<String> {
    std::env::var(name).ok()
}
