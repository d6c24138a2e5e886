//! Finds the program that a tree builds, and builds it where that is needed.
//!
//! What a person names in `gavel.toml` comes first. Otherwise the manifests at the root say it; nothing
//! is started because it is there.

use std::fs;
use std::path::{Path, PathBuf};

use super::execute::ExamplePlan;
use super::{cargo, node, python};
use crate::{
    Argv, ArgvError, CommandError, CommandOutcome, CommandSpec, Commands, FileError, Profile,
    RepoPath, TreeRoot, VerifySettings, VerifySettingsError, resolved_command,
};

/// Manifests are small; what is longer is no manifest.
const MAX_MANIFEST: usize = 1024 * 1024;
/// Output kept of a build: the messages of all its parts.
const KEPT_OUTPUT: usize = 8 * 1024 * 1024;

/// How the built product is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// The words of an example follow these.
    pub argv: Argv,
}

/// Whether there is a program to execute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProgramFound {
    /// There is one.
    Found(Program),
    /// There is none.
    None {
        /// Why not, and how one is named.
        why: String,
    },
    /// There are several, and nothing says which one is meant.
    Several(Vec<String>),
}

/// The search for a program that could not be done.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    /// The tree cannot be read.
    #[error("the tree cannot be searched for its program")]
    Tree(#[from] FileError),
    /// A person named it in a way that cannot be used.
    #[error(transparent)]
    Settings(#[from] VerifySettingsError),
    /// It cannot be built here.
    #[error("the program cannot be built here")]
    Command(#[from] CommandError),
    /// A path of the tree cannot be part of a command.
    #[error("the program's path cannot be part of a command")]
    Argv(#[from] ArgvError),
}

/// Builds the program of a tree, whose dependencies are installed, and says how it is started.
///
/// The tree is the folder in which the plan's commands start.
pub async fn build_program(
    commands: &Commands,
    plan: &ExamplePlan,
) -> Result<ProgramFound, ProgramError> {
    let site = Site::open(commands, plan)?;
    if let Some(own) = site.own_program()? {
        return Ok(own);
    }
    if let Some(found) = Box::pin(cargo::program(&site)).await? {
        return Ok(found);
    }
    if let Some(found) = Box::pin(node::program(&site)).await? {
        return Ok(found);
    }
    if let Some(found) = python::program(&site)? {
        return Ok(found);
    }
    Ok(none(
        "nothing at the root of the tree says which program it builds",
    ))
}

/// There is none; how a person names one is added.
pub(super) fn none(why: &str) -> ProgramFound {
    let why =
        format!("{why}; name it in gavel.toml: [verify] program = [\"program\", \"argument\"]");
    ProgramFound::None { why }
}

/// A tree, and the commands that build in it.
pub(super) struct Site<'a> {
    commands: &'a Commands,
    plan: &'a ExamplePlan,
    tree: TreeRoot,
}

impl<'a> Site<'a> {
    fn open(commands: &'a Commands, plan: &'a ExamplePlan) -> Result<Self, FileError> {
        Ok(Self {
            commands,
            plan,
            tree: TreeRoot::open(&plan.policy.cwd)?,
        })
    }

    /// A file's text; `None` when there is no such file, or it is not one of the tree's own.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        let path = RepoPath::new(name).ok()?;
        let content = self.tree.read(&path, MAX_MANIFEST).ok()?;
        Some(String::from_utf8_lossy(&content.bytes).into_owned())
    }

    /// The absolute path of a file of the tree that a manifest names; `None` when it is not there, or
    /// not inside the tree.
    pub(super) fn file(&self, name: &str) -> Option<PathBuf> {
        let name = name.strip_prefix("./").unwrap_or(name);
        let path = RepoPath::new(name).ok()?;
        self.tree.read(&path, 1).ok()?;
        Some(self.root().join(name))
    }

    pub(super) fn root(&self) -> &Path {
        &self.plan.policy.cwd
    }

    pub(super) fn cache(&self) -> &Path {
        &self.plan.policy.cache
    }

    /// Names of the files and folders at the root or in a folder of it, sorted.
    pub(super) fn names_in(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.root().join(folder)).into_iter().flatten();
        let name = |entry: fs::DirEntry| entry.file_name().into_string().ok();
        let mut names: Vec<String> = entries.filter_map(|entry| name(entry.ok()?)).collect();
        names.sort();
        names
    }

    /// Runs a step of a build, without network.
    pub(super) async fn run(&self, argv: &Argv) -> Result<CommandOutcome, CommandError> {
        let mut policy = self.plan.policy.clone().for_profile(Profile::Run);
        policy.limits.kept_output = policy.limits.kept_output.max(KEPT_OUTPUT);
        let (argv, policy) = resolved_command(argv, policy)?;
        let spec = CommandSpec {
            argv,
            policy,
            lock: self.plan.lock.clone(),
            cancel: self.plan.cancel.clone(),
        };
        self.commands.run(&spec).await
    }

    /// A command whose program was found outside the tree, or is a file of it by its full path.
    pub(super) fn found(
        &self,
        words: impl IntoIterator<Item = impl Into<String>>,
    ) -> Result<ProgramFound, ProgramError> {
        let argv = Argv::new(words)?;
        let policy = self.plan.policy.clone().for_profile(Profile::Run);
        let (argv, _) = resolved_command(&argv, policy)?;
        Ok(ProgramFound::Found(Program { argv }))
    }

    /// What a person names; words that are files of the tree become their full paths, since examples
    /// do not run in the tree.
    fn own_program(&self) -> Result<Option<ProgramFound>, ProgramError> {
        let Some(text) = self.text("gavel.toml") else {
            return Ok(None);
        };
        let settings = VerifySettings::read(&text)?.unwrap_or_default();
        let Some(argv) = settings.program else {
            return Ok(None);
        };
        let program = argv.program();
        let in_tree = program.contains('/') && !program.starts_with('/');
        if in_tree && self.file(program).is_none() {
            return Ok(Some(ProgramFound::None {
                why: format!(
                    "`{program}`, which gavel.toml names as the program, is not there after the tests"
                ),
            }));
        }
        let full = |word: &String| match self.file(word) {
            Some(path) => path.display().to_string(),
            None => word.clone(),
        };
        self.found(argv.words().iter().map(full)).map(Some)
    }
}
