//! Lock files: which version of a package is in use, and in which line that stands.
//!
//! Read by lines: they are long, made by tools, and only names, versions and lines are wanted.

use std::collections::HashMap;

use gavel_rules::Ecosystem;
use gavel_workspace::RepoPath;

use crate::lines::{numbered, string_at, strings_of, version_numbers};
use crate::survey::{Evidence, Requirement, Stated};

/// A lock file with its packages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Lock {
    pub(crate) path: RepoPath,
    pub(crate) ecosystem: Ecosystem,
    packages: HashMap<String, Vec<Locked>>,
}

/// A package in use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Locked {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) line: u32,
}

/// The ecosystem of a lock file; nothing for a file that is none.
pub(crate) fn ecosystem_of(name: &str) -> Option<Ecosystem> {
    Some(match name {
        "Cargo.lock" => Ecosystem::Rust,
        "package-lock.json"
        | "npm-shrinkwrap.json"
        | "yarn.lock"
        | "pnpm-lock.yaml"
        | "bun.lock"
        | "bun.lockb" => Ecosystem::Node,
        "poetry.lock" | "uv.lock" | "pdm.lock" | "Pipfile.lock" => Ecosystem::Python,
        "go.sum" => Ecosystem::Go,
        "gradle.lockfile" => Ecosystem::Gradle,
        "packages.lock.json" => Ecosystem::DotNet,
        "Gemfile.lock" | "gems.locked" => Ecosystem::Ruby,
        "composer.lock" => Ecosystem::Php,
        _ => return None,
    })
}

/// Reads a lock file; nothing for a file that is none.
pub(crate) fn read(path: &RepoPath, text: &str) -> Option<Lock> {
    let ecosystem = ecosystem_of(path.name())?;
    let all = match path.name() {
        "Cargo.lock" | "poetry.lock" | "uv.lock" | "pdm.lock" => toml_packages(text),
        "package-lock.json" | "npm-shrinkwrap.json" => npm(text),
        "yarn.lock" => yarn(text),
        "pnpm-lock.yaml" => pnpm(text),
        "bun.lock" => bun(text),
        "Pipfile.lock" => keyed(text, "=="),
        "go.sum" => go_sum(text),
        "gradle.lockfile" => gradle(text),
        "packages.lock.json" => keyed_inside(text, "\"resolved\":"),
        "Gemfile.lock" | "gems.locked" => bundler(text),
        "composer.lock" => named(text),
        _ => Vec::new(),
    };
    let mut packages: HashMap<String, Vec<Locked>> = HashMap::new();
    for one in all {
        let name = canonical(ecosystem, &one.name);
        packages.entry(name).or_default().push(one);
    }
    Some(Lock {
        path: path.clone(),
        ecosystem,
        packages,
    })
}

/// Python takes `_`, `-` and `.` for the same, and nobody looks at capitals.
fn canonical(ecosystem: Ecosystem, name: &str) -> String {
    match ecosystem {
        Ecosystem::Python => name.to_lowercase().replace(['_', '.'], "-"),
        Ecosystem::DotNet | Ecosystem::Php => name.to_lowercase(),
        Ecosystem::Rust
        | Ecosystem::Node
        | Ecosystem::Go
        | Ecosystem::Maven
        | Ecosystem::Gradle
        | Ecosystem::Ruby => name.to_owned(),
    }
}

impl Lock {
    /// True when it names no package at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.packages.is_empty()
    }

    /// The version of a package that is in use; of several, the one that the requirement means.
    pub(crate) fn version(&self, name: &str, requirement: &Requirement) -> Option<Stated> {
        let all = self.packages.get(&canonical(self.ecosystem, name))?;
        let asked = match requirement {
            Requirement::Range(text) | Requirement::Exact(text) => version_numbers(text),
            Requirement::Any
            | Requirement::Local
            | Requirement::Address(_)
            | Requirement::Elsewhere => Vec::new(),
        };
        let alike = |one: &Locked| {
            let own = version_numbers(&one.version);
            own.iter().zip(&asked).take_while(|(a, b)| a == b).count()
        };
        // The topmost of equals is the one of the project itself where a file nests them.
        let best = all.iter().rev().max_by_key(|one| alike(one))?;
        Some(Stated {
            text: best.version.clone(),
            evidence: Evidence::line(&self.path, best.line),
        })
    }
}

