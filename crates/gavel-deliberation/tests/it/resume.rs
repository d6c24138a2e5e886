//! A debate, killed around every fact and resumed, comes to the same end and buys nothing twice.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use gavel_deliberation::{Convened, convene, review};
use gavel_domain::{Caps, Decision, Record, RunId, RunState, Seq};
use gavel_run::{DriveEnd, Engine, RunError, StopHandle, SystemClock};
use gavel_store::{CallState, CallsQuery, Store};
use gavel_testkit::{DeadlyStore, Killer, STRICT, ScriptedModel, TestBed, open_store, outcomes};

use crate::chamber::{Chamber, Plan, council, leader, models_of, stubborn};

struct World {
    bed: TestBed,
    run: RunId,
    models: [(&'static str, ScriptedModel); 3],
}

impl World {
    fn new() -> Self {
        let models = [
            ("a/one", stubborn("A")),
            ("b/two", stubborn("B")),
            ("test/leader", leader()),
        ];
        let pairs = models.each_ref().map(|(id, model)| (*id, model));
        let (bed, run) = current_runtime().block_on(async {
            let bed = TestBed::with_models(models_of(&pairs)).await;
            let run = bed.start(Caps::default()).await;
            (bed, run)
        });
        Self { bed, run, models }
    }

    /// One process: drives, and dies when the killer strikes.
    fn live(
        &self,
        killer: &Killer,
        deadly: bool,
    ) -> Option<(Result<DriveEnd, RunError>, Convened)> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let pairs = self.models.each_ref().map(|(id, model)| (*id, model));
        let debated = Mutex::default();
        let end = runtime.block_on(async {
            let store = open_store(&self.bed.state()).await;
            let store: Arc<dyn Store> = if deadly {
                Arc::new(DeadlyStore::new(store, killer.clone()))
            } else {
                store
            };
            let models = Arc::new(models_of(&pairs));
            let engine = Engine::new(store, models, Arc::new(SystemClock), ("test", "test"));
            let work = engine.drive(self.run, STRICT, StopHandle::new(), async |run| {
                let plan = Plan::debate();
                let council = council(&["a/one", "b/two"], self.bed.folder());
                let scope = run.scope("council", 1)?;
                let held = convene(&run, &scope, &council, &plan.matter()).await?;
                *debated.lock().unwrap() = Some(held);
                Ok(())
            });
            tokio::select! {
                biased;
                () = killer.strikes() => None,
                end = work => Some(end),
            }
        });
        runtime.shutdown_timeout(Duration::from_secs(5));
        let debated = debated.into_inner().unwrap();
        end.zip(debated)
    }

    fn records(&self) -> Vec<Record> {
        self.look(async |store| store.records(self.run, Seq::ZERO, 10_000).await.unwrap())
    }

    fn look<T>(&self, look: impl AsyncFnOnce(Arc<dyn Store>) -> T) -> T {
        current_runtime().block_on(async { look(open_store(&self.bed.state()).await).await })
    }

    fn requests(&self) -> usize {
        let counts = self.models.iter().map(|(_, model)| model.requests().len());
        counts.sum()
    }
}

fn current_runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
}

#[test]
fn a_debate_killed_around_every_fact_ends_like_the_undisturbed_one() {
    let calm = World::new();
    let (end, calm_debated) = calm.live(&Killer::new(), false).unwrap();
    assert_eq!(end.unwrap(), DriveEnd::Through(RunState::Running));
    // Plan, research need, two openings, two rounds of two turns and an evaluation, the minutes
    // between them, synthesis, judgement.
    assert_eq!(calm.requests(), 13);

    let deadly = World::new();
    let killer = Killer::new();
    let (end, debated) = (0..500).find_map(|_| deadly.live(&killer, true)).unwrap();
    assert_eq!(end.unwrap(), DriveEnd::Through(RunState::Running));
    assert!(
        killer.count() > calm.records().len(),
        "{} deaths",
        killer.count()
    );
    assert_eq!(debated, calm_debated);
    assert_eq!(outcomes(&deadly.records()), outcomes(&calm.records()));

    // Every reply was bought once; what a death lost was booked.
    let (settled, lost) = deadly.look(async |store| {
        let calls = store.calls(CallsQuery::default()).await.unwrap();
        let count = |state| calls.iter().filter(|call| call.state == state).count();
        assert_eq!(count(CallState::Reserved), 0);
        (count(CallState::Settled), count(CallState::Lost))
    });
    assert_eq!(settled, 13);
    assert!(deadly.requests() <= settled + lost);
    for (_, model) in deadly.models.iter().chain(&calm.models) {
        model.finish();
    }
}

#[test]
fn a_second_drive_asks_nobody() {
    let world = World::new();
    let (_, first) = world.live(&Killer::new(), false).unwrap();
    let records = world.records();
    for (_, model) in &world.models {
        model.forbid_requests();
    }
    let (end, second) = world.live(&Killer::new(), false).unwrap();
    assert_eq!(end.unwrap(), DriveEnd::Through(RunState::Running));
    assert_eq!(second, first);
    assert_eq!(outcomes(&world.records()), outcomes(&records));
    for (_, model) in &world.models {
        model.finish();
    }
}

#[tokio::test]
async fn a_review_is_read_from_the_record_on_a_second_drive() {
    let model = ScriptedModel::new();
    let mut chamber = Chamber::new(&[("a/one", &model)]).await;
    chamber.plan = Plan::idea();
    let mut all: Vec<Vec<Decision>> = Vec::new();
    for _ in 0..2 {
        let decisions = Mutex::default();
        let end = chamber.bed.drive(chamber.run, async |run| {
            let scope = run.scope("council", 1)?;
            *decisions.lock().unwrap() = review(&run, &scope, &chamber.plan.topic()).await?;
            Ok(())
        });
        end.await.unwrap();
        all.push(decisions.into_inner().unwrap());
    }
    assert_eq!(all[0], all[1]);
    assert_eq!(all[0].len(), 2);
    let story = "council-1/review review_made
council-1/decision-1 decision_made
council-1/decision-2 decision_made
";
    assert_eq!(chamber.keys().await, story);
    assert_eq!(model.requests().len(), 0);
}
