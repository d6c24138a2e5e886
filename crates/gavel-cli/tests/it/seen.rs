//! What the store holds of a run, and that nothing is wrong with it.

use std::collections::BTreeMap;

use gavel_domain::{BlobRef, Fact, Record, RunId, Seq};
use gavel_store::{CallState, CallsQuery, Store as _};
use gavel_testkit::open_store;

use crate::bench::{Bench, run_id};

/// What is on record.
pub(crate) struct Seen {
    pub(crate) records: Vec<Record>,
    /// Calls by key: settled ones, and those whose reply was lost.
    pub(crate) settled: BTreeMap<String, usize>,
    pub(crate) lost: BTreeMap<String, usize>,
}

impl Seen {
    /// Reads the run of a bench that nobody drives.
    pub(crate) fn of(bench: &Bench) -> Self {
        Self::of_run(bench, run_id())
    }

    /// The same for another run.
    pub(crate) fn of_run(bench: &Bench, run: RunId) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let store = open_store(&bench.state()).await;
            assert_eq!(store.check().await.unwrap(), []);
            let records = store.records(run, Seq::ZERO, 100_000).await.unwrap();
            let calls = store.calls(CallsQuery::default()).await.unwrap();
            let count = |state| {
                let mut by_key = BTreeMap::new();
                for call in calls.iter().filter(|call| call.state == state) {
                    *by_key.entry(call.call.key.key().to_string()).or_default() += 1;
                }
                by_key
            };
            assert_eq!(
                count(CallState::Reserved),
                BTreeMap::new(),
                "nothing stays reserved"
            );
            Self {
                records,
                settled: count(CallState::Settled),
                lost: count(CallState::Lost),
            }
        })
    }

    /// The records of a run that was cut short: what it had reserved may still be.
    pub(crate) fn records_of(bench: &Bench) -> Vec<Record> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let store = open_store(&bench.state()).await;
            store.records(run_id(), Seq::ZERO, 100_000).await.unwrap()
        })
    }

    /// A text that a fact names.
    pub(crate) fn text(bench: &Bench, name: BlobRef) -> String {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let text = runtime.block_on(async {
            let store = open_store(&bench.state()).await;
            store.blob(name.digest).await.unwrap().unwrap()
        });
        String::from_utf8(text).unwrap()
    }

    /// The facts of a kind, in order.
    pub(crate) fn facts<T: Fact>(&self) -> Vec<T> {
        let all = self.records.iter();
        all.filter_map(|record| record.read().ok()).collect()
    }

    /// True when a fact of that kind is on record.
    pub(crate) fn holds(&self, kind: &str) -> bool {
        self.records.iter().any(|record| record.kind == kind)
    }
}
