//! Kills a driver with -9 at a named place of its run.

use std::process::Child;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gavel_domain::{Record, Seq};
use gavel_store::{SqliteStore, Store as _};
use gavel_testkit::open_store;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};

use crate::bench::{ended, run_id};
use crate::studio::Studio;

/// Longer than anything takes that does not hang.
const PATIENCE: Duration = Duration::from_secs(90);
/// How long a process goes on between two looks at it: less than a record takes.
const SLICE: Duration = Duration::from_micros(100);

/// A place on the way of a run: behind one record and before another. A `*` in a key stands for
/// anything.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Between {
    /// From this record on the process goes in slices, so that a short place is met.
    pub(crate) near: &'static str,
    pub(crate) after: &'static str,
    pub(crate) before: &'static str,
}

impl Between {
    /// A place that takes so long that slices are not needed.
    pub(crate) const fn long(after: &'static str, before: &'static str) -> Self {
        Self {
            near: after,
            after,
            before,
        }
    }
}

/// Lets a process go on to that place and kills it there; returns the last key on record.
pub(crate) fn kill(studio: &Studio, mut child: Child, place: Between) -> String {
    let pid = Pid::from_child(&child);
    let mut journal = Journal::open(studio, &mut child);
    let until = Instant::now() + PATIENCE;
    while !journal.holds(place.near) {
        if child.try_wait().unwrap().is_some() || Instant::now() > until {
            child.kill().unwrap();
            panic!("never near {place:?}: {:?}", ended(child));
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    while !(stopped(pid) && journal.holds(place.after)) {
        if child.try_wait().unwrap().is_some() || Instant::now() > until {
            child.kill().unwrap();
            panic!("never at {place:?}: {:?}", ended(child));
        }
        kill_process(pid, Signal::CONT).unwrap();
        let slice = Instant::now();
        while slice.elapsed() < SLICE {
            std::hint::spin_loop();
        }
    }
    child.kill().unwrap();
    let killed = ended(child);
    assert_eq!(killed.code, None, "{killed:?}");
    assert!(
        !journal.holds(place.before),
        "too late for {place:?}: {:?}",
        journal.last()
    );
    journal.last()
}

/// Stops a process; false when it ended before.
fn stopped(pid: Pid) -> bool {
    kill_process(pid, Signal::STOP).unwrap();
    // What it is about to write is written when it stands still. Its end stays for who waits for it.
    let options = WaitIdOptions::STOPPED | WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    let status = waitid(WaitId::Pid(pid), options).unwrap().unwrap();
    status.stopped()
}

/// The keys of a run, read from outside while somebody drives it.
struct Journal {
    runtime: tokio::runtime::Runtime,
    store: Arc<SqliteStore>,
    keys: Vec<String>,
    at: Seq,
}

impl Journal {
    /// Waits for the first record, then opens the store.
    fn open(studio: &Studio, child: &mut Child) -> Self {
        let until = Instant::now() + PATIENCE;
        let state = studio.bench.state();
        while !state.join("gavel.db").exists() {
            assert!(child.try_wait().unwrap().is_none(), "it ended too early");
            assert!(Instant::now() < until, "no store");
            std::thread::sleep(Duration::from_millis(1));
        }
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        Self {
            store: runtime.block_on(open_store(&state)),
            runtime,
            keys: Vec::new(),
            at: Seq::ZERO,
        }
    }

    /// True when a record with such a key is there.
    fn holds(&mut self, pattern: &str) -> bool {
        let read = self.store.records(run_id(), self.at, 100_000);
        for record in self.runtime.block_on(read).unwrap() {
            self.at = record.seq;
            self.keys.push(record.key.to_string());
        }
        self.keys.iter().any(|key| fits(key, pattern))
    }

    fn last(&self) -> String {
        self.keys.last().cloned().unwrap_or_default()
    }
}

/// True when a key is of that pattern.
fn fits(key: &str, pattern: &str) -> bool {
    match pattern.split_once('*') {
        None => key == pattern,
        Some((before, after)) => key
            .strip_prefix(before)
            .is_some_and(|rest| rest.ends_with(after)),
    }
}

/// The keys of records of a kind, in order.
pub(crate) fn keys_of(records: &[Record], kind: &str) -> Vec<String> {
    let of_kind = records.iter().filter(|record| record.kind == kind);
    of_kind.map(|record| record.key.key().to_string()).collect()
}
