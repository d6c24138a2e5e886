//! A repository with a work tree, and an agent that works in it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use gavel_agent::{
    Agent, AgentLimits, Caller, CommandRoom, Registry, ToolContext, Worked, work_tree_tools,
};
use gavel_domain::{Caps, Role, RunId, Scope, ToolFinished};
use gavel_models::{Part, Request};
use gavel_run::{DriveEnd, Run, RunError};
use gavel_testkit::{FixedRecaller, ScriptedModel, TestBed, git, git_program, test_info};
use gavel_workspace::{
    Commands, Limits, Places, Protected, SandboxDoor, Scrubber, Toolchains, TreeId, TreeRoot,
    WithoutSandbox, WorkTree, WorkTreePlace,
};

/// Changes what an agent is made of before it works.
type Setting = Arc<dyn Fn(&mut Agent) + Send + Sync>;

/// One run with an agent and a repository.
pub(crate) struct Bench {
    pub(crate) bed: TestBed,
    pub(crate) run: RunId,
    pub(crate) model: ScriptedModel,
    folder: tempfile::TempDir,
    role: Role,
    setting: Setting,
    commands: bool,
}

impl Bench {
    /// A repository with these files, and a coder that speaks with this model.
    pub(crate) async fn new(model: &ScriptedModel, files: &[(&str, &str)]) -> Self {
        // Not below `/tmp`, which a sandbox replaces.
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let checkout = folder.path().join("checkout");
        for (name, text) in files {
            let path = checkout.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        std::fs::create_dir_all(&checkout).unwrap();
        git(&checkout, &["init", "--quiet", "--initial-branch=main"]);
        git(&checkout, &["add", "--all", "--force"]);
        git(
            &checkout,
            &["commit", "--quiet", "--allow-empty", "-m", "Begin"],
        );
        let bed = TestBed::new(model.clone()).await;
        let run = bed.start(Caps::default()).await;
        Self {
            bed,
            run,
            model: model.clone(),
            folder,
            role: Role::Coder,
            setting: Arc::new(|_| {}),
            commands: false,
        }
    }

    /// Another role.
    pub(crate) fn role(mut self, role: Role) -> Self {
        self.role = role;
        self
    }

    /// With a project memory that says this.
    pub(crate) fn remembering(mut self, memory: &FixedRecaller) -> Self {
        self.bed = self.bed.with_recaller(memory.clone());
        self
    }

    /// With commands in a sandbox.
    pub(crate) fn commands(mut self) -> Self {
        self.commands = true;
        self
    }

    /// Other limits, rules or tools.
    pub(crate) fn setting(mut self, setting: impl Fn(&mut Agent) + Send + Sync + 'static) -> Self {
        self.setting = Arc::new(setting);
        self
    }

    pub(crate) fn checkout(&self) -> PathBuf {
        self.folder.path().join("checkout")
    }

    pub(crate) fn work_tree(&self) -> PathBuf {
        self.folder.path().join("tree")
    }

    pub(crate) fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.work_tree().join(name)).unwrap()
    }

    pub(crate) fn brief(&self) -> Brief {
        Brief {
            place: WorkTreePlace {
                git: git_program(),
                repository: self.checkout().join(".git"),
                folder: self.work_tree(),
            },
            base: git(&self.checkout(), &["rev-parse", "HEAD^{tree}"])
                .parse()
                .unwrap(),
            role: self.role,
            setting: self.setting.clone(),
            room: self
                .commands
                .then(|| self.folder.path().canonicalize().unwrap()),
        }
    }

    /// Drives the run; the agent gets this task.
    pub(crate) async fn drive(&self, task: &str) -> Result<Option<Worked>, RunError> {
        let worked = Mutex::default();
        let brief = self.brief();
        let end = self
            .bed
            .drive(self.run, async |run| {
                *worked.lock().unwrap() = Some(brief.work(&run, task).await?);
                Ok(())
            })
            .await?;
        assert!(matches!(end, DriveEnd::Through(_)), "{end:?}");
        Ok(worked.into_inner().unwrap())
    }

    /// Drives the run to its end.
    pub(crate) async fn work(&self, task: &str) -> Worked {
        self.drive(task).await.unwrap().unwrap()
    }

    /// What the model was shown last for a call.
    pub(crate) fn result(&self, id: &str) -> (bool, String) {
        result_of(&self.model.requests(), id)
    }

    /// The story of the run without the engine's own records.
    pub(crate) async fn story(&self) -> String {
        let story = self.bed.story(self.run).await;
        let own = |line: &&str| !line.contains('@') && !line.starts_with("run/");
        story
            .lines()
            .filter(own)
            .map(|line| format!("{line}\n"))
            .collect()
    }

    /// Every text that the run keeps: bodies of records and blobs.
    pub(crate) async fn everything_kept(&self) -> String {
        let mut all = String::new();
        for file in walk(&self.bed.state()) {
            all.push_str(&String::from_utf8_lossy(&std::fs::read(file).unwrap()));
        }
        for record in self.bed.records(self.run).await {
            all.push_str(&record.body);
            if let Ok(finished) = record.read::<ToolFinished>() {
                let blob = self.bed.store().blob(finished.result.digest).await.unwrap();
                all.push_str(&String::from_utf8_lossy(&blob.unwrap()));
            }
        }
        all
    }
}

