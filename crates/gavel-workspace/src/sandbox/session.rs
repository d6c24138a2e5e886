//! A session: a program is started again and again, asked as a server, and looked at from outside,
//! inside one set of walls.
//!
//! It stands in the place of the command, like `probe.rs`. It knows what is done and not what is
//! expected: the program could read that from nobody. What was seen goes into the report, which the
//! program cannot reach. Nothing that a step started outlives it, so that what must last is in files.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use std::{fs, thread};

use gavel_rules::examples::{FileSeen, Said, StepEnd, StepSeen};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{
    DumpableBehavior, Pid, PidfdFlags, WaitOptions, getpid, pidfd_open, set_child_subreaper,
    set_dumpable_behavior, wait,
};
use serde::{Deserialize, Serialize};

use super::descendants::kill_all;
use super::exec::{Broken, STAGE_FAILED, Stage, Task};
use super::folder_digest::digest_of;
use super::http::{self, Answer, HttpRequest, PORT_PLACE, connect, free_port};
use super::report::Event;

/// The most that is kept of an output or a file.
const KEPT: usize = 64 * 1024;
/// A program that prints more is ended.
const FLOOD: usize = 8 * 1024 * 1024;
/// How often a program is looked at, and a server that does not listen yet is asked again.
const TICK: Duration = Duration::from_millis(20);
/// How often it is tried to end what a step left behind.
const KILLS: u32 = 500;

/// What is done with a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Session {
    /// The words that the server is started with.
    pub(crate) server: Vec<String>,
    /// One thing after another.
    pub(crate) steps: Vec<SessionStep>,
    /// The folder whose files are compared before and after a step.
    pub(crate) watched: PathBuf,
    /// How long each may take, in milliseconds.
    pub(crate) step_ms: u64,
    /// How long a server may take until it listens.
    pub(crate) ready_ms: u64,
}

/// One thing that is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SessionStep {
    pub(crate) errand: Errand,
    /// The files that are looked at afterwards.
    pub(crate) look_at: Vec<PathBuf>,
}

/// What it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Errand {
    /// The program is run with these words.
    Run { args: Vec<String>, stdin: String },
    /// Its server is asked.
    Ask(HttpRequest),
}

/// Reads the session from standard input, does it, and tells what was seen.
pub(crate) fn run(
    task: &Task,
    (program, prefix): (&OsStr, &[OsString]),
) -> Result<ExitCode, Broken> {
    const STAGE: &str = "preparing a session";
    // The report is open here, and the program has the same user.
    set_dumpable_behavior(DumpableBehavior::NotDumpable).stage(STAGE)?;
    // What a step leaves behind becomes our child, and is found.
    set_child_subreaper(Some(getpid())).stage(STAGE)?;
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).stage(STAGE)?;
    let session: Session = serde_json::from_str(&text).stage(STAGE)?;
    let mut driver = Driver {
        start: Start {
            program,
            prefix,
            env: &task.order.policy.env,
            cwd: &task.order.policy.cwd,
        },
        session: &session,
        server: None,
    };
    let mut before = digest_of(&session.watched);
    for step in &session.steps {
        let started = Instant::now();
        let (end, out, err) = match driver.step(step) {
            Ok(seen) => seen,
            Err(Stop::NotStarted(error)) => {
                Event::NotStarted {
                    missing: error.kind() == io::ErrorKind::NotFound,
                    detail: error.to_string(),
                }
                .tell(io::stderr());
                return Ok(ExitCode::from(STAGE_FAILED));
            }
            Err(Stop::Broken(broken)) => return Err(broken),
        };
        let after = digest_of(&session.watched);
        let seen = StepSeen {
            changed_files: after.is_none() || after != before,
            end,
            out,
            err,
            files: step.look_at.iter().map(|path| look_at(path)).collect(),
            millis: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        };
        before = after;
        Event::Stepped { seen }.tell(io::stderr());
    }
    driver.end_server()?;
    Ok(ExitCode::SUCCESS)
}

/// Why a session does not go on.
enum Stop {
    /// The program cannot be started.
    NotStarted(io::Error),
    Broken(Broken),
}

impl From<Broken> for Stop {
    fn from(broken: Broken) -> Self {
        Self::Broken(broken)
    }
}

type Outcome = (StepEnd, Said, Said);

