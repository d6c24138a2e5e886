//! A place where runs can be driven in a test: a state folder, a store, models, a clock.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use gavel_domain::{
    Caps, Digest, Price, ProjectId, Record, RunId, Seq, Settings, Speaker, Timestamp, Tokens,
};
use gavel_models::{Model, ModelId, ModelInfo, Models, Tier, Tokenizer};
use gavel_run::{
    Clock, Drift, DriveEnd, DriveOptions, Engine, Mailbox, NewRun, PaidConsent, Recaller, Run,
    RunError, StopHandle, SystemClock, WaitMode,
};
use gavel_store::{Access, SqliteStore, Store, StoreOptions};
use tempfile::TempDir;

/// The model that test beds offer.
pub const TEST_MODEL: &str = "test/model";

/// A price at which one input token costs one micro-dollar and one output token two.
pub const TEST_PRICE: Price = Price {
    input: 1_000_000,
    cache_read: 1_000_000,
    cache_write: 1_000_000,
    output: 2_000_000,
};

/// Strict driving: leave when a question is open, fail on drift.
pub const STRICT: DriveOptions = DriveOptions {
    wait: WaitMode::Leave,
    yes: false,
    drift: Drift::Fail,
    paid: PaidConsent::Given,
};

/// A state folder with everything that a drive needs.
#[derive(Debug)]
pub struct TestBed {
    folder: TempDir,
    store: Arc<SqliteStore>,
    engine: Engine,
    clock: Arc<SystemClock>,
}

/// A clock that moves with tokio's, so that paused time is paused here too.
#[derive(Debug)]
pub struct TokioClock {
    base: Timestamp,
    begun: tokio::time::Instant,
}

impl TokioClock {
    /// Begins at noon of a day in November.
    pub fn new() -> Self {
        let base = Timestamp::from_second(1_794_744_000).unwrap_or(Timestamp::UNIX_EPOCH);
        Self {
            base,
            begun: tokio::time::Instant::now(),
        }
    }
}

impl Default for TokioClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for TokioClock {
    fn now(&self) -> Timestamp {
        self.base
            .saturating_add(self.begun.elapsed())
            .unwrap_or(self.base)
    }
}

impl TestBed {
    /// A fresh folder with a real store, and this model at [`TEST_PRICE`].
    pub async fn new(model: impl Model + 'static) -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self::reopen(folder, models_with(model, Some(TEST_PRICE))).await
    }

    /// A fresh folder with these models.
    pub async fn with_models(models: Models) -> Self {
        Self::reopen(tempfile::tempdir().unwrap(), models).await
    }

    /// A copy of a kept store, with this model at [`TEST_PRICE`].
    pub async fn over(kept: &Path, model: impl Model + 'static) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("state");
        std::fs::create_dir_all(&state).unwrap();
        std::fs::copy(kept.join("gavel.db"), state.join("gavel.db")).unwrap();
        Self::reopen(folder, models_with(model, Some(TEST_PRICE))).await
    }

    /// Keeps the store as one file in this folder, for [`TestBed::over`].
    pub async fn keep_store(&self, folder: &Path) {
        let copied = folder.join("state");
        std::fs::create_dir_all(&copied).unwrap();
        for name in ["gavel.db", "gavel.db-wal"] {
            let file = self.state().join(name);
            if file.exists() {
                std::fs::copy(file, copied.join(name)).unwrap();
            }
        }
        // Retention folds the log into the file, and there is nothing old enough to be dropped.
        let store = SqliteStore::open(StoreOptions::new(&copied, Access::ReadWrite)).await;
        let store = store.unwrap();
        store.retain(Timestamp::UNIX_EPOCH).await.unwrap();
        store.close().await.unwrap();
        std::fs::rename(copied.join("gavel.db"), folder.join("gavel.db")).unwrap();
        std::fs::remove_dir_all(copied).unwrap();
    }

    async fn reopen(folder: TempDir, models: Models) -> Self {
        let store = open_store(&folder.path().join("state")).await;
        let clock = Arc::new(SystemClock);
        let engine = Engine::new(
            store.clone(),
            Arc::new(models),
            clock.clone(),
            ("bed", "test"),
        );
        Self {
            folder,
            store,
            engine,
            clock,
        }
    }

    /// The same with project memory behind its engine.
    #[must_use]
    pub fn with_recaller(mut self, recaller: impl Recaller + 'static) -> Self {
        self.engine = self.engine.with_recaller(Arc::new(recaller));
        self
    }

    /// The engine.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The store.
    pub fn store(&self) -> Arc<dyn Store> {
        self.store.clone()
    }

    /// The test's own folder.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Where the store lies.
    pub fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    /// A mailbox of a person at the command line.
    pub fn mailbox(&self) -> Mailbox {
        self.mailbox_of(Speaker::PERSON)
    }

    /// A mailbox of somebody else.
    pub fn mailbox_of(&self, speaker: Speaker) -> Mailbox {
        Mailbox::new(self.store.clone(), self.clock.clone(), speaker)
    }

    /// Starts a run with these caps.
    pub async fn start(&self, caps: Caps) -> RunId {
        self.start_in(None, caps).await
    }

    /// The same in a project.
    pub async fn start_in(&self, project: Option<ProjectId>, caps: Caps) -> RunId {
        self.start_with((1, caps), project).await
    }

    /// The same by a version of a driver's flow.
    pub async fn start_with(&self, (flow, caps): (u32, Caps), project: Option<ProjectId>) -> RunId {
        let settings = Settings {
            caps,
            ..Settings::default()
        };
        let new = NewRun {
            driver: "test".into(),
            flow,
            settings,
            project,
            brief: None,
        };
        self.engine.start(new).await.unwrap()
    }

    /// Drives strictly.
    pub async fn drive<F, Fut>(&self, run: RunId, driver: F) -> Result<DriveEnd, RunError>
    where
        F: FnOnce(Run) -> Fut,
        Fut: Future<Output = Result<(), RunError>>,
    {
        self.engine
            .drive(run, STRICT, StopHandle::new(), driver)
            .await
    }

    /// All records of a run, verified.
    pub async fn records(&self, run: RunId) -> Vec<Record> {
        gavel_run::replay(self.store.as_ref(), run, None)
            .await
            .unwrap();
        self.store.records(run, Seq::ZERO, u32::MAX).await.unwrap()
    }

    /// The run as a story: one line `key kind` per record, in order.
    pub async fn story(&self, run: RunId) -> String {
        let lines = self
            .records(run)
            .await
            .into_iter()
            .map(|r| format!("{} {}\n", r.key, r.kind));
        lines.collect()
    }
}

/// Opens a real store.
pub async fn open_store(state: &Path) -> Arc<SqliteStore> {
    Arc::new(
        SqliteStore::open(StoreOptions::new(state, Access::ReadWrite))
            .await
            .unwrap(),
    )
}

/// One model under [`TEST_MODEL`] at a price.
pub fn models_with(model: impl Model + 'static, price: Option<Price>) -> Models {
    let mut models = Models::default();
    models.insert(test_info(price), Arc::new(model));
    models
}

/// What is known of the test model.
pub fn test_info(price: Option<Price>) -> ModelInfo {
    ModelInfo {
        id: test_model(),
        tier: Tier::Balanced,
        context: Tokens(100_000),
        max_output: Tokens(4_000),
        price,
        tokenizer: Tokenizer::Unknown,
    }
}

/// The id of the test model.
pub fn test_model() -> ModelId {
    TEST_MODEL.parse().unwrap()
}

/// A seed that is the same in every test.
pub fn test_seed() -> Digest {
    Digest::of("seed")
}
