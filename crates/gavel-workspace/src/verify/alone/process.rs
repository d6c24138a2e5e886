//! Processes of a proof, and the files that their reports come in.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use super::super::recipe::Recipe;
use super::super::run::{VerifyError, VerifyPlan};
use super::super::toolchain::resolved_command;
use super::lane::layer_also;
use super::report::{Says, verdict};
use super::{LoneRun, TestListing};
use crate::command::Collector;
use crate::{
    Argv, ArgvError, CommandOutcome, CommandSpec, Commands, Policy, Profile, RepoPath, TreeRoot,
};

/// Output kept of a process that builds or lists: it is read by a program.
const KEPT_WHOLE: usize = 64 * 1024 * 1024;
/// Output of a test that is read for its result.
const READ_OF_TEST: usize = 8 * 1024 * 1024;
/// Output of a test that is handed on.
const KEPT_OF_TEST: usize = 32 * 1024;
/// A report that is longer is none.
const MAX_REPORT: u64 = 64 * 1024 * 1024;
/// A file of the tree that is longer is not read.
const MAX_TEXT: usize = 4 * 1024 * 1024;

/// Starts processes as a plan says: in its walls, without network.
pub(super) struct Runs<'a> {
    pub(super) commands: &'a Commands,
    pub(super) plan: &'a VerifyPlan,
}

/// One process.
pub(super) struct Start {
    pub(super) argv: Argv,
    /// Where it starts, when that is not the tree's root.
    pub(super) folder: Option<PathBuf>,
    pub(super) env: BTreeMap<String, String>,
    limit: Limit,
    /// What it may write of the cache: this folder and nothing else.
    scratch: Option<PathBuf>,
}

enum Limit {
    /// As the plan says, with everything that is printed.
    OfPlan,
    /// A test's own.
    Wall(Duration),
}

impl Start {
    /// A process whose whole output is wanted, with the plan's time.
    pub(super) const fn of(argv: Argv) -> Self {
        Self {
            argv,
            folder: None,
            env: BTreeMap::new(),
            limit: Limit::OfPlan,
            scratch: None,
        }
    }

    /// A process that runs one test.
    pub(super) fn of_test(argv: Argv, wall: Duration, scratch: &Scratch) -> Self {
        Self::of(argv).isolated(scratch).within(wall)
    }

    /// At most this long, with the two ends of what is printed.
    pub(super) fn within(self, wall: Duration) -> Self {
        let limit = Limit::Wall(wall);
        Self { limit, ..self }
    }

    /// A process that runs code of the tree. It has a home of its own and cannot write the cache, so that
    /// it changes neither the runner's packages nor settings for those that come after it.
    pub(super) fn isolated(self, scratch: &Scratch) -> Self {
        Self {
            scratch: Some(scratch.folder.path().to_owned()),
            ..self
        }
    }

    pub(super) fn in_folder(self, folder: PathBuf) -> Self {
        Self {
            folder: Some(folder),
            ..self
        }
    }

    pub(super) fn with_env(self, env: BTreeMap<String, String>) -> Self {
        Self { env, ..self }
    }
}

