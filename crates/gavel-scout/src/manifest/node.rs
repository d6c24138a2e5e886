//! `package.json`, and what lists the parts of a workspace.

use gavel_rules::Ecosystem;
use gavel_workspace::RepoPath;
use serde_json::Value;

use super::{Asked, Manifest, Member, StatedEntry, Understood, requirement};
use crate::lines::{JsonKeys, numbered};
use crate::survey::{DependencyScope, EntryKind};

pub(super) fn package(path: &RepoPath, text: &str) -> Manifest {
    let mut manifest = Manifest::new(path, Ecosystem::Node);
    let Ok(value) = serde_json::from_str::<Value>(text.trim_start_matches('\u{feff}')) else {
        manifest.understood = Understood::No;
        return manifest;
    };
    let keys = JsonKeys::of(text);
    manifest.name = value.get("name").and_then(Value::as_str).map(str::to_owned);
    let engine = value.pointer("/engines/node").and_then(Value::as_str);
    let line = keys.after("node", keys.first("engines"));
    manifest.language_version = manifest.state(line, engine.unwrap_or_default());
    let kinds = [
        ("dependencies", DependencyScope::Runtime),
        ("devDependencies", DependencyScope::Development),
        ("optionalDependencies", DependencyScope::Optional),
        ("peerDependencies", DependencyScope::Optional),
    ];
    for (field, scope) in kinds {
        let table = value.get(field).and_then(Value::as_object);
        let start = keys.first(field);
        for (name, asked) in table.into_iter().flatten() {
            // A peer that is also asked for directly is one dependency.
            if manifest
                .dependencies
                .iter()
                .any(|known| known.name == *name)
            {
                continue;
            }
            manifest.depend(Asked {
                name,
                scope,
                requirement: requirement(asked.as_str().unwrap_or_default()),
                line: keys.after(name, start),
            });
        }
    }
    let parts = value.get("workspaces");
    let parts = parts.and_then(|parts| parts.get("packages").or(Some(parts)));
    members(&mut manifest, parts, keys.first("workspaces"));
    entries(&mut manifest, &value, &keys);
    manifest
}

fn members(manifest: &mut Manifest, list: Option<&Value>, line: u32) {
    let names = list.and_then(Value::as_array).into_iter().flatten();
    let names = names.filter_map(Value::as_str);
    manifest.members.extend(names.map(|name| Member {
        pattern: name.to_owned(),
        line,
    }));
}

fn entries(manifest: &mut Manifest, value: &Value, keys: &JsonKeys<'_>) {
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    let mut add = |file: &str, kind: EntryKind, key: &str| {
        let line = keys.first(key);
        let files = sources_of(file);
        manifest.entries.push(StatedEntry { files, kind, line });
    };
    let mut library = false;
    for key in ["source", "module", "main"] {
        if let Some(file) = text(key) {
            add(file, EntryKind::Library, key);
            library = true;
        }
    }
    let exports = value.get("exports");
    let exports = exports.map(|exports| exports.get(".").unwrap_or(exports));
    if let Some(file) = exports.and_then(first_file) {
        add(file, EntryKind::Library, "exports");
        library = true;
    }
    match value.get("bin") {
        Some(Value::String(file)) => add(file, EntryKind::Program, "bin"),
        Some(Value::Object(programs)) => {
            for file in programs.values().filter_map(Value::as_str) {
                add(file, EntryKind::Program, "bin");
            }
        }
        Some(_) | None => {}
    }
    // `node server.js`: what is started is a program.
    for script in ["start", "dev", "serve"] {
        let command = value.pointer(&format!("/scripts/{script}"));
        let command = command.and_then(Value::as_str).unwrap_or_default();
        let mut words = command.split_whitespace();
        let runs = [
            "node",
            "nodemon",
            "tsx",
            "ts-node",
            "ts-node-dev",
            "bun",
            "deno",
        ];
        if words.any(|word| runs.contains(&word))
            && let Some(file) = words.find(|word| is_script(word))
        {
            add(file, EntryKind::Program, script);
        }
    }
    // Without a word, the convention of node holds.
    if !library {
        add("index.js", EntryKind::Library, "name");
    }
}

fn is_script(word: &str) -> bool {
    let endings = [".js", ".ts", ".mjs", ".cjs", ".mts", ".cts", ".tsx"];
    endings.iter().any(|ending| word.ends_with(ending))
}

fn first_file(value: &Value) -> Option<&str> {
    match value {
        Value::String(file) => Some(file),
        Value::Object(conditions) => {
            let order = ["source", "import", "default", "require", "node", "browser"];
            order
                .iter()
                .find_map(|key| first_file(conditions.get(*key)?))
        }
        Value::Array(_) | Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

/// A file that is named, and what it is built from when it is build output: `dist/index.js` comes from
/// `src/index.ts`.
fn sources_of(file: &str) -> Vec<String> {
    let file = file.trim_start_matches("./");
    let mut files = vec![file.to_owned()];
    if !file.contains('.') {
        files.extend([
            format!("{file}.js"),
            format!("{file}/index.js"),
            format!("{file}.ts"),
        ]);
    }
    let stem = [".mjs", ".cjs", ".js", ".d.ts"]
        .iter()
        .find_map(|ending| file.strip_suffix(ending));
    if let Some(stem) = stem {
        for ending in ["ts", "tsx", "mts"] {
            files.push(format!("{stem}.{ending}"));
        }
        let name = stem.rsplit('/').next().unwrap_or(stem);
        let inner = stem.split_once('/').map_or(stem, |(_, inner)| inner);
        for stem in [inner, name] {
            for ending in ["ts", "tsx", "js", "mts", "mjs"] {
                files.push(format!("src/{stem}.{ending}"));
            }
        }
    }
    files
}

pub(super) fn pnpm_workspace(path: &RepoPath, text: &str) -> Manifest {
    let mut manifest = Manifest::new(path, Ecosystem::Node);
    let mut inside = false;
    for (line, full) in numbered(text) {
        let item = full.trim();
        if !full.starts_with([' ', '-', '#', '\t']) && !item.is_empty() {
            inside = item.starts_with("packages:");
        } else if inside && let Some(pattern) = item.strip_prefix('-') {
            let pattern = pattern.split(" #").next().unwrap_or_default();
            let pattern = pattern.trim().trim_matches(['"', '\'']).to_owned();
            manifest.members.push(Member { pattern, line });
        }
    }
    manifest
}

pub(super) fn lerna(path: &RepoPath, text: &str) -> Manifest {
    let mut manifest = Manifest::new(path, Ecosystem::Node);
    match serde_json::from_str::<Value>(text) {
        Ok(value) => {
            let line = JsonKeys::of(text).first("packages");
            members(&mut manifest, value.get("packages"), line);
        }
        Err(_) => manifest.understood = Understood::No,
    }
    manifest
}
