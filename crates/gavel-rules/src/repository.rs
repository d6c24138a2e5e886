//! What a repository is taken for, by the names of its files and what its manifests say.
//!
//! Pure: whoever reads the repository hands over names and texts.

mod dependencies;
mod ecosystem;
mod readme;

use std::collections::BTreeSet;

use gavel_domain::RepositoryKind;
use serde::{Deserialize, Serialize};

pub use dependencies::dependency_names;
pub use ecosystem::Ecosystem;
pub(crate) use ecosystem::{is_source, is_test};
pub use readme::{readme_beginning, readme_headings};

/// So many source files or fewer are no project yet.
const FEW_SOURCES: u32 = 5;
/// So many dependencies give a manifest its whole weight.
const WHOLE_WEIGHT: usize = 5;
/// Folders whose files nobody here wrote.
const NOT_OURS: [&str; 9] = [
    "node_modules",
    "target",
    "dist",
    "build",
    "vendor",
    "third_party",
    ".git",
    ".venv",
    "__pycache__",
];
const SOURCE_FOLDERS: [&str; 7] = ["src", "lib", "app", "packages", "crates", "cmd", "internal"];
pub(crate) const TEST_FOLDERS: [&str; 6] = ["tests", "test", "__tests__", "spec", "specs", "e2e"];

/// What a look at the repository found, at the commit where the run began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepositoryFound {
    /// What it is taken for.
    pub kind: RepositoryKind,
    /// How work on it begins.
    pub mode: AuditMode,
    /// Its manifests, one for each ecosystem.
    #[serde(default)]
    pub manifests: Vec<ManifestFound>,
    /// Source files.
    pub sources: u32,
    /// Test files.
    pub tests: u32,
    /// Folders of the source, as far as their names tell.
    #[serde(default)]
    pub source_folders: Vec<String>,
    /// Folders of the tests.
    #[serde(default)]
    pub test_folders: Vec<String>,
    /// True when something explains it: a README or documents.
    pub documented: bool,
    /// The beginning of the README; may be empty.
    #[serde(default)]
    pub readme: String,
    /// The headings of the README.
    #[serde(default)]
    pub headings: Vec<String>,
    /// The first lines of the last commits, newest first.
    #[serde(default)]
    pub commits: Vec<String>,
}

/// How work on a repository begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuditMode {
    /// With nothing.
    Greenfield,
    /// With files that are no project.
    ScratchDir,
    /// With source, tests and words about them.
    UpgradeExisting,
}

/// A manifest and what it asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestFound {
    /// Where it lies.
    pub path: String,
    /// Whose it is.
    pub ecosystem: Ecosystem,
    /// The names of its dependencies.
    #[serde(default)]
    pub dependencies: Vec<String>,
}

/// What the names of the files tell.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FilesSeen {
    /// Source files.
    pub sources: u32,
    /// Test files.
    pub tests: u32,
    /// Folders of the source.
    pub source_folders: Vec<String>,
    /// Folders of the tests.
    pub test_folders: Vec<String>,
    /// True when there is a README or a folder of documents.
    pub documented: bool,
}

impl Default for RepositoryFound {
    fn default() -> Self {
        Self {
            kind: RepositoryKind::Greenfield,
            mode: AuditMode::Greenfield,
            manifests: Vec::new(),
            sources: 0,
            tests: 0,
            source_folders: Vec::new(),
            test_folders: Vec::new(),
            documented: false,
            readme: String::new(),
            headings: Vec::new(),
            commits: Vec::new(),
        }
    }
}

impl RepositoryFound {
    /// The one language that its manifests speak of; none when there are several or none.
    pub fn language(&self) -> Option<&'static str> {
        match self.manifests.as_slice() {
            [only] => Some(only.ecosystem.language()),
            _ => None,
        }
    }

    /// How its tests are run, where one manifest tells and there are tests.
    pub fn test_command(&self) -> Option<&'static str> {
        match self.manifests.as_slice() {
            [only] if self.tests > 0 => Some(only.ecosystem.test_command()),
            _ => None,
        }
    }

    /// True when one of its dependencies has one of these names.
    pub fn depends_on(&self, names: &[&str]) -> Option<&str> {
        let mut all = self.manifests.iter().flat_map(|one| &one.dependencies);
        all.find(|name| names.contains(&name.as_str()))
            .map(String::as_str)
    }
}