impl Runs<'_> {
    /// Runs a process to its end, its program found outside the tree.
    pub(super) async fn start(&self, start: Start) -> Result<CommandOutcome, VerifyError> {
        let failed = |source| VerifyError::Command {
            recipe: self.plan.recipe.name(),
            source,
        };
        let policy = self.plan.policy.clone().for_profile(Profile::Run);
        let (argv, mut policy) = resolved_command(&start.argv, policy).map_err(failed)?;
        policy.env.extend(start.env);
        if let Some(folder) = &start.scratch {
            self.isolate(&mut policy, folder);
        }
        policy.cwd = start.folder.unwrap_or(policy.cwd);
        match start.limit {
            Limit::OfPlan => policy.limits.kept_output = KEPT_WHOLE,
            Limit::Wall(wall) => {
                policy.limits.kept_output = READ_OF_TEST;
                policy.limits.wall_ms = millis(wall);
            }
        }
        let spec = CommandSpec {
            argv,
            policy,
            lock: self.plan.lock.clone(),
            cancel: self.plan.cancel.clone(),
        };
        self.commands.run(&spec).await.map_err(failed)
    }

    fn isolate(&self, policy: &mut Policy, folder: &Path) {
        let cache = policy.cache.clone();
        policy.read_write.retain(|path| *path != cache);
        // Some tests call cargo, which must lock its home.
        if let Recipe::Cargo { .. } = self.plan.recipe {
            let home = cache.join("cargo");
            layer_also(policy, &home);
            policy.read_write.push(home);
        }
        policy.read_only.push(cache);
        for (name, own) in [
            ("HOME", "home"),
            ("XDG_CACHE_HOME", "xdg"),
            ("npm_config_cache", "npm"),
            ("PIP_CACHE_DIR", "pip"),
        ] {
            let own = folder.join(own).display().to_string();
            policy.env.insert(name.to_owned(), own);
        }
    }

    /// Where a program is that lies outside the tree.
    pub(super) fn program(&self, name: &str) -> Option<String> {
        let policy = self.plan.policy.clone().for_profile(Profile::Run);
        let argv = Argv::new([name]).ok()?;
        let (argv, _) = resolved_command(&argv, policy).ok()?;
        Some(argv.program().to_owned())
    }

    /// A folder for the files of one process, with an empty report in it.
    pub(super) fn scratch(&self) -> Result<Scratch, VerifyError> {
        let temp = &self.plan.policy.temp;
        Scratch::new(temp).map_err(|source| self.unwritable(temp, source))
    }

    /// A text for the process, outside the tree.
    pub(super) fn write(
        &self,
        scratch: &Scratch,
        name: &str,
        text: &str,
    ) -> Result<String, VerifyError> {
        let path = scratch.folder.path().join(name);
        fs::write(&path, text).map_err(|source| self.unwritable(&path, source))?;
        Ok(path.display().to_string())
    }

    pub(super) fn fit(&self, argv: Result<Argv, ArgvError>) -> Result<Argv, VerifyError> {
        argv.map_err(|source| VerifyError::Argv {
            recipe: self.plan.recipe.name(),
            source,
        })
    }

    pub(super) fn tree(&self) -> &Path {
        &self.plan.policy.cwd
    }

    /// The text of a file of the tree, never through a link that leads out of it.
    pub(super) fn tree_text(&self, name: &str) -> Option<String> {
        let root = TreeRoot::open(self.tree()).ok()?;
        let content = root.read(&RepoPath::new(name).ok()?, MAX_TEXT).ok()?;
        Some(String::from_utf8_lossy(&content.bytes).into_owned())
    }

    /// The same by an absolute path below the tree.
    pub(super) fn text_at(&self, path: &Path) -> Option<String> {
        let name = path.strip_prefix(self.tree()).ok()?;
        self.tree_text(name.to_str()?)
    }

    fn unwritable(&self, path: &Path, source: io::Error) -> VerifyError {
        VerifyError::Settings {
            recipe: self.plan.recipe.name(),
            path: path.to_owned(),
            source,
        }
    }
}

/// A folder outside the tree that only one process knows, and the report that it writes.
///
/// The report is read by a descriptor from before the process: another file, link or folder that was put
/// into its place is not seen.
#[derive(Debug)]
pub(super) struct Scratch {
    folder: TempDir,
    report: File,
    token: String,
}

impl Scratch {
    fn new(temp: &Path) -> io::Result<Self> {
        fs::create_dir_all(temp)?;
        let folder = tempfile::Builder::new().prefix("alone-").tempdir_in(temp)?;
        let report = OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .open(folder.path().join("report"))?;
        let mut bytes = [0; 16];
        File::open("/dev/urandom")?.read_exact(&mut bytes)?;
        let token = bytes.map(|byte| format!("{byte:02x}")).concat();
        Ok(Self {
            folder,
            report,
            token,
        })
    }

    /// The path of the report.
    pub(super) fn report(&self) -> String {
        self.folder.path().join("report").display().to_string()
    }

    /// What each line of a report of ours carries.
    pub(super) fn token(&self) -> &str {
        &self.token
    }

    /// What the process reported; empty when that is too long or no text.
    pub(super) fn read(self) -> String {
        let mut text = String::new();
        let read = self.report.take(MAX_REPORT).read_to_string(&mut text);
        match read {
            Ok(bytes) if (bytes as u64) < MAX_REPORT => text,
            Ok(_) | Err(_) => String::new(),
        }
    }

    /// The lines of a report of ours; `None` when a line is not ours.
    pub(super) fn read_lines(self) -> Option<Vec<Value>> {
        let token = self.token.clone();
        lines_of(&self.read(), &token)
    }
}

/// JSON lines that all carry the token.
fn lines_of(text: &str, token: &str) -> Option<Vec<Value>> {
    let lines = text.lines().map(|line| {
        let line: Value = serde_json::from_str(line).ok()?;
        let ours = line.get("token").and_then(Value::as_str) == Some(token);
        ours.then_some(line)
    });
    lines.collect()
}

/// A run of one test by something else than what it was listed with.
pub(super) fn by_another(outcome: &CommandOutcome, what: &str) -> LoneRun {
    let mut run = judged(outcome, Says::NotExecuted);
    run.output
        .push_str(&format!("\n[{what} changed since the tests were listed]\n"));
    run
}

/// A run of one test, judged.
pub(super) fn judged(outcome: &CommandOutcome, says: Says) -> LoneRun {
    let mut output = Collector::new(KEPT_OF_TEST);
    output.push(outcome.output.text.as_bytes());
    LoneRun {
        verdict: verdict(outcome.exit, says),
        exit: outcome.exit,
        output: output.finish().text,
        millis: millis(outcome.elapsed),
    }
}

/// A listing that did not come about.
pub(super) fn broken(outcome: CommandOutcome) -> TestListing {
    TestListing::Broken {
        output: outcome.output.text,
        exit: outcome.exit,
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
#[path = "process_tests.rs"]
mod tests;
