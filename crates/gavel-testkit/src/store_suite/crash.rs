//! Crashes: processes that die in the midst of a commit, or at any moment at all.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, Stdio};

use gavel_domain::{Digest, Month, RunId, Seq};
use gavel_store::{CallState, CallsQuery, InboxFate, LeaseError, Store, TotalsOf};

use super::StoreUnderTest;
use super::crash_parts::{PLACE, ROW, RUN, SAYS, STATEMENT, Scene};
use super::driver::{Driver, Plan, holder, moment};
use super::ledger_race::PRICE;

/// A commit whose process dies before its n-th statement, for every n, leaves nothing of itself; one
/// whose process dies right after it leaves all.
///
/// # Panics
/// When the store fails the case.
pub async fn all_or_nothing<S: StoreUnderTest>(part: &str) {
    let mut reached = Vec::new();
    for statement in 0..100_u32 {
        let subject = S::fresh();
        let store = subject.open().await;
        let scene = Scene::set(&store).await;
        let before = story(&*store, scene).await;
        drop(store);
        let mut child = process(part, &subject.place())
            .env(RUN, scene.run.to_string())
            .env(ROW, scene.row.to_string())
            .env(STATEMENT, statement.to_string())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let survived = child.wait().unwrap().success();

        let store = subject.open().await;
        assert_eq!(store.driver(scene.run).await.unwrap(), None);
        assert_eq!(subject.check().await, [""; 0]);
        let written = story(&*store, scene).await != before;
        let mut driver = Driver::resume(&store, scene.run).await;
        if !written {
            // The same commit can be made now, as if nothing had been.
            driver.commit(&store, scene.everything()).await.unwrap();
        }
        assert_eq!(story(&*store, scene).await, EVERYTHING, "{statement}");
        assert_eq!(subject.check().await, [""; 0]);
        if survived {
            break;
        }
        reached.push(written);
    }
    let all = reached.pop();
    assert_eq!(all, Some(true), "a commit that returned was not durable");
    assert!(reached.len() > 12, "only {} statements", reached.len());
    let partial = reached.iter().position(|written| *written);
    assert_eq!(partial, None, "written before it was committed");
}

const EVERYTHING: &str = "Seq(7) 7 true true Some(Taken { seq: Seq(7), refused: false }) \
    [Settled, Reserved] 140 140";

/// Everything that the commit of a scene changes, in one line.
async fn story(store: &dyn Store, scene: Scene) -> String {
    let run = scene.run;
    let head = store.head(run).await.unwrap().unwrap();
    let records = store.records(run, Seq::ZERO, 100).await.unwrap();
    let blob = async |text: &[u8]| {
        let blob = store.blob(Digest::of(text)).await.unwrap();
        blob.is_some()
    };
    let (one, two) = (blob(b"one").await, blob(b"two").await);
    let fate: Option<InboxFate> = store.fate(scene.row).await.unwrap();
    let calls = store.calls(CallsQuery::default()).await.unwrap();
    let calls: Vec<CallState> = calls.iter().map(|call| call.state).collect();
    let of_run = store.totals(TotalsOf::Run(run)).await.unwrap();
    let month = TotalsOf::Month(Month::of(moment(0)));
    let of_month = store.totals(month).await.unwrap();
    format!(
        "{:?} {} {one} {two} {fate:?} {calls:?} {} {}",
        head.seq,
        records.len(),
        of_run.money().0,
        of_month.money().0
    )
}

