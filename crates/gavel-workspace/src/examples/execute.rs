//! Executes one example: in a folder of its own, inside the sandbox, without network.

use std::fs;
use std::path::{Path, PathBuf};

use gavel_domain::{
    Example, ExampleAction, ExampleFile, ExamplePath, ExampleStep, FileAfter, RequestBody,
};
use gavel_rules::examples::{Said, StepEnd, StepSeen, judge_example};
use tokio_util::sync::CancellationToken;

use super::program::Program;
use crate::sandbox::{Errand, HttpBody, HttpRequest, Session, SessionStep};
use crate::{CommandError, CommandSpec, Commands, Exit, Policy, Profile};

/// How long a run may take.
const STEP_MS: u64 = 10_000;
/// How long a server may take until it listens.
const READY_MS: u64 = 20_000;
/// How long an example may take.
const WALL_MS: u64 = 120_000;
/// What a transcript shows of an output.
const SHOWN: usize = 2_000;
/// The longest transcript.
const TRANSCRIPT: usize = 16 * 1024;
/// What stays of the environment: nothing that a package manager or a runner of tests reads.
const KEPT: [&str; 4] = ["PATH", "LANG", "TERM", "NO_COLOR"];

/// Where examples are executed.
#[derive(Debug, Clone)]
pub struct ExamplePlan {
    /// What the program may touch: the tree that it was built in, its cache and its temporary folder.
    /// While examples run, it can only read the first two.
    pub policy: Policy,
    /// The lock of the commands, see [`CommandSpec::lock`].
    pub lock: PathBuf,
    /// Cancelling it ends the execution.
    pub cancel: CancellationToken,
}

/// An example that was executed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExampleSeen {
    /// True when everything came as the example says.
    pub held: bool,
    /// What did not, each with its line.
    pub problems: Vec<String>,
    /// What was done and what came, capped.
    pub transcript: String,
    /// How long it took.
    pub millis: u64,
}