fn locked(name: &str, version: &str, line: u32) -> Option<Locked> {
    let version = version.trim().trim_start_matches(['v', '=']);
    let fits = !name.is_empty() && version.starts_with(|c: char| c.is_ascii_digit());
    fits.then(|| Locked {
        name: name.to_owned(),
        version: version.to_owned(),
        line,
    })
}

/// `[[package]]`, `name = "…"`, `version = "…"`.
fn toml_packages(text: &str) -> Vec<Locked> {
    let mut all = Vec::new();
    let (mut inside, mut name) = (false, "");
    for (line, full) in numbered(text) {
        if full.starts_with('[') {
            (inside, name) = (full.trim() == "[[package]]", "");
        } else if inside && let Some(rest) = full.strip_prefix("name = ") {
            name = string_at(rest, 0).unwrap_or_default();
        } else if inside && let Some(rest) = full.strip_prefix("version = ") {
            all.extend(locked(name, string_at(rest, 0).unwrap_or_default(), line));
        }
    }
    all
}

/// `"node_modules/a/node_modules/b": {` with a version below; in the oldest form `"b": {`.
fn npm(text: &str) -> Vec<Locked> {
    let mut all = Vec::new();
    let mut name = String::new();
    let has_paths = text.contains("\"node_modules/");
    for (line, full) in numbered(text) {
        let item = full.trim();
        let key = item.strip_suffix('{').and_then(|head| string_at(head, 0));
        if let Some(key) = key {
            let nested = key.matches("node_modules/").count();
            name = match key.rsplit_once("node_modules/") {
                Some((_, name)) if nested == 1 => name.to_owned(),
                Some(_) => String::new(),
                None if has_paths => String::new(),
                None => key.to_owned(),
            };
        } else if let Some(rest) = item.strip_prefix("\"version\":") {
            all.extend(locked(&name, string_at(rest, 0).unwrap_or_default(), line));
            name.clear();
        }
    }
    all
}

/// `"a@^1", a@^2:` with `version "1.2"` or `version: 1.2` below.
fn yarn(text: &str) -> Vec<Locked> {
    let mut all = Vec::new();
    let mut name = "";
    for (line, full) in numbered(text) {
        if !full.starts_with([' ', '#']) && full.ends_with(':') {
            name = package_of(full.trim_start_matches('"'));
        } else if let Some(rest) = full.trim().strip_prefix("version") {
            all.extend(locked(
                name,
                rest.trim_start_matches(':').trim().trim_matches('"'),
                line,
            ));
            name = "";
        }
    }
    all
}

/// The name in `@scope/name@version`.
fn package_of(text: &str) -> &str {
    let scoped = usize::from(text.starts_with('@'));
    let end = text.get(scoped..).and_then(|rest| rest.find('@'));
    end.and_then(|end| text.get(..end + scoped))
        .unwrap_or_default()
}

/// `  /a@1.2.3:`, `  'a@1.2.3(b@2)':`, and in older forms `  /a/1.2.3:`.
fn pnpm(text: &str) -> Vec<Locked> {
    let mut all = Vec::new();
    let mut inside = false;
    for (line, full) in numbered(text) {
        if !full.starts_with([' ', '#']) && !full.is_empty() {
            inside = full.starts_with("packages:");
        }
        let indent = full.len() - full.trim_start().len();
        let Some(key) = full
            .trim()
            .strip_suffix(':')
            .filter(|_| inside && indent == 2)
        else {
            continue;
        };
        let key = key.trim_matches(['\'', '"']).trim_start_matches('/');
        let key = key.split('(').next().unwrap_or_default();
        let scoped = usize::from(key.starts_with('@'));
        let at = key
            .get(scoped..)
            .and_then(|rest| rest.find('@'))
            .map(|at| at + scoped);
        let cut = at.or_else(|| key.rfind('/'));
        if let Some((name, version)) = cut.and_then(|cut| key.split_at_checked(cut)) {
            all.extend(locked(name, version.trim_start_matches(['@', '/']), line));
        }
    }
    all
}

