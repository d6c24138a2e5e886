//! Executes one example: in a folder of its own, inside the sandbox, without network.

use std::fs;
use std::path::{Path, PathBuf};

use gavel_domain::{
    Example, ExampleAction, ExampleFile, ExamplePath, ExampleStep, FileAfter, RequestBody,
};
use gavel_rules::examples::{ExampleFolders, Said, StepEnd, StepOrder, StepSeen, judge_example};
use tokio_util::sync::CancellationToken;

use super::program::Program;
use crate::sandbox::{AlsoAt, Errand, HttpBody, HttpRequest, Session, SessionStep};
use crate::{Argv, ArgvError, CommandError, CommandSpec, Commands, Exit, Policy, Profile};

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

/// One execution of an example.
#[derive(Debug, Clone)]
pub struct ExampleExecution<'a> {
    /// The example.
    pub example: &'a Example,
    /// The order of its steps.
    pub order: StepOrder,
    /// Where it takes place, as the program sees it.
    pub folders: ExampleFolders,
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
    /// For each step that was done, whether it changed no file.
    pub changed_nothing: Vec<bool>,
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
    /// The program's path cannot be part of a command.
    #[error("the example's program cannot be named")]
    Argv(#[from] ArgvError),
}

/// Executes an example against the built program and judges what was seen.
pub async fn execute_example(
    commands: &Commands,
    plan: &ExamplePlan,
    program: &Program,
    execution: &ExampleExecution<'_>,
) -> Result<ExampleSeen, ExampleError> {
    let ExampleExecution {
        example,
        order,
        folders,
    } = execution;
    let mut room = Room::make(&plan.policy.temp, folders)?;
    let mut policy = room.policy(&plan.policy);
    let mut argv = program.argv.clone();
    if commands.confinement().walls.own_files() {
        let tree = room.move_away(folders, &mut policy, &plan.policy.cwd);
        argv = below_other_folder(&argv, &plan.policy.cwd, &tree)?;
    }
    room.start_in(&mut policy);
    room.fill(example)?;
    let spec = CommandSpec {
        argv,
        policy,
        lock: plan.lock.clone(),
        cancel: plan.cancel.clone(),
    };
    let session = room.session(example, order);
    let (outcome, seen) = Box::pin(commands.session(&spec, &session)).await?;
    let mut problems = judge_example(example, order, &seen);
    if let Some(problem) = limit_problem(outcome.exit) {
        problems.insert(0, problem);
    }
    Ok(ExampleSeen {
        held: problems.is_empty(),
        problems,
        transcript: transcript(execution, &seen, &outcome.output.text),
        changed_nothing: seen.iter().map(|step| !step.changed_files).collect(),
        millis: u64::try_from(outcome.elapsed.as_millis()).unwrap_or(u64::MAX),
    })
}

/// A command with the paths of files below a folder as if they were below another one.
fn below_other_folder(argv: &Argv, folder: &Path, other: &Path) -> Result<Argv, ArgvError> {
    let words = argv.words().iter().map(|word| {
        let below = Path::new(word).strip_prefix(folder);
        below.map_or_else(
            |_| word.clone(),
            |below| match below.as_os_str().is_empty() {
                true => other.display().to_string(),
                false => other.join(below).display().to_string(),
            },
        )
    });
    Argv::new(words)
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

/// The folders of one execution.
struct Room<'a> {
    /// Where they are.
    real: PathBuf,
    /// Where the program sees them.
    seen: PathBuf,
    folders: &'a ExampleFolders,
    /// Removes them.
    _removed: tempfile::TempDir,
}

fn folder_failed(path: &Path, source: std::io::Error) -> ExampleError {
    ExampleError::Folder {
        path: path.to_owned(),
        source,
    }
}

impl<'a> Room<'a> {
    fn make(temp: &Path, folders: &'a ExampleFolders) -> Result<Self, ExampleError> {
        fs::create_dir_all(temp).map_err(|source| folder_failed(temp, source))?;
        // Nothing in its name says what it is for.
        let folder = tempfile::Builder::new().prefix("").tempdir_in(temp);
        let folder = folder.map_err(|source| folder_failed(temp, source))?;
        let real = folder.path().canonicalize();
        let real = real.map_err(|source| folder_failed(folder.path(), source))?;
        let room = Self {
            seen: real.clone(),
            real,
            folders,
            _removed: folder,
        };
        let home = room.real.join(&folders.home);
        let usual = [".config", ".cache", ".local/share", ".local/state"];
        let homes = usual.iter().map(|name| home.join(name));
        let others = [&folders.work, &folders.temp].map(|name| room.real.join(name));
        for path in homes.chain(others) {
            fs::create_dir_all(&path).map_err(|source| folder_failed(&path, source))?;
        }
        Ok(room)
    }

