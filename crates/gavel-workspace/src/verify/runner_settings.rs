//! What in a tree has a word in who runs its tests, read from the tree's entries and a few texts.
//!
//! Nothing here decides: `gavel_rules::compare_runners` does. What is not understood counts as a
//! program that the tree brings.

mod cargo;
mod command;
mod make;
mod maven;
mod node;
mod pnpm;
mod python;
mod restore;

use std::collections::{BTreeMap, BTreeSet};

use gavel_rules::{RunnerChoice, RunnerSetting};

use super::settings::VerifySettings;
use crate::TreeEntry;

pub use restore::restored;

/// Files and folders that choose a runner by their content alone, at the root.
const WHOLE: [&str; 18] = [
    ".mvn",
    "mvnw",
    "global.json",
    "Directory.Build.props",
    "Directory.Build.targets",
    "bunfig.toml",
    ".pnpmfile.cjs",
    ".pnpmfile.mjs",
    ".yarn/releases",
    ".yarn/plugins",
    "node_modules",
    "pytest.py",
    "pytest",
    "_pytest",
    "unittest.py",
    "unittest",
    "pluggy",
    "iniconfig",
];
/// Files that Python loads by itself, wherever they lie on its path.
const LOADED: [&str; 2] = ["sitecustomize.py", "usercustomize.py"];
/// Folders of which a symlink would hide what is looked for.
const FOLDERS: [&str; 3] = [".cargo", ".mvn", ".yarn"];

/// The files of a tree, with the texts of those that [`TreeFiles::is_read`] names.
#[derive(Debug, Clone, Default)]
pub struct TreeFiles {
    entries: BTreeMap<String, TreeEntry>,
    texts: BTreeMap<String, String>,
}

impl TreeFiles {
    /// From all entries of a tree and the texts of some of them, by path.
    pub fn new(
        entries: impl IntoIterator<Item = TreeEntry>,
        texts: BTreeMap<String, String>,
    ) -> Self {
        let entries = entries.into_iter();
        Self {
            entries: entries.map(|entry| (entry.path.clone(), entry)).collect(),
            texts,
        }
    }

    /// True for an entry whose text has to be known.
    pub fn is_read(entry: &TreeEntry) -> bool {
        const NAMES: [&str; 7] = [
            "package.json",
            "pom.xml",
            "conftest.py",
            "rust-toolchain",
            "rust-toolchain.toml",
            "config.toml",
            "config",
        ];
        const AT_ROOT: [&str; 14] = [
            "package-lock.json",
            "pnpm-workspace.yaml",
            "setup.py",
            ".npmrc",
            ".yarnrc",
            ".yarnrc.yml",
            "pytest.ini",
            ".pytest.ini",
            "pytest.toml",
            ".pytest.toml",
            "tox.ini",
            "setup.cfg",
            "pyproject.toml",
            "gavel.toml",
        ];
        let path = entry.path.as_str();
        let name = name_of(path);
        let named = match name {
            "config" | "config.toml" => cargo::is_config(path),
            "package.json" => !path.starts_with("node_modules/"),
            "Cargo.toml" => true,
            _ => NAMES.contains(&name),
        };
        named
            || AT_ROOT.contains(&path)
            || make::MAKEFILES.contains(&path)
            || node::is_runner_config(path)
            || (entry.is_link() && (FOLDERS.contains(&name) || is_chooser(path)))
    }

    /// The entries that are kept below a path, the one at it included.
    pub fn below<'a>(&'a self, path: &'a str) -> impl Iterator<Item = &'a TreeEntry> {
        // `0` follows `/`: in between lies everything below the path, in the order of names.
        let inside = format!("{path}/")..format!("{path}0");
        let at = self.entries.get(path);
        at.into_iter()
            .chain(self.entries.range(inside).map(|(_, entry)| entry))
    }

    /// The text of a plain file that was read.
    pub fn text(&self, path: &str) -> Option<&str> {
        let entry = self.entries.get(path)?;
        let text = self.texts.get(path)?;
        (!entry.is_link()).then_some(text.as_str())
    }

    fn has(&self, path: &str) -> bool {
        self.entries.contains_key(path)
    }

