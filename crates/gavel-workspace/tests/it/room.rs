//! A place for sandboxed commands in tests: a work tree, a cache, and a world outside.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot be set up must stop, and say what it leaves out"
)]

use std::fs;
use std::path::{Path, PathBuf};

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
        for walls in [Walls::Namespaces, Walls::Landlock] {
            let room = Self::new(walls);
            match room.try_run(["true"]).await {
                Ok(outcome) => {
                    assert_eq!(outcome.exit, Exit::Code(0));
                    rooms.push(room);
                }
                Err(error) if walls == Walls::Namespaces => {
                    println!("left out: namespaces cannot be used here: {error}");
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

    pub(crate) async fn try_run<const N: usize>(
        &self,
        argv: [&str; N],
    ) -> Result<CommandOutcome, CommandError> {
        self.commands(self.walls).run(&self.spec(argv)).await
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

/// A path as text.
pub(crate) fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}
