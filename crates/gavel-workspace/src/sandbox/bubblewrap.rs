//! Bubblewrap as a substitute for our own namespaces, on machines that grant them to it alone.

use std::ffi::OsString;
use std::fs;
use std::process::{Command, Stdio};

use rustix::process::{Pid, geteuid};

use super::exec::{Broken, Stage, Task};
use super::file_tree::temporary_folders;
use super::policy::{AlsoAt, Policy};

/// Where distributions put it. Not looked up by `PATH`, which others may have changed.
const PROGRAM: &str = "/usr/bin/bwrap";

/// Where the sandbox sees the door's own program.
const DOOR: &str = "/.gavel";

/// Starts the next stage inside bubblewrap.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the sandbox: the stages of the one command function start each other"
)]
pub(crate) fn start(task: &Task, stage: &'static str, stdin: Stdio) -> Result<Pid, Broken> {
    const STAGE: &str = "starting bubblewrap";
    let door = fs::read_link("/proc/self/exe").stage(STAGE)?;
    let child = Command::new(PROGRAM)
        .args(arguments(&task.order.policy))
        .args(["--ro-bind".into(), door.into_os_string(), DOOR.into()])
        .args(["--remount-ro", "/", "--", DOOR])
        .args(task.arguments(stage))
        .env_clear()
        .stdin(stdin)
        .spawn()
        .stage(STAGE)?;
    Ok(Pid::from_child(&child))
}

fn arguments(policy: &Policy) -> Vec<OsString> {
    let own = ["--unshare-pid", "--unshare-ipc", "--unshare-net"];
    let mut list: Vec<OsString> = vec!["--die-with-parent".into()];
    list.extend(own.map(OsString::from));
    if geteuid().is_root() {
        let powers = ["--cap-drop", "ALL", "--cap-add", "CAP_DAC_OVERRIDE"];
        list.extend(powers.map(OsString::from));
    } else {
        list.push("--unshare-user".into());
    }
    let mut bind = |how: &str, real: OsString, at: OsString| list.extend([how.into(), real, at]);
    for path in &policy.read_only {
        if !path.starts_with("/proc") && !path.starts_with("/dev") {
            bind("--ro-bind-try", path.into(), path.into());
        }
    }
    for at in temporary_folders(policy) {
        bind("--bind", policy.temp.clone().into(), at.into());
    }
    for path in &policy.read_write {
        bind("--bind", path.into(), path.into());
    }
    for AlsoAt { folder, at } in &policy.also_at {
        let how = match policy.read_write.contains(folder) {
            true => "--bind",
            false => "--ro-bind",
        };
        bind(how, folder.into(), at.into());
    }
    list.extend(["--proc", "/proc", "--dev", "/dev"].map(OsString::from));
    list
}
