//! Brings a project's dependencies: what must be fetched is fetched without running anything of the
//! tree, and what must run runs afterwards without network.
//!
//! Steps that fetch have profile `install`; see `sandbox/profile_env.rs` for what package managers are
//! told to leave alone there. What a manager would load from the tree before that is listed at each
//! step.

mod cargo;
mod go_maven;
mod node;
mod poetry;
mod python;
mod requirements;
mod scripts;
mod uv;
mod yarn;

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use gavel_domain::{InstallScripts, ScriptsUnasked};
use gavel_rules::Destination;

use super::node::NodeInstall;
use super::recipe::Recipe;
use super::run::{VerifyError, VerifyPlan};
use crate::{
    Argv, ArgvError, CommandOutcome, CommandSpec, Commands, Exit, Policy, Profile, ProjectCommands,
    RepoPath, TreeRoot,
};

/// Output kept of an install step.
const KEPT_OUTPUT: usize = 256 * 1024;
/// A manifest that is longer is none.
const MAX_MANIFEST: usize = 4 * 1024 * 1024;

/// A command that fetched or prepared dependencies, and what it did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstallRan {
    /// The command.
    pub argv: Argv,
    /// True when it could reach nobody, so that it could run code of the project.
    pub offline: bool,
    /// The scripts of dependencies that it ran, if it is known which.
    pub scripts: Option<InstallScripts>,
    /// Why it is not known which.
    pub unasked: Option<ScriptsUnasked>,
    /// What it did.
    pub outcome: CommandOutcome,
}

/// What a failure of a step means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Failing {
    /// Without it there is nothing to test.
    Ends,
    /// It is a finding; the tests show what it comes to.
    IsAFinding,
}

/// Where a step starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Folder {
    /// In the tree.
    Tree,
    /// Where no file of the tree is found by looking upwards.
    Fetch,
}

/// Whom a step can reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Network {
    /// The registries. Nothing of the tree runs.
    Registries,
    /// Nobody. What it asks for is named.
    Nobody,
    /// These hosts. Scripts of dependencies run, and do not see the project.
    Scripts(Vec<Destination>),
}

/// One command that brings dependencies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Step {
    argv: Argv,
    network: Network,
    scripts: Option<InstallScripts>,
    unasked: Option<ScriptsUnasked>,
    folder: Folder,
    failing: Failing,
    env: BTreeMap<String, String>,
}

impl Step {
    /// Reaches the registries, and runs nothing of the tree.
    fn fetch(words: impl IntoIterator<Item = impl Into<String>>) -> Result<Self, ArgvError> {
        Ok(Self {
            argv: Argv::new(words)?,
            network: Network::Registries,
            scripts: None,
            unasked: None,
            folder: Folder::Tree,
            failing: Failing::Ends,
            env: BTreeMap::new(),
        })
    }

    /// Reaches nothing, and may run whatever the tree brings.
    fn build(words: impl IntoIterator<Item = impl Into<String>>) -> Result<Self, ArgvError> {
        Ok(Self {
            network: Network::Nobody,
            failing: Failing::IsAFinding,
            ..Self::fetch(words)?
        })
    }

    fn outside_the_tree(self) -> Self {
        Self {
            folder: Folder::Fetch,
            ..self
        }
    }

    const fn argv(&self) -> &Argv {
        &self.argv
    }

    fn needed(self) -> Self {
        Self {
            failing: Failing::Ends,
            ..self
        }
    }

    fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.env.insert(name.to_owned(), value.into());
        self
    }
}

/// Everything that was run, and whether it sufficed.
#[derive(Debug)]
pub(super) struct Installed {
    pub(super) ran: Vec<InstallRan>,
    pub(super) complete: bool,
}

/// Brings the dependencies of one recipe.
pub(super) struct Installer<'a> {
    commands: &'a Commands,
    plan: &'a VerifyPlan,
    ran: Vec<InstallRan>,
}

/// Why dependencies could not be brought.
#[derive(Debug)]
pub(super) enum InstallProblem {
    /// A step that is needed failed; it is the last one that ran.
    StepFailed,
    /// It cannot be tried at all.
    Error(VerifyError),
}

impl From<VerifyError> for InstallProblem {
    fn from(error: VerifyError) -> Self {
        Self::Error(error)
    }
}

