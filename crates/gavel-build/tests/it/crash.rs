//! One phase, killed before and after every fact and resumed, comes to the same end.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use gavel_build::verify_commit;
use gavel_domain::{Record, RunId, RunState, Seq, Settings};
use gavel_run::{DriveEnd, Engine, NewRun, RunError, StopHandle, SystemClock};
use gavel_store::{CallState, CallsQuery, Store};
use gavel_testkit::{
    DeadlyStore, Killer, STRICT, ScriptedModel, TEST_PRICE, git, models_with, open_store, outcomes,
    test_seed,
};

use crate::bench::{Ground, ground, judged};
use crate::script::{Script, finds, passes, writes};

fn run_id() -> RunId {
    "01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap()
}

fn python(sum: u32) -> String {
    format!(
        "import unittest\n\nclass Sums(unittest.TestCase):\n    def test_sum(self):\n        \
         open('made.txt', 'a').write('x')\n        self.assertEqual(1 + 2, {sum})\n"
    )
}

/// A test that fails first, and leaves a trace in the tree each time that it runs.
fn script() -> Script {
    Script {
        coder: vec![writes(&[("test_sums.py", &python(4))])],
        audits: vec![vec![finds("test_sums.py", "it is 3")], vec![passes()]],
        fixes: vec![vec![writes(&[
            ("test_sums.py", &python(3)),
            ("ROUND-1", ""),
        ])]],
    }
}

struct World {
    folder: tempfile::TempDir,
    ground: Ground,
    model: ScriptedModel,
}

impl World {
    fn new() -> Self {
        let (folder, ground) = runtime().block_on(ground(&[("README.md", "# Sums\n")]));
        let ground = ground.with_remote();
        Self {
            folder,
            ground,
            model: script().model(),
        }
    }

    fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    /// One process: drives, and dies when the killer strikes.
    fn live(&self, killer: &Killer, deadly: bool) -> Option<Result<DriveEnd, RunError>> {
        let runtime = runtime();
        let end = runtime.block_on(async {
            let store = open_store(&self.state()).await;
            let store: Arc<dyn Store> = if deadly {
                Arc::new(DeadlyStore::new(store, killer.clone()))
            } else {
                store
            };
            let models = Arc::new(models_with(self.model.clone(), Some(TEST_PRICE)));
            let clock = Arc::new(SystemClock);
            let engine = Engine::new(store.clone(), models, clock, ("test", "test"));
            let work = Box::pin(async {
                if store.head(run_id()).await.unwrap().is_none() {
                    let new = NewRun {
                        driver: "test".into(),
                        flow: 1,
                        settings: Settings::default(),
                        project: None,
                        brief: None,
                    };
                    engine.start_as(run_id(), test_seed(), new).await?;
                }
                let drive = async |run| {
                    let site = self.ground.site(&run).await?;
                    let end = self.ground.build(&run, &site).await?;
                    assert_eq!(end.stuck, None);
                    let scope = run.scope("gate", 1)?;
                    Box::pin(verify_commit(&run, &scope, &site, judged(&end.commit))).await?;
                    Ok(())
                };
                engine
                    .drive(run_id(), STRICT, StopHandle::new(), drive)
                    .await
            });
            tokio::select! {
                biased;
                () = killer.strikes() => None,
                end = work => Some(end),
            }
        });
        runtime.shutdown_timeout(Duration::from_secs(5));
        end
    }

    fn records(&self) -> Vec<Record> {
        self.look(async |store| store.records(run_id(), Seq::ZERO, 10_000).await.unwrap())
    }

    fn look<T>(&self, look: impl AsyncFnOnce(Arc<dyn Store>) -> T) -> T {
        runtime().block_on(async { look(open_store(&self.state()).await).await })
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap()
}

/// Outcomes without what a clock says: runners print how long they took.
fn timeless(records: &[Record]) -> BTreeMap<String, String> {
    let plain = |(key, told): (String, String)| {
        let (kind, body) = told.split_once(' ').unwrap();
        let mut body: serde_json::Value = serde_json::from_str(body).unwrap();
        if matches!(kind, "verify_finished" | "command_finished") {
            let fields = body.as_object_mut().unwrap();
            fields.remove("output");
            fields.remove("millis");
        }
        (key, format!("{kind} {body}"))
    };
    outcomes(records).into_iter().map(plain).collect()
}

#[test]
fn a_phase_killed_around_every_fact_ends_like_the_undisturbed_one() {
    let calm = World::new();
    let end = calm.live(&Killer::new(), false).unwrap().unwrap();
    assert_eq!(end, DriveEnd::Through(RunState::Running));

    let deadly = World::new();
    let killer = Killer::new();
    let end = (0..500).find_map(|_| deadly.live(&killer, true)).unwrap();
    assert_eq!(end.unwrap(), DriveEnd::Through(RunState::Running));
    let calm_records = calm.records();
    assert!(killer.count() > calm_records.len(), "{}", killer.count());

    assert_eq!(timeless(&deadly.records()), timeless(&calm_records));
    let branch = calm.ground.branch(run_id());
    let log = |world: &World| {
        let format = ["log", "--format=%H %T %s", &branch];
        let here = git(&world.ground.checkout(), &format);
        assert_eq!(git(&world.ground.bare(), &format), here);
        here
    };
    assert_eq!(log(&deadly), log(&calm));
    // The tests ran twice for the record, and left two letters.
    let made = git(
        &deadly.ground.checkout(),
        &["show", &format!("{branch}:made.txt")],
    );
    assert_eq!(made, "xx");

    // Every reply was bought once.
    calm.model.finish();
    deadly.model.finish();
    let settled = deadly.look(async |store| {
        let calls = store.calls(CallsQuery::default()).await.unwrap();
        let count = |state| calls.iter().filter(|call| call.state == state).count();
        assert_eq!(count(CallState::Reserved), 0);
        count(CallState::Settled)
    });
    assert_eq!(settled, calm.model.requests().len());
}
