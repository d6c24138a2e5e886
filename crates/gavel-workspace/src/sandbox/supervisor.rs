//! The supervisor: starts the command, watches it, and leaves nothing of it alive.
//!
//! As a child subreaper it becomes the parent of every orphan, so "no child left" (`ECHILD`) means
//! that nothing of the command lives, however often it forked or changed its session. It stays, and
//! keeps the lock, until that is so.

use std::fs;
use std::io::{self, Read};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{
    DumpableBehavior, Pid, PidfdFlags, Signal, WaitOptions, WaitStatus, geteuid, getpid, getppid,
    kill_process, pidfd_open, set_child_subreaper, set_dumpable_behavior, setsid,
    test_kill_process, wait,
};

use super::descendants::{Descendants, Segments, kill_all};
use super::disk::DiskWatch;
use super::exec::{Broken, Stage, Task};
use super::nameless::NamelessFiles;
use super::policy::Policy;
use super::report::{Ending, Event, Order, Walls};
use super::{bubblewrap, landlock, namespaces};

/// How often limits are looked at.
const TICK: Duration = Duration::from_millis(50);

pub(crate) fn supervise(task: &Task) -> Result<ExitCode, Broken> {
    set_child_subreaper(Some(getpid())).stage("becoming a subreaper")?;
    // Fails only for a group leader, which has no terminal to lose either: Gavel starts us so.
    setsid().ok();
    check_folders(&task.order.policy)?;
    if !task.order.policy.layers.is_empty() && !task.order.walls.own_layers() {
        return Err("only own namespaces have them").stage("laying layers over folders");
    }
    let stdin = stdin_of_next(task)?;
    let (stage, reach) = prepare(task)?;
    let first = match task.order.walls {
        Walls::Bubblewrap => bubblewrap::start(task, stage, stdin)?,
        Walls::Namespaces | Walls::Landlock | Walls::Absent => start(task, stage, stdin)?,
    };
    // After the namespaces: the kernel lets only dumpable processes write their own id maps.
    set_dumpable_behavior(DumpableBehavior::NotDumpable).stage("closing itself to tracers")?;
    let mut watch = Watch {
        first,
        reach,
        limits: Bounds::of(task),
        disk: DiskWatch::begin(&task.order.policy),
        files: NamelessFiles::begin(task.order.policy.limits.file_bytes),
        exited: None,
    };
    // Whatever goes wrong while watching, nothing may be left alive.
    let why = watch.until_over();
    let killed = watch.kill_everything();
    let why = why?;
    if let (Some(status), Reach::List | Reach::Descendants) = (watch.exited, reach) {
        tell_exit(status);
    }
    Event::Ended { why, killed }.tell(io::stderr());
    Ok(ExitCode::SUCCESS)
}

/// A command of an earlier run may have put a link in the place of a folder that it could write.
fn check_folders(policy: &Policy) -> Result<(), Broken> {
    const STAGE: &str = "checking the writable folders";
    for path in &policy.read_write {
        let real = fs::canonicalize(path).stage(STAGE)?;
        if real != *path {
            return Err(format!("{} is really {}", path.display(), real.display())).stage(STAGE);
        }
    }
    Ok(())
}

/// What one kill reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// The first process is the init of a process namespace: the kernel ends the rest with it.
    Init,
    /// Signals are bounded to descendants, so "everybody" means them.
    Descendants,
    /// Only what a walk through `/proc` finds, which a fork bomb may outrun.
    List,
}

/// Makes what comes next killable, and names the next stage.
fn prepare(task: &Task) -> Result<(&'static str, Reach), Broken> {
    const STAGE: &str = "preparing to kill";
    match task.order.walls {
        Walls::Namespaces => {
            namespaces::leave()?;
            Ok(("--init", Reach::Init))
        }
        Walls::Landlock => {
            let parent = getppid();
            if landlock::scope_signals()? {
                // Believe it only when the parent, which has the same user, is out of reach: the
                // signal to everybody would otherwise go to all of the user's processes.
                let reached = parent.map(test_kill_process);
                if reached == Some(Err(Errno::PERM)) {
                    return Ok(("--inner", Reach::Descendants));
                }
                return Err(format!("the parent answered {reached:?}")).stage(STAGE);
            }
            if geteuid().is_root() {
                // No limit of processes binds root, so a fork bomb could not be ended.
                return Err("root needs namespaces or Landlock ABI 6").stage(STAGE);
            }
            Ok(("--inner", Reach::List))
        }
        Walls::Bubblewrap | Walls::Absent => Ok(("--inner", Reach::List)),
    }
}

/// Says how the command's first process ended.
pub(crate) fn tell_exit(status: WaitStatus) {
    Event::Exited {
        code: status.exit_status(),
        signal: status.terminating_signal(),
    }
    .tell(io::stderr());
}

/// Starts the next stage: the same program, no environment, the report as standard error.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the sandbox: the stages of the one command function start each other"
)]
pub(crate) fn start(task: &Task, stage: &'static str, stdin: Stdio) -> Result<Pid, Broken> {
    // The link names the running file itself, also after an upgrade replaced it or when a new root
    // hides it.
    let child = Command::new("/proc/self/exe")
        .args(task.arguments(stage))
        .env_clear()
        .stdin(stdin)
        .spawn()
        .stage("starting the next stage")?;
    Ok(Pid::from_child(&child))
}

