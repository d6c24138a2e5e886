//! A place for tests of single stages: a repository with a build's branch, a store, scripted models.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use gavel_build::{Permissions, SealKey, VerifyOutput, Workshop};
use gavel_domain::{Caps, Fact, Key, RunId, VerifyFinished, VerifyVerdict};
use gavel_models::{ModelId, ModelInfo, Models, Tier};
use gavel_rules::RunChoices;
use gavel_run::{Blobs, DriveEnd, DriveOptions, Pure, Run, RunError, StopHandle};
use gavel_testkit::{STRICT, ScriptedModel, TEST_PRICE, TestBed, git, git_program, test_info};
use gavel_workspace::{
    Commands, CommitId, Limits, Protected, SandboxDoor, TestNames, Toolchains, WithoutSandbox,
};
use serde_json::json;

use crate::place::Place;
use crate::way::{Leave, Way, WayMark};
use crate::{Means, MemoryMeans, Reach, Slots};
use gavel_domain::ProductBrief;

/// One run, and everything that a stage of it needs.
pub(crate) struct Bench {
    pub(crate) bed: TestBed,
    pub(crate) run: RunId,
    /// The tip of the build's branch.
    pub(crate) commit: CommitId,
    folder: PathBuf,
    slots: Slots,
    models: BTreeMap<ModelId, ModelInfo>,
    _temp: tempfile::TempDir,
}

/// Which model does what, by name.
#[derive(Clone, Copy)]
pub(crate) struct Cast<'a> {
    pub(crate) leader: &'a str,
    pub(crate) stances: &'a [&'a str],
    pub(crate) auditor: &'a str,
    pub(crate) judge: &'a str,
}

/// A model of a tier, at the price of tests.
/// Models, and who speaks as them.
type Cards = Vec<(ModelInfo, ScriptedModel)>;

pub(crate) fn info(id: &str, tier: Tier) -> ModelInfo {
    ModelInfo {
        id: id.parse().unwrap(),
        tier,
        ..test_info(Some(TEST_PRICE))
    }
}

impl Bench {
    /// A branch with these files on top of a repository with a readme.
    pub(crate) async fn new(
        cast: Cast<'_>,
        models: Vec<(ModelInfo, ScriptedModel)>,
        files: &[(&str, &str)],
    ) -> Self {
        Self::of_flow(1, cast, (models, files)).await
    }

    /// The same by a version of the flow.
    pub(crate) async fn of_flow(
        flow: u32,
        cast: Cast<'_>,
        (models, files): (Cards, &[(&str, &str)]),
    ) -> Self {
        let temp = tempfile::tempdir().unwrap();
        let folder = temp.path().canonicalize().unwrap();
        let mut all = Models::default();
        let mut infos = BTreeMap::new();
        for (info, model) in models {
            infos.insert(info.id.clone(), info.clone());
            all.insert(info, Arc::new(model));
        }
        let bed = TestBed::with_models(all).await;
        let run = bed.start_with((flow, Caps::default()), None).await;
        let commit = branch(&folder.join("checkout"), &run, files);
        let named = |name: &str| name.parse::<ModelId>().unwrap();
        let slots = Slots {
            leader: named(cast.leader),
            stances: cast.stances.iter().map(|name| named(name)).collect(),
            coder: named(cast.leader),
            auditor: named(cast.auditor),
            judge: named(cast.judge),
            researcher: named(cast.leader),
        };
        Self {
            bed,
            run,
            commit,
            folder,
            slots,
            models: infos,
            _temp: temp,
        }
    }

