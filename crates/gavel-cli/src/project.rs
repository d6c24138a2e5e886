//! Which project a folder belongs to, and the id that `gavel.toml` gives it.

use std::path::{Component, Path, PathBuf};

use anyhow::Context as _;
use gavel_domain::ProjectId;
use gavel_workspace::RepoPath;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::{project_file, read_project_file, repository_root};

/// The folder that holds the nearest `gavel.toml`, else the nearest repository.
pub(crate) fn root(directory: &Path) -> Result<PathBuf, Failure> {
    let directory = real(directory)?;
    find(&directory)?.ok_or_else(|| {
        let nowhere = format!("{} belongs to no project", directory.display());
        Failure::usage(nowhere).hint("gavel init makes one here")
    })
}

/// The same, for whoever does without a project.
pub(crate) fn find(directory: &Path) -> Result<Option<PathBuf>, Failure> {
    let directory = real(directory)?;
    let with_settings = project_file(&directory).and_then(|file| file.parent().map(Path::to_owned));
    let in_repository = || repository_root(&directory).map(Path::to_owned);
    Ok(with_settings.or_else(in_repository))
}

/// What `[project]` of a settings file says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Named {
    /// It has an id.
    Id(ProjectId),
    /// There is a table, without an id.
    TableOnly,
    /// There is no table.
    No,
}

/// Reads the project's id out of the text of a `gavel.toml`.
pub(crate) fn named(text: &str) -> anyhow::Result<Named> {
    let table: toml::Table = toml::from_str(text).context("not valid TOML")?;
    let Some(project) = table.get("project") else {
        return Ok(Named::No);
    };
    let Some(id) = project.get("id") else {
        return Ok(Named::TableOnly);
    };
    let id = id.as_str().context("project.id is not a text")?;
    Ok(Named::Id(id.parse().context("project.id")?))
}

/// The project that a folder belongs to, if a `gavel.toml` names one.
pub(crate) fn of(directory: &Path) -> Result<Option<ProjectId>, Failure> {
    let Some(file) = project_file(directory) else {
        return Ok(None);
    };
    let failed =
        |error: anyhow::Error| Failure::new(Exit::Usage, error.context(file.display().to_string()));
    let Some(text) = read_project_file(&file)? else {
        return Ok(None);
    };
    match named(&text).map_err(failed)? {
        Named::Id(id) => Ok(Some(id)),
        Named::TableOnly | Named::No => Ok(None),
    }
}

/// A path as typed in a folder, seen from the root of the project.
pub(crate) fn path_from_root(
    typed: &str,
    directory: &Path,
    root: &Path,
) -> Result<RepoPath, Failure> {
    let mut whole = real(directory)?;
    for part in Path::new(typed).components() {
        match part {
            Component::ParentDir => drop(whole.pop()),
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => whole.push(part),
        }
    }
    let inside = whole.strip_prefix(root).map_err(|_outside| {
        let lost = format!("`{typed}` lies outside of {}", root.display());
        Failure::usage(lost).hint("name a file or a folder of the project")
    })?;
    RepoPath::from_path(inside).map_err(|error| Failure::new(Exit::Usage, error))
}

/// The folder without `..` and symlinks, so that its parents are the real ones.
pub(crate) fn real(directory: &Path) -> Result<PathBuf, Failure> {
    directory.canonicalize().map_err(|error| {
        let error = anyhow::Error::new(error).context(directory.display().to_string());
        Failure::new(Exit::Failed, error)
    })
}
