//! A clarification, killed around every fact and resumed, comes to the same end and buys nothing
//! twice.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use gavel_deliberation::Clarified;
use gavel_domain::{Record, RunState, Seq};
use gavel_run::{DriveEnd, DriveOptions, Engine, StopHandle, SystemClock};
use gavel_store::{CallState, CallsQuery, Store};
use gavel_testkit::{DeadlyStore, Killer, STRICT, ScriptedModel, open_store, outcomes, text_reply};

use crate::clarify::{Desk, clarify_in, matter, models, questions, ready};

/// The recommended answers are taken, so that a drive gets through by itself.
const BY_ITSELF: DriveOptions = DriveOptions {
    yes: true,
    ..STRICT
};
/// Questions, readiness, matter.
const CALLS: usize = 3;

struct World {
    desk: Desk,
    balanced: ScriptedModel,
    leader: ScriptedModel,
}

impl World {
    fn new() -> Self {
        let balanced = ScriptedModel::by_rule(|request| {
            let answer = match request.answer.as_ref().unwrap().name.as_str() {
                "council_questions" => questions(&["May a job be lost?", "How many a day?"]),
                "council_readiness" => ready(),
                "council_matter" => matter("Jobs need a place."),
                other => panic!("nobody asks for {other}"),
            };
            Ok(text_reply(&answer.to_string()))
        });
        let leader = ScriptedModel::new();
        let desk = current_runtime().block_on(Desk::new(balanced.clone(), leader.clone()));
        Self {
            desk,
            balanced,
            leader,
        }
    }

    /// One process: drives, and dies when the killer strikes.
    fn live(&self, killer: &Killer, deadly: bool) -> Option<Clarified> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let (bed, run) = (&self.desk.bed, self.desk.run);
        let clarified = Mutex::default();
        let end = runtime.block_on(async {
            let store = open_store(&bed.state()).await;
            let store: Arc<dyn Store> = if deadly {
                Arc::new(DeadlyStore::new(store, killer.clone()))
            } else {
                store
            };
            let models = Arc::new(models(&self.balanced, &self.leader));
            let engine = Engine::new(store, models, Arc::new(SystemClock), ("test", "test"));
            let work = engine.drive(run, BY_ITSELF, StopHandle::new(), async |run| {
                let came = clarify_in(&run, bed, true).await?;
                *clarified.lock().unwrap() = Some(came);
                Ok(())
            });
            tokio::select! {
                biased;
                () = killer.strikes() => None,
                end = work => Some(end),
            }
        });
        runtime.shutdown_timeout(Duration::from_secs(5));
        let end = end?.unwrap();
        assert_eq!(end, DriveEnd::Through(RunState::Running));
        clarified.into_inner().unwrap()
    }

    fn records(&self) -> Vec<Record> {
        let run = self.desk.run;
        self.look(async |store| store.records(run, Seq::ZERO, 10_000).await.unwrap())
    }

    fn look<T>(&self, look: impl AsyncFnOnce(Arc<dyn Store>) -> T) -> T {
        let state = self.desk.bed.state();
        current_runtime().block_on(async { look(open_store(&state).await).await })
    }
}

fn current_runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
}

#[test]
fn a_clarification_killed_around_every_fact_ends_like_the_undisturbed_one() {
    let calm = World::new();
    let undisturbed = calm.live(&Killer::new(), false).unwrap();
    assert_eq!(calm.balanced.requests().len(), CALLS);

    let deadly = World::new();
    let killer = Killer::new();
    let resumed = (0..500).find_map(|_| deadly.live(&killer, true)).unwrap();
    assert!(killer.count() > calm.records().len());
    assert_eq!(resumed, undisturbed);
    assert_eq!(outcomes(&deadly.records()), outcomes(&calm.records()));

    // Every reply was bought once; what a death lost was booked.
    let (settled, lost) = deadly.look(async |store| {
        let calls = store.calls(CallsQuery::default()).await.unwrap();
        let count = |state| calls.iter().filter(|call| call.state == state).count();
        assert_eq!(count(CallState::Reserved), 0);
        (count(CallState::Settled), count(CallState::Lost))
    });
    assert_eq!(settled, CALLS);
    assert!(deadly.balanced.requests().len() <= settled + lost);
    for model in [&calm.balanced, &deadly.balanced, &deadly.leader] {
        model.finish();
    }
}
