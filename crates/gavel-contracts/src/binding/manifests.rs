//! Which packages a manifest asks for, with the line of each.

mod cargo;
mod go;
mod node;
mod python;

use super::tree::{Tree, name_of};
use crate::check::line_at;

/// What a package is needed for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// The product itself, or its build.
    Product,
    /// Its tests and tools only.
    Tests,
}

/// A package that a manifest asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Dependency {
    /// Its name in the registry, whatever the manifest calls it.
    pub(super) package: String,
    pub(super) line: u32,
    pub(super) used: Use,
    /// Where it comes from, when that is not the registry.
    pub(super) elsewhere: Option<String>,
}

/// Why a manifest cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ManifestProblem {
    pub(super) line: u32,
    pub(super) problem: String,
}

/// True for a manifest that [`read`] understands.
pub(super) fn is_manifest(path: &str) -> bool {
    let name = name_of(path);
    [
        "Cargo.toml",
        "package.json",
        "pyproject.toml",
        "Pipfile",
        "setup.cfg",
        "go.mod",
    ]
    .contains(&name)
        || python::is_requirements(path)
}

/// Everything that a manifest asks for; packages of the tree itself are not listed.
pub(super) fn read(
    path: &str,
    text: &str,
    tree: &Tree<'_>,
) -> Result<Vec<Dependency>, ManifestProblem> {
    match name_of(path) {
        "Cargo.toml" => cargo::read(path, text, tree),
        "package.json" => node::read(path, text, tree),
        "pyproject.toml" => python::read_pyproject(path, text, tree),
        "Pipfile" => python::read_pipfile(path, text, tree),
        "setup.cfg" => Ok(python::read_setup_cfg(text)),
        "go.mod" => go::read(path, text, tree),
        _ => Ok(python::read_requirements(text)),
    }
}

/// The names that a contract may call a package by.
pub(super) fn spellings(package: &str) -> Vec<String> {
    let mut names = vec![package.to_owned()];
    // A module of Go is named by where it lies; its last part is what people call it.
    let is_module = package
        .split('/')
        .next()
        .is_some_and(|host| host.contains('.'));
    if is_module {
        let parts = package.split('/').rev();
        let is_version = |part: &str| {
            part.strip_prefix('v')
                .is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit()))
        };
        names.extend(
            parts
                .filter(|part| !is_version(part))
                .take(1)
                .map(str::to_owned),
        );
        let short: Vec<&str> = package.split('/').skip(1).collect();
        names.push(short.join("/"));
    }
    names
}

fn line_of(text: &str, byte: usize) -> u32 {
    line_at(text, byte).unwrap_or(1)
}

/// Reads TOML, or says where it is broken.
fn read_toml(text: &str) -> Result<toml::Spanned<toml::de::DeTable<'_>>, ManifestProblem> {
    toml::de::DeTable::parse(text).map_err(|error| ManifestProblem {
        line: error.span().map_or(1, |span| line_of(text, span.start)),
        problem: error.message().to_owned(),
    })
}

#[cfg(test)]
#[path = "manifests_tests.rs"]
mod tests;