/// The manifests among the files: the topmost of each ecosystem, at the root or one folder below.
pub fn manifests_among(files: &[String]) -> Vec<(String, Ecosystem)> {
    let mut found: Vec<(String, Ecosystem)> = Vec::new();
    for depth in 0..2 {
        let here = files.iter().filter(|path| depth_of(path) == depth);
        for path in here.filter(|path| ours(path)) {
            let Some(ecosystem) = Ecosystem::of_file(name_of(path)) else {
                continue;
            };
            if found.iter().all(|(_, known)| *known != ecosystem) {
                found.push((path.clone(), ecosystem));
            }
        }
        // What lies deeper is a part of what lies above.
        if !found.is_empty() {
            break;
        }
    }
    found
}

/// Counts sources and tests by name: all of them, for "no source files" is said of the whole repository.
pub fn look_at_files(files: &[String]) -> FilesSeen {
    let mut seen = FilesSeen::default();
    let (mut sources, mut tests) = (BTreeSet::new(), BTreeSet::new());
    for path in files.iter().filter(|path| ours(path)) {
        seen.documented |= is_document(path);
        if !is_source(name_of(path)) {
            continue;
        }
        if is_test_source(path) {
            seen.tests += 1;
            tests.extend(folder_among(path, &TEST_FOLDERS));
        } else {
            seen.sources += 1;
            sources.extend(folder_among(path, &SOURCE_FOLDERS));
        }
    }
    seen.source_folders = sources.into_iter().collect();
    seen.test_folders = tests.into_iter().collect();
    seen
}

/// False for a file below a folder of what tools make or other people wrote.
pub fn is_own_file(path: &str) -> bool {
    ours(path)
}

/// True for code that is a test by its name or by its folder.
pub fn is_test_source(path: &str) -> bool {
    let name = name_of(path);
    is_source(name) && (is_test(name) || folder_among(path, &TEST_FOLDERS).is_some())
}

/// What a repository is taken for: nothing yet, a project, or something of which that is not clear.
pub fn classify_repository(sources: u32, manifests: &[ManifestFound]) -> RepositoryKind {
    match manifests {
        [] if sources == 0 => RepositoryKind::Greenfield,
        [only] if weight(only) > 0 && sources > FEW_SOURCES => RepositoryKind::Existing,
        _ => RepositoryKind::Ambiguous,
    }
}

/// How work begins there.
pub fn audit_mode(files: usize, seen: &FilesSeen) -> AuditMode {
    if files == 0 {
        AuditMode::Greenfield
    } else if seen.sources >= 3 && seen.tests >= 1 && seen.documented {
        AuditMode::UpgradeExisting
    } else {
        AuditMode::ScratchDir
    }
}

/// How much a manifest says, in thousandths.
fn weight(manifest: &ManifestFound) -> usize {
    manifest.dependencies.len().min(WHOLE_WEIGHT) * 1_000 / WHOLE_WEIGHT
}

pub(crate) fn ours(path: &str) -> bool {
    let mut folders = path.split('/').rev().skip(1);
    !folders.any(|folder| NOT_OURS.contains(&folder))
}

fn depth_of(path: &str) -> usize {
    path.matches('/').count()
}

pub(crate) fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn is_document(path: &str) -> bool {
    let top = path.to_lowercase();
    top.starts_with("readme") || top.starts_with("docs/") || top.starts_with("doc/")
}

/// The path of the first folder with one of these names.
pub(crate) fn folder_among(path: &str, names: &[&str]) -> Option<String> {
    let folders: Vec<&str> = path.split('/').collect();
    let (_, folders) = folders.split_last()?;
    let place = folders.iter().position(|folder| names.contains(folder))?;
    Some(folders.get(..=place)?.join("/"))
}

#[cfg(test)]
#[path = "repository_tests.rs"]
mod tests;
