//! Node: scripts that are run for a test, settings of the package managers, and packages that take
//! the place of a runner.

use std::collections::BTreeSet;

use gavel_rules::{RunnerChoice, RunnerReach, RunnerSetting};
use serde_json::{Map, Value};

use super::{TreeFiles, command, name_of, whole};
use crate::RepoPath;
use crate::verify::{alone, detect};

/// The manifest whose script runs the tests.
const ROOT: &str = "package.json";
/// Packages that run tests, or start what does.
const RUNNERS: [&str; 16] = [
    "vitest",
    "jest",
    "jest-cli",
    "mocha",
    "ava",
    "tap",
    "jasmine",
    "c8",
    "nyc",
    "tsx",
    "ts-node",
    "cross-env",
    "npm-run-all",
    "turbo",
    "@vitest/runner",
    "@jest/core",
];
/// Keys of `.npmrc` that start, load and choose nothing.
const NPMRC: [&str; 16] = [
    "audit",
    "audit-level",
    "engine-strict",
    "fetch-retries",
    "fetch-timeout",
    "fund",
    "legacy-peer-deps",
    "loglevel",
    "package-lock",
    "progress",
    "registry",
    "save-exact",
    "save-prefix",
    "strict-peer-dependencies",
    "strict-ssl",
    "update-notifier",
];
/// Beginnings of the names of runners' own configuration.
const CONFIGS: [&str; 9] = [
    "jest.config.",
    "vite.config.",
    "vitest.config.",
    "vitest.workspace.",
    ".mocharc",
    "ava.config.",
    ".taprc",
    "jasmine.",
    "karma.conf.",
];
/// Keys of a manifest under which runners find their configuration.
const KEYS: [&str; 8] = [
    "jest", "vitest", "mocha", "ava", "tap", "jasmine", "nyc", "c8",
];
/// Words of such a file that name code to be loaded into the runner.
const LOADS: [&str; 8] = [
    "reporter",
    "runner",
    "globalSetup",
    "globalTeardown",
    "require",
    "testEnvironment",
    "passWithNoTests",
    "process.",
];
/// Where a manifest names other packages.
const DEPENDENCIES: [&str; 4] = [
    "dependencies",
    "devDependencies",
    "optionalDependencies",
    "peerDependencies",
];
/// Where a manifest puts one package in the place of another.
const REPLACEMENTS: [&str; 3] = ["overrides", "resolutions", "pnpm"];

pub(super) fn is_runner_config(path: &str) -> bool {
    let name = name_of(path);
    // A page about jasmine is no configuration of it.
    let is_here = |start: &str| name == path || start != "jasmine.";
    !path.split('/').any(|part| part == "node_modules")
        && CONFIGS
            .iter()
            .any(|start| name.starts_with(start) && is_here(start))
}

pub(super) fn settings(tree: &TreeFiles) -> Vec<RunnerSetting> {
    let mut found = Vec::new();
    let files = tree.entries.keys();
    for file in files.filter(|path| name_of(path) == "package.json") {
        if file.starts_with("node_modules/") {
            continue;
        }
        let text = tree.text(file).unwrap_or_default();
        let manifest: Value = serde_json::from_str(text).unwrap_or_default();
        found.extend(scripts(tree, file, &manifest));
        found.extend(packages(file, &manifest));
        found.extend(configured(file, &manifest));
        let name = manifest.get("name").and_then(Value::as_str);
        if name.is_some_and(|name| RUNNERS.contains(&name)) && file != "package.json" {
            found.extend(whole(tree, file, "the name of a runner"));
        }
    }
    found.extend(locked(tree));
    found.extend(npmrc(tree, ".npmrc"));
    for (file, keys) in [
        (".yarnrc", &["yarn-path", "script-shell"]),
        (".yarnrc.yml", &["yarnPath", "plugins"]),
    ] {
        found.extend(lines(tree, file, keys));
    }
    for file in tree.entries.keys().filter(|path| is_runner_config(path)) {
        let text = tree.text(file).unwrap_or_default();
        // Most of vite's own configuration is not about tests.
        let is_for_tests = !name_of(file).starts_with("vite.config.") || text.contains("test");
        if is_for_tests && loads(text) {
            found.extend(whole(tree, file, "what it loads"));
        }
    }
    found
}

/// The scripts that a test runs, those that they start among them.
fn scripts(tree: &TreeFiles, file: &str, manifest: &Value) -> Vec<RunnerSetting> {
    let none = Map::new();
    let scripts = manifest.get("scripts").and_then(Value::as_object);
    let scripts = scripts.unwrap_or(&none);
    let mut found = Vec::new();
    for name in reached(scripts) {
        let script = scripts.get(name).and_then(Value::as_str);
        let Some(script) = script else {
            continue;
        };
        let known = name == "test" && command::is_known_runner(script);
        let chooses = if known {
            RunnerChoice::Known
        } else {
            found.extend(command::called(tree, script));
            RunnerChoice::Other
        };
        let is_suite = file == ROOT && name == "test";
        let name = format!("scripts.{name}");
        let setting = RunnerSetting::new(file, &name, script, chooses);
        let setting = setting.selecting(command::selected(script));
        found.push(match is_suite {
            true => setting.reaching(reach(alone::script_runs_tests_alone(&manifest.to_string()))),
            false => setting,
        });
    }
    found.extend(unscripted(tree, file, manifest));
    found
}

