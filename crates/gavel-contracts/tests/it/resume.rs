//! Contracts whose writer is killed before and after every fact are the same in the end.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use gavel_contracts::Written;
use gavel_domain::{ContractKind, Digest, Record, RunId, RunState, Seq};
use gavel_models::{Reply, Request};
use gavel_run::{DriveEnd, Engine, RunError, StopHandle, SystemClock};
use gavel_store::{CallState, CallsQuery, Store};
use gavel_testkit::{
    DeadlyStore, Killer, STRICT, ScriptedModel, TEST_PRICE, models_with, open_store, outcomes,
    tool_reply,
};

use crate::bench::{Bench, handed_in, inputs, kind_of, replies, sample, work};

/// Looks around first, and gets one contract wrong at first.
fn scripted(request: &Request) -> Reply {
    let kind = kind_of(request);
    let good = handed_in(&sample(kind));
    match (kind, replies(request)) {
        (ContractKind::Schema, 0) => tool_reply(&[
            ("a", "gavel_list_contracts", "{}"),
            ("b", "gavel_get_project_context", r#"{"about":"idea"}"#),
        ]),
        (ContractKind::Phases, 0) => {
            let bad = sample(kind).replace("Phase 1", "Phase 4");
            tool_reply(&[("c", "submit_contract", &handed_in(&bad))])
        }
        (_, turn) => tool_reply(&[(&format!("s{turn}"), "submit_contract", &good)]),
    }
}

struct World {
    bench: Bench,
    run: RunId,
}

impl World {
    fn new() -> Self {
        let model = ScriptedModel::by_rule(|request| Ok(scripted(request)));
        let bench = on_runtime(Bench::new(&model));
        let run = bench.run;
        Self { bench, run }
    }

    /// One process: drives, and dies when the killer strikes.
    fn live(&self, killer: &Killer, deadly: bool) -> Option<Result<DriveEnd, RunError>> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let model = self.bench.model.clone();
        let folder: PathBuf = self.bench.bed.folder().to_owned();
        let end = runtime.block_on(async {
            let store = open_store(&self.bench.bed.state()).await;
            let store: Arc<dyn Store> = if deadly {
                Arc::new(DeadlyStore::new(store, killer.clone()))
            } else {
                store
            };
            let models = Arc::new(models_with(model, Some(TEST_PRICE)));
            let engine = Engine::new(store, models, Arc::new(SystemClock), ("test", "test"));
            let drive = engine.drive(self.run, STRICT, StopHandle::new(), async |run| {
                let written = work(&run, &folder, &inputs()).await?;
                let Written::All(shelf) = written else {
                    panic!("{written:?}");
                };
                assert!(shelf.is_complete());
                Ok(())
            });
            tokio::select! {
                biased;
                () = killer.strikes() => None,
                end = drive => Some(end),
            }
        });
        runtime.shutdown_timeout(Duration::from_secs(5));
        end
    }

    fn records(&self) -> Vec<Record> {
        on_runtime(async {
            let store = open_store(&self.bench.bed.state()).await;
            store.records(self.run, Seq::ZERO, 10_000).await.unwrap()
        })
    }

    /// The different requests that were made.
    fn asked(&self) -> Vec<Digest> {
        let requests = self.bench.model.requests();
        let mut all: Vec<_> = requests
            .iter()
            .map(|request| Digest::of_json(request).unwrap())
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

fn on_runtime<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(future)
}

#[test]
fn contracts_killed_around_every_fact_end_like_the_undisturbed_ones() {
    let calm = World::new();
    let end = calm.live(&Killer::new(), false).unwrap().unwrap();
    assert_eq!(end, DriveEnd::Through(RunState::Running));

    let deadly = World::new();
    let killer = Killer::new();
    let end = (0..1_000).find_map(|_| deadly.live(&killer, true)).unwrap();
    assert_eq!(end.unwrap(), DriveEnd::Through(RunState::Running));
    let (struck, facts) = (killer.count(), calm.records().len());
    assert!(struck > facts, "{struck} deaths, {facts} facts");
    assert_eq!(outcomes(&deadly.records()), outcomes(&calm.records()));
    calm.bench.model.finish();
    deadly.bench.model.finish();

    // Every reply was bought once; what a death lost was booked.
    let calls = on_runtime(async {
        let store = open_store(&deadly.bench.bed.state()).await;
        store.calls(CallsQuery::default()).await.unwrap()
    });
    let count = |state| calls.iter().filter(|call| call.state == state).count();
    assert_eq!(count(CallState::Settled), 11);
    assert_eq!(calm.bench.model.requests().len(), 11);
    let requests = deadly.bench.model.requests().len();
    assert!(requests <= count(CallState::Settled) + count(CallState::Lost));
    assert_eq!(deadly.asked(), calm.asked());

    // A drive over the whole record asks nobody.
    deadly.bench.model.forbid_requests();
    let end = deadly.live(&killer, false).unwrap().unwrap();
    assert_eq!(end, DriveEnd::Through(RunState::Running));
    deadly.bench.model.finish();
}