/// Brings everything that the recipe needs.
pub(super) async fn install(
    commands: &Commands,
    plan: &VerifyPlan,
) -> Result<Installed, VerifyError> {
    let mut installer = Installer {
        commands,
        plan,
        ran: Vec::new(),
    };
    let complete = match installer.bring().await {
        Ok(()) => true,
        Err(InstallProblem::StepFailed) => false,
        Err(InstallProblem::Error(error)) => return Err(error),
    };
    Ok(Installed {
        ran: installer.ran,
        complete,
    })
}

impl Installer<'_> {
    async fn bring(&mut self) -> Result<(), InstallProblem> {
        self.prepare()?;
        match &self.plan.recipe {
            Recipe::Cargo { locked } => self.all(cargo::steps(&self.tree()?, *locked)).await,
            Recipe::NodeScript {
                install: NodeInstall::Nothing,
                ..
            }
            | Recipe::NodeTest {
                install: NodeInstall::Nothing,
                ..
            }
            | Recipe::Unittest { .. }
            | Recipe::Make { .. } => Ok(()),
            Recipe::NodeScript {
                manager, install, ..
            }
            | Recipe::NodeTest { manager, install } => {
                let tree = self.tree()?;
                self.keep_settings(yarn::RC, &yarn::settings(&tree))?;
                self.keep_settings(node::BUNFIG, "")?;
                let steps = node::steps(&tree, *manager, *install);
                let steps = steps.map_err(|error| self.unfit(error))?;
                let fetches = |step: &Step| step.network == Network::Registries;
                let (fetch, scripts) = steps.into_iter().partition(fetches);
                self.all(Ok(fetch)).await?;
                self.node_scripts(&tree, *manager, scripts).await
            }
            Recipe::Pytest { install } => self.python(*install, Some("pytest")).await,
            Recipe::Django { install } => self.python(*install, None).await,
            Recipe::Go => {
                let proxies = &self.plan.policy.registries.go;
                self.all(go_maven::go(&self.tree()?, proxies)).await
            }
            Recipe::Maven { .. } => {
                let text = go_maven::settings(&self.plan.policy.registries.maven);
                self.keep_settings(go_maven::SETTINGS, &text)?;
                self.maven().await
            }
            Recipe::Dotnet => {
                let restore = Argv::new(["dotnet", "restore"]).map_err(|e| self.unfit(e))?;
                self.of_the_project(restore).await
            }
            Recipe::Own { install, .. } => {
                for argv in install.clone() {
                    self.of_the_project(argv).await?;
                }
                Ok(())
            }
        }
    }

    /// Writes the settings of package managers that come from the person, and removes what earlier
    /// commands of the tree may have put into their place.
    fn prepare(&self) -> Result<(), VerifyError> {
        let policy = &self.plan.policy;
        let npm = policy.registries.npm.join("\n");
        self.keep_settings(".npmrc", &npm)?;
        let cargo = policy.cache.join("cargo");
        cargo::own_settings(&cargo, &policy.registries.cargo).map_err(|source| {
            let path = cargo;
            self.unkept(path, source)
        })
    }

    /// Writes a file of the home that install steps have.
    fn keep_settings(&self, name: &str, text: &str) -> Result<(), VerifyError> {
        let home = self.plan.policy.fetch.join("home");
        let path = home.join(name);
        let write = || {
            std::fs::create_dir_all(&home)?;
            std::fs::write(&path, text)
        };
        write().map_err(|source| self.unkept(path.clone(), source))
    }

    /// A command that runs code of the project, so that it has no network unless the person said so.
    async fn of_the_project(&mut self, argv: Argv) -> Result<(), InstallProblem> {
        let network = match self.plan.policy.registries.project_commands {
            ProjectCommands::Offline => Network::Nobody,
            ProjectCommands::Registries => Network::Registries,
        };
        self.step(Step {
            argv,
            network,
            scripts: None,
            unasked: None,
            folder: Folder::Tree,
            failing: Failing::Ends,
            env: BTreeMap::new(),
        })
        .await
        .map(drop)
    }

    async fn all(&mut self, steps: Result<Vec<Step>, ArgvError>) -> Result<(), InstallProblem> {
        for step in steps.map_err(|error| self.unfit(error))? {
            self.step(step).await?;
        }
        Ok(())
    }

    /// Runs one step, and gives what it printed.
    async fn step(&mut self, step: Step) -> Result<&CommandOutcome, InstallProblem> {
        let mut policy = self.policy_of(&step)?;
        policy.limits.kept_output = policy.limits.kept_output.max(KEPT_OUTPUT);
        policy.env.extend(step.env);
        policy.cwd = match step.folder {
            Folder::Tree => policy.cwd,
            Folder::Fetch => policy.fetch.clone(),
        };
        let spec = CommandSpec {
            argv: step.argv.clone(),
            policy,
            lock: self.plan.lock.clone(),
            cancel: self.plan.cancel.clone(),
        };
        let ran = self.commands.run(&spec).await;
        let outcome = ran.map_err(|source| VerifyError::Command {
            recipe: self.plan.recipe.name(),
            source,
        })?;
        let well = outcome.exit == Exit::Code(0);
        let was_refused = !outcome.refused.is_empty();
        self.ran.push(InstallRan {
            argv: step.argv,
            offline: step.network == Network::Nobody,
            scripts: step.scripts.filter(|_| was_refused),
            unasked: step.unasked.filter(|_| was_refused),
            outcome,
        });
        match (well, step.failing) {
            (false, Failing::Ends) => Err(InstallProblem::StepFailed),
            (true, _) | (_, Failing::IsAFinding) => match self.ran.last() {
                Some(last) => Ok(&last.outcome),
                None => Err(InstallProblem::StepFailed),
            },
        }
    }

    /// What a step may touch, and whom it may reach.
    fn policy_of(&self, step: &Step) -> Result<Policy, VerifyError> {
        let policy = self.plan.policy.clone();
        Ok(match &step.network {
            Network::Registries => policy.for_profile(Profile::Install),
            Network::Nobody => policy.for_profile(Profile::Run).reaching(&[]),
            Network::Scripts(hosts) => {
                let policy = scripts::apart(&policy.for_profile(Profile::Run));
                let fetch = &self.plan.policy.fetch;
                let policy = policy.map_err(|source| self.unkept(fetch.clone(), source))?;
                policy.reaching(hosts)
            }
        })
    }

    fn tree(&self) -> Result<Tree, VerifyError> {
        let path = &self.plan.policy.cwd;
        let root = TreeRoot::open(path).map_err(|source| VerifyError::Tree {
            recipe: self.plan.recipe.name(),
            source,
        })?;
        Ok(Tree {
            root,
            path: path.clone(),
            cache: self.plan.cache.clone(),
            fetch: self.plan.policy.fetch.clone(),
        })
    }

    fn unfit(&self, source: ArgvError) -> VerifyError {
        VerifyError::Argv {
            recipe: self.plan.recipe.name(),
            source,
        }
    }

    fn unkept(&self, path: PathBuf, source: std::io::Error) -> VerifyError {
        VerifyError::Settings {
            recipe: self.plan.recipe.name(),
            path,
            source,
        }
    }
}