    /// Lets the program see its folders and its tree at other places; returns that of the tree.
    fn move_away(&mut self, folders: &ExampleFolders, policy: &mut Policy, tree: &Path) -> PathBuf {
        let listed = || policy.read_only.iter().chain(&policy.read_write);
        let is_free = |parent: &&Path| !listed().any(|path| parent.starts_with(path));
        let parents = folders.parents.iter().map(|name| Path::new("/").join(name));
        let parents: Vec<PathBuf> = parents.collect();
        let parent = parents.iter().map(PathBuf::as_path).find(is_free);
        let parent = parent.unwrap_or(Path::new("/"));
        self.seen = parent.join(&folders.root);
        let seen_tree = parent.join(&folders.tree);
        policy.also_at = vec![
            AlsoAt {
                folder: self.real.clone(),
                at: self.seen.clone(),
            },
            AlsoAt {
                folder: tree.to_owned(),
                at: seen_tree.clone(),
            },
        ];
        seen_tree
    }

    /// The files that are there before anything runs.
    fn fill(&self, example: &Example) -> Result<(), ExampleError> {
        for ExampleFile { path, text } in &example.files {
            let path = self.path(&self.real, path);
            let folder = path.parent().unwrap_or(&self.real);
            fs::create_dir_all(folder)
                .and_then(|()| fs::write(&path, text))
                .map_err(|source| folder_failed(&path, source))?;
        }
        Ok(())
    }

    fn path(&self, root: &Path, path: &ExamplePath) -> PathBuf {
        match path.in_home() {
            Some(below) => root.join(&self.folders.home).join(below),
            None => root.join(&self.folders.work).join(path.as_str()),
        }
    }

    /// Only these folders can be written; what the build left can be read.
    fn policy(&self, build: &Policy) -> Policy {
        let mut policy = build.clone().for_profile(Profile::Run);
        let left = policy.read_write.iter().filter(|path| **path != build.temp);
        policy.read_only.extend(left.cloned());
        policy.read_write = vec![self.real.clone()];
        policy.temp = self.real.join(&self.folders.temp);
        policy.env.retain(|name, _| KEPT.contains(&name.as_str()));
        if let Some(person) = &self.folders.person {
            policy.env.remove("NO_COLOR");
            for (name, value) in [
                ("USER", person.name.as_str()),
                ("LOGNAME", &person.name),
                ("TERM", person.terminal),
                ("SHELL", person.shell),
            ] {
                policy.env.insert(name.to_owned(), value.to_owned());
            }
        }
        policy.limits.wall_ms = policy.limits.wall_ms.min(WALL_MS);
        policy
    }

    /// The folder in which the program starts, and those that its environment names.
    fn start_in(&self, policy: &mut Policy) {
        policy.cwd = self.seen.join(&self.folders.work);
        let home = match self.folders.home.as_str() {
            "" => self.seen.clone(),
            home => self.seen.join(home),
        };
        for (name, path) in [
            ("HOME", home.clone()),
            ("XDG_CONFIG_HOME", home.join(".config")),
            ("XDG_CACHE_HOME", home.join(".cache")),
            ("XDG_DATA_HOME", home.join(".local/share")),
            ("XDG_STATE_HOME", home.join(".local/state")),
            ("TMPDIR", self.seen.join(&self.folders.temp)),
        ] {
            let path = path.display().to_string();
            policy.env.insert(name.to_owned(), path);
        }
    }

    /// What is done, without what is expected.
    fn session(&self, example: &Example, order: &StepOrder) -> Session {
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
        let ordered = order.steps.iter();
        let ordered = ordered.filter_map(|one| example.steps.get(one.step));
        Session {
            server: example.server.clone(),
            steps: ordered.map(step).collect(),
            watched: self.seen.clone(),
            step_ms: STEP_MS,
            ready_ms: READY_MS,
        }
    }

    fn looked_at(&self, file: &FileAfter) -> PathBuf {
        match file {
            FileAfter::Holds(ExampleFile { path, .. }) | FileAfter::Gone(path) => {
                self.path(&self.seen, path)
            }
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
fn transcript(execution: &ExampleExecution<'_>, seen: &[StepSeen], printed: &str) -> String {
    let mut text = String::new();
    let ExampleExecution { example, order, .. } = execution;
    let done = order.steps.iter();
    let done = done.filter_map(|one| example.steps.get(one.step));
    for (step, seen) in done.zip(seen) {
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
