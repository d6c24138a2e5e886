//! Lock files: what they fetch comes from where it came from, and is what it was.

use std::collections::{BTreeMap, BTreeSet};

use super::files::{LockedPackage, WorkFile, WorkFiles};
use super::paths::FileRole;
use super::{WorkFinding, WorkFindingKind};

/// Hosts of the public registries.
const PUBLIC: [&str; 9] = [
    "registry.npmjs.org",
    "registry.yarnpkg.com",
    "github.com/rust-lang/crates.io-index",
    "index.crates.io",
    "static.crates.io",
    "pypi.org",
    "files.pythonhosted.org",
    "proxy.golang.org",
    "rubygems.org",
];

/// Compares every lock file.
pub(super) fn compare_locks(before: &WorkFiles, after: &WorkFiles) -> Vec<WorkFinding> {
    let locks = after.iter().filter(|file| file.role() == FileRole::Lock);
    let mut findings = Vec::new();
    for file in locks {
        let was = before.get(&file.path);
        if was.is_some_and(|was| was.content == file.content) {
            continue;
        }
        if file.packages.is_empty() && was.is_some_and(|was| !was.packages.is_empty()) {
            findings.push(
                WorkFinding::new(WorkFindingKind::LockFileRedirected, &file.path, "")
                    .saying("the lock file cannot be read any more")
                    .changed("", &String::from_utf8_lossy(&file.content)),
            );
        }
        findings.extend(compare_lock(was, file));
    }
    findings
}

fn compare_lock(was: Option<&WorkFile>, file: &WorkFile) -> Vec<WorkFinding> {
    let old = was.map(|was| was.packages.as_slice()).unwrap_or_default();
    let trusted = trusted_origins(old, &file.packages);
    let mut findings = Vec::new();
    for package in &file.packages {
        let same = old
            .iter()
            .find(|one| one.name == package.name && one.version == package.version);
        let named = old.iter().find(|one| one.name == package.name);
        let Some(why) = redirected(same, named, package, &trusted) else {
            continue;
        };
        let LockedPackage { name, version, .. } = package;
        let shown = |one: &LockedPackage| format!("{} {}", one.source, one.integrity);
        let finding = WorkFinding::new(
            WorkFindingKind::LockFileRedirected,
            &file.path,
            &format!("{name} {version}"),
        )
        .saying(format!("{name} {version}: {why}"))
        .changed(
            &same.or(named).map(shown).unwrap_or_default(),
            &shown(package),
        );
        findings.push(finding);
    }
    findings
}

/// What is wrong with an entry; `None` when nothing is.
fn redirected(
    same: Option<&LockedPackage>,
    named: Option<&LockedPackage>,
    package: &LockedPackage,
    trusted: &BTreeSet<String>,
) -> Option<String> {
    let source = package.source.as_str();
    if let Some(same) = same {
        if same.source == source && same.integrity == package.integrity {
            return None;
        }
        if !same.integrity.is_empty() && same.integrity != package.integrity {
            return Some("the same version must digest to something else".to_owned());
        }
        if same.source != source && origin(&same.source) != origin(source) {
            return Some(format!("it comes from {}", place(source)));
        }
    }
    if source.is_empty() {
        let was_fetched = named.is_some_and(|named| !named.source.is_empty());
        return was_fetched.then(|| "it comes from the tree now".to_owned());
    }
    if same.is_some_and(|same| same.source == source) {
        return None;
    }
    if named.is_some_and(|named| origin(&named.source) == origin(source)) && !is_git(source) {
        return None;
    }
    let is_known = !is_git(source) && trusted.contains(&origin(source));
    (!is_known).then(|| format!("it comes from {}", place(source)))
}

fn place(source: &str) -> String {
    if source.is_empty() {
        "the tree".to_owned()
    } else {
        source.to_owned()
    }
}

fn is_git(source: &str) -> bool {
    source.starts_with("git") || source.contains("git+") || source.ends_with(".git")
}

/// Where packages may come from: where the base's came from and the public registries. In a lock
/// file that is new, also where most of it comes from: a registry of the person's own, and what is
/// none is refused when it is fetched.
fn trusted_origins(old: &[LockedPackage], new: &[LockedPackage]) -> BTreeSet<String> {
    let fetched = |all: &[LockedPackage]| -> Vec<String> {
        let from = all.iter().filter(|one| !one.source.is_empty());
        let plain = from.filter(|one| !is_git(&one.source));
        plain.map(|one| origin(&one.source)).collect()
    };
    let mut trusted: BTreeSet<String> = PUBLIC.iter().map(|&host| host.to_owned()).collect();
    if old.is_empty() {
        let mut counted: BTreeMap<String, usize> = BTreeMap::new();
        for one in fetched(new) {
            *counted.entry(one).or_default() += 1;
        }
        let most = counted.into_iter().max_by_key(|(_, count)| *count);
        trusted.extend(
            most.map(|(origin, _)| origin)
                .filter(|origin| !origin.is_empty() && !origin.contains("plain ")),
        );
    }
    trusted.extend(fetched(old));
    trusted
}

/// The host of a source; for what is fetched without encryption, or is a file, the scheme too.
fn origin(source: &str) -> String {
    let plain = source
        .trim_start_matches("registry+")
        .trim_start_matches("sparse+");
    for index in PUBLIC.iter().filter(|index| index.contains('/')) {
        if plain.contains(index) {
            return (*index).to_owned();
        }
    }
    match plain.split_once("://") {
        Some((scheme, rest)) => {
            let host = rest.split(['/', '?', '#']).next().unwrap_or(rest);
            let host = host.rsplit('@').next().unwrap_or(host);
            if scheme == "https" {
                host.to_lowercase()
            } else {
                format!("plain {scheme} {host}")
            }
        }
        None if plain.is_empty() => String::new(),
        None => format!("plain {}", plain.split(':').next().unwrap_or(plain)),
    }
}
