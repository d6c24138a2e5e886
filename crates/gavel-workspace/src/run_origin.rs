//! Whether a run belongs to the project of a folder: the one rule for every command, tool and prompt
//! that picks runs. A project's id alone decides nothing: it stands in a committed file, and a copy of
//! it stands wherever somebody put one.

use std::fs;
use std::path::{Path, PathBuf};

use gavel_domain::{ProjectId, PushDecision, RunStarted};
use serde_json::Value;

use crate::git::own_git_dir;

/// The settings file in which a project's id stands.
const SETTINGS: &str = "gavel.toml";

/// A project, as far as runs can be compared with it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProjectFolder {
    /// The id that its settings give it.
    pub id: Option<ProjectId>,
    /// Its folder; none outside of every project.
    pub root: Option<PathBuf>,
}

/// Where a run was begun, as its first record and its brief have it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunOrigin {
    /// The project.
    pub project: Option<ProjectId>,
    /// The folder; none for a run outside of every project, and once retention dropped the brief.
    pub checkout: Option<PathBuf>,
    /// The git dir, which stays on record when the brief goes.
    pub git_dir: Option<PathBuf>,
}

/// What a run is to a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Belonging {
    /// It was begun in this folder, or in a work tree of the same repository.
    Here,
    /// Its id is the project's, and the folder in which it was begun is gone: the project moved.
    Moved,
    /// It is another project's, or that of another copy of the project, which is still there.
    Elsewhere,
    /// Nothing on record says where it was begun.
    Unknown,
}

impl RunOrigin {
    /// Reads the first record and the brief that it names, as far as that is still there.
    pub fn of(started: &RunStarted, brief: Option<&[u8]>) -> Self {
        let brief: Option<Value> = brief.and_then(|text| serde_json::from_slice(text).ok());
        // Every brief of a run in a project has it; `folder` is where a driver works or reads.
        let checkout = brief
            .as_ref()
            .and_then(|brief| brief.get("checkout")?.as_str());
        let decision = PushDecision::of(&started.settings);
        Self {
            project: started.project,
            checkout: checkout.map(PathBuf::from),
            git_dir: decision.map(|decision| PathBuf::from(decision.repository)),
        }
    }
}

impl ProjectFolder {
    /// What a run is to this project.
    pub fn belonging(&self, origin: &RunOrigin) -> Belonging {
        if let (Some(ours), Some(theirs)) = (self.id, origin.project)
            && ours != theirs
        {
            return Belonging::Elsewhere;
        }
        match (&origin.checkout, &origin.git_dir) {
            (Some(checkout), _) => self.of_checkout(origin, checkout),
            (None, Some(git_dir)) => self.of_git_dir(origin, git_dir),
            (None, None) if self.id == origin.project => Belonging::Unknown,
            (None, None) => Belonging::Elsewhere,
        }
    }

    fn of_checkout(&self, origin: &RunOrigin, checkout: &Path) -> Belonging {
        let Some(root) = &self.root else {
            return Belonging::Elsewhere;
        };
        if is_same_folder(root, checkout) {
            return Belonging::Here;
        }
        // Without an id a project is known by its folder alone.
        if self.id.is_none() || self.id != origin.project {
            return Belonging::Elsewhere;
        }
        let theirs = own_git_dir(checkout);
        match (own_git_dir(root), &theirs) {
            (Some(ours), Some(theirs)) if ours == *theirs => Belonging::Here,
            _ if theirs.is_some() || is_there(&checkout.join(SETTINGS)) => Belonging::Elsewhere,
            _ if is_there(&checkout.join(".git")) => Belonging::Elsewhere,
            _ => Belonging::Moved,
        }
    }

    fn of_git_dir(&self, origin: &RunOrigin, git_dir: &Path) -> Belonging {
        let ours = self.root.as_deref().and_then(own_git_dir);
        if ours.is_some_and(|ours| is_same_folder(&ours, git_dir)) {
            return Belonging::Here;
        }
        match self.id.is_some() && self.id == origin.project && !is_there(git_dir) {
            true => Belonging::Moved,
            false => Belonging::Elsewhere,
        }
    }
}

/// Something that cannot be looked at is taken to be there: only what is surely gone has moved.
fn is_there(path: &Path) -> bool {
    match path.symlink_metadata() {
        Ok(_) => true,
        Err(error) => !matches!(
            error.kind(),
            std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory
        ),
    }
}

fn is_same_folder(left: &Path, right: &Path) -> bool {
    // Mostly the same text: then nothing needs to be looked up.
    if left == right {
        return true;
    }
    match (fs::canonicalize(left), fs::canonicalize(right)) {
        (Ok(left), Ok(right)) => left == right,
        (Err(_), _) | (_, Err(_)) => false,
    }
}

#[cfg(test)]
#[path = "run_origin_tests.rs"]
mod tests;
