//! Process 1 of a sandbox with namespaces: builds the file tree, starts the command, collects the
//! dead. When it ends, the kernel kills everything in its process namespace.

use std::process::{ExitCode, Stdio};

use rustix::io::Errno;
use rustix::process::{
    DumpableBehavior, Signal, WaitOptions, set_dumpable_behavior, set_parent_process_death_signal,
    wait,
};

use super::exec::{Broken, Stage, Task};
use super::supervisor::{start, tell_exit};
use super::{file_tree, namespaces};

pub(crate) fn run(task: &Task) -> Result<ExitCode, Broken> {
    set_parent_process_death_signal(Some(Signal::KILL)).stage("tying to the supervisor")?;
    namespaces::raise_loopback()?;
    file_tree::build(&task.order.policy)?;
    let command = start(task, "--inner", Stdio::inherit())?;
    set_dumpable_behavior(DumpableBehavior::NotDumpable).stage("closing itself to tracers")?;
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if pid == command => {
                tell_exit(status);
                return Ok(ExitCode::SUCCESS);
            }
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error).stage("waiting for the command"),
        }
    }
}
