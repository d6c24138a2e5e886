//! What cargo says in JSON: metadata of a workspace, and messages of a build.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

/// A program that a build made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuiltProgram {
    /// The name of the target.
    pub name: String,
    /// The package that it belongs to.
    pub package: String,
    /// The file.
    pub executable: PathBuf,
}

/// `cargo metadata --no-deps`.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Metadata {
    pub(super) packages: Vec<Package>,
    pub(super) target_directory: PathBuf,
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct Package {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) version: String,
    pub(super) manifest_path: PathBuf,
    targets: Vec<Target>,
    #[serde(default)]
    pub(super) authors: Vec<String>,
    /// Everything else that cargo tells a program about its package.
    #[serde(flatten)]
    pub(super) about: BTreeMap<String, Value>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Target {
    pub(super) kind: Vec<String>,
    pub(super) name: String,
    pub(super) src_path: PathBuf,
    #[serde(default)]
    test: bool,
    #[serde(default, rename = "required-features")]
    required_features: Vec<String>,
}

impl Target {
    fn is_same(&self, other: &Self) -> bool {
        self.kind == other.kind && self.name == other.name && self.src_path == other.src_path
    }

    pub(super) fn is(&self, kind: &str) -> bool {
        self.kind.iter().any(|own| own == kind)
    }
}

#[derive(Debug, Deserialize)]
#[serde(tag = "reason", rename_all = "kebab-case")]
enum Message {
    CompilerArtifact(Artifact),
    BuildScriptExecuted(BuildScript),
    #[serde(other)]
    Other,
}

/// Something that was compiled.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Artifact {
    package_id: String,
    pub(super) target: Target,
    profile: ArtifactProfile,
    pub(super) executable: Option<PathBuf>,
    fresh: bool,
}

impl Artifact {
    fn is_of(&self, package: &Package, target: &Target) -> bool {
        self.package_id == package.id && self.target.is_same(target)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
struct ArtifactProfile {
    test: bool,
}

/// What a build script left for its package.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct BuildScript {
    package_id: String,
    pub(super) out_dir: PathBuf,
    #[serde(default)]
    pub(super) env: Vec<(String, String)>,
    #[serde(default)]
    pub(super) linked_paths: Vec<String>,
}

/// The messages of one build.
#[derive(Debug, Default)]
pub(super) struct Messages {
    artifacts: Vec<Artifact>,
    scripts: Vec<BuildScript>,
}

impl Metadata {
    /// Reads cargo's answer, among warnings.
    pub(super) fn read(output: &str) -> Option<Self> {
        let line = output.lines().find(|line| line.starts_with('{'))?;
        serde_json::from_str(line).ok()
    }
}

impl Messages {
    /// Reads what cargo printed. A line that does not begin with a brace is not cargo's: what compilers
    /// print on standard error is handed on as it is.
    pub(super) fn read(output: &str) -> Self {
        let mut messages = Self::default();
        let lines = output.split('\n').filter(|line| line.starts_with('{'));
        for message in lines.filter_map(|line| serde_json::from_str(line).ok()) {
            match message {
                Message::CompilerArtifact(artifact) => messages.artifacts.push(artifact),
                Message::BuildScriptExecuted(script) => messages.scripts.push(script),
                Message::Other => {}
            }
        }
        messages
    }

    /// The test executables of a package, in the order of its targets: one for each that has tests, below
    /// the target folder. Of a target for which two are named, none is taken.
    pub(super) fn tests_of(&self, package: &Package, target_folder: &Path) -> Vec<&Artifact> {
        let targets = package.targets.iter().filter(|target| target.test);
        let found = targets.filter_map(|target| {
            let is_wanted =
                |artifact: &Artifact| artifact.profile.test && artifact.is_of(package, target);
            let artifact = self.only_one(&is_wanted, target_folder)?;
            // A target whose features are off is not built, so that nobody contradicts who names a file
            // for it, except when nothing was compiled at all.
            let certain = artifact.fresh || target.required_features.is_empty();
            certain.then_some(artifact)
        });
        found.collect()
    }

    fn programs_of(&self, package: &Package, target_folder: &Path) -> Vec<&Artifact> {
        let targets = package.targets.iter().filter(|target| target.is("bin"));
        let found = targets.filter_map(|target| {
            let is_wanted =
                |artifact: &Artifact| !artifact.profile.test && artifact.is_of(package, target);
            self.only_one(&is_wanted, target_folder)
        });
        found.collect()
    }

    fn only_one(
        &self,
        is_wanted: &dyn Fn(&Artifact) -> bool,
        target_folder: &Path,
    ) -> Option<&Artifact> {
        let built = |one: &&Artifact| one.executable.is_some() && is_wanted(one);
        let mut all = self.artifacts.iter().filter(built);
        let first = all.next()?;
        let agreed = all.all(|other| other.executable == first.executable);
        let below = is_below(first.executable.as_deref()?, target_folder);
        (agreed && below).then_some(first)
    }

    /// What the build script of a package said.
    pub(super) fn script_of(&self, package: &Package) -> Option<&BuildScript> {
        self.scripts
            .iter()
            .find(|script| script.package_id == package.id)
    }

    /// Folders of libraries that build scripts named.
    pub(super) fn library_folders(&self) -> impl Iterator<Item = &str> {
        let all = self.scripts.iter().flat_map(|script| &script.linked_paths);
        all.map(|path| path.split_once('=').map_or(path.as_str(), |(_, path)| path))
    }
}

/// Without `..`, and no link that leads out.
fn is_below(file: &Path, folder: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let plain = file
        .components()
        .all(|part| part != std::path::Component::ParentDir);
    plain && real(file).starts_with(real(folder))
}

/// The programs of a workspace, from the messages of a build.
pub(super) fn programs(output: &str, metadata: &Metadata) -> Vec<BuiltProgram> {
    let messages = Messages::read(output);
    let mut programs = Vec::new();
    for package in &metadata.packages {
        for artifact in messages.programs_of(package, &metadata.target_directory) {
            programs.extend(artifact.executable.clone().map(|executable| BuiltProgram {
                name: artifact.target.name.clone(),
                package: package.name.clone(),
                executable,
            }));
        }
    }
    programs
}

/// The same from the texts of `cargo metadata --no-deps --format-version 1` and of `cargo build
/// --message-format=json`; `None` when the first is not that.
///
/// Build twice and take the second text: while compilers run, macros can print such messages too.
pub fn built_programs(metadata: &str, messages: &str) -> Option<Vec<BuiltProgram>> {
    Some(programs(messages, &Metadata::read(metadata)?))
}

#[cfg(test)]
#[path = "messages_tests.rs"]
mod tests;
