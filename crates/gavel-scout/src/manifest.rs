//! Manifests: what a project asks for, with the line that asks.
//!
//! Total: any text is read as far as it can be; a manifest that cannot be understood says so.

mod dotnet;
mod gradle;
mod maven;
mod node;
mod other;
mod python;
mod rust;
mod xml;

use gavel_rules::Ecosystem;
use gavel_workspace::RepoPath;

use crate::survey::{Dependency, DependencyScope, EntryKind, Evidence, Requirement, Stated};

/// What a manifest says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Manifest {
    pub(crate) path: RepoPath,
    pub(crate) ecosystem: Ecosystem,
    pub(crate) name: Option<String>,
    pub(crate) language_version: Option<Stated>,
    pub(crate) dependencies: Vec<Dependency>,
    /// Parts of a repository of several, as folders or patterns, with the line that lists them.
    pub(crate) members: Vec<Member>,
    pub(crate) entries: Vec<StatedEntry>,
    pub(crate) understood: Understood,
}

/// A folder or a pattern of folders that a manifest lists as its parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) pattern: String,
    pub(crate) line: u32,
}

/// A file that a manifest names as a beginning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StatedEntry {
    /// Relative to the folder of the manifest; the first of them that exists is meant.
    pub(crate) files: Vec<String>,
    pub(crate) kind: EntryKind,
    pub(crate) line: u32,
}

/// Whether a manifest could be understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Understood {
    Yes,
    No,
}

impl Manifest {
    fn new(path: &RepoPath, ecosystem: Ecosystem) -> Self {
        Self {
            path: path.clone(),
            ecosystem,
            name: None,
            language_version: None,
            dependencies: Vec::new(),
            members: Vec::new(),
            entries: Vec::new(),
            understood: Understood::Yes,
        }
    }

    /// True when the manifest belongs to a project of its own and lists no dependency by itself.
    pub(crate) fn is_only_a_list(&self) -> bool {
        self.name.is_none() && self.dependencies.is_empty()
    }

    fn state(&self, line: u32, text: &str) -> Option<Stated> {
        let text = text.trim();
        (!text.is_empty()).then(|| Stated {
            text: text.to_owned(),
            evidence: Evidence::line(&self.path, line),
        })
    }

    fn depend(&mut self, asked: Asked<'_>) {
        let name = asked.name.trim();
        if name.is_empty() {
            return;
        }
        self.dependencies.push(Dependency {
            name: name.to_owned(),
            scope: asked.scope,
            requirement: asked.requirement,
            declared: Evidence::line(&self.path, asked.line),
            version: None,
        });
    }
}

/// What one line of a manifest asks for.
struct Asked<'a> {
    name: &'a str,
    scope: DependencyScope,
    requirement: Requirement,
    line: u32,
}

/// Reads a manifest; nothing for a file that is none.
pub(crate) fn read(path: &RepoPath, text: &str) -> Option<Manifest> {
    let name = path.name();
    Some(match name {
        "Pipfile" => python::pipfile(path, text),
        "setup.cfg" => python::setup_cfg(path, text),
        "pnpm-workspace.yaml" => node::pnpm_workspace(path, text),
        "lerna.json" => node::lerna(path, text),
        "go.work" => other::go_work(path, text),
        "settings.gradle" | "settings.gradle.kts" => gradle::settings(path, text),
        "libs.versions.toml" => gradle::catalogue(path, text),
        "Directory.Packages.props" => dotnet::project(path, text),
        _ if name.ends_with(".gemspec") => other::gemspec(path, text),
        _ if is_requirements(path) => python::requirements(path, text),
        _ => match Ecosystem::of_file(name)? {
            Ecosystem::Rust => rust::cargo(path, text),
            Ecosystem::Node => node::package(path, text),
            Ecosystem::Python if name == "setup.py" => python::setup_py(path, text),
            Ecosystem::Python => python::pyproject(path, text),
            Ecosystem::Go => other::go_mod(path, text),
            Ecosystem::Maven => maven::pom(path, text),
            Ecosystem::Gradle => gradle::build(path, text),
            Ecosystem::DotNet if name.ends_with(".sln") => dotnet::solution(path, text),
            Ecosystem::DotNet => dotnet::project(path, text),
            Ecosystem::Ruby => other::gemfile(path, text),
            Ecosystem::Php => other::composer(path, text),
        },
    })
}

/// `requirements.txt`, `requirements-dev.txt`, `dev-requirements.txt`, `requirements/dev.txt`.
fn is_requirements(path: &RepoPath) -> bool {
    let stem = path.name().strip_suffix(".txt");
    let folder = path.as_str().rsplit('/').nth(1);
    if stem.is_some() && folder == Some("requirements") {
        return true;
    }
    stem.is_some_and(|stem| stem.starts_with("requirements") || stem.ends_with("requirements"))
}

/// What a version requirement in the usual notation means.
fn requirement(text: &str) -> Requirement {
    let text = text.trim().trim_matches(['"', '\'']).trim();
    let bare = text.trim_start_matches(['=', ' ', 'v']);
    let is_number = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_digit())
            && !text.contains(['*', 'x', 'X', ' ', ',', '|', '<', '>'])
    };
    let local = ["file:", "link:", "portal:", "workspace:", "../", "./"];
    let elsewhere = ["git", "http:", "https:", "ssh:", "npm:", "github:"];
    match text {
        "" | "*" | "latest" | "x" | ">=0" | ">= 0" | "next" | "master" | "main" => Requirement::Any,
        _ if local.iter().any(|start| text.starts_with(start)) => Requirement::Local,
        _ if elsewhere.iter().any(|start| text.starts_with(start)) => {
            Requirement::Address(text.to_owned())
        }
        _ if text.starts_with("catalog:") => Requirement::Elsewhere,
        _ if is_number(bare) => Requirement::Exact(bare.to_owned()),
        _ => Requirement::Range(text.to_owned()),
    }
}

#[cfg(test)]
#[path = "manifest_tests.rs"]
mod tests;