    /// What stands at a path, as one text to compare: modes and ids of everything at or below it.
    fn content(&self, path: &str) -> Option<String> {
        let all: Vec<String> = self
            .below(path)
            .map(|entry| format!("{} {} {}", entry.mode, entry.id, entry.path))
            .collect();
        (!all.is_empty()).then(|| all.join("\n"))
    }

    /// What a symlink of the tree stands for: where it leads, and what is there.
    fn behind(&self, link: &TreeEntry) -> String {
        let target = self.texts.get(&link.path).map_or("", String::as_str);
        let mut parts: Vec<&str> = link.path.split('/').collect();
        parts.pop();
        for part in target.split('/') {
            match part {
                "" | "." => {}
                ".." => drop(parts.pop()),
                part => parts.push(part),
            }
        }
        let there = self.content(&parts.join("/")).unwrap_or_default();
        format!("symlink to {target}\n{there}")
    }
}

fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// True for a path at which something is looked for.
fn is_chooser(path: &str) -> bool {
    let entry = TreeEntry {
        path: path.to_owned(),
        mode: "100644".to_owned(),
        id: String::new(),
    };
    WHOLE.contains(&path) || LOADED.contains(&name_of(path)) || TreeFiles::is_read(&entry)
}

/// Everything in the tree that has a word in who runs its tests.
pub fn runner_settings(tree: &TreeFiles) -> Vec<RunnerSetting> {
    let mut found = Vec::new();
    for path in WHOLE {
        found.extend(whole(tree, path, "its content"));
    }
    for folder in built_folders(tree) {
        found.extend(whole(tree, folder, "built files"));
    }
    for entry in tree.entries.values() {
        let name = name_of(&entry.path);
        // Too large to be read, and read by the runner all the same.
        let is_unread = TreeFiles::is_read(entry) && !tree.texts.contains_key(&entry.path);
        if is_unread || name.ends_with(".pyc") {
            found.extend(whole(tree, &entry.path, "its content"));
        }
        if LOADED.contains(&name) || name.ends_with(".runsettings") {
            found.extend(whole(tree, &entry.path, "its content"));
        }
        if entry.is_link() && (FOLDERS.contains(&name) || is_chooser(&entry.path)) {
            let behind = tree.behind(entry);
            let file = entry.path.as_str();
            found.push(RunnerSetting::new(
                file,
                "a symlink",
                &behind,
                RunnerChoice::Other,
            ));
        }
    }
    found.extend(cargo::settings(tree));
    found.extend(node::settings(tree));
    found.extend(python::settings(tree));
    found.extend(maven::settings(tree));
    found.extend(pnpm::settings(tree));
    found.extend(make::settings(tree));
    found.extend(own(tree));
    found
}

/// Folders in which cargo keeps what it built: what stands there is run instead of the source.
fn built_folders(tree: &TreeFiles) -> BTreeSet<&str> {
    let paths = tree.entries.keys();
    let kept = paths.filter_map(|path| path.split_once("/.fingerprint/"));
    kept.map(|(folder, _)| folder).collect()
}

/// Everything at or below a path, as one setting.
fn whole(tree: &TreeFiles, path: &str, name: &str) -> Option<RunnerSetting> {
    let content = tree.content(path)?;
    let setting = RunnerSetting::new(path, name, &content, RunnerChoice::Other);
    // Ids say nothing to people.
    Some(RunnerSetting {
        value: String::new(),
        ..setting
    })
}

/// `[verify]` of `gavel.toml`, and what it calls.
fn own(tree: &TreeFiles) -> Vec<RunnerSetting> {
    let text = tree.text("gavel.toml").unwrap_or_default();
    let mut found = Vec::new();
    match VerifySettings::read(text) {
        Ok(None) => {}
        Err(_) => found.extend(whole(tree, "gavel.toml", "[verify]")),
        Ok(Some(settings)) => {
            found.extend(whole(tree, "gavel.toml", "[verify]"));
            let commands = settings.install.iter().chain(&settings.test);
            for argv in commands {
                found.extend(command::called(tree, &argv.words().join(" ")));
            }
        }
    }
    found
}

#[cfg(test)]
#[path = "runner_settings/settings_tests.rs"]
mod tests;