struct Driver<'a> {
    start: Start<'a>,
    session: &'a Session,
    server: Option<Server>,
}

/// A server that was started.
struct Server {
    pid: Pid,
    port: u16,
    listens: bool,
}

impl Driver<'_> {
    fn step(&mut self, step: &SessionStep) -> Result<Outcome, Stop> {
        match &step.errand {
            Errand::Run { args, stdin } => {
                self.end_server()?;
                let until = Instant::now() + Duration::from_millis(self.session.step_ms);
                self.start.run(args, stdin, until)
            }
            Errand::Ask(request) => {
                let end = self.ask(request)?;
                Ok((end.0, end.1, Said::default()))
            }
        }
    }

    /// Steps that ask one after another ask the same server.
    fn ask(&mut self, request: &HttpRequest) -> Result<(StepEnd, Said), Stop> {
        const STAGE: &str = "asking the server";
        let server = match self.server.take() {
            Some(server) => server,
            None => self.start.serve(&self.session.server)?,
        };
        let server = self.server.insert(server);
        let wait_ms = match server.listens {
            true => self.session.step_ms,
            false => self.session.ready_ms,
        };
        let until = Instant::now() + Duration::from_millis(wait_ms);
        let silent = |end| Ok((end, Said::default()));
        let line = loop {
            if let Some(line) = connect(server.port, until) {
                break line;
            }
            if let Some(code) = ended(server.pid).stage(STAGE)? {
                // Others of its children may be left; a dead server is started anew by nobody.
                return silent(StepEnd::ServerEnded { code });
            }
            if Instant::now() >= until {
                return silent(StepEnd::TimedOut);
            }
            thread::sleep(TICK);
        };
        server.listens = true;
        let until = Instant::now() + Duration::from_millis(self.session.step_ms);
        // Once and no more: to send something twice could do it twice.
        match http::ask(line, request, until) {
            Some(Answer { status, body, cut }) => {
                Ok((StepEnd::Answered { status }, Said { text: body, cut }))
            }
            None => match ended(server.pid).stage(STAGE)? {
                Some(code) => silent(StepEnd::ServerEnded { code }),
                None => silent(StepEnd::TimedOut),
            },
        }
    }

    fn end_server(&mut self) -> Result<(), Broken> {
        match self.server.take() {
            Some(_) => end_everything(),
            None => Ok(()),
        }
    }
}

/// How the program is started.
struct Start<'a> {
    program: &'a OsStr,
    prefix: &'a [OsString],
    env: &'a BTreeMap<String, String>,
    cwd: &'a Path,
}

impl Start<'_> {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the sandbox: the confined process starts the program that it looks at"
    )]
    fn command(&self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
        let mut command = Command::new(self.program);
        command
            .args(self.prefix)
            .args(args)
            .env_clear()
            .envs(self.env)
            .current_dir(self.cwd)
            // A group of its own ends in one go.
            .process_group(0);
        command
    }

    fn serve(&self, words: &[String]) -> Result<Server, Stop> {
        const STAGE: &str = "starting the server";
        let port = free_port().stage(STAGE)?;
        let number = port.to_string();
        let output = io::stdout().as_fd().try_clone_to_owned().stage(STAGE)?;
        let words = words.iter().map(|word| word.replace(PORT_PLACE, &number));
        let child = self
            .command(words)
            .env("PORT", &number)
            .stdin(Stdio::null())
            .stderr(Stdio::from(output))
            .spawn()
            .map_err(Stop::NotStarted)?;
        Ok(Server {
            pid: Pid::from_child(&child),
            port,
            listens: false,
        })
    }

    /// Runs the program to its end, or to the end of its time.
    fn run(&self, args: &[String], stdin: &str, until: Instant) -> Result<Outcome, Stop> {
        let mut child = self
            .command(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(Stop::NotStarted)?;
        let pid = Pid::from_child(&child);
        let (input, out, err) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let flooded = AtomicBool::new(false);
        let seen = thread::scope(|scope| {
            let out = scope.spawn(|| collect(out, &flooded));
            let err = scope.spawn(|| collect(err, &flooded));
            scope.spawn(move || input.map(|mut pipe| pipe.write_all(stdin.as_bytes()).ok()));
            let end = watch(pid, until, &flooded);
            // Now nobody holds the outputs, so that reading them comes to an end.
            let ended = end_everything();
            let said = [out.join(), err.join()].map(Result::unwrap_or_default);
            ended.and(end).map(|end| (end, said))
        });
        let (end, [out, err]) = seen?;
        Ok((end, out, err))
    }
}

