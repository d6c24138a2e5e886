//! Finds the recipes of a tree by the files at its root.

use std::fs;

use serde_json::Value;

use super::recipe::{NpmInstall, PipInstall, Recipe};
use crate::{RepoPath, TreeRoot};

/// Manifests are small; what is longer is no manifest.
const MAX_MANIFEST: usize = 1024 * 1024;

/// What npm writes into a new package; it means "no tests".
const NPM_PLACEHOLDER: &str = "no test specified";

/// The recipes that fit the tree: at most one for each language, none when nothing is known.
pub fn detect_recipes(tree: &TreeRoot) -> Vec<Recipe> {
    let mut recipes = Vec::new();
    recipes.extend(rust(tree));
    recipes.extend(node(tree));
    recipes.extend(python(tree));
    recipes
}

fn rust(tree: &TreeRoot) -> Option<Recipe> {
    text(tree, "Cargo.toml")?;
    let locked = text(tree, "Cargo.lock").is_some();
    Some(Recipe::Cargo { locked })
}

fn node(tree: &TreeRoot) -> Option<Recipe> {
    let manifest = text(tree, "package.json")?;
    // A broken manifest is npm's to complain about.
    let manifest: Value = serde_json::from_str(&manifest).unwrap_or_default();
    let needs = |list: &str| manifest.get(list).and_then(Value::as_object);
    let some = |list: &str| needs(list).is_some_and(|list| !list.is_empty());
    let install = if !some("dependencies") && !some("devDependencies") && !some("workspaces") {
        NpmInstall::Nothing
    } else if text(tree, "package-lock.json").is_some() {
        NpmInstall::Locked
    } else {
        NpmInstall::Ranges
    };
    let script = manifest.pointer("/scripts/test").and_then(Value::as_str);
    Some(match script {
        Some(script) if !script.contains(NPM_PLACEHOLDER) => Recipe::Npm { install },
        Some(_) | None => Recipe::NodeTest { install },
    })
}

fn python(tree: &TreeRoot) -> Option<Recipe> {
    let project = text(tree, "pyproject.toml");
    let requirements = text(tree, "requirements.txt");
    let development = text(tree, "requirements-dev.txt");
    let settings = ["setup.cfg", "tox.ini"].map(|name| text(tree, name));
    let is_package = text(tree, "setup.py").is_some()
        || project
            .as_ref()
            .is_some_and(|text| text.contains("[build-system]") || text.contains("[project]"));
    let install = if is_package {
        PipInstall::Project
    } else if requirements.is_some() {
        PipInstall::Requirements
    } else {
        PipInstall::Runner
    };
    let named = [&project, &requirements, &development]
        .into_iter()
        .chain(&settings)
        .flatten()
        .any(|text| text.contains("pytest"));
    let files = ["pytest.ini", "conftest.py", "tests/conftest.py"];
    let configured = files.iter().any(|name| text(tree, name).is_some());
    if named || configured {
        return Some(Recipe::Pytest { install });
    }
    let known = is_package || requirements.is_some() || has_test_files(tree);
    match (known, install) {
        (false, _) => None,
        (true, PipInstall::Runner) => Some(Recipe::Unittest),
        // Dependencies need a virtual environment, and pytest runs unittest's tests too.
        (true, PipInstall::Requirements | PipInstall::Project) => Some(Recipe::Pytest { install }),
    }
}

/// True when the root or `tests/` holds a file that unittest would pick up by itself.
fn has_test_files(tree: &TreeRoot) -> bool {
    let is_test = |name: &str| name.starts_with("test") && name.ends_with(".py");
    [tree.path().to_owned(), tree.path().join("tests")]
        .iter()
        .filter_map(|folder| fs::read_dir(folder).ok())
        .flatten()
        .filter_map(Result::ok)
        .any(|entry| entry.file_name().to_str().is_some_and(is_test))
}

/// A file's text; `None` when there is no such file, or it is not one of the tree's own.
fn text(tree: &TreeRoot, name: &str) -> Option<String> {
    let path = RepoPath::new(name).ok()?;
    let content = tree.read(&path, MAX_MANIFEST).ok()?;
    Some(String::from_utf8_lossy(&content.bytes).into_owned())
}

#[cfg(test)]
#[path = "detect_tests.rs"]
mod tests;