/// The standard input of the stages: nothing, the session, or the line to Gavel over which the last
/// stage of an install step hands its socket.
///
/// A session never is an argument: those can be read by everybody who sees the process.
fn stdin_of_next(task: &Task) -> Result<Stdio, Broken> {
    const STAGE: &str = "opening the session";
    let Order {
        walls,
        policy,
        session,
        ..
    } = &task.order;
    if let Some(path) = session {
        let file = fs::File::open(path).stage(STAGE)?;
        fs::remove_file(path).stage(STAGE)?;
        return Ok(file.into());
    }
    Ok(match policy.proxied && walls.own_network() {
        true => Stdio::inherit(),
        false => Stdio::null(),
    })
}

struct Bounds {
    deadline: Instant,
    tasks: u64,
    memory: u64,
}

impl Bounds {
    fn of(task: &Task) -> Self {
        let limits = &task.order.policy.limits;
        Self {
            deadline: Instant::now() + Duration::from_millis(limits.wall_ms),
            tasks: limits.tasks,
            memory: limits.memory_bytes,
        }
    }
}

struct Watch {
    first: Pid,
    reach: Reach,
    limits: Bounds,
    disk: DiskWatch,
    files: NamelessFiles,
    exited: Option<WaitStatus>,
}

impl Watch {
    /// Waits until the command is over for whatever reason.
    fn until_over(&mut self) -> Result<Ending, Broken> {
        let pidfd = pidfd_open(self.first, PidfdFlags::empty()).stage("watching the command")?;
        let lifeline = io::stdin();
        loop {
            let mut fds = [
                PollFd::new(&lifeline, PollFlags::IN),
                PollFd::new(&pidfd, PollFlags::IN),
            ];
            let left = self
                .limits
                .deadline
                .saturating_duration_since(Instant::now());
            poll_for(&mut fds, left.min(TICK))?;
            let [at_lifeline, _] = &fds;
            let lifeline_moved = !at_lifeline.revents().is_empty();
            self.reap()?;
            if self.exited.is_some() {
                return Ok(Ending::Exited);
            }
            if lifeline_moved && is_cut(&lifeline) {
                return Ok(Ending::Released);
            }
            if Instant::now() >= self.limits.deadline {
                return Ok(Ending::Deadline);
            }
            let alive = Descendants::of_self().stage("counting processes")?;
            if alive.tasks() > self.limits.tasks {
                return Ok(Ending::Tasks);
            }
            let segments = match self.reach {
                Reach::Init => Segments::Own,
                Reach::Descendants | Reach::List => Segments::Everybodys,
            };
            let allowed = self.limits.memory;
            if alive.memory(segments, &mut self.files, allowed) > allowed {
                return Ok(Ending::Memory);
            }
            if self.disk.is_broken(&alive, &mut self.files) {
                return Ok(Ending::Disk);
            }
        }
    }

    /// Collects dead children; true while some are left.
    fn reap(&mut self) -> Result<bool, Broken> {
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if pid == self.first => self.exited = Some(status),
                Ok(Some(_)) | Err(Errno::INTR) => {}
                Ok(None) => return Ok(true),
                Err(Errno::CHILD) => return Ok(false),
                Err(error) => return Err(error).stage("collecting processes"),
            }
        }
    }

    /// Kills until no descendant is left, and says how many kills were sent.
    ///
    /// It has no error of its own: whatever fails is tried again, since the lock must be held as
    /// long as anything lives.
    fn kill_everything(&mut self) -> u64 {
        let mut killed = 0;
        let mut pause = Duration::from_millis(1);
        while !matches!(self.reap(), Ok(false)) {
            killed += match self.reach {
                Reach::Init => u64::from(kill_process(self.first, Signal::KILL).is_ok()),
                Reach::Descendants => u64::from(kill_everybody()),
                Reach::List => kill_all().unwrap_or(0),
            };
            if matches!(self.reap(), Ok(false)) {
                break;
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(TICK);
        }
        killed
    }
}

/// Kills all that this process may signal but itself; only to be called when that is bounded.
fn kill_everybody() -> bool {
    nix::sys::signal::kill(
        nix::unistd::Pid::from_raw(-1),
        nix::sys::signal::Signal::SIGKILL,
    )
    .is_ok()
}

fn poll_for(fds: &mut [PollFd<'_>], time: Duration) -> Result<(), Broken> {
    let time = Timespec::try_from(time).stage("waiting")?;
    match poll(fds, Some(&time)) {
        Ok(_) | Err(Errno::INTR) => Ok(()),
        Err(error) => Err(error).stage("waiting"),
    }
}

/// Gavel never writes to the lifeline, so anything but data means that it is gone.
fn is_cut(lifeline: &io::Stdin) -> bool {
    let mut byte = [0];
    !matches!(lifeline.lock().read(&mut byte), Ok(1..))
}
