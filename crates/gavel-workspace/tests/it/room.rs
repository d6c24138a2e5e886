//! A place for sandboxed commands in tests: a work tree, a cache, and a world outside.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a test that cannot be set up must stop, and say what it leaves out"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use gavel_workspace::{
    Argv, CommandError, CommandOutcome, CommandSpec, Commands, Confinement, Exit, Limits, Places,
    Policy, Profile, Protected, SandboxDoor, Toolchains, Walls, WithoutSandbox,
};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// The test binary that answers `sandbox-exec`.
pub(crate) fn door() -> SandboxDoor {
    SandboxDoor(env!("CARGO_BIN_EXE_gavel-sandbox-exec").into())
}

/// A fresh place on disk, and commands that run in it.
pub(crate) struct Room {
    // Below the target folder and not below `/tmp`, which a sandbox replaces.
    root: TempDir,
    pub(crate) walls: Walls,
    pub(crate) profile: Profile,
    pub(crate) limits: Limits,
    pub(crate) toolchains: Toolchains,
}

impl Room {
    pub(crate) fn new(walls: Walls) -> Self {
        let root = tempfile::Builder::new()
            .prefix("room-")
            .tempdir_in(env!("CARGO_TARGET_TMPDIR"))
            .unwrap();
        let room = Self {
            root,
            walls,
            profile: Profile::Run,
            limits: Limits {
                wall_ms: 20_000,
                ..Limits::default()
            },
            toolchains: Toolchains::default(),
        };
        for folder in [room.tree(), room.cache(), room.temp(), room.outside()] {
            fs::create_dir_all(folder).unwrap();
        }
        fs::write(room.outside().join("secret"), "outside secret\n").unwrap();
        fs::write(room.tree().join("inside"), "inside text\n").unwrap();
        room
    }

    /// One room for each kind of walls that this machine can put up; never none.
    pub(crate) async fn each() -> Vec<Self> {
        let mut rooms = Vec::new();
        for walls in [Walls::Namespaces, Walls::Bubblewrap, Walls::Landlock] {
            let room = Self::new(walls);
            match room.try_run(["true"]).await {
                Ok(outcome) => {
                    assert_eq!(outcome.exit, Exit::Code(0));
                    rooms.push(room);
                }
                Err(error) if walls != Walls::Landlock => {
                    println!("left out: {walls:?} cannot be used here: {error}");
                }
                Err(error) => panic!("no sandbox on this machine: {error}"),
            }
        }
        rooms
    }

    fn real(&self) -> PathBuf {
        self.root.path().canonicalize().unwrap()
    }

    pub(crate) fn tree(&self) -> PathBuf {
        self.real().join("state/worktrees/tree")
    }

    pub(crate) fn cache(&self) -> PathBuf {
        self.real().join("cache")
    }

    pub(crate) fn temp(&self) -> PathBuf {
        self.real().join("temp")
    }

    pub(crate) fn outside(&self) -> PathBuf {
        self.real().join("home")
    }

    pub(crate) fn lock(&self) -> PathBuf {
        self.real().join("state/lock")
    }

    pub(crate) fn policy(&self) -> Policy {
        let places = Places {
            work_tree: self.tree(),
            cache: self.cache(),
            temp: self.temp(),
            protected: Protected::of_home(&self.outside()).and_state(self.real().join("state")),
        };
        Policy::compose(&places, &self.toolchains, self.profile, self.limits.clone()).unwrap()
    }

    pub(crate) fn spec<const N: usize>(&self, argv: [&str; N]) -> CommandSpec {
        CommandSpec {
            argv: Argv::new(argv).unwrap(),
            policy: self.policy(),
            lock: self.lock(),
            cancel: CancellationToken::new(),
        }
    }

    pub(crate) fn commands(&self, walls: Walls) -> Commands {
        let confinement = Confinement {
            walls,
            landlock_abi: 0,
            because: Vec::new(),
        };
        Commands::new(door(), confinement, WithoutSandbox::AllowedByPerson)
    }

    /// Commands as an unattended run has them: nobody agreed to anything.
    pub(crate) fn unattended(&self) -> Commands {
        let confinement = Confinement {
            walls: self.walls,
            landlock_abi: 0,
            because: Vec::new(),
        };
        Commands::new(door(), confinement, WithoutSandbox::Refuse)
    }

