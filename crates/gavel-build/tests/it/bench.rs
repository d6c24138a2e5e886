//! A repository, a work tree with real commands beside it, and a phase to build.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use gavel_agent::{Registry, ToolContext, work_tree_tools};
use gavel_build::{
    Crew, JudgedCommit, Permissions, PhaseEnd, PhaseWork, PushTarget, Site, Workshop, build_phase,
    commit_phase,
};
use gavel_domain::{Caps, Criterion, Phase, PushRefusal, Record, RunId, Timestamp};
use gavel_rules::RunnerRules;
use gavel_run::{DriveEnd, Run, RunError};
use gavel_testkit::{
    FixedRecaller, ScriptedModel, TEST_PRICE, TestBed, git, git_program, test_info,
};
use gavel_workspace::{
    BranchPrefix, Commands, CommitId, Limits, LocalRemote, Protected, Remote, RemoteUrl,
    SandboxDoor, Scrubber, Toolchains, TreeRoot, WithoutSandbox, WorkTree, WorkTreePlace,
};

/// A crate of its own workspace: these tests run below Gavel's.
pub(crate) const MANIFEST: &str = "[workspace]\n[package]\nname = \"demo\"\nversion = \"0.1.0\"\n\
                                   edition = \"2021\"\n[lib]\ndoctest = false\n";
pub(crate) const LOCK: &str = "version = 4\n\n[[package]]\nname = \"demo\"\nversion = \"0.1.0\"\n";

/// Everything that a drive makes its site from, again each time.
#[derive(Clone)]
pub(crate) struct Ground {
    folder: PathBuf,
    workshop: Workshop,
    push: PushTarget,
    pub(crate) phase: Phase,
}

/// One run on a ground.
pub(crate) struct Bench {
    pub(crate) bed: TestBed,
    pub(crate) run: RunId,
    pub(crate) ground: Ground,
    pub(crate) model: ScriptedModel,
    _folder: tempfile::TempDir,
}

/// A folder with a repository of these files.
pub(crate) async fn ground(files: &[(&str, &str)]) -> (tempfile::TempDir, Ground) {
    // Not below `/tmp`, which a sandbox replaces.
    let temp = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let folder = temp.path().canonicalize().unwrap();
    let checkout = folder.join("checkout");
    for (name, text) in files {
        let path = checkout.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    std::fs::create_dir_all(&checkout).unwrap();
    git(&checkout, &["init", "--quiet", "--initial-branch=main"]);
    git(&checkout, &["add", "--all", "--force"]);
    let begin = ["commit", "--quiet", "--allow-empty", "-m", "Begin"];
    git(&checkout, &begin);
    let ground = Ground {
        workshop: workshop(&folder).await,
        folder,
        push: PushTarget::Nowhere,
        phase: Phase {
            number: 0,
            name: "Genesis".to_owned(),
            objective: "Sums can be made.".to_owned(),
            deliverables: vec!["a sum".to_owned()],
            schema_coverage: Vec::new(),
            criteria: vec![Criterion {
                id: "test_sum".to_owned(),
                statement: "Two numbers have a sum.".to_owned(),
                example: String::new(),
            }],
        },
    };
    (temp, ground)
}

async fn workshop(folder: &Path) -> Workshop {
    let test = std::env::current_exe().unwrap();
    let built = test.parent().and_then(Path::parent).unwrap();
    let door = SandboxDoor(built.join("examples/build_sandbox_door"));
    let commands = Commands::detect(door, folder.to_owned(), WithoutSandbox::Refuse).await;
    let cargo = Path::new(env!("CARGO")).canonicalize().unwrap();
    let toolchain = cargo.parent().unwrap().parent().unwrap().to_owned();
    // Cargo finds its configuration above the tree even where it may not read it.
    let above = folder.ancestors().map(|at| at.join(".cargo/config.toml"));
    Workshop {
        commands,
        toolchains: Toolchains {
            path: vec![toolchain.join("bin")],
            folders: above.chain([toolchain.clone()]).collect(),
            ..Toolchains::default()
        },
        protected: Protected::default(),
        limits: Limits::default(),
        revealed: Vec::new(),
        permissions: Permissions::default(),
    }
}

impl Ground {
    pub(crate) fn checkout(&self) -> PathBuf {
        self.folder.join("checkout")
    }

    pub(crate) fn beside(&self) -> PathBuf {
        self.folder.join("build")
    }

    /// A bare repository that knows the main branch, as the remote.
    pub(crate) fn with_remote(mut self) -> Self {
        let bare = self.bare();
        let to = bare.to_str().unwrap();
        git(
            &self.folder,
            &["clone", "--quiet", "--bare", "checkout", to],
        );
        self.push = PushTarget::To(Remote::Local {
            repository: LocalRemote::open(&bare, &[self.checkout()]).unwrap(),
            commands: self.workshop.commands.clone(),
        });
        self
    }

    /// A remote that is not there.
    pub(crate) fn with_lost_remote(mut self) -> Self {
        let nowhere = RemoteUrl::new("http://127.0.0.1:1/nowhere.git").unwrap();
        self.push = PushTarget::To(Remote::Network(nowhere));
        self
    }

    /// A remote that nobody agreed to.
    pub(crate) fn with_unasked_remote(self) -> Self {
        let push = PushTarget::Withheld(PushRefusal::Unasked);
        Self {
            push,
            ..self.with_remote()
        }
    }

    /// A machine whose sandbox cannot be started.
    pub(crate) fn with_broken_sandbox(mut self) -> Self {
        let walls = self.workshop.commands.confinement().clone();
        let door = SandboxDoor(self.folder.join("no-such-program"));
        self.workshop.commands = Commands::new(door, walls, WithoutSandbox::Refuse);
        self
    }

    pub(crate) fn bare(&self) -> PathBuf {
        self.folder.join("remote.git")
    }

    pub(crate) fn base(&self) -> CommitId {
        git(&self.checkout(), &["rev-parse", "main"])
            .parse()
            .unwrap()
    }

    pub(crate) fn branch(&self, run: RunId) -> String {
        format!("gavel/build-{}", run.short())
    }

    pub(crate) async fn site(&self, run: &Run) -> Result<Site, RunError> {
        let place = WorkTreePlace {
            git: git_program(),
            repository: self.checkout().join(".git"),
            folder: self.beside().join("tree"),
        };
        let tree = Arc::new(WorkTree::open(&place, run.id()).await.unwrap());
        let base = tree.tree_of(&self.base()).await.unwrap();
        let room = self.workshop.room(tree.folder(), &self.beside()).await;
        let room = Arc::new(room.unwrap());
        run.open_tree(&tree, &base).await?;
        let files = Arc::new(TreeRoot::open(tree.folder()).unwrap());
        let scrubber = Arc::new(Scrubber::new([]).unwrap());
        let context = ToolContext::reading(files, scrubber)
            .with_tree(tree.clone())
            .with_commands(room);
        let mut tools = Registry::default();
        work_tree_tools(&mut tools).unwrap();
        gavel_build::tools(&mut tools).unwrap();
        let prefix = BranchPrefix::new("gavel/").unwrap();
        Ok(Site {
            tree,
            base: self.base(),
            runner_rules: RunnerRules::ProgramsAndReach,
            branch: prefix.build(&run.id().short()).unwrap(),
            push: self.push.clone(),
            hidden: Arc::default(),
            tools: Arc::new(tools),
            context,
            workshop: self.workshop.clone(),
            beside: self.beside(),
        })
    }

    /// Builds the phase on the base commit.
    pub(crate) async fn build(&self, run: &Run, site: &Site) -> Result<Committed, RunError> {
        let model = test_info(Some(TEST_PRICE));
        let crew = Crew {
            coder: model.clone(),
            auditor: model,
        };
        let roles = gavel_rules::RoleMemory::default();
        let work = PhaseWork {
            phase: &self.phase,
            window: "## Phase 0: Genesis",
            sprint: 1,
            parent: &self.base(),
            at: Timestamp::from_second(1_794_744_000).unwrap(),
            is_last: true,
            focus: "",
            heeded: 0,
            roles: &roles,
        };
        let scope = run.scope("phase", 0)?;
        let end = Box::pin(build_phase(run, &scope, site, &crew, &work)).await?;
        let room = scope.scope("commit", 1)?;
        let commit = Box::pin(commit_phase(run, &room, site, &work)).await?;
        Ok(Committed { end, commit })
    }
}

/// A phase that was built and committed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Committed {
    end: PhaseEnd,
    pub(crate) commit: CommitId,
}