/// Without a script, the tests that are found are run by what the package manager says.
fn unscripted(tree: &TreeFiles, file: &str, manifest: &Value) -> Option<RunnerSetting> {
    if file != ROOT || detect::test_script(manifest).is_some() {
        return None;
    }
    let names: Vec<RepoPath> = tree
        .entries
        .keys()
        .filter_map(|path| path.parse().ok())
        .collect();
    let runs_alone = detect::found_tests_run_alone(&names, manifest)?;
    let setting = RunnerSetting::new(file, "scripts.test", "", RunnerChoice::Known);
    Some(setting.reaching(reach(runs_alone)))
}

const fn reach(runs_alone: bool) -> RunnerReach {
    if runs_alone {
        RunnerReach::Each
    } else {
        RunnerReach::Whole
    }
}

/// The names of the scripts that run for `test` and `smoke`.
fn reached(scripts: &Map<String, Value>) -> BTreeSet<&str> {
    let mut reached: BTreeSet<&str> = BTreeSet::new();
    let mut open: Vec<&str> = vec!["test", "smoke"];
    while let Some(name) = open.pop() {
        for (other, _) in scripts {
            let is_around = ["pre", "post"]
                .iter()
                .any(|hook| other.strip_prefix(hook) == Some(name));
            if (other == name || is_around) && reached.insert(other) {
                let text = scripts.get(other).and_then(Value::as_str);
                let words = text.unwrap_or_default();
                let words = words.split(|c: char| c.is_whitespace() || "\"'|&;()".contains(c));
                let words: Vec<&str> = words.collect();
                let named = scripts.keys().filter(|script| {
                    words.iter().any(|word| match word.split_once('*') {
                        Some((start, _)) => script.starts_with(start),
                        None => word == script,
                    })
                });
                open.extend(named.map(String::as_str));
            }
        }
    }
    reached
}

/// Runners that do not come from a registry.
fn packages(file: &str, manifest: &Value) -> Vec<RunnerSetting> {
    let mut found = Vec::new();
    for list in DEPENDENCIES {
        let needs = manifest.get(list).and_then(Value::as_object);
        for (package, wanted) in needs.into_iter().flatten() {
            let wanted = wanted.as_str().unwrap_or_default();
            if RUNNERS.contains(&package.as_str()) && wanted.contains([':', '/']) {
                let name = format!("{list}.{package}");
                found.push(RunnerSetting::new(file, &name, wanted, RunnerChoice::Other));
            }
        }
    }
    for list in REPLACEMENTS {
        let Some(text) = manifest.get(list).map(ToString::to_string) else {
            continue;
        };
        if RUNNERS.iter().any(|runner| text.contains(runner)) {
            found.push(RunnerSetting::new(file, list, &text, RunnerChoice::Other));
        }
    }
    found
}

fn loads(text: &str) -> bool {
    LOADS.iter().any(|word| text.contains(word))
}

/// Configuration of runners that stands in a manifest.
fn configured(file: &str, manifest: &Value) -> Vec<RunnerSetting> {
    let mut found = Vec::new();
    for key in KEYS {
        let text = manifest.get(key).map(ToString::to_string);
        if let Some(text) = text.filter(|text| loads(text)) {
            found.push(RunnerSetting::new(file, key, &text, RunnerChoice::Other));
        }
    }
    found
}

/// Runners that the lock takes from the tree.
fn locked(tree: &TreeFiles) -> Option<RunnerSetting> {
    let file = "package-lock.json";
    let lock: Value = serde_json::from_str(tree.text(file)?).ok()?;
    let packages = lock.get("packages")?.as_object()?;
    let from_tree = packages.iter().any(|(place, package)| {
        let name = place.rsplit("node_modules/").next().unwrap_or_default();
        let linked = package.get("link") == Some(&Value::Bool(true));
        let from = package.get("resolved").and_then(Value::as_str);
        let fetched = from.is_none_or(|from| from.starts_with("http"));
        place.contains("node_modules/") && RUNNERS.contains(&name) && (linked || !fetched)
    });
    from_tree.then(|| whole(tree, file, "a runner from the tree"))?
}

/// Everything in an `.npmrc` that is not known to be harmless, read as npm reads it: lines end at a
/// carriage return too, and names may stand in quotes of both kinds.
fn npmrc(tree: &TreeFiles, file: &str) -> Vec<RunnerSetting> {
    let mut found = Vec::new();
    for line in tree.text(file).unwrap_or_default().split(['\n', '\r']) {
        let line = line.trim();
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        let (key, value) = line.split_once('=').unwrap_or((line, ""));
        let key = key.trim().trim_matches(['"', '\'']).trim_end_matches("[]");
        let is_registry = key.starts_with('@') && key.ends_with(":registry");
        if !NPMRC.contains(&key) && !is_registry && !key.starts_with("//") {
            found.push(RunnerSetting::new(
                file,
                key,
                value.trim(),
                RunnerChoice::Other,
            ));
        }
    }
    found
}

/// Lines of a plain settings file that have one of these keys.
fn lines(tree: &TreeFiles, file: &str, keys: &[&str]) -> Vec<RunnerSetting> {
    let mut found = Vec::new();
    for line in tree.text(file).unwrap_or_default().lines() {
        let (key, value) = line.split_once(['=', ':', ' ']).unwrap_or((line, ""));
        let key = key.trim().trim_matches('"');
        if keys.contains(&key) {
            // What follows on further lines belongs to it.
            let value = if value.trim().is_empty() {
                tree.text(file).unwrap_or_default()
            } else {
                value.trim()
            };
            found.push(RunnerSetting::new(file, key, value, RunnerChoice::Other));
        }
    }
    found
}
