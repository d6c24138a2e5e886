//! The variables that cargo sets when it starts a test.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;
use toml::Table;

use super::messages::{Artifact, BuiltProgram, Messages, Package};

/// What the tests of all packages have in common.
pub(super) struct Shared {
    pub(super) programs: Vec<BuiltProgram>,
    /// `[env]` of the tree's configuration, and where cargo is.
    pub(super) config: BTreeMap<String, String>,
    pub(super) target: PathBuf,
    /// Where the toolchain has its libraries: tests of macros need them.
    pub(super) toolchain: Option<PathBuf>,
}

/// Variables of a package that come from one value of its metadata.
const ABOUT: [(&str, &str); 7] = [
    ("CARGO_PKG_DESCRIPTION", "description"),
    ("CARGO_PKG_HOMEPAGE", "homepage"),
    ("CARGO_PKG_REPOSITORY", "repository"),
    ("CARGO_PKG_LICENSE", "license"),
    ("CARGO_PKG_LICENSE_FILE", "license_file"),
    ("CARGO_PKG_RUST_VERSION", "rust_version"),
    ("CARGO_PKG_README", "readme"),
];

impl Shared {
    pub(super) fn of(
        &self,
        package: &Package,
        artifact: &Artifact,
        messages: &Messages,
    ) -> BTreeMap<String, String> {
        let mut env = self.config.clone();
        if let Some(script) = messages.script_of(package) {
            let plain = script.env.iter().filter(|(name, _)| is_plain(name));
            env.extend(plain.cloned());
            env.insert("OUT_DIR".to_owned(), script.out_dir.display().to_string());
        }
        env.extend(of_package(package));
        if artifact.target.is("test") || artifact.target.is("bench") {
            let own = self
                .programs
                .iter()
                .filter(|one| one.package == package.name);
            env.extend(own.map(|one| {
                let name = format!("CARGO_BIN_EXE_{}", one.name);
                (name, one.executable.display().to_string())
            }));
        }
        let libraries = self.libraries(artifact, messages);
        env.insert("LD_LIBRARY_PATH".to_owned(), libraries);
        env
    }

    /// Where shared libraries of the build are: its folders, and those that its scripts made in them.
    fn libraries(&self, artifact: &Artifact, messages: &Messages) -> String {
        let executable = artifact.executable.as_deref();
        let deps = executable.and_then(Path::parent).unwrap_or(&self.target);
        let own = messages
            .library_folders()
            .map(PathBuf::from)
            .filter(|folder| folder.starts_with(&self.target));
        let mut folders: Vec<_> = own.collect();
        folders.push(deps.to_owned());
        folders.extend(deps.parent().map(Path::to_owned));
        folders.extend(self.toolchain.clone());
        let folders: Vec<_> = folders
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        folders.join(":")
    }
}

fn of_package(package: &Package) -> BTreeMap<String, String> {
    let mut env = BTreeMap::new();
    let mut set = |name: &str, value: &str| env.insert(name.to_owned(), value.to_owned());
    for (name, key) in ABOUT {
        let value = package.about.get(key).and_then(Value::as_str);
        set(name, value.unwrap_or_default());
    }
    let (numbers, after) = match package.version.find(['-', '+']) {
        Some(at) => package.version.split_at_checked(at).unwrap_or_default(),
        None => (package.version.as_str(), ""),
    };
    let pre = after.strip_prefix('-').unwrap_or_default();
    let pre = pre.split_once('+').map_or(pre, |(pre, _)| pre);
    let mut parts = numbers.split('.');
    for name in ["MAJOR", "MINOR", "PATCH"] {
        let name = format!("CARGO_PKG_VERSION_{name}");
        set(&name, parts.next().unwrap_or_default());
    }
    set("CARGO_PKG_VERSION_PRE", pre);
    set("CARGO_PKG_VERSION", &package.version);
    set("CARGO_PKG_NAME", &package.name);
    set("CARGO_PKG_AUTHORS", &package.authors.join(":"));
    let manifest = &package.manifest_path;
    set("CARGO_MANIFEST_PATH", &manifest.display().to_string());
    let folder = manifest.parent().unwrap_or(manifest);
    set("CARGO_MANIFEST_DIR", &folder.display().to_string());
    env
}

/// `[env]` of `.cargo/config.toml`: texts, or tables that may say that they are paths.
pub(super) fn configured(config: &str, tree: &Path) -> BTreeMap<String, String> {
    let config: Table = config.parse().unwrap_or_default();
    let Some(list) = config.get("env").and_then(toml::Value::as_table) else {
        return BTreeMap::new();
    };
    let value_of = |value: &toml::Value| {
        let text = value.as_str().or_else(|| value.get("value")?.as_str())?;
        let is_path = value.get("relative").and_then(toml::Value::as_bool);
        Some(match is_path {
            Some(true) => tree.join(text).display().to_string(),
            Some(false) | None => text.to_owned(),
        })
    };
    list.iter()
        .filter(|(name, _)| is_plain(name))
        .filter_map(|(name, value)| Some((name.clone(), value_of(value)?)))
        .collect()
}

/// Not one that makes the loader run something else.
fn is_plain(name: &str) -> bool {
    !name.starts_with("LD_") && !name.contains(['=', '\0']) && !name.is_empty()
}

#[cfg(test)]
#[path = "environment_tests.rs"]
mod tests;