    /// Drives a stage; the value, or where it stopped.
    pub(crate) async fn drive<T>(
        &self,
        work: impl AsyncFnOnce(Way<'_>) -> Result<T, Leave>,
    ) -> Result<T, DriveEnd> {
        self.drive_as(STRICT, work).await
    }

    /// The same, with other options.
    pub(crate) async fn drive_as<T>(
        &self,
        options: DriveOptions,
        work: impl AsyncFnOnce(Way<'_>) -> Result<T, Leave>,
    ) -> Result<T, DriveEnd> {
        let value = Mutex::new(None);
        let (value_of, means) = (&value, self.means().await);
        let driver = |run: Run| async move {
            let brief = self.brief();
            let place = Place::open(&run, &brief).await?;
            let mark = WayMark::default();
            let way = Way {
                run: &run,
                brief: &brief,
                means: &means,
                place: &place,
                choices: RunChoices::of(&run.settings()),
                round: 1,
                mark: &mark,
            };
            match Box::pin(work(way)).await {
                Ok(done) => *value_of.lock().unwrap() = Some(done),
                Err(Leave::Halted) => {}
                Err(Leave::Run(error)) => return Err(error),
            }
            Ok::<(), RunError>(())
        };
        let engine = self.bed.engine();
        let end = engine.drive(self.run, options, StopHandle::new(), driver);
        let end = end.await.unwrap();
        value.into_inner().unwrap().ok_or(end)
    }

    /// The facts of a kind, in order.
    pub(crate) async fn facts<F: Fact>(&self) -> Vec<F> {
        let records = self.bed.records(self.run).await;
        let of_kind = records.iter().filter(|record| record.kind == F::KIND);
        of_kind.map(|record| record.read().unwrap()).collect()
    }

    /// The checkout that the run is about.
    pub(crate) fn checkout(&self) -> PathBuf {
        self.folder.join("checkout")
    }

    /// Where the index of its memory lies.
    pub(crate) fn index_folder(&self) -> PathBuf {
        self.folder.join("index")
    }

    fn brief(&self) -> ProductBrief {
        let checkout = self.checkout();
        let base = git(&checkout, &["rev-parse", "main"]);
        serde_json::from_value(json!({
            "idea": "a list", "git": git_program(), "checkout": checkout,
            "repository": checkout.join(".git"), "base": base,
            "work_tree": self.folder.join("build/tree"), "branch_prefix": "gavel/",
        }))
        .unwrap()
    }

    async fn means(&self) -> Means {
        let door = SandboxDoor(self.folder.join("no-such-program"));
        let scratch = self.folder.clone();
        Means {
            doubted_councils: Vec::new(),
            slots: self.slots.clone(),
            models: self.models.clone(),
            reach: Reach {
                models: self.models.values().cloned().collect(),
                leader_named: false,
                seats_named: true,
                sources: Vec::new(),
            },
            workshop: Workshop {
                commands: Commands::detect(door, scratch, WithoutSandbox::Refuse).await,
                toolchains: Toolchains::default(),
                protected: Protected::default(),
                limits: Limits::default(),
                revealed: Vec::new(),
                permissions: Permissions::default(),
            },
            seal_key: SealKey::generate().unwrap().1,
            earlier: Vec::new(),
            spend_history: crate::SpendHistory::default(),
            memory: MemoryMeans::new(self.bed.store(), None, self.index_folder()),
        }
    }
}

fn branch(checkout: &Path, run: &RunId, files: &[(&str, &str)]) -> CommitId {
    std::fs::create_dir_all(checkout).unwrap();
    std::fs::write(checkout.join("README.md"), "# A list\n").unwrap();
    git(checkout, &["init", "--quiet", "--initial-branch=main"]);
    git(checkout, &["add", "."]);
    git(checkout, &["commit", "--quiet", "-m", "Begin"]);
    let name = format!("gavel/build-{}", run.short());
    git(checkout, &["checkout", "--quiet", "-b", &name]);
    for (name, text) in files {
        let path = checkout.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    git(checkout, &["add", "."]);
    git(
        checkout,
        &["commit", "--quiet", "--allow-empty", "-m", "Build"],
    );
    let commit = git(checkout, &["rev-parse", "HEAD"]);
    git(checkout, &["checkout", "--quiet", "main"]);
    commit.parse().unwrap()
}

/// A verification on record: these tests, and one smoke run that came to what it should.
pub(crate) async fn verified(
    run: &Run,
    tests: &TestNames,
    verdict: VerifyVerdict,
) -> Result<(VerifyFinished, VerifyOutput), RunError> {
    let smoke = json!({"commands": [], "smoke": [
        {"request": "GET /health", "passed": true, "said": "200"},
        {"request": "GET /broken", "passed": false, "said": "500"},
    ]});
    let count = |names: &std::collections::BTreeSet<String>| u32::try_from(names.len()).unwrap();
    let (passed, failed) = (count(&tests.passed), count(&tests.failed));
    let text = format!("{smoke}\n");
    let effect = |blobs: Blobs| {
        let output = blobs.keep(text.as_str());
        async move {
            Ok(VerifyFinished {
                recipe: "cargo".to_owned(),
                verdict,
                reason: "all_passed".to_owned(),
                executed: passed + failed,
                passed,
                failed,
                skipped: 0,
                output,
                tree: None,
                level: None,
                coverage: None,
                smoke: Some(true),
                install: Vec::new(),
            })
        }
    };
    let fact = run.step(Key::new("test/verify").unwrap(), Pure, &(), effect);
    Ok((fact.await?.value, VerifyOutput::read(&text)))
}

/// The names of tests.
pub(crate) fn tests(passed: &[&str], failed: &[&str]) -> TestNames {
    let all = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    TestNames {
        passed: all(passed),
        failed: all(failed),
    }
}
