//! What a look at a repository found. Every entry says where it was seen, and what was not read is listed
//! too, so that an empty list is never taken for "there is none".

use gavel_rules::Ecosystem;
use gavel_workspace::RepoPath;
use serde::{Deserialize, Serialize};

use crate::graph::ImportGraph;
use crate::language::Language;
use crate::technology::TechnologyKind;

/// Where something was seen.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Evidence {
    /// The file.
    pub path: RepoPath,
    /// The line, from 1; none where the name of the file is what was seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

impl Evidence {
    pub(crate) fn file(path: &RepoPath) -> Self {
        Self {
            path: path.clone(),
            line: None,
        }
    }

    pub(crate) fn line(path: &RepoPath, line: u32) -> Self {
        Self {
            path: path.clone(),
            line: Some(line),
        }
    }
}

impl std::fmt::Display for Evidence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}", self.path),
            None => self.path.fmt(f),
        }
    }
}

/// Everything that a deep look found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Survey {
    /// How many files there are, those of others included.
    pub files: u32,
    /// How many of them were read.
    pub files_read: u32,
    /// Languages, the one with most lines first.
    pub languages: Vec<LanguageShare>,
    /// Manifests with what they ask for.
    pub stacks: Vec<Stack>,
    /// Frameworks, databases, test kits, CI, containers …
    pub technologies: Vec<Technology>,
    /// Where programs and libraries begin.
    pub entry_points: Vec<EntryPoint>,
    /// Folders whose name says what they are for.
    pub folders: Vec<Folder>,
    /// Layers of the program, by the names of folders.
    pub layers: Vec<LayerShare>,
    /// Which module imports which.
    pub imports: ImportGraph,
    /// Addresses that the code answers.
    pub routes: Vec<Route>,
    /// What the code stores.
    pub models: Vec<DataModel>,
    /// Where settings come from.
    pub configuration: Vec<ConfigSource>,
    /// Tests by language.
    pub tests: Vec<TestCount>,
    /// The parts of a repository that holds several.
    pub workspaces: Vec<Workspace>,
    /// What was not read, and why.
    pub gaps: Vec<Gap>,
}

/// A language and how much of it there is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LanguageShare {
    /// The language.
    pub language: Language,
    /// Files.
    pub files: u32,
    /// Lines that are not empty.
    pub lines: u32,
}

/// A manifest: what a project or a part of it is built from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stack {
    /// The manifest.
    pub manifest: RepoPath,
    /// Whose it is.
    pub ecosystem: Ecosystem,
    /// The name that it gives itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The version of the language that it asks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language_version: Option<Stated>,
    /// The lock file that its versions were read from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lock_file: Option<RepoPath>,
    /// What it depends on.
    pub dependencies: Vec<Dependency>,
}

/// A text that a file states.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stated {
    /// The text.
    pub text: String,
    /// Where.
    pub evidence: Evidence,
}

/// What a manifest asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dependency {
    /// The package.
    pub name: String,
    /// What it is needed for.
    pub scope: DependencyScope,
    /// Which versions will do.
    pub requirement: Requirement,
    /// Where it is asked for.
    pub declared: Evidence,
    /// The version that is in use, where a file states it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<Stated>,
}

/// What a dependency is needed for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DependencyScope {
    /// For running.
    Runtime,
    /// For development and tests.
    Development,
    /// For building.
    Build,
    /// For running, where somebody wants it.
    Optional,
}

/// Which versions of a package will do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "text", rename_all = "snake_case")]
pub enum Requirement {
    /// Every version: `*`, `latest`, or none stated.
    Any,
    /// This one.
    Exact(String),
    /// Some.
    Range(String),
    /// A folder of the same machine, or a member of the same workspace.
    Local,
    /// An address outside the registry.
    Address(String),
    /// Another manifest says it: a workspace, a parent, a bill of materials.
    Elsewhere,
}

/// Something that the repository uses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Technology {
    /// What kind of thing.
    pub kind: TechnologyKind,
    /// Its name.
    pub name: String,
    /// The version in use, where a file states it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Where it was seen first.
    pub evidence: Evidence,
}

/// Where a program or a library begins.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EntryPoint {
    /// The file.
    pub path: RepoPath,
    /// What begins there.
    pub kind: EntryKind,
    /// What says so.
    pub evidence: Evidence,
}

/// What begins at an entry point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryKind {
    /// A program.
    Program,
    /// A library.
    Library,
}

/// A folder with a role.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Folder {
    /// The folder.
    pub path: String,
    /// What its name says.
    pub role: crate::folders::FolderRole,
    /// Files below it.
    pub files: u32,
    /// Lines of code below it.
    pub lines: u32,
}

/// A layer and how much of it there is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayerShare {
    /// The layer.
    pub layer: crate::folders::Layer,
    /// Files of code.
    pub files: u32,
    /// Lines that are not empty.
    pub lines: u32,
}

/// An address that the code answers.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Route {
    /// `GET`, `POST` …; `ANY` where none is stated.
    pub method: String,
    /// The address, as it is written.
    pub address: String,
    /// Where.
    pub evidence: Evidence,
}

/// Something that is stored.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct DataModel {
    /// Its name.
    pub name: String,
    /// Where.
    pub evidence: Evidence,
}

/// Where a setting comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ConfigSource {
    /// A variable of the environment.
    Variable {
        /// Its name.
        name: String,
        /// Where it is read first.
        evidence: Evidence,
    },
    /// A file.
    File {
        /// The file.
        path: RepoPath,
    },
}

/// Tests of one language.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestCount {
    /// The language.
    pub language: Language,
    /// Files with tests.
    pub files: u32,
    /// Tests that were counted in them, by the words that mark one.
    pub tests: u32,
}

/// A part of a repository with a manifest of its own.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Workspace {
    /// Its folder.
    pub folder: String,
    /// Its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whose.
    pub ecosystem: Ecosystem,
    /// What lists it as a part.
    pub evidence: Evidence,
}

/// What was not read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gap {
    /// Why.
    pub reason: GapReason,
    /// How many files.
    pub files: u32,
    /// The first of them, where they have names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<String>,
}

/// Why something was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GapReason {
    /// More files than are listed.
    TooMany,
    /// Below a folder of what tools make or others wrote.
    NotOurs,
    /// Longer than is read.
    TooLarge,
    /// It holds credentials: never read.
    Credential,
    /// No text.
    Binary,
    /// A symlink: not followed.
    Symlink,
    /// A name that no tool can use.
    Unaddressable,
    /// It could not be opened.
    Unreadable,
    /// A manifest or a lock file that could not be understood.
    NotUnderstood,
    /// The syntax of code beyond the cap was not checked.
    SyntaxCap,
    /// Imports of languages that are not followed.
    ImportsNotFollowed,
}

impl GapReason {
    /// The reason as people read it, after a number of files.
    pub const fn text(self) -> &'static str {
        match self {
            Self::TooMany => "above the cap on files: not listed",
            Self::NotOurs => "below folders of build output and of other people's code: not read",
            Self::TooLarge => "too large: not read",
            Self::Credential => "made to hold credentials: never read",
            Self::Binary => "no text: not read",
            Self::Symlink => "symlinks: not followed",
            Self::Unaddressable => "with names that no tool can use: not read",
            Self::Unreadable => "could not be opened",
            Self::NotUnderstood => "manifests or lock files that could not be understood",
            Self::SyntaxCap => "beyond the cap on syntax checks: syntax not checked",
            Self::ImportsNotFollowed => "in languages whose imports are not followed",
        }
    }
}