impl std::ops::Deref for Committed {
    type Target = PhaseEnd;

    fn deref(&self) -> &PhaseEnd {
        &self.end
    }
}

impl Bench {
    pub(crate) async fn new(model: ScriptedModel, files: &[(&str, &str)]) -> Self {
        let (folder, ground) = ground(files).await;
        let memory = FixedRecaller::knowing(&[
            ("trp_1", "trap", "sums overflow"),
            ("dec_1", "decision", "numbers have sixty-four bits"),
        ]);
        let bed = TestBed::new(model.clone()).await.with_recaller(memory);
        let run = bed.start(Caps::default()).await;
        Self {
            bed,
            run,
            ground,
            model,
            _folder: folder,
        }
    }

    /// Drives the run through this.
    pub(crate) async fn drive<T>(
        &self,
        work: impl AsyncFn(&Run, &Site) -> Result<T, RunError>,
    ) -> T {
        let done = Mutex::new(None);
        let drive = async |run: Run| {
            let site = self.ground.site(&run).await?;
            let value = work(&run, &site).await?;
            *done.lock().unwrap() = Some(value);
            Ok(())
        };
        let end = Box::pin(self.bed.drive(self.run, drive)).await.unwrap();
        assert!(matches!(end, DriveEnd::Through(_)), "{end:?}");
        done.into_inner().unwrap().unwrap()
    }

    /// Builds the phase.
    pub(crate) async fn build(&self) -> Committed {
        let end = self
            .drive(async |run, site| self.ground.build(run, site).await)
            .await;
        self.model.finish();
        end
    }

    /// All records of one kind.
    pub(crate) async fn facts<T: gavel_domain::Fact>(&self) -> Vec<(String, T)> {
        let records = self.bed.records(self.run).await;
        let such = records.iter().filter(|record| record.kind == T::KIND);
        such.map(|record: &Record| (record.key.to_string(), record.read().unwrap()))
            .collect()
    }

    pub(crate) async fn text(&self, name: gavel_domain::BlobRef) -> String {
        let blob = self.bed.store().blob(name.digest).await.unwrap().unwrap();
        String::from_utf8_lossy(&blob).into_owned()
    }

    /// The files of the commit.
    pub(crate) fn committed(&self, commit: &CommitId) -> String {
        let listing = ["ls-tree", "-r", "--name-only", commit.as_str()];
        git(&self.ground.checkout(), &listing)
    }
}

/// A commit whose runner nobody was asked about.
pub(crate) const fn judged(commit: &CommitId) -> JudgedCommit<'_> {
    JudgedCommit {
        commit,
        consent: gavel_rules::RunnerConsent::NotGiven,
    }
}
