//! Where the commands of one build run: the sandbox, its places and its lock.

use std::path::PathBuf;
use std::time::Duration;

use gavel_workspace::{
    Argv, CommandError, CommandOutcome, CommandSpec, Commands, HeldAside, Limits, OrphanError,
    Places, Policy, PolicyError, Profile, Recipe, RepoPath, Smoke, SmokePlan, SmokeSeen,
    Toolchains, Verification, VerifyError, VerifyPlan, resolved_command, smoke, verify,
    wait_for_orphans,
};
use tokio_util::sync::CancellationToken;

use crate::ToolRefusal;

/// How long processes of an earlier drive may take to die.
const ORPHANS: Duration = Duration::from_secs(30);
/// Output kept of a command; it fits into a result.
const KEPT_OUTPUT: usize = 16 * 1024;
/// Output kept where it is read by a program: the closing lines of all runners must be in it.
const KEPT_WHOLE: usize = 8 * 1024 * 1024;
/// How long each command of a verification may take.
const VERIFY_WALL: Duration = Duration::from_secs(900);
/// How long a command may take that tries the product out; it may have to be built first.
const SMOKE_WALL: Duration = Duration::from_secs(300);

/// Runs the commands of one build, without network.
#[derive(Debug)]
pub struct CommandRoom {
    commands: Commands,
    policy: Policy,
    cache: PathBuf,
    lock: PathBuf,
    hidden: Vec<RepoPath>,
}

/// A room that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RoomError {
    /// The places would open too much.
    #[error("commands cannot be run in these places")]
    Policy(#[from] PolicyError),
    /// A folder cannot be made or found.
    #[error("the folder {} cannot be used", .path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// Commands of an earlier drive are alive.
    #[error(transparent)]
    Orphans(#[from] OrphanError),
}

impl CommandRoom {
    /// Opens the room; waits until nothing of an earlier drive is alive in it, so that nobody
    /// writes into the work tree while it is restored.
    ///
    /// `lock` is a file that stays locked while anything of a command lives.
    pub async fn open(
        commands: Commands,
        places: &Places,
        toolchains: &Toolchains,
        lock: PathBuf,
        limits: Limits,
    ) -> Result<Self, RoomError> {
        let policy = Policy::compose(places, toolchains, Profile::Run, limits)?;
        wait_for_orphans(&lock, ORPHANS).await?;
        Ok(Self {
            commands,
            policy,
            cache: places.cache.clone(),
            lock,
            hidden: Vec::new(),
        })
    }

    /// The same room, in whose tree these files are not there while a command runs.
    #[must_use]
    pub fn hiding(mut self, files: Vec<RepoPath>) -> Self {
        self.hidden = files;
        self
    }

    /// The files that are not there while a command runs.
    pub(crate) fn hidden(&self) -> &[RepoPath] {
        &self.hidden
    }

    /// Takes the hidden files out of the tree until the result is dropped.
    fn hide(&self) -> Result<HeldAside, CommandError> {
        let vault = self.vault();
        let aside = HeldAside::take(&self.policy.cwd, &vault, &self.hidden);
        aside.map_err(|source| CommandError::Folder {
            path: vault,
            source,
        })
    }

    /// A tree without its credentials must not be recorded as what a command left.
    fn put_back(&self, aside: HeldAside) -> Result<(), CommandError> {
        let put_back = aside.put_back();
        put_back.map_err(|source| CommandError::Folder {
            path: self.vault(),
            source,
        })
    }

    fn vault(&self) -> PathBuf {
        self.lock.with_file_name("held-aside")
    }

    /// What runs the commands.
    pub const fn commands(&self) -> &Commands {
        &self.commands
    }

    /// How a recipe is followed in this room.
    pub fn plan(&self, recipe: &Recipe) -> VerifyPlan {
        let mut policy = self.policy.clone();
        policy.limits.wall_ms = millis(VERIFY_WALL);
        VerifyPlan {
            recipe: recipe.clone(),
            cache: self.cache.clone(),
            policy,
            lock: self.lock.clone(),
            // Dropping the future ends the commands.
            cancel: CancellationToken::new(),
        }
    }

    /// Does something that starts commands, while the hidden files are out of the tree.
    pub async fn unseen<T>(&self, work: impl Future<Output = T>) -> Result<T, CommandError> {
        let aside = self.hide()?;
        let done = work.await;
        self.put_back(aside)?;
        Ok(done)
    }

    /// Verifies by a recipe: dependencies with network, then the tests without.
    pub async fn verify(&self, recipe: &Recipe) -> Result<Verification, VerifyError> {
        let plan = self.plan(recipe);
        let failed = |source| VerifyError::Command {
            recipe: recipe.name(),
            source,
        };
        let done = self.unseen(verify(&self.commands, &plan)).await;
        done.map_err(failed)?
    }

    /// Tries the product out as its recipe says, without network.
    pub async fn smoke(&self, what: &Smoke) -> Result<SmokeSeen, CommandError> {
        let mut policy = self.policy.clone();
        policy.limits.wall_ms = millis(SMOKE_WALL);
        let plan = SmokePlan {
            policy,
            lock: self.lock.clone(),
            // As below: dropping the future ends the program.
            cancel: CancellationToken::new(),
        };
        self.unseen(smoke(&self.commands, &plan, what)).await?
    }

    /// The project's cache.
    pub(crate) const fn cache(&self) -> &PathBuf {
        &self.cache
    }

    /// Runs a command; of its output the two ends are kept.
    pub(crate) async fn run(
        &self,
        argv: Argv,
        wall: Duration,
    ) -> Result<CommandOutcome, ToolRefusal> {
        let policy = self.policy.clone();
        self.run_in(argv, policy, wall, KEPT_OUTPUT).await
    }

    /// Runs the command of a recipe, whose whole output matters, by the program outside the tree.
    pub(crate) async fn run_whole(
        &self,
        argv: Argv,
        wall: Duration,
    ) -> Result<CommandOutcome, ToolRefusal> {
        let resolved = resolved_command(&argv, self.policy.clone());
        let (argv, policy) = resolved.map_err(|error| ToolRefusal::from_error(&error))?;
        self.run_in(argv, policy, wall, KEPT_WHOLE).await
    }

    async fn run_in(
        &self,
        argv: Argv,
        mut policy: Policy,
        wall: Duration,
        kept_output: usize,
    ) -> Result<CommandOutcome, ToolRefusal> {
        policy.limits.wall_ms = millis(wall);
        policy.limits.kept_output = kept_output;
        let spec = CommandSpec {
            argv,
            policy,
            lock: self.lock.clone(),
            // The step drops this future when the drive is cut, which kills the command.
            cancel: CancellationToken::new(),
        };
        let done = self.unseen(self.commands.run(&spec)).await;
        done.flatten()
            .map_err(|error| ToolRefusal::from_error(&error))
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
