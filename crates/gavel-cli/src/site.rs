//! Where a run builds: a repository that is there, or one that is made for it.

use std::path::{Path, PathBuf};

use anyhow::anyhow;
use gavel_domain::ProjectId;
use gavel_memory::make_memory_folder;
use gavel_workspace::{Author, HeadState, Layout, Repository, RepositoryError};

use crate::commands::name_project;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::repository_root;

/// A repository in which something may be built.
#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) checkout: PathBuf,
    pub(crate) git_dir: PathBuf,
    /// The commit to begin with.
    pub(crate) base: String,
    pub(crate) project: Option<ProjectId>,
}

/// What may be built on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// A repository that is there, or a new one.
    Any,
    /// A repository that is there and holds something.
    Existing,
}

/// What a folder is before anything is done to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    Repository,
    Empty,
    Missing,
}

impl Site {
    /// A repository that is there, whatever folder the command works in.
    pub(crate) async fn at(context: &Context, checkout: &Path) -> Result<Self, Failure> {
        let (repository, base) = open(&context.git()?, checkout).await?;
        Ok(Self {
            project: crate::project::of(checkout)?,
            git_dir: repository.git_dir().to_owned(),
            checkout: checkout.to_owned(),
            base,
        })
    }

    /// Finds the repository around the current folder, or makes one in `into` when that is missing
    /// or empty. Files are only ever made in a folder that had none.
    pub(crate) async fn find(
        context: &mut Context,
        into: Option<&Path>,
        wanted: Wanted,
    ) -> Result<Self, Failure> {
        let git = context.git()?;
        let checkout = match into {
            Some(folder) => {
                let folder = context.directory().join(folder);
                if wanted == Wanted::Existing && look(&folder)? != Found::Repository {
                    let none = format!("{} is no git repository", folder.display());
                    return Err(Failure::usage(none).hint(FROM_REPO));
                }
                prepare(&git, &folder).await?;
                folder
            }
            None => match repository_root(context.directory()) {
                Some(root) => root.to_owned(),
                None => {
                    let nowhere = format!("{} is no git repository", context.directory().display());
                    return Err(Failure::usage(nowhere)
                        .hint("--into DIR makes one, or git init in this folder"));
                }
            },
        };
        context.enter(&checkout)?;
        let checkout = context.directory().to_owned();
        if wanted == Wanted::Existing && !has_commit(&git, &checkout).await? {
            let nothing = format!("{} has no commit yet", checkout.display());
            return Err(Failure::usage(nothing).hint(FROM_REPO));
        }
        let (repository, base) = open(&git, &checkout).await?;
        Ok(Self {
            project: crate::project::of(&checkout)?,
            git_dir: repository.git_dir().to_owned(),
            checkout,
            base,
        })
    }
}

const FROM_REPO: &str = "--from-repo is for a repository with something in it; leave it out to \
    build something new";

async fn has_commit(git: &Path, folder: &Path) -> Result<bool, Failure> {
    let repository = Repository::open(git, folder).await.map_err(unusable)?;
    let head = repository.head().await.map_err(unusable)?;
    Ok(!matches!(head, HeadState::Unborn { .. }))
}

/// Makes the folder a repository and a project, unless it is a repository already.
async fn prepare(git: &Path, folder: &Path) -> Result<(), Failure> {
    let failed = |error: std::io::Error| {
        let error = anyhow::Error::new(error).context(folder.display().to_string());
        Failure::new(Exit::Failed, error)
    };
    match look(folder)? {
        // As a start leaves it that was killed before the project had a name.
        Found::Repository if is_blank(git, folder).await? => {}
        Found::Repository => return Ok(()),
        found @ (Found::Missing | Found::Empty) => {
            if found == Found::Missing {
                std::fs::create_dir_all(folder).map_err(failed)?;
            }
            Repository::init(git, folder).await.map_err(unusable)?;
        }
    }
    name_project(&folder.join("gavel.toml"))?;
    make_memory_folder(folder)?;
    Ok(())
}

fn look(folder: &Path) -> Result<Found, Failure> {
    if folder.join(".git").symlink_metadata().is_ok() {
        return Ok(Found::Repository);
    }
    let refuse = |why: &str| {
        let wrong = format!("{} {why}", folder.display());
        Failure::usage(wrong).hint("--into takes a new or empty folder, or a git repository")
    };
    match std::fs::read_dir(folder).map(|mut entries| entries.next().is_none()) {
        Ok(true) => Ok(Found::Empty),
        Ok(false) => Err(refuse("is not empty and no git repository")),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Found::Missing),
        Err(error) => Err(refuse(&format!("cannot be used ({error})"))),
    }
}

/// True for a repository without a file and without a commit.
async fn is_blank(git: &Path, folder: &Path) -> Result<bool, Failure> {
    let Ok(mut entries) = std::fs::read_dir(folder) else {
        return Ok(false);
    };
    let is_git = |entry: std::io::Result<std::fs::DirEntry>| {
        entry.is_ok_and(|entry| entry.file_name() == ".git")
    };
    if !entries.all(is_git) {
        return Ok(false);
    }
    let repository = Repository::open(git, folder).await.map_err(unusable)?;
    let head = repository.head().await.map_err(unusable)?;
    Ok(matches!(head, HeadState::Unborn { .. }))
}

/// Opens the repository, refuses one in which nothing can be built, and finds or makes its commit.
async fn open(git: &Path, checkout: &Path) -> Result<(Repository, String), Failure> {
    let repository = Repository::open(git, checkout).await.map_err(unusable)?;
    let class = repository.class().await.map_err(unusable)?;
    if class.layout == Layout::Bare {
        let bare = format!("{} is a bare repository", checkout.display());
        return Err(Failure::usage(bare).hint("clone it, and start there"));
    }
    let refusals: Vec<String> = class.refusals().iter().map(ToString::to_string).collect();
    if !refusals.is_empty() {
        return Err(Failure::new(Exit::Refused, anyhow!(refusals.join("; "))));
    }
    let base = match class.head {
        HeadState::Branch { commit, .. } | HeadState::Detached { commit } => commit,
        HeadState::Unborn { .. } => {
            let author = Author::new("gavel", "gavel@localhost")
                .map_err(|error| Failure::new(Exit::Bug, error))?;
            let now = Context::clock().now();
            repository
                .ensure_root_commit(&author, "[gavel] root\n", now)
                .await
                .map_err(unusable)?
        }
    };
    Ok((repository, base.to_string()))
}

fn unusable(error: RepositoryError) -> Failure {
    let exit = match &error {
        RepositoryError::NotARepository { .. }
        | RepositoryError::BrokenLink { .. }
        | RepositoryError::Exists { .. }
        | RepositoryError::Foreign { .. }
        | RepositoryError::OrphanHead => Exit::Usage,
        RepositoryError::Unsound(_) => Exit::Refused,
        RepositoryError::Io { .. } | RepositoryError::Git(_) => Exit::Failed,
    };
    Failure::new(exit, error)
}
