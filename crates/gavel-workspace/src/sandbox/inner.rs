//! The last step before the command: the process confines itself, then becomes the command.

use std::io;
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode, Stdio};
use std::{fs, path::Path};

use rustix::process::{
    Resource, Rlimit, Signal, getppid, getrlimit, getuid, set_parent_process_death_signal,
    setpriority_process, setrlimit, setsid,
};
use rustix::thread::set_no_new_privs;

use super::exec::{Broken, STAGE_FAILED, Stage, Task};
use super::policy::Limits;
use super::report::{Event, Walls};
use super::{capabilities, gateway, landlock, probe, seccomp, session};

/// Commands are less urgent than the supervisor, which must get a turn even beside a fork bomb.
const NICENESS: i32 = 5;

pub(crate) fn become_command(task: &Task) -> Result<ExitCode, Broken> {
    let policy = &task.order.policy;
    let walls = task.order.walls;
    // The supervisor (or init) started us from its only thread, so this means its own death.
    let parent = getppid();
    set_parent_process_death_signal(Some(Signal::KILL)).stage("tying to the supervisor")?;
    if getppid() != parent {
        return Err("the supervisor is gone").stage("tying to the supervisor");
    }
    setsid().stage("leaving the session")?;
    setpriority_process(None, NICENESS).stage("lowering the priority")?;
    // When memory runs out, the kernel should end the command and not its supervisor.
    fs::write("/proc/self/oom_score_adj", "500").stage("offering itself first")?;
    if policy.proxied && walls.own_network() {
        gateway::hand_over()?;
    }
    close_strangers()?;
    limit(&policy.limits, walls)?;
    set_no_new_privs(true).stage("renouncing privileges")?;
    let landlock_abi = match walls {
        Walls::Absent => 0,
        Walls::Namespaces | Walls::Landlock | Walls::Bubblewrap => {
            capabilities::drop_all()?;
            let abi = landlock::enforce(policy, walls)?;
            seccomp::enforce(policy.profile, walls, abi)?;
            abi
        }
    };
    Event::Confined { landlock_abi }.tell(io::stderr());
    let Some((program, arguments)) = task.argv.split_first() else {
        return Ok(ExitCode::SUCCESS);
    };
    if let Some(asked) = &task.order.probe {
        return probe::run(task, (program, arguments), asked);
    }
    if task.order.session.is_some() {
        return session::run(task, (program, arguments));
    }
    let report = io::stderr()
        .as_fd()
        .try_clone_to_owned()
        .stage("keeping the report")?;
    let output = io::stdout()
        .as_fd()
        .try_clone_to_owned()
        .stage("joining the outputs")?;
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the sandbox: the confined process becomes the command"
    )]
    let error = Command::new(program)
        .args(arguments)
        .env_clear()
        .envs(&policy.env)
        .current_dir(&policy.cwd)
        .stdin(Stdio::null())
        .stderr(Stdio::from(output))
        .exec();
    Event::NotStarted {
        missing: error.kind() == io::ErrorKind::NotFound,
        detail: error.to_string(),
    }
    .tell(fs::File::from(report));
    Ok(ExitCode::from(STAGE_FAILED))
}

/// Closes descriptors that Gavel itself inherited without knowing, such as a shell's or an editor's.
fn close_strangers() -> Result<(), Broken> {
    const STAGE: &str = "closing inherited files";
    let mut open = Vec::new();
    for entry in fs::read_dir("/proc/self/fd").stage(STAGE)? {
        let name = entry.stage(STAGE)?.file_name();
        open.extend(name.to_str().and_then(|name| name.parse::<i32>().ok()));
    }
    for descriptor in open.into_iter().filter(|number| *number > 2) {
        let flags = fs::read_to_string(format!("/proc/self/fdinfo/{descriptor}"));
        // Gone already: it was the listing's own.
        let Ok(flags) = flags else { continue };
        if !closes_on_exec(&flags) {
            nix::unistd::close(descriptor).stage(STAGE)?;
        }
    }
    Ok(())
}

fn closes_on_exec(info: &str) -> bool {
    info.lines()
        .filter_map(|line| line.strip_prefix("flags:"))
        .filter_map(|flags| i64::from_str_radix(flags.trim(), 8).ok())
        .any(|flags| flags & i64::from(libc::O_CLOEXEC) != 0)
}

fn limit(limits: &Limits, walls: Walls) -> Result<(), Broken> {
    let mut list = vec![
        (Resource::Core, 0),
        (Resource::Fsize, limits.file_bytes),
        (Resource::Nofile, limits.open_files),
    ];
    list.extend(limits.address_space.map(|bytes| (Resource::As, bytes)));
    // The kernel counts the user's tasks everywhere, a user namespace only its own; root is exempt
    // from this limit, the supervisor's count is not. Bubblewrap may or may not have made one.
    match walls {
        Walls::Namespaces => list.push((Resource::Nproc, limits.tasks)),
        Walls::Landlock | Walls::Absent => {
            let others = tasks_of_user();
            list.push((Resource::Nproc, limits.tasks.saturating_add(others)));
        }
        Walls::Bubblewrap => {}
    }
    for (resource, wanted) in list {
        let wanted = getrlimit(resource)
            .maximum
            .map_or(wanted, |top| top.min(wanted));
        let both = Rlimit {
            current: Some(wanted),
            maximum: Some(wanted),
        };
        setrlimit(resource, both).stage("setting limits")?;
    }
    Ok(())
}

/// How many tasks the user has already, roughly: those that `/proc` shows.
fn tasks_of_user() -> u64 {
    use std::os::unix::fs::MetadataExt;
    let own = getuid().as_raw();
    let Ok(entries) = fs::read_dir("/proc") else {
        return 0;
    };
    let tasks = entries
        .filter_map(Result::ok)
        .filter(|entry| entry.metadata().is_ok_and(|data| data.uid() == own))
        .filter_map(|entry| count(&entry.path().join("task")));
    tasks.sum()
}

fn count(folder: &Path) -> Option<u64> {
    Some(fs::read_dir(folder).ok()?.count() as u64)
}