/// An example that could not be executed.
#[derive(Debug, thiserror::Error)]
pub enum ExampleError {
    /// Its folder cannot be made or filled.
    #[error("the example's folder {path} cannot be made; see that the disk has space")]
    Folder {
        /// The folder or file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// The program cannot be run.
    #[error("the example cannot be executed")]
    Command(#[from] CommandError),
}

/// Executes an example against the built program and judges what was seen.
pub async fn execute_example(
    commands: &Commands,
    plan: &ExamplePlan,
    program: &Program,
    example: &Example,
) -> Result<ExampleSeen, ExampleError> {
    let room = Room::make(&plan.policy.temp, example)?;
    let spec = CommandSpec {
        argv: program.argv.clone(),
        policy: room.policy(&plan.policy),
        lock: plan.lock.clone(),
        cancel: plan.cancel.clone(),
    };
    let session = room.session(example);
    let (outcome, seen) = Box::pin(commands.session(&spec, &session)).await?;
    let mut problems = judge_example(example, &seen);
    if let Some(problem) = limit_problem(outcome.exit) {
        problems.insert(0, problem);
    }
    Ok(ExampleSeen {
        held: problems.is_empty(),
        problems,
        transcript: transcript(example, &seen, &outcome.output.text),
        millis: u64::try_from(outcome.elapsed.as_millis()).unwrap_or(u64::MAX),
    })
}

fn limit_problem(exit: Exit) -> Option<String> {
    let what = match exit {
        Exit::Code(0) => return None,
        Exit::Code(_) | Exit::Signal(_) => "it ended whoever executes it",
        Exit::Deadline => "all of it took too long",
        Exit::Tasks => "it started too many processes",
        Exit::Memory => "it used too much memory",
        Exit::Flood => "it printed too much",
        Exit::Disk { .. } => "it wrote too much",
    };
    Some(format!("the program was stopped: {what}"))
}

/// The folder of one example.
struct Room {
    root: PathBuf,
    /// Removes the folder.
    _removed: tempfile::TempDir,
}

impl Room {
    fn make(temp: &Path, example: &Example) -> Result<Self, ExampleError> {
        let failed = |path: &Path, source| ExampleError::Folder {
            path: path.to_owned(),
            source,
        };
        fs::create_dir_all(temp).map_err(|source| failed(temp, source))?;
        // Nothing in its name says what it is for.
        let folder = tempfile::Builder::new().prefix("").tempdir_in(temp);
        let folder = folder.map_err(|source| failed(temp, source))?;
        let root = folder.path().canonicalize();
        let root = root.map_err(|source| failed(folder.path(), source))?;
        let room = Self {
            root,
            _removed: folder,
        };
        let usual = [".config", ".cache", ".local/share", ".local/state"];
        let homes = usual.iter().map(|name| room.home().join(name));
        for path in homes.chain([room.work(), room.temp()]) {
            fs::create_dir_all(&path).map_err(|source| failed(&path, source))?;
        }
        for ExampleFile { path, text } in &example.files {
            let path = room.path(path);
            let folder = path.parent().unwrap_or(&room.root);
            fs::create_dir_all(folder)
                .and_then(|()| fs::write(&path, text))
                .map_err(|source| failed(&path, source))?;
        }
        Ok(room)
    }

    fn work(&self) -> PathBuf {
        self.root.join("work")
    }

    fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    fn temp(&self) -> PathBuf {
        self.root.join("tmp")
    }

    fn path(&self, path: &ExamplePath) -> PathBuf {
        match path.in_home() {
            Some(below) => self.home().join(below),
            None => self.work().join(path.as_str()),
        }
    }

    /// Only this folder can be written; what the build left can be read.
    fn policy(&self, build: &Policy) -> Policy {
        let mut policy = build.clone().for_profile(Profile::Run);
        let left = policy.read_write.iter().filter(|path| **path != build.temp);
        policy.read_only.extend(left.cloned());
        policy.read_write = vec![self.root.clone()];
        policy.temp = self.temp();
        policy.cwd = self.work();
        policy.env.retain(|name, _| KEPT.contains(&name.as_str()));
        let home = self.home();
        for (name, path) in [
            ("HOME", home.clone()),
            ("XDG_CONFIG_HOME", home.join(".config")),
            ("XDG_CACHE_HOME", home.join(".cache")),
            ("XDG_DATA_HOME", home.join(".local/share")),
            ("XDG_STATE_HOME", home.join(".local/state")),
            ("TMPDIR", self.temp()),
        ] {
            let path = path.display().to_string();
            policy.env.insert(name.to_owned(), path);
        }
        policy.limits.wall_ms = policy.limits.wall_ms.min(WALL_MS);
        policy
    }

    /// What is done, without what is expected.
    fn session(&self, example: &Example) -> Session {
        let step = |step: &ExampleStep| SessionStep {
            errand: match &step.action {
                ExampleAction::Run { args, stdin, .. } => Errand::Run {
                    args: args.clone(),
                    stdin: stdin.clone(),
                },
                ExampleAction::Ask {
                    method, path, body, ..
                } => Errand::Ask(HttpRequest {
                    method: *method,
                    path: path.clone(),
                    body: body.as_ref().map(sent),
                }),
            },
            look_at: step.files.iter().map(|file| self.looked_at(file)).collect(),
        };
        Session {
            server: example.server.clone(),
            steps: example.steps.iter().map(step).collect(),
            step_ms: STEP_MS,
            ready_ms: READY_MS,
        }
    }

    fn looked_at(&self, file: &FileAfter) -> PathBuf {
        match file {
            FileAfter::Holds(ExampleFile { path, .. }) | FileAfter::Gone(path) => self.path(path),
        }
    }
}

fn sent(body: &RequestBody) -> HttpBody {
    let (content_type, text) = match body {
        RequestBody::Json(value) => ("application/json", value.to_string()),
        RequestBody::Text(text) => ("text/plain; charset=utf-8", text.clone()),
    };
    HttpBody {
        content_type: content_type.to_owned(),
        text,
    }
}

/// What was done and what came, as a person reads it.
fn transcript(example: &Example, seen: &[StepSeen], printed: &str) -> String {
    let mut text = String::new();
    for (step, seen) in example.steps.iter().zip(seen) {
        let end = match &seen.end {
            StepEnd::Exited { code } => format!("exit {code}"),
            StepEnd::Signalled => "ended by a signal".to_owned(),
            StepEnd::Answered { status } => format!("status {status}"),
            StepEnd::TimedOut => "time was over".to_owned(),
            StepEnd::Flooded => "stopped".to_owned(),
            StepEnd::ServerEnded { .. } => "the server had ended".to_owned(),
        };
        // No times: the same example of the same program reads the same.
        text += &format!("{}\n({end})\n", step.headline());
        text += &beginning(&seen.out, "  ");
        text += &beginning(&seen.err, "! ");
    }
    if example.asks_server() && !printed.is_empty() {
        let said = Said {
            text: printed.to_owned(),
            cut: false,
        };
        text += &format!("the server printed\n{}", beginning(&said, "! "));
    }
    clipped(&text, TRANSCRIPT)
}

fn beginning(said: &Said, mark: &str) -> String {
    let shown = clipped(&said.text, SHOWN);
    shown
        .lines()
        .map(|line| format!("{mark}{line}\n"))
        .collect()
}

fn clipped(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(most);
    format!("{}\n[cut]\n", text.get(..end).unwrap_or_default())
}