fn walk(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(walk(&path));
        } else {
            files.push(path);
        }
    }
    files
}

/// What a driver needs to make the agent, again in each drive.
#[derive(Clone)]
pub(crate) struct Brief {
    place: WorkTreePlace,
    base: TreeId,
    role: Role,
    setting: Setting,
    /// The folder for commands, when there are any.
    room: Option<PathBuf>,
}

impl Brief {
    pub(crate) async fn work(&self, run: &Run, task: &str) -> Result<Worked, RunError> {
        let (agent, scope) = self.agent(run).await?;
        agent.work(run, &scope, task).await
    }

    /// The agent, and the scope that it works in.
    pub(crate) async fn agent(&self, run: &Run) -> Result<(Agent, Scope), RunError> {
        let tree = Arc::new(WorkTree::open(&self.place, run.id()).await.unwrap());
        run.open_tree(&tree, &self.base).await?;
        let scope = run.scope("work", 1)?;
        let files = Arc::new(TreeRoot::open(tree.folder()).unwrap());
        let scrubber = Arc::new(Scrubber::new([]).unwrap());
        let mut context = ToolContext::reading(files, scrubber).with_tree(tree);
        if let Some(room) = &self.room {
            context = context.with_commands(Arc::new(command_room(room).await));
        }
        let mut registry = Registry::default();
        work_tree_tools(&mut registry).unwrap();
        let model = test_info(Some(gavel_testkit::TEST_PRICE));
        let mut agent = Agent {
            ends_with: None,
            recall: None,
            registry: Arc::new(registry),
            caller: Caller::in_process(self.role, context),
            limits: AgentLimits::for_model(&model, 12),
            model,
            system: "You write code.".to_owned(),
        };
        (self.setting)(&mut agent);
        Ok((agent, scope))
    }
}

/// Commands behind the walls of this machine.
async fn command_room(folder: &Path) -> CommandRoom {
    let test = std::env::current_exe().unwrap();
    let built = test.parent().and_then(Path::parent).unwrap();
    let door = SandboxDoor(built.join("examples/sandbox_door"));
    let commands = Commands::detect(door, folder.to_owned(), WithoutSandbox::Refuse).await;
    let places = Places {
        work_tree: folder.join("tree"),
        cache: folder.join("cache"),
        temp: folder.join("temp"),
        protected: Protected::default(),
    };
    let lock = folder.join("command.lock");
    CommandRoom::open(
        commands,
        &places,
        &Toolchains::default(),
        lock,
        Limits::default(),
    )
    .await
    .unwrap()
}

/// The result of a call in the last request that shows one.
pub(crate) fn result_of(requests: &[Request], id: &str) -> (bool, String) {
    let messages = requests.iter().rev().flat_map(|request| &request.messages);
    let found = messages
        .flat_map(|message| &message.parts)
        .find_map(|part| match part {
            Part::ToolResult { id: of, ok, text } if of == id => Some((*ok, text.clone())),
            Part::ToolResult { .. } | Part::Text { .. } | Part::ToolCall { .. } => None,
        });
    found.unwrap_or_else(|| panic!("the model saw no result of {id}"))
}

/// The texts of a request, one per line group.
pub(crate) fn texts(request: &Request) -> Vec<String> {
    let parts = request.messages.iter().flat_map(|message| &message.parts);
    parts
        .filter_map(|part| match part {
            Part::Text { text } => Some(text.clone()),
            Part::ToolResult { .. } | Part::ToolCall { .. } => None,
        })
        .collect()
}
