//! Starts a supervisor, collects what the command prints, and reads how it ended.

use std::convert::Infallible;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use gavel_domain::{HostRefused, HostTraffic};
use gavel_rules::examples::StepSeen;
use tokio::io::AsyncReadExt;
use tokio::net::UnixStream;
use tokio::process::{Child, ChildStdout, Command};
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use super::output::Collector;
use super::told::Told;
use super::{Argv, Output};
use crate::registry_proxy::{self, Counts};
use crate::sandbox::{
    self, Confinement, Errand, Held, HttpAnswer, HttpProbe, Order, OrphanError, Policy, Profile,
    SANDBOX_EXEC, Session, SessionStep, Walls,
};
use crate::{OpenNetwork, Registries};

/// How long after the deadline the supervisor itself may take; killing is quick, so this is only
/// reached when the kernel cannot end a process.
const GRACE: Duration = Duration::from_secs(30);

/// How long output is read after the supervisor is gone; there is none unless somebody killed it.
const DRAIN: Duration = Duration::from_secs(3);

/// The program whose subcommand `sandbox-exec` calls [`crate::sandbox_exec`]: usually Gavel itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxDoor(pub PathBuf);

/// What to do on a machine that cannot confine commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WithoutSandbox {
    /// Refuse to run anything: the rule for unattended runs.
    Refuse,
    /// Run all the same: a person was asked and agreed.
    AllowedByPerson,
}

/// Runs commands on this machine.
#[derive(Debug, Clone)]
pub struct Commands {
    door: SandboxDoor,
    confinement: Confinement,
    without_sandbox: WithoutSandbox,
}

/// One command to run.
#[derive(Debug, Clone)]
pub struct CommandSpec {
    /// The program and its arguments.
    pub argv: Argv,
    /// What it may touch.
    pub policy: Policy,
    /// A file that stays locked while anything of the command is alive; resume waits for it with
    /// [`crate::wait_for_orphans`]. It also receives the supervisor's report.
    pub lock: PathBuf,
    /// Cancelling it kills the command and everything that it started.
    pub cancel: CancellationToken,
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Exit {
    /// By itself, with this code.
    Code(i32),
    /// By a signal that was not ours.
    Signal(i32),
    /// Its time was over.
    Deadline,
    /// It started too many processes or threads.
    Tasks,
    /// It used too much memory.
    Memory,
    /// It printed too much.
    Flood,
    /// It wrote too much to the disk.
    Disk {
        /// What one command may write, in bytes; a build may have twice as much.
        allowed: u64,
    },
}

impl Exit {
    /// The exit code, when it ended by itself.
    pub const fn code(self) -> Option<i32> {
        match self {
            Self::Code(code) => Some(code),
            Self::Signal(_)
            | Self::Deadline
            | Self::Tasks
            | Self::Memory
            | Self::Flood
            | Self::Disk { .. } => None,
        }
    }
}

/// What a command did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandOutcome {
    /// How it ended.
    pub exit: Exit,
    /// What it printed.
    pub output: Output,
    /// The walls that were around it.
    pub confinement: Confinement,
    /// How long it ran.
    pub elapsed: Duration,
    /// It had the network of the machine; only an install step that a person agreed to has.
    pub open_network: bool,
    /// The hosts that it talked to; only an install step can.
    pub hosts: Vec<HostTraffic>,
    /// The hosts that it was refused.
    pub refused: Vec<HostRefused>,
}

