//! Rust: toolchains that a tree asks for, and cargo's configuration in it.

use gavel_rules::{RunnerChoice, RunnerSetting};
use toml::{Table, Value};

use super::{TreeFiles, name_of};
use crate::verify::toolchain::ToolchainFile;

/// Tables of cargo's configuration that start and load nothing.
const HARMLESS: [&str; 8] = [
    "net",
    "http",
    "term",
    "cache",
    "cargo-new",
    "install",
    "future-incompat-report",
    "doc",
];
/// Keys of `[build]` that start and load nothing.
const OF_BUILD: [&str; 4] = ["jobs", "incremental", "dep-info-basedir", "warnings"];

pub(super) fn settings(tree: &TreeFiles) -> Vec<RunnerSetting> {
    let mut found = Vec::new();
    for file in ["rust-toolchain", "rust-toolchain.toml"] {
        let Some(text) = tree.text(file) else {
            continue;
        };
        found.push(match ToolchainFile::read(text) {
            ToolchainFile::Channel(name) => {
                RunnerSetting::new(file, "channel", &name, RunnerChoice::Known)
            }
            ToolchainFile::Custom(name) => {
                RunnerSetting::new(file, "channel", &name, RunnerChoice::Other)
            }
            ToolchainFile::Path(path) => {
                RunnerSetting::new(file, "path", &path, RunnerChoice::Other)
            }
            ToolchainFile::Unreadable => {
                RunnerSetting::new(file, "its content", text, RunnerChoice::Other)
            }
        });
    }
    found.extend(harnesses(tree));
    let configs = tree.entries.keys().filter(|path| is_config(path));
    for file in configs {
        let Some(text) = tree.text(file) else {
            continue;
        };
        match text.parse::<Table>() {
            Ok(table) => flatten(&table, "", &mut |name, value| {
                if !is_harmless(name) {
                    found.push(RunnerSetting::new(file, name, value, RunnerChoice::Other));
                }
            }),
            Err(_) => found.push(RunnerSetting::new(
                file,
                "its content",
                text,
                RunnerChoice::Other,
            )),
        }
    }
    found
}

/// Targets whose tests bring a harness of their own: whatever they print would count. Benchmarks and
/// examples are not tests.
fn harnesses(tree: &TreeFiles) -> Vec<RunnerSetting> {
    let mut found = Vec::new();
    let manifests = tree.entries.keys();
    for file in manifests.filter(|path| name_of(path) == "Cargo.toml") {
        let text = tree.text(file).unwrap_or_default();
        let Ok(manifest) = text.parse::<Table>() else {
            continue;
        };
        let own = |target: &Value| target.get("harness").and_then(Value::as_bool) == Some(false);
        if manifest.get("lib").is_some_and(own) {
            let other = RunnerChoice::Other;
            found.push(RunnerSetting::new(file, "lib.harness", "false", other));
        }
        for kind in ["test", "bin"] {
            let targets = manifest.get(kind).and_then(Value::as_array);
            for target in targets.into_iter().flatten().filter(|one| own(one)) {
                let name = target.get("name").and_then(Value::as_str);
                let name = format!("{kind}.{}.harness", name.unwrap_or_default());
                found.push(RunnerSetting::new(
                    file,
                    &name,
                    "false",
                    RunnerChoice::Other,
                ));
            }
        }
    }
    found
}

/// True for a file that cargo reads when it is started in the folder above.
pub(super) fn is_config(path: &str) -> bool {
    let folder = path.strip_suffix(name_of(path)).unwrap_or_default();
    let in_folder = folder == ".cargo/" || folder.ends_with("/.cargo/");
    in_folder && ["config", "config.toml"].contains(&name_of(path))
}

fn is_harmless(name: &str) -> bool {
    let parts: Vec<&str> = name.split('.').collect();
    match parts.as_slice() {
        ["net", "git-fetch-with-cli"] | ["doc", "browser"] => false,
        ["build", key] => OF_BUILD.contains(key),
        ["profile", .., key] => !["rustflags", "codegen-backend"].contains(key),
        [first, ..] => HARMLESS.contains(first),
        [] => true,
    }
}

/// Every value of a table with its dotted name.
fn flatten(table: &Table, above: &str, tell: &mut impl FnMut(&str, &str)) {
    for (key, value) in table {
        let name = if above.is_empty() {
            key.clone()
        } else {
            format!("{above}.{key}")
        };
        match value {
            Value::Table(inner) => flatten(inner, &name, tell),
            Value::String(_)
            | Value::Integer(_)
            | Value::Float(_)
            | Value::Boolean(_)
            | Value::Datetime(_)
            | Value::Array(_) => tell(&name, &value.to_string()),
        }
    }
}
