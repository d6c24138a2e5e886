//! Where the commands of one build run: the sandbox, its places and its lock.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gavel_run::{Run, RunError};
use gavel_workspace::{
    Argv, CommandError, CommandOutcome, CommandSpec, Commands, HeldAside, Limits, OrphanError,
    Places, Policy, PolicyError, Profile, Recipe, RepoPath, Smoke, SmokePlan, SmokeSeen,
    Toolchains, Verification, VerifyError, VerifyPlan, resolved_command, smoke, verify,
    wait_for_orphans,
};
use tokio_util::sync::CancellationToken;

use crate::{DiskCap, ToolRefusal};

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
    disk_cap: DiskCap,
    /// Who runs commands now, and what is out of the tree as long as somebody does.
    aside: Mutex<Aside>,
}

/// Hidden files that are out of the tree.
#[derive(Debug, Default)]
struct Aside {
    users: usize,
    files: Option<HeldAside>,
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
            aside: Mutex::default(),
            disk_cap: DiskCap::default(),
        })
    }

    /// The same room with a disk cap that a person may raise.
    #[must_use]
    pub fn with_disk_cap(mut self, disk_cap: DiskCap) -> Self {
        self.disk_cap = disk_cap;
        self
    }

    /// Asks for more disk after a command of this room was ended for it.
    pub async fn ask_for_disk(&self, run: &Run, what: &str) -> Result<bool, RunError> {
        self.disk_cap.ask(run, what, &self.policy.limits).await
    }

    /// What its commands may touch, now.
    fn policy(&self) -> Policy {
        let mut policy = self.policy.clone();
        policy.limits = self.disk_cap.applied_to(policy.limits);
        policy
    }

    /// The same room, in whose tree these files are not there while a command runs.
    #[must_use]
    pub fn hiding(mut self, files: Vec<RepoPath>) -> Self {
        self.hidden = files;
        self
    }

    /// The folder in which its commands run.
    pub(crate) fn tree(&self) -> &Path {
        &self.policy.cwd
    }

    /// The files that are not there while a command runs.
    pub(crate) fn hidden(&self) -> &[RepoPath] {
        &self.hidden
    }

    /// Takes the hidden files out of the tree, unless somebody did already.
    fn hide(&self) -> Result<Unseen<'_>, CommandError> {
        let mut aside = self.aside();
        if aside.files.is_none() {
            let taken = HeldAside::take(&self.policy.cwd, &self.vault(), &self.hidden);
            aside.files = Some(taken.map_err(|source| self.not_moved(source))?);
        }
        aside.users += 1;
        drop(aside);
        Ok(Unseen { room: self })
    }

    fn aside(&self) -> MutexGuard<'_, Aside> {
        self.aside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn not_moved(&self, source: std::io::Error) -> CommandError {
        CommandError::Folder {
            path: self.vault(),
            source,
        }
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
        let mut policy = self.policy();
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

    /// Does something that starts commands, while the hidden files are out of the tree. Several may at
    /// the same time: the last one puts the files back.
    pub async fn unseen<T>(&self, work: impl Future<Output = T>) -> Result<T, CommandError> {
        let unseen = self.hide()?;
        let done = work.await;
        unseen.end()?;
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
        let mut policy = self.policy();
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
        let policy = self.policy();
        self.run_in(argv, policy, wall, KEPT_OUTPUT).await
    }

    /// Runs the command of a recipe, whose whole output matters, by the program outside the tree.
    pub(crate) async fn run_whole(
        &self,
        argv: Argv,
        wall: Duration,
    ) -> Result<CommandOutcome, ToolRefusal> {
        let resolved = resolved_command(&argv, self.policy());
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

/// Somebody runs commands, and the hidden files are out of the tree.
struct Unseen<'a> {
    room: &'a CommandRoom,
}

impl Unseen<'_> {
    /// A tree without its credentials must not be recorded as what a command left.
    fn end(self) -> Result<(), CommandError> {
        let mut aside = self.room.aside();
        if aside.users > 1 {
            return Ok(());
        }
        let files = aside.files.take();
        let put_back = files.map_or(Ok(()), HeldAside::put_back);
        put_back.map_err(|source| self.room.not_moved(source))
    }
}

impl Drop for Unseen<'_> {
    fn drop(&mut self) {
        let mut aside = self.room.aside();
        aside.users = aside.users.saturating_sub(1);
        if aside.users == 0 {
            // Where the work was dropped, they go back, too.
            aside.files = None;
        }
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