/// Waits for the end of a program, of its time, or of our patience with its output.
fn watch(pid: Pid, until: Instant, flooded: &AtomicBool) -> Result<StepEnd, Broken> {
    const STAGE: &str = "watching the program";
    let handle = pidfd_open(pid, PidfdFlags::empty()).stage(STAGE)?;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let time = Timespec::try_from(left.min(TICK)).stage(STAGE)?;
        match poll(&mut [PollFd::new(&handle, PollFlags::IN)], Some(&time)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error).stage(STAGE),
        }
        match wait_for(Some(pid)).stage(STAGE)? {
            Waited::Ended(status) => {
                let code = status.code();
                return Ok(code.map_or(StepEnd::Signalled, |code| StepEnd::Exited { code }));
            }
            Waited::Nobody => return Ok(StepEnd::Signalled),
            Waited::NotYet => {}
        }
        if flooded.load(Ordering::Relaxed) {
            return Ok(StepEnd::Flooded);
        }
        if Instant::now() >= until {
            return Ok(StepEnd::TimedOut);
        }
    }
}

enum Waited {
    Ended(ExitStatus),
    NotYet,
    Nobody,
}

/// Collects a child that has ended: this one, or any.
fn wait_for(pid: Option<Pid>) -> io::Result<Waited> {
    let waited = match pid {
        Some(pid) => rustix::process::waitpid(Some(pid), WaitOptions::NOHANG),
        None => wait(WaitOptions::NOHANG),
    };
    match waited {
        Ok(Some((_, status))) => Ok(Waited::Ended(ExitStatus::from_raw(status.as_raw()))),
        Ok(None) | Err(Errno::INTR) => Ok(Waited::NotYet),
        Err(Errno::CHILD) => Ok(Waited::Nobody),
        Err(error) => Err(error.into()),
    }
}

/// The exit code of a server that has ended, `None` within for a signal.
fn ended(server: Pid) -> io::Result<Option<Option<i32>>> {
    Ok(match wait_for(Some(server))? {
        Waited::Ended(status) => Some(status.code()),
        Waited::Nobody => Some(None),
        Waited::NotYet => None,
    })
}

/// Kills until no child is left: nothing goes from one step to the next but files.
fn end_everything() -> Result<(), Broken> {
    const STAGE: &str = "ending what a step left behind";
    for _ in 0..KILLS {
        let left = loop {
            match wait_for(None).stage(STAGE)? {
                Waited::Ended(_) => {}
                Waited::NotYet => break true,
                Waited::Nobody => break false,
            }
        };
        if !left {
            return Ok(());
        }
        kill_all().stage(STAGE)?;
        thread::sleep(Duration::from_millis(1));
    }
    Err("processes are left").stage(STAGE)
}

/// Reads everything, and keeps the beginning.
fn collect(pipe: Option<impl Read>, flooded: &AtomicBool) -> Said {
    let mut kept = Vec::new();
    let mut total = 0_usize;
    let mut piece = [0; 16 * 1024];
    let Some(mut pipe) = pipe else {
        return Said::default();
    };
    loop {
        match pipe.read(&mut piece) {
            Ok(0) => break,
            Ok(count) => {
                total = total.saturating_add(count);
                let room = KEPT.saturating_sub(kept.len()).min(count);
                kept.extend_from_slice(piece.get(..room).unwrap_or_default());
                if total > FLOOD {
                    flooded.store(true, Ordering::Relaxed);
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    Said {
        cut: total > kept.len(),
        text: String::from_utf8_lossy(&kept).into_owned(),
    }
}

/// What a file holds; only a plain file is opened, for others could keep us waiting.
fn look_at(path: &Path) -> FileSeen {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => FileSeen::Missing,
        Ok(found) if found.is_file() => match fs::File::open(path) {
            Ok(file) => {
                let never = AtomicBool::new(false);
                let most = KEPT as u64 + 1;
                let said = collect(Some(file.take(most)), &never);
                FileSeen::Text { said }
            }
            Err(_) => FileSeen::Unreadable,
        },
        Ok(_) | Err(_) => FileSeen::Unreadable,
    }
}