/// `"a": ["a@1.2.3", …`.
fn bun(text: &str) -> Vec<Locked> {
    let lines = numbered(text).filter_map(|(line, full)| {
        let (key, rest) = full.trim().split_once(": [")?;
        let key = key.trim_matches('"');
        let spec = string_at(rest, 0)?;
        let name = package_of(spec);
        let version = spec.get(name.len() + 1..)?;
        // A key with a path is a copy for one dependent.
        (key == name).then(|| locked(name, version, line))?
    });
    lines.collect()
}

/// `"a": {` with `"version": "==1.2"` below.
fn keyed(text: &str, mark: &str) -> Vec<Locked> {
    let mut all = Vec::new();
    let mut name = "";
    for (line, full) in numbered(text) {
        let item = full.trim();
        if let Some(key) = item.strip_suffix('{').and_then(|head| string_at(head, 0)) {
            name = key;
        } else if let Some(rest) = item.strip_prefix("\"version\":") {
            let version = string_at(rest, 0).unwrap_or_default();
            all.extend(locked(name, version.trim_start_matches(mark), line));
        }
    }
    all
}

/// `"a": {` with a version under another key below.
fn keyed_inside(text: &str, field: &str) -> Vec<Locked> {
    let mut all = Vec::new();
    let mut name = "";
    for (line, full) in numbered(text) {
        let item = full.trim();
        if let Some(key) = item.strip_suffix('{').and_then(|head| string_at(head, 0)) {
            name = key;
        } else if let Some(rest) = item.strip_prefix(field) {
            all.extend(locked(name, string_at(rest, 0).unwrap_or_default(), line));
        }
    }
    all
}

/// `a/b v1.2.3 h1:…`; the lines about go.mod files alone say nothing about use.
fn go_sum(text: &str) -> Vec<Locked> {
    let lines = numbered(text).filter_map(|(line, full)| {
        let mut words = full.split(' ');
        let (name, version) = (words.next()?, words.next()?);
        (!version.ends_with("/go.mod")).then(|| locked(name, version, line))?
    });
    lines.collect()
}

/// `g:a:1.0=compileClasspath,…`.
fn gradle(text: &str) -> Vec<Locked> {
    let lines = numbered(text).filter_map(|(line, full)| {
        let (artifact, _) = full.split_once('=')?;
        let (name, version) = artifact.rsplit_once(':')?;
        locked(name, version, line)
    });
    lines.collect()
}

/// `    a (1.2.3)` below `specs:`.
fn bundler(text: &str) -> Vec<Locked> {
    let lines = numbered(text).filter_map(|(line, full)| {
        let item = full
            .strip_prefix("    ")
            .filter(|rest| !rest.starts_with(' '))?;
        let (name, version) = item.split_once(" (")?;
        let version = version.trim_end_matches(')').split('-').next()?;
        locked(name, version, line)
    });
    lines.collect()
}

/// `"name": "a"` and `"version": "1.2"` below.
fn named(text: &str) -> Vec<Locked> {
    let mut all = Vec::new();
    let mut name = "";
    for (line, full) in numbered(text) {
        let item = full.trim();
        if item.starts_with("\"name\":") {
            name = strings_of(item).get(1).copied().unwrap_or_default();
        } else if item.starts_with("\"version\":") {
            let version = strings_of(item).get(1).copied().unwrap_or_default();
            all.extend(locked(name, version, line));
            name = "";
        }
    }
    all
}

#[cfg(test)]
#[path = "lock_tests.rs"]
mod tests;
