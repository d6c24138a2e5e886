//! `Cargo.toml`.

use gavel_rules::Ecosystem;
use gavel_workspace::RepoPath;
use toml::{Table, Value};

use super::{Asked, Manifest, Member, StatedEntry, Understood, requirement};
use crate::lines::numbered;
use crate::survey::{DependencyScope, EntryKind, Requirement};

pub(super) fn cargo(path: &RepoPath, text: &str) -> Manifest {
    let mut manifest = Manifest::new(path, Ecosystem::Rust);
    let Ok(table) = text.parse::<Table>() else {
        manifest.understood = Understood::No;
        return manifest;
    };
    let places = Places::of(text);
    if let Some(package) = table.get("package").and_then(Value::as_table) {
        let text_of = |key: &str| package.get(key).and_then(Value::as_str);
        manifest.name = text_of("name").map(str::to_owned);
        let version = text_of("rust-version").unwrap_or_default();
        let line = places.line(&["package"], "rust-version");
        manifest.language_version = manifest.state(line, version);
    }
    tables(&mut manifest, &table, &places, &[]);
    if let Some(targets) = table.get("target").and_then(Value::as_table) {
        for (target, inner) in targets {
            if let Some(inner) = inner.as_table() {
                tables(&mut manifest, inner, &places, &["target", target]);
            }
        }
    }
    if let Some(workspace) = table.get("workspace").and_then(Value::as_table) {
        let members = workspace.get("members").and_then(Value::as_array);
        let line = places.line(&["workspace"], "members");
        let names = members.into_iter().flatten().filter_map(Value::as_str);
        manifest.members.extend(names.map(|name| Member {
            pattern: name.to_owned(),
            line,
        }));
        tables(&mut manifest, workspace, &places, &["workspace"]);
    }
    entries(&mut manifest, &table, &places);
    manifest
}

fn tables(manifest: &mut Manifest, table: &Table, places: &Places, above: &[&str]) {
    let kinds = [
        ("dependencies", DependencyScope::Runtime),
        ("dev-dependencies", DependencyScope::Development),
        ("build-dependencies", DependencyScope::Build),
    ];
    for (key, scope) in kinds {
        let Some(inner) = table.get(key).and_then(Value::as_table) else {
            continue;
        };
        let mut path = above.to_vec();
        path.push(key);
        for (name, value) in inner {
            let detail = value.as_table();
            let of = |key: &str| detail.and_then(|detail| detail.get(key));
            let optional = of("optional").and_then(Value::as_bool) == Some(true);
            // A package may go by another name here.
            let package = of("package").and_then(Value::as_str).unwrap_or(name);
            manifest.depend(Asked {
                name: package,
                scope: if optional && scope == DependencyScope::Runtime {
                    DependencyScope::Optional
                } else {
                    scope
                },
                requirement: asked(value),
                line: places.line(&path, name),
            });
        }
    }
}

fn asked(value: &Value) -> Requirement {
    let Some(table) = value.as_table() else {
        return cargo_requirement(value.as_str().unwrap_or_default());
    };
    let text_of = |key: &str| table.get(key).and_then(Value::as_str);
    if table.get("workspace").and_then(Value::as_bool) == Some(true) {
        Requirement::Elsewhere
    } else if table.contains_key("path") {
        Requirement::Local
    } else if let Some(address) = text_of("git") {
        Requirement::Address(address.to_owned())
    } else {
        cargo_requirement(text_of("version").unwrap_or_default())
    }
}

/// In cargo a bare number is a range.
fn cargo_requirement(text: &str) -> Requirement {
    let read = requirement(text);
    let pinned = text.trim().starts_with('=');
    if !pinned && matches!(read, Requirement::Exact(_)) {
        return Requirement::Range(text.to_owned());
    }
    read
}

fn entries(manifest: &mut Manifest, table: &Table, places: &Places) {
    let named = |value: &Value| {
        let path = value.get("path").and_then(Value::as_str);
        let name = value.get("name").and_then(Value::as_str);
        let name = name.unwrap_or_default();
        match path {
            Some(path) => vec![path.to_owned()],
            None => vec![
                format!("src/bin/{name}.rs"),
                format!("src/bin/{name}/main.rs"),
                "src/main.rs".to_owned(),
            ],
        }
    };
    let programs = table.get("bin").and_then(Value::as_array);
    for program in programs.into_iter().flatten() {
        manifest.entries.push(StatedEntry {
            files: named(program),
            kind: EntryKind::Program,
            line: places.header("bin"),
        });
    }
    if let Some(path) = table
        .get("lib")
        .and_then(|lib| lib.get("path"))
        .and_then(Value::as_str)
    {
        manifest.entries.push(StatedEntry {
            files: vec![path.to_owned()],
            kind: EntryKind::Library,
            line: places.header("lib"),
        });
    }
}

/// Where the keys of a TOML text stand: lines with their table.
pub(super) struct Places {
    /// Table, key, line.
    keys: Vec<Place>,
}

struct Place {
    table: String,
    key: String,
    line: u32,
}

impl Places {
    pub(super) fn of(text: &str) -> Self {
        let mut table = String::new();
        let mut keys = Vec::new();
        for (line, full) in numbered(text) {
            let full = full.trim();
            if let Some(header) = full.strip_prefix('[') {
                let inside = header.trim_start_matches('[');
                table = clean(inside.split(']').next().unwrap_or_default());
                let key = String::new();
                keys.push(Place {
                    table: table.clone(),
                    key,
                    line,
                });
            } else if let Some((key, _)) = full.split_once('=')
                && !full.starts_with('#')
            {
                let (table, key) = (table.clone(), clean(key));
                keys.push(Place { table, key, line });
            }
        }
        Self { keys }
    }

    /// The line of a key in a table, also when it has a table of its own.
    pub(super) fn line(&self, tables: &[&str], key: &str) -> u32 {
        let table = clean(&tables.join("."));
        let own = format!("{table}.{key}");
        let found = self.keys.iter().find(|place| {
            (place.table == table
                && (place.key == key
                    || place
                        .key
                        .strip_prefix(key)
                        .is_some_and(|rest| rest.starts_with('.'))))
                || place.table == own
        });
        found.map_or(1, |place| place.line)
    }

    /// The line of a table's header.
    pub(super) fn header(&self, table: &str) -> u32 {
        let found = self.keys.iter().find(|place| place.table == table);
        found.map_or(1, |place| place.line)
    }
}

fn clean(name: &str) -> String {
    name.chars()
        .filter(|c| !matches!(c, '"' | '\'' | ' '))
        .collect()
}