/// A driver that is killed with -9 frees its run; before that, it holds it and is named.
///
/// # Panics
/// When the store fails the case.
pub async fn lease_is_freed<S: StoreUnderTest>(part: &str) {
    let subject = S::fresh();
    let store = subject.open().await;
    let run = Driver::start(&store).await.run();
    let mut child = process(part, &subject.place())
        .env(RUN, run.to_string())
        .spawn()
        .unwrap();
    let mut said = listen(&mut child);
    assert_eq!(said.next().as_deref(), Some("held"));
    let who = store.driver(run).await.unwrap();
    assert_eq!(who.map(|holder| holder.pid), Some(child.id()));
    let error = store.acquire(run, holder()).await.unwrap_err();
    let LeaseError::Held { holder: who, .. } = error else {
        panic!("expected a refusal, got {error}");
    };
    assert_eq!(who.map(|holder| holder.pid), Some(child.id()));
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(store.driver(run).await.unwrap(), None);
    let mut driver = Driver::resume(&store, run).await;
    driver.commit(&store, Plan::new().note("on")).await.unwrap();
}

/// Writers killed at random moments: what was acknowledged is there, at most one commit more, and
/// everything fits together.
///
/// # Panics
/// When the store fails the case.
pub async fn acknowledged_stays<S: StoreUnderTest>(part: &str) {
    let subject = S::fresh();
    for round in 0..6 {
        let mut child = process(part, &subject.place()).spawn().unwrap();
        let mut said = listen(&mut child);
        let patience = Digest::of(format!("{round}")).number() % 90 + 10;
        let mut last: BTreeMap<RunId, u64> = BTreeMap::new();
        for n in 0.. {
            if n == patience {
                child.kill().unwrap();
            }
            // What was said before the kill is still to be read.
            let Some(line) = said.next() else { break };
            let (run, seq) = line.split_once(' ').unwrap();
            last.insert(run.parse().unwrap(), seq.parse().unwrap());
        }
        child.wait().unwrap();
        assert_eq!(last.len(), 4);
        assert_eq!(subject.check().await, [""; 0]);
        let store = subject.open().await;
        for (run, acknowledged) in last {
            let head = store.head(run).await.unwrap().unwrap();
            let found = head.seq.0;
            assert!(
                found == acknowledged || found == acknowledged + 1,
                "{found} found, {acknowledged} acknowledged"
            );
            let mut driver = Driver::resume(&store, run).await;
            driver.commit(&store, Plan::new().note("on")).await.unwrap();
        }
    }
    assert_eq!(subject.check().await, [""; 0]);
}

/// Two processes with a hundred reservations each race for a month that fits 37.
///
/// # Panics
/// When the store fails the case.
pub async fn race_for_a_month<S: StoreUnderTest>(part: &str) {
    let subject = S::fresh();
    let mut racers = Vec::new();
    for _ in 0..2 {
        let mut child = process(part, &subject.place()).spawn().unwrap();
        let mut said = listen(&mut child);
        assert_eq!(said.next().as_deref(), Some("ready"));
        racers.push((child, said));
    }
    for (child, _) in &mut racers {
        let mut input = child.stdin.take().unwrap();
        input.write_all(b"go\n").unwrap();
    }
    let mut fitted = Vec::new();
    for (mut child, mut said) in racers {
        let count: u32 = said.next().unwrap().parse().unwrap();
        assert!(child.wait().unwrap().success());
        fitted.push(count);
    }
    assert_eq!(fitted.iter().sum::<u32>(), 37, "{fitted:?}");
    let store = subject.open().await;
    let month = TotalsOf::Month(Month::of(moment(0)));
    let totals = store.totals(month).await.unwrap();
    assert_eq!(totals.reserved.0, 37 * PRICE);
    assert_eq!(subject.check().await, [""; 0]);
}

/// This test binary once more, for one of its tests.
#[expect(
    clippy::disallowed_methods,
    reason = "a process that can be killed is what these cases are about"
)]
fn process(part: &str, place: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args([part, "--exact", "--nocapture", "--test-threads=1"])
        .env(PLACE, place)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    command
}

/// The lines that a process says to its parent.
fn listen(child: &mut Child) -> impl Iterator<Item = String> + use<> {
    let output: ChildStdout = child.stdout.take().unwrap();
    let lines = BufReader::new(output).lines().map_while(Result::ok);
    lines.filter_map(|line| {
        let (_, said) = line.split_once(SAYS)?;
        Some(said.to_owned())
    })
}