/// A command that did not run to an end of its own.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// Nothing can confine commands here; a person may allow it, an unattended run may not.
    #[error(
        "commands cannot be confined on this machine ({}); run attended and allow it, or use a \
         kernel with Landlock",
        because.join("; ")
    )]
    NoSandbox {
        /// Why not, one line each.
        because: Vec<String>,
    },
    /// Programs cannot listen inside these walls; use a machine that can give them a network of
    /// their own.
    #[error(
        "`{program}` cannot listen here: this machine gives commands no network of their own, which \
         needs user namespaces or bubblewrap"
    )]
    NoLoopback {
        /// The program.
        program: String,
    },
    /// The network of an install step cannot be walled in here; a person may agree to that.
    #[error(
        "`{program}` would fetch dependencies with this machine's whole network: commands get none \
         of their own here, which needs user namespaces or bubblewrap; agree to it in your own \
         config.toml with [install] open_network = \"agreed\""
    )]
    OpenNetwork {
        /// The program.
        program: String,
    },
    /// There is no such program inside the sandbox; name another.
    #[error("there is no program `{program}` in the sandbox")]
    NotFound {
        /// The program.
        program: String,
    },
    /// The program exists and could not be started.
    #[error("`{program}` could not be started: {detail}")]
    NotStarted {
        /// The program.
        program: String,
        /// What the system said.
        detail: String,
    },
    /// The caller cancelled it; everything was killed.
    #[error("the command was cancelled")]
    Cancelled,
    /// Processes of an earlier command are alive, or the lock cannot be used.
    #[error(transparent)]
    Lock(#[from] OrphanError),
    /// A folder that the policy names cannot be made.
    #[error("the folder {path} cannot be made")]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The policy cannot be handed over.
    #[error("the policy cannot be written as text")]
    Policy(#[source] serde_json::Error),
    /// The program of the sandbox cannot be started.
    #[error("{door} cannot be started as a sandbox")]
    Door {
        /// The program.
        door: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The walls could not be put up, so nothing was started.
    #[error("the sandbox failed while {stage}: {detail}")]
    NotConfined {
        /// What was being done.
        stage: String,
        /// What the system said.
        detail: String,
    },
    /// The supervisor ended without a report: somebody killed it.
    #[error("the sandbox's supervisor died without a report: {said}")]
    Lost {
        /// What it said instead.
        said: String,
    },
    /// The supervisor cannot end the command; its lock stays held.
    #[error("processes of the command cannot be ended; the lock {lock} stays held until they are")]
    Stuck {
        /// The lock file.
        lock: PathBuf,
    },
    /// The system has no socket left.
    #[error("the line to the sandbox's supervisor cannot be made")]
    Line(#[source] io::Error),
    /// The output or the report cannot be read.
    #[error("the command's output cannot be read")]
    Read(#[source] io::Error),
}

impl Commands {
    /// Uses these walls, which [`Commands::detect`] found or a test chose.
    pub const fn new(
        door: SandboxDoor,
        confinement: Confinement,
        without_sandbox: WithoutSandbox,
    ) -> Self {
        Self {
            door,
            confinement,
            without_sandbox,
        }
    }

    /// The walls that every command gets.
    pub const fn confinement(&self) -> &Confinement {
        &self.confinement
    }

    /// Runs one command to its end and leaves nothing of it alive.
    ///
    /// Dropping the future has the same effect as cancelling: the supervisor sees its lifeline cut.
    pub async fn run(&self, spec: &CommandSpec) -> Result<CommandOutcome, CommandError> {
        self.allowed(spec)?;
        let seen = self.supervise(spec, spec.argv.words(), Work::Run).await?;
        Ok(seen.outcome)
    }

    /// Starts a program that listens on the port that the variable `PORT` names, asks it once from
    /// inside its walls, and leaves nothing of it alive.
    ///
    /// `{port}` in an argument stands for the port. How the program ended by itself is in the
    /// answer; the outcome's exit is that of asking.
    pub async fn probe(
        &self,
        spec: &CommandSpec,
        probe: &HttpProbe,
    ) -> Result<(CommandOutcome, HttpAnswer), CommandError> {
        self.allowed(spec)?;
        self.can_listen(spec)?;
        let work = Work::Probe(probe);
        let seen = self.supervise(spec, spec.argv.words(), work).await?;
        Ok((seen.outcome, seen.answer.unwrap_or(HttpAnswer::Silent)))
    }

    /// Does one thing after another with a program, inside one set of walls, and leaves nothing of it
    /// alive. The command's words come before those of each step.
    ///
    /// Fewer steps than were asked for come back when the program's limits ended the session.
    pub(crate) async fn session(
        &self,
        spec: &CommandSpec,
        session: &Session,
    ) -> Result<(CommandOutcome, Vec<StepSeen>), CommandError> {
        self.allowed(spec)?;
        let asks = |step: &SessionStep| matches!(step.errand, Errand::Ask(_));
        if session.steps.iter().any(asks) {
            self.can_listen(spec)?;
        }
        let work = Work::Session(session);
        let seen = self.supervise(spec, spec.argv.words(), work).await?;
        Ok((seen.outcome, seen.steps))
    }

    fn can_listen(&self, spec: &CommandSpec) -> Result<(), CommandError> {
        let walls = self.confinement.walls;
        if walls != Walls::Absent && !walls.own_network() {
            let program = spec.argv.program().to_owned();
            return Err(CommandError::NoLoopback { program });
        }
        Ok(())
    }

    fn allowed(&self, spec: &CommandSpec) -> Result<(), CommandError> {
        if self.confinement.walls == Walls::Absent && self.without_sandbox == WithoutSandbox::Refuse
        {
            return Err(CommandError::NoSandbox {
                because: self.confinement.because.clone(),
            });
        }
        if self.opens_network(spec) == Some(OpenNetwork::Refused) {
            let program = spec.argv.program().to_owned();
            return Err(CommandError::OpenNetwork { program });
        }
        if spec.cancel.is_cancelled() {
            return Err(CommandError::Cancelled);
        }
        make_folders(&spec.policy)
    }

    /// What was agreed on for an install step without a network of its own; `None` for others.
    fn opens_network(&self, spec: &CommandSpec) -> Option<OpenNetwork> {
        if spec.policy.profile == Profile::Run || self.confinement.walls.own_network() {
            return None;
        }
        Some(match self.without_sandbox {
            WithoutSandbox::AllowedByPerson => OpenNetwork::Agreed,
            WithoutSandbox::Refuse => spec.policy.registries.open_network,
        })
    }

    /// Puts the walls up without starting anything, and returns the Landlock interface in force.
    pub(crate) async fn attempt(&self, policy: Policy, lock: PathBuf) -> Result<u8, CommandError> {
        let spec = CommandSpec {
            argv: Argv::new(["trial"]).map_err(|error| CommandError::NotStarted {
                program: "trial".to_owned(),
                detail: error.to_string(),
            })?,
            policy,
            lock,
            cancel: CancellationToken::new(),
        };
        make_folders(&spec.policy)?;
        let seen = self.supervise(&spec, &[], Work::Run).await?;
        Ok(seen.outcome.confinement.landlock_abi)
    }

    async fn supervise(
        &self,
        spec: &CommandSpec,
        argv: &[String],
        work: Work<'_>,
    ) -> Result<Supervised, CommandError> {
        let started = Instant::now();
        let Held { lock, mut report } = Held::take(&spec.lock)?;
        let (lifeline, line) =
            std::os::unix::net::UnixStream::pair().map_err(CommandError::Line)?;
        let mut child = self.start(spec, (argv, work), Ends { lock, line })?;
        let counts = Arc::default();
        let way_out = match spec.policy.proxied {
            true => Some(lifeline.try_clone().map_err(CommandError::Line)?),
            false => None,
        };
        let serving = serve(way_out, &spec.policy.registries, &counts);
        let reading = Reading {
            spec,
            until: started + Duration::from_millis(spec.policy.limits.wall_ms) + GRACE,
            output: Collector::new(spec.policy.limits.kept_output),
            flood: false,
        };
        let finished = async {
            tokio::select! {
                finished = reading.finish(&mut child, Some(lifeline)) => finished,
                never = serving => match never {},
            }
        };
        // Boxed: runs hold this future inside many others.
        let (output, flood) = Box::pin(finished).await?;
        let elapsed = started.elapsed();
        let mut text = String::new();
        report
            .read_to_string(&mut text)
            .map_err(CommandError::Read)?;
        let mut told = Told::read(&text);
        let answer = told.answer.take();
        let steps = std::mem::take(&mut told.steps);
        let confinement = Confinement {
            landlock_abi: told.landlock_abi,
            ..self.confinement.clone()
        };
        let exit = told.exit(spec, flood)?;
        let outcome = CommandOutcome {
            exit,
            output,
            confinement,
            elapsed,
            open_network: self.opens_network(spec).is_some(),
            hosts: counts.hosts(),
            refused: counts.refused(),
        };
        Ok(Supervised {
            outcome,
            answer,
            steps,
        })
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "this is the one function that runs commands, always inside the sandbox"
    )]
    fn start(
        &self,
        spec: &CommandSpec,
        (argv, work): (&[String], Work<'_>),
        ends: Ends,
    ) -> Result<Child, CommandError> {
        let policy = match self.opens_network(spec) {
            Some(_) => spec.policy.clone().in_open_network(),
            None => spec.policy.clone(),
        };
        let (probe, session) = match work {
            Work::Run => (None, None),
            Work::Probe(probe) => (Some(probe.clone()), None),
            Work::Session(session) => (None, Some(write_session(session, &spec.lock)?)),
        };
        let order = Order {
            walls: self.confinement.walls,
            policy,
            probe,
            session,
        };
        let order = serde_json::to_string(&order).map_err(CommandError::Policy)?;
        let SandboxDoor(door) = &self.door;
        Command::new(door)
            .args([SANDBOX_EXEC, &order, "--"])
            .args(argv)
            .env_clear()
            .stdin(Stdio::from(OwnedFd::from(ends.line)))
            .stdout(Stdio::piped())
            .stderr(Stdio::from(ends.lock))
            // Not ours, so that a person's Ctrl-C reaches Gavel alone, which then lets go.
            .process_group(0)
            .spawn()
            .map_err(|source| CommandError::Door {
                door: door.clone(),
                source,
            })
    }
}

/// What is done with a command.
#[derive(Clone, Copy)]
enum Work<'a> {
    /// It is run to its end.
    Run,
    /// It listens and is asked once.
    Probe(&'a HttpProbe),
    /// It is started again and again.
    Session(&'a Session),
}

/// What a supervisor and its stages told.
struct Supervised {
    outcome: CommandOutcome,
    answer: Option<HttpAnswer>,
    steps: Vec<StepSeen>,
}

/// Writes a session beside the lock, where no command can read it; the supervisor removes it.
fn write_session(session: &Session, lock: &Path) -> Result<PathBuf, CommandError> {
    let path = lock.with_extension("session");
    let text = serde_json::to_vec(session).map_err(CommandError::Policy)?;
    match std::fs::write(&path, text) {
        Ok(()) => Ok(path),
        Err(source) => Err(OrphanError::Unusable { lock: path, source }.into()),
    }
}

/// The supervisor's ends of what joins it with Gavel.
struct Ends {
    lock: std::fs::File,
    line: std::os::unix::net::UnixStream,
}

struct Reading<'a> {
    spec: &'a CommandSpec,
    until: Instant,
    output: Collector,
    flood: bool,
}

/// What can come next while a command runs.
enum Next {
    Cancelled,
    Read(io::Result<usize>),
    SupervisorGone(io::Result<std::process::ExitStatus>),
}

impl Reading<'_> {
    /// Reads until everybody closed the output and the supervisor is gone.
    async fn finish(
        mut self,
        child: &mut Child,
        mut lifeline: Option<std::os::unix::net::UnixStream>,
    ) -> Result<(Output, bool), CommandError> {
        let mut stdout = child.stdout.take();
        let mut buffer = vec![0; 16 * 1024];
        let mut gone = false;
        while !gone || stdout.is_some() {
            let next = async {
                tokio::select! {
                    () = self.spec.cancel.cancelled(), if lifeline.is_some() => Next::Cancelled,
                    read = read_some(&mut stdout, &mut buffer), if stdout.is_some() => {
                        Next::Read(read)
                    }
                    waited = child.wait(), if !gone => Next::SupervisorGone(waited),
                }
            };
            match timeout_at(self.until, next).await {
                // Somebody killed the supervisor, and what it left keeps the output open.
                Err(_) if gone => break,
                Err(_) => return Err(self.stuck()),
                // The supervisor sees the end of its lifeline; its output still comes to an end.
                Ok(Next::Cancelled) => drop(lifeline.take()),
                Ok(Next::SupervisorGone(waited)) => {
                    waited.map_err(CommandError::Read)?;
                    gone = true;
                    self.until = self.until.min(Instant::now() + DRAIN);
                }
                Ok(Next::Read(Err(error))) => return Err(CommandError::Read(error)),
                Ok(Next::Read(Ok(0))) => stdout = None,
                Ok(Next::Read(Ok(count))) => {
                    let total = self.output.push(buffer.get(..count).unwrap_or_default());
                    if total > self.spec.policy.limits.output_flood && lifeline.is_some() {
                        self.flood = true;
                        drop(lifeline.take());
                    }
                }
            }
        }
        Ok((self.output.finish(), self.flood))
    }

    fn stuck(&self) -> CommandError {
        CommandError::Stuck {
            lock: self.spec.lock.clone(),
        }
    }
}

/// Serves the way out of an install step, once the step has handed it over; never ends by itself.
///
/// A step whose way out fails meets a closed door, which is what it may expect.
async fn serve(
    line: Option<std::os::unix::net::UnixStream>,
    registries: &Registries,
    counts: &Arc<Counts>,
) -> Infallible {
    if let Some(line) = line {
        let served = async {
            line.set_nonblocking(true)?;
            // This copy of the lifeline is gone with the message, so that cutting it cuts it.
            let socket = sandbox::receive(UnixStream::from_std(line)?).await?;
            registry_proxy::serve(socket, registries, counts).await
        };
        if let Err(error) = served.await {
            tracing::debug!(%error, "the way to the registries is closed");
        }
    }
    std::future::pending().await
}

async fn read_some(stdout: &mut Option<ChildStdout>, buffer: &mut [u8]) -> io::Result<usize> {
    match stdout {
        Some(stdout) => stdout.read(buffer).await,
        None => Ok(0),
    }
}

fn make_folders(policy: &Policy) -> Result<(), CommandError> {
    let make = |path: &Path| {
        std::fs::create_dir_all(path).map_err(|source| CommandError::Folder {
            path: path.to_owned(),
            source,
        })
    };
    policy.read_write.iter().try_for_each(|path| make(path))?;
    policy.named_folders().try_for_each(make)
}