/// A tree as install steps see it: never through a link that leads out of it.
pub(super) struct Tree {
    root: TreeRoot,
    path: PathBuf,
    cache: PathBuf,
    fetch: PathBuf,
}

impl Tree {
    /// The text of a file; `None` when there is none.
    fn text(&self, name: &str) -> Option<String> {
        let path = RepoPath::new(name).ok()?;
        let content = self.root.read(&path, MAX_MANIFEST).ok()?;
        Some(String::from_utf8_lossy(&content.bytes).into_owned())
    }

    /// The text of a package manager's settings, which may hold credentials; take known words only.
    fn settings(&self, name: &str) -> Option<String> {
        let path = RepoPath::new(name).ok()?;
        let file = self.root.open_settings(&path).ok()?;
        let mut bytes = Vec::new();
        file.take(MAX_MANIFEST as u64)
            .read_to_end(&mut bytes)
            .ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn has(&self, name: &str) -> bool {
        self.text(name).is_some()
    }

    fn file(&self, name: &str) -> String {
        shown(&self.path.join(name))
    }

    fn in_cache(&self, name: &str) -> String {
        shown(&self.cache.join(name))
    }

    fn in_fetch(&self, name: &str) -> String {
        shown(&self.fetch.join(name))
    }
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

#[cfg(test)]
#[path = "install_tests.rs"]
mod tests;
