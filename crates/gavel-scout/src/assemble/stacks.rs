//! Manifests with the versions in use: from the nearest lock file, else from what the manifests themselves pin.

use gavel_rules::Ecosystem;
use gavel_workspace::RepoPath;

use crate::lock::Lock;
use crate::manifest::Manifest;
use crate::scan::Seen;
use crate::survey::{Dependency, Requirement, Stack, Stated};

/// The folder of a path; empty for the root.
pub(crate) fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// True when a folder is, or lies in, another.
pub(super) fn is_in(folder: &str, above: &str) -> bool {
    let rest = folder.strip_prefix(above);
    above.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The stacks, in the order of their manifests.
pub(super) fn stacks(seen: &[Seen<'_>], manifests: &[&Manifest]) -> Vec<Stack> {
    let locks: Vec<&Lock> = seen
        .iter()
        .filter_map(|one| one.read.lock.as_ref())
        .collect();
    let with_something = manifests
        .iter()
        .filter(|manifest| !manifest.is_only_a_list());
    let stack = |manifest: &&Manifest| {
        let lock = nearest(&manifest.path, manifest.ecosystem, &locks);
        let mut dependencies = manifest.dependencies.clone();
        for dependency in &mut dependencies {
            dependency.version = version(manifest, dependency, lock, manifests);
        }
        Stack {
            manifest: manifest.path.clone(),
            ecosystem: manifest.ecosystem,
            name: manifest.name.clone(),
            language_version: manifest.language_version.clone(),
            lock_file: lock.map(|lock| lock.path.clone()),
            dependencies,
        }
    };
    with_something.map(stack).collect()
}

/// The lock file of the same folder, or of the nearest one above.
fn nearest<'a>(path: &RepoPath, ecosystem: Ecosystem, locks: &[&'a Lock]) -> Option<&'a Lock> {
    let folder = folder_of(path.as_str());
    let above = locks
        .iter()
        .filter(|lock| lock.ecosystem == ecosystem && is_in(folder, folder_of(lock.path.as_str())));
    above
        .max_by_key(|lock| (lock.path.as_str().len(), !lock.is_empty()))
        .copied()
}

fn version(
    manifest: &Manifest,
    dependency: &Dependency,
    lock: Option<&Lock>,
    manifests: &[&Manifest],
) -> Option<Stated> {
    if dependency.requirement == Requirement::Local {
        return None;
    }
    // A sum is no choice: for Go the manifest itself says which version is in use.
    let lock = lock.filter(|_| manifest.ecosystem != Ecosystem::Go);
    if let Some(version) =
        lock.and_then(|lock| lock.version(&dependency.name, &dependency.requirement))
    {
        return Some(version);
    }
    match &dependency.requirement {
        Requirement::Exact(version) => Some(Stated {
            text: version.clone(),
            evidence: dependency.declared.clone(),
        }),
        Requirement::Elsewhere => from_above(manifest, dependency, manifests),
        Requirement::Any | Requirement::Range(_) | Requirement::Local | Requirement::Address(_) => {
            None
        }
    }
}

/// What a manifest of a folder above pins for its parts.
fn from_above(
    manifest: &Manifest,
    dependency: &Dependency,
    manifests: &[&Manifest],
) -> Option<Stated> {
    let folder = folder_of(manifest.path.as_str());
    let above = manifests.iter().filter(|other| {
        other.ecosystem == manifest.ecosystem
            && other.path != manifest.path
            && is_in(folder, folder_of(other.path.as_str()))
    });
    let mut named = above
        .flat_map(|other| &other.dependencies)
        .filter(|one| one.name == dependency.name);
    named.find_map(|one| {
        let Requirement::Exact(version) = &one.requirement else {
            return None;
        };
        Some(Stated {
            text: version.clone(),
            evidence: one.declared.clone(),
        })
    })
}
