//! One run, killed before and after every fact, comes to the same end as the undisturbed one.

use std::path::Path;
use std::sync::Arc;

use gavel_domain::{AnswerReply, Digest, Key, Record, RunId, RunState, Seq, Settings, Speaker};
use gavel_models::Request;
use gavel_run::{
    Drift, DriveEnd, DriveOptions, Engine, Mailbox, NewRun, PaidConsent, RunError, Stop,
    StopHandle, SystemClock, WaitMode, toy,
};
use gavel_store::{CallState, CallsQuery, SqliteStore, Store};
use gavel_testkit::{
    DeadlyStore, Killer, ScriptedModel, TEST_PRICE, ToyBed, models_with, open_store, outcomes,
    test_model, test_seed, text_reply,
};

const OPTIONS: DriveOptions = DriveOptions {
    wait: WaitMode::Leave,
    yes: true,
    drift: Drift::Fail,
    paid: PaidConsent::Given,
};

fn run_id() -> RunId {
    "01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap()
}

struct World {
    folder: tempfile::TempDir,
    toy: ToyBed,
    model: ScriptedModel,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let toy = ToyBed::new(folder.path());
        // The same request gets the same reply, however often it comes.
        let model = ScriptedModel::by_rule(|request: &Request| {
            let text = serde_json::to_string(request.messages.last().unwrap()).unwrap();
            Ok(text_reply(&format!(
                "answer to {}",
                Digest::of(text).short()
            )))
        });
        Self { folder, toy, model }
    }

    fn engine(&self, store: Arc<dyn Store>) -> Engine {
        let models = models_with(self.model.clone(), Some(TEST_PRICE));
        Engine::new(
            store,
            Arc::new(models),
            Arc::new(SystemClock),
            ("test", "test"),
        )
    }

    fn new_run(&self) -> NewRun {
        let brief = self.toy.brief(test_model(), 3);
        NewRun {
            driver: toy::DRIVER.into(),
            flow: toy::FLOW,
            settings: Settings::default(),
            project: None,
            brief: Some(serde_json::to_string(&brief).unwrap()),
        }
    }

    fn state(&self) -> std::path::PathBuf {
        self.folder.path().join("state")
    }
}

/// One process: opens the store, drives, and dies when the killer strikes.
fn live(world: &World, killer: Option<&Killer>) -> Option<Result<DriveEnd, RunError>> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let end = runtime.block_on(async {
        let store = open_store(&world.state()).await;
        let quiet = Killer::new();
        let (store, killer): (Arc<dyn Store>, &Killer) = match killer {
            Some(killer) => (Arc::new(DeadlyStore::new(store, killer.clone())), killer),
            None => (store, &quiet),
        };
        let engine = world.engine(store.clone());
        let work = async {
            if store.head(run_id()).await.unwrap().is_none() {
                engine
                    .start_as(run_id(), test_seed(), world.new_run())
                    .await?;
            }
            engine
                .drive(run_id(), OPTIONS, StopHandle::new(), toy::drive)
                .await
        };
        tokio::select! {
            biased;
            () = killer.strikes() => None,
            end = work => Some(end),
        }
    });
    // What a dying process leaves: nothing is awaited, everything is dropped.
    runtime.shutdown_timeout(std::time::Duration::from_secs(5));
    end
}

/// A person looks whether the letter was sent, and answers.
fn answer_about_letter(world: &World, question: Key) {
    look(&world.state(), async |store| {
        let id = if world.toy.letters().exists() {
            "happened"
        } else {
            "again"
        };
        let mailbox = Mailbox::new(store, Arc::new(SystemClock), Speaker::PERSON);
        let reply = AnswerReply::Option { id: id.into() };
        mailbox
            .answer(run_id(), Some(question), reply)
            .await
            .unwrap();
    });
}

fn look<T>(state: &Path, look: impl AsyncFnOnce(Arc<SqliteStore>) -> T) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async { look(open_store(state).await).await })
}

fn records(world: &World) -> Vec<Record> {
    look(&world.state(), async |store| {
        store.records(run_id(), Seq::ZERO, 10_000).await.unwrap()
    })
}

/// Drives a run to its end with a death at every place; returns how many times it died.
fn die_everywhere(world: &World) -> usize {
    let killer = Killer::new();
    for _ in 0..500 {
        match live(world, Some(&killer)) {
            None => {}
            Some(Ok(DriveEnd::Stopped(Stop::Waiting { question }))) => {
                answer_about_letter(world, question);
            }
            Some(end) => {
                assert_eq!(end.unwrap(), DriveEnd::Through(RunState::Halted));
                return killer.count();
            }
        }
    }
    panic!("the run makes no progress")
}

#[test]
fn a_run_killed_around_every_fact_ends_like_the_undisturbed_one() {
    let calm = World::new();
    let end = live(&calm, None).unwrap().unwrap();
    assert_eq!(end, DriveEnd::Through(RunState::Halted));
    let deadly = World::new();
    let deaths = die_everywhere(&deadly);

    let (calm_records, deadly_records) = (records(&calm), records(&deadly));
    assert!(deaths > calm_records.len(), "{deaths} deaths");
    assert_eq!(outcomes(&deadly_records), outcomes(&calm_records));
    let branch = format!("gavel/build-{}", run_id().short());
    assert_eq!(deadly.toy.log(&branch), calm.toy.log(&branch));
    assert_eq!(deadly.toy.checkout_state(), calm.toy.checkout_state());
    let letters = |world: &World| std::fs::read_to_string(world.toy.letters()).unwrap();
    assert_eq!(
        letters(&deadly),
        letters(&calm),
        "the letter was sent exactly once"
    );

    calm.model.finish();
    deadly.model.finish();
    let (settled, lost) = look(&deadly.state(), async |store| {
        assert_eq!(store.check().await.unwrap(), []);
        let calls = store.calls(CallsQuery::default()).await.unwrap();
        let count = |state| calls.iter().filter(|call| call.state == state).count();
        assert_eq!(count(CallState::Reserved), 0, "nothing stays reserved");
        (count(CallState::Settled), count(CallState::Lost))
    });
    let requests = deadly.model.requests().len();
    assert_eq!(
        settled,
        calm.model.requests().len(),
        "every reply was bought once"
    );
    assert!(
        requests <= settled + lost,
        "{requests} requests, {settled} settled, {lost} lost"
    );
}
