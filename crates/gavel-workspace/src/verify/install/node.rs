//! npm, pnpm, yarn and bun: packages without their scripts, then scripts without network.

use serde_json::Value;

use super::super::node::{NodeInstall, NodeManager};
use super::{Step, Tree, yarn};
use crate::ArgvError;

/// An empty configuration for bun: a tree's own may name a program that looks at what is installed.
pub(super) const BUNFIG: &str = "bunfig.toml";

pub(super) fn steps(
    tree: &Tree,
    manager: NodeManager,
    install: NodeInstall,
) -> Result<Vec<Step>, ArgvError> {
    let locked = install == NodeInstall::Locked;
    let mut steps = match manager {
        NodeManager::Npm => npm(locked)?,
        NodeManager::Pnpm => pnpm(tree, locked)?,
        NodeManager::Yarn => yarn::steps(tree, locked)?,
        NodeManager::Bun => bun(tree, locked)?,
    };
    for name in left_to_run(tree, manager, install) {
        if has_script(tree, name) {
            steps.push(Step::build([manager.program(), "run", name])?);
        }
    }
    Ok(steps)
}

/// True when the project has such a script of its own.
pub(super) fn has_script(tree: &Tree, name: &str) -> bool {
    let manifest = tree.text("package.json").unwrap_or_default();
    let manifest: Value = serde_json::from_str(&manifest).unwrap_or_default();
    let script = manifest.get("scripts").and_then(|list| list.get(name));
    script.is_some_and(Value::is_string)
}

/// Runs the scripts of all packages, and those of the project.
pub(super) fn rebuild() -> Result<Step, ArgvError> {
    Step::build(["npm", "rebuild"])
}

/// The scripts of the project itself that belong to an install and that the steps did not run.
fn left_to_run(tree: &Tree, manager: NodeManager, install: NodeInstall) -> &'static [&'static str] {
    match manager {
        NodeManager::Pnpm if install == NodeInstall::Locked => &[],
        NodeManager::Yarn if !yarn::is_classic(tree) => &[],
        NodeManager::Npm | NodeManager::Yarn => &["prepare"],
        NodeManager::Pnpm | NodeManager::Bun => {
            &["preinstall", "install", "postinstall", "prepare"]
        }
    }
}

fn npm(locked: bool) -> Result<Vec<Step>, ArgvError> {
    let rest: &[&str] = match locked {
        true => &["ci"],
        false => &["install", "--no-package-lock"],
    };
    let words = ["npm"].iter().chain(rest).chain(&["--ignore-scripts"]);
    Ok(vec![Step::fetch(words.copied())?, rebuild()?])
}

/// By the lock file alone where there is one: its hooks file, its own version and scripts come
/// afterwards, with an install that has no network.
fn pnpm(tree: &Tree, locked: bool) -> Result<Vec<Step>, ArgvError> {
    let store = format!("--store-dir={}", tree.in_cache("pnpm"));
    let fixed = [
        "--ignore-scripts",
        "--ignore-pnpmfile",
        "--config.manage-package-manager-versions=false",
        &store,
    ];
    let fetch = |rest: &[&str]| Step::fetch(["pnpm"].iter().chain(rest).chain(&fixed).copied());
    if locked {
        let offline = ["pnpm", "install", "--frozen-lockfile", "--offline", &store];
        return Ok(vec![fetch(&["fetch"])?, Step::build(offline)?.needed()]);
    }
    let rebuild = ["pnpm", "rebuild", &store];
    Ok(vec![
        fetch(&["install", "--no-lockfile"])?,
        Step::build(rebuild)?,
    ])
}

fn bun(tree: &Tree, locked: bool) -> Result<Vec<Step>, ArgvError> {
    let config = format!("--config={}", tree.in_fetch(&format!("home/{BUNFIG}")));
    let rest = match locked {
        true => "--frozen-lockfile",
        false => "--no-save",
    };
    let words = ["bun", "install", rest, "--ignore-scripts", &config];
    Ok(vec![Step::fetch(words)?])
}
