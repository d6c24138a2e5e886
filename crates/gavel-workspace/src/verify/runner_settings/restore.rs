//! A tree whose runner is the one of another tree.

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use toml::Table;

use super::TreeFiles;
use super::python::PLUGINS;
use crate::EntryChange;

/// What makes these settings of a tree, by file and name, those of the base. Manifests keep the
/// rest of what they say; other files and folders are taken whole.
pub fn restored(base: &TreeFiles, tree: &TreeFiles, wanted: &[(&str, &str)]) -> Vec<EntryChange> {
    let files: BTreeSet<&str> = wanted.iter().map(|(file, _)| *file).collect();
    let mut changes = Vec::new();
    for file in files {
        let names = wanted.iter().filter(|(named, _)| *named == file);
        let names: Vec<&str> = names.map(|(_, name)| *name).collect();
        let text = tree.text(file).and_then(|text| match file {
            "pyproject.toml" => pyproject(base.text(file), text, &names),
            _ if file.ends_with("Cargo.toml") => cargo_manifest(base.text(file), text, &names),
            _ if file.ends_with("package.json") => manifest(base.text(file), text, &names),
            _ => None,
        });
        if let Some(text) = text {
            changes.push(EntryChange::Write {
                path: file.to_owned(),
                content: text.into_bytes(),
            });
            continue;
        }
        let gone = tree.below(file);
        changes.extend(gone.map(|entry| EntryChange::Remove {
            path: entry.path.clone(),
        }));
        changes.extend(base.below(file).cloned().map(EntryChange::Put));
    }
    changes
}

/// A manifest with the base's values at these dotted names; none when they are not of that form.
fn manifest(base: Option<&str>, text: &str, names: &[&str]) -> Option<String> {
    let base: Value = base.map_or(Some(Value::Null), |text| serde_json::from_str(text).ok())?;
    let mut manifest: Map<String, Value> = serde_json::from_str(text).ok()?;
    for name in names {
        let (list, key) = name.split_once('.').unwrap_or((name, ""));
        let before = base.get(list);
        if key.is_empty() {
            put(&mut manifest, list, before);
            continue;
        }
        let before = before.and_then(|list| list.get(key));
        let empty = || Value::Object(Map::new());
        let list = manifest.entry(list).or_insert_with(empty);
        put(list.as_object_mut()?, key, before);
    }
    serde_json::to_string_pretty(&manifest).ok()
}

fn put(map: &mut Map<String, Value>, key: &str, value: Option<&Value>) {
    match value {
        Some(value) => drop(map.insert(key.to_owned(), value.clone())),
        None => drop(map.remove(key)),
    }
}

/// A manifest in which these targets have the harness that they had in the base.
fn cargo_manifest(base: Option<&str>, text: &str, names: &[&str]) -> Option<String> {
    let mut base: Table = base.unwrap_or_default().parse().ok()?;
    let mut manifest: Table = text.parse().ok()?;
    for name in names {
        let before = target_of(&mut base, name).and_then(|target| target.get("harness").cloned());
        let target = target_of(&mut manifest, name)?;
        match before {
            Some(before) => drop(target.insert("harness".to_owned(), before)),
            None => drop(target.remove("harness")),
        }
    }
    toml::to_string(&manifest).ok()
}

/// The target that `lib.harness` or `test.NAME.harness` is about.
fn target_of<'a>(manifest: &'a mut Table, name: &str) -> Option<&'a mut Table> {
    let (kind, rest) = name.split_once('.')?;
    let found = manifest.get_mut(kind)?;
    if kind == "lib" {
        return found.as_table_mut();
    }
    let wanted = rest.strip_suffix(".harness")?;
    let targets = found.as_array_mut()?.iter_mut();
    let mut targets = targets.filter_map(toml::Value::as_table_mut);
    targets.find(|target| {
        let called = target.get("name").and_then(toml::Value::as_str);
        called.unwrap_or_default() == wanted
    })
}

/// The project's settings with the base's `[tool.pytest]`, and its plugins of these names.
fn pyproject(base: Option<&str>, text: &str, names: &[&str]) -> Option<String> {
    let base: Table = base.unwrap_or_default().parse().ok()?;
    let mut project: Table = text.parse().ok()?;
    let plugins = PLUGINS.into_iter().filter(|name| names.contains(name));
    for name in plugins.chain(["tool.pytest"]) {
        let mut parts = name.split('.');
        let first = parts.next().and_then(|part| base.get(part));
        let before = parts.fold(first, |at, part| at.and_then(|at| at.get(part)));
        put_at(&mut project, name, before)?;
    }
    toml::to_string(&project).ok()
}

/// Puts a value at a dotted name, or removes what is there; none when something else is in its way.
fn put_at(table: &mut Table, name: &str, value: Option<&toml::Value>) -> Option<()> {
    let (parents, key) = name.rsplit_once('.')?;
    let mut at = table;
    for part in parents.split('.') {
        if value.is_none() && !at.contains_key(part) {
            return Some(());
        }
        let empty = || toml::Value::Table(Table::new());
        at = at.entry(part).or_insert_with(empty).as_table_mut()?;
    }
    match value {
        Some(value) => drop(at.insert(key.to_owned(), value.clone())),
        None => drop(at.remove(key)),
    }
    Some(())
}