    pub(crate) async fn try_run<const N: usize>(
        &self,
        argv: [&str; N],
    ) -> Result<CommandOutcome, CommandError> {
        self.commands(self.walls).run(&self.spec(argv)).await
    }

    /// A number of seconds that only this test sleeps, to find its processes by.
    pub(crate) fn mark(&self) -> String {
        use std::sync::atomic::{AtomicU32, Ordering};
        static NEXT: AtomicU32 = AtomicU32::new(1);
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        format!("600.{}{next:03}", std::process::id())
    }

    /// Starts a parent through a shell script, whose `$0` is the given path and whose `$@` runs the
    /// command.
    pub(crate) fn parent<const N: usize>(
        &self,
        script: &str,
        path: &Path,
        argv: [&str; N],
    ) -> Parent {
        let SandboxDoor(door) = door();
        let walls = serde_json::to_string(&self.walls).unwrap();
        let policy = serde_json::to_string(&self.policy()).unwrap();
        let child = Command::new("sh")
            .args(["-c", script])
            .arg(path)
            .arg(door)
            .args(["command", &walls, &policy, text(&self.lock()), "--"])
            .args(argv)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Parent(child)
    }

    /// Runs a command inside the walls.
    pub(crate) async fn run<const N: usize>(&self, argv: [&str; N]) -> CommandOutcome {
        self.try_run(argv).await.unwrap()
    }

    /// Runs the same command without walls: the proof that it would work where nothing stops it.
    pub(crate) async fn control<const N: usize>(&self, argv: [&str; N]) -> CommandOutcome {
        let commands = self.commands(Walls::Absent);
        commands.run(&self.spec(argv)).await.unwrap()
    }

    /// Runs a command without walls, which must succeed, and within, which must fail; returns the
    /// two outputs.
    pub(crate) async fn stopped<const N: usize>(&self, argv: [&str; N]) -> (String, String) {
        let free = self.control(argv).await;
        assert_eq!(free.exit, Exit::Code(0), "control: {}", free.output.text);
        let held = self.run(argv).await;
        assert_ne!(
            held.exit,
            Exit::Code(0),
            "{:?} let it through: {}",
            self.walls,
            held.output.text
        );
        (free.output.text, held.output.text)
    }
}

/// The toolchain that runs these tests: its real folder, without rustup and without a home.
pub(crate) fn rust_toolchain() -> Toolchains {
    let cargo = Path::new(env!("CARGO")).canonicalize().unwrap();
    let folder = cargo.parent().unwrap().parent().unwrap().to_owned();
    Toolchains {
        path: vec![folder.join("bin")],
        folders: vec![folder],
        ..Toolchains::default()
    }
}

/// A process that stands around.
pub(crate) struct Bystander(Child);

impl Bystander {
    pub(crate) fn start() -> Self {
        Self(Command::new("sleep").arg("600").spawn().unwrap())
    }

    pub(crate) fn id(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Bystander {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// A process that runs a command the way Gavel does, and can be killed.
pub(crate) struct Parent(Child);

impl Parent {
    /// Kills it so that it cannot clean up.
    pub(crate) fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }

    /// Kills the supervisor that it started.
    pub(crate) fn kill_supervisor(&self) {
        let own = self.0.id();
        let children = fs::read_to_string(format!("/proc/{own}/task/{own}/children")).unwrap();
        let killed = Command::new("kill").args(["-9", children.trim()]).status();
        assert!(killed.unwrap().success());
    }

    /// Waits for its end and returns what it printed.
    pub(crate) fn finish(self) -> String {
        let output = self.0.wait_with_output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }
}

/// How many processes have the mark among their arguments.
pub(crate) fn alive(mark: &str) -> usize {
    marked(mark).len()
}

/// Kills the processes that have the mark.
pub(crate) fn kill_marked(mark: &str) {
    for pid in marked(mark) {
        Command::new("kill").args(["-9", &pid]).status().unwrap();
    }
}

fn marked(mark: &str) -> Vec<String> {
    let has_mark = |pid: &String| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).into_owned();
        // Not a shell whose script mentions it.
        line.split('\0').any(|word| word == mark) || line.contains(&format!("mark = '{mark}'"))
    };
    fs::read_dir("/proc")
        .unwrap()
        .filter_map(Result::ok)
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name.parse::<u32>().is_ok())
        .filter(has_mark)
        .collect()
}

/// A path as text.
pub(crate) fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}
