//! `pyproject.toml`, `requirements*.txt`, `Pipfile`, `setup.cfg`, `setup.py`.

use gavel_rules::Ecosystem;
use gavel_workspace::RepoPath;
use toml::{Table, Value};

use super::rust::Places;
use super::{Asked, Manifest, Member, StatedEntry, Understood, requirement};
use crate::language::Style;
use crate::lines::{line_at, numbered, string_at, strings_of};
use crate::mask::mask;
use crate::survey::{DependencyScope, EntryKind, Requirement};

pub(super) fn pyproject(path: &RepoPath, text: &str) -> Manifest {
    let mut manifest = Manifest::new(path, Ecosystem::Python);
    let Ok(table) = text.parse::<Table>() else {
        manifest.understood = Understood::No;
        return manifest;
    };
    let places = Places::of(text);
    if let Some(project) = table.get("project").and_then(Value::as_table) {
        project_table(&mut manifest, project, &places, text);
    }
    for (group, value) in entries_of(table.get("dependency-groups")) {
        let line = places.line(&["dependency-groups"], group);
        let found = Listed {
            line,
            scope: DependencyScope::Development,
        };
        found.add(&mut manifest, Some(value), text);
    }
    let build = table
        .get("build-system")
        .and_then(|build| build.get("requires"));
    let line = places.line(&["build-system"], "requires");
    Listed {
        line,
        scope: DependencyScope::Build,
    }
    .add(&mut manifest, build, text);
    if let Some(tool) = table.get("tool").and_then(Value::as_table) {
        if let Some(poetry) = tool.get("poetry").and_then(Value::as_table) {
            poetry_table(&mut manifest, poetry, &places);
        }
        let members = tool
            .get("uv")
            .and_then(|uv| uv.get("workspace")?.get("members"));
        let line = places.line(&["tool.uv.workspace"], "members");
        let names = members.and_then(Value::as_array).into_iter().flatten();
        for pattern in names.filter_map(Value::as_str).map(str::to_owned) {
            manifest.members.push(Member { pattern, line });
        }
    }
    manifest
}

fn entries_of(value: Option<&Value>) -> impl Iterator<Item = (&String, &Value)> {
    value.and_then(Value::as_table).into_iter().flatten()
}

fn project_table(manifest: &mut Manifest, project: &Table, places: &Places, text: &str) {
    let name = project.get("name").and_then(Value::as_str);
    manifest.name = name.map(str::to_owned);
    let version = project.get("requires-python").and_then(Value::as_str);
    let line = places.line(&["project"], "requires-python");
    manifest.language_version = manifest.state(line, version.unwrap_or_default());
    let line = places.line(&["project"], "dependencies");
    let runtime = Listed {
        line,
        scope: DependencyScope::Runtime,
    };
    runtime.add(manifest, project.get("dependencies"), text);
    for (group, value) in entries_of(project.get("optional-dependencies")) {
        let line = places.line(&["project", "optional-dependencies"], group);
        let scope = match is_for_development(group) {
            true => DependencyScope::Development,
            false => DependencyScope::Optional,
        };
        Listed { line, scope }.add(manifest, Some(value), text);
    }
    for (key, value) in entries_of(project.get("scripts")) {
        let line = places.line(&["project", "scripts"], key);
        script(manifest, value, line);
    }
}

fn is_for_development(group: &str) -> bool {
    let group = group.to_ascii_lowercase();
    ["dev", "test", "lint", "doc", "typing", "check"]
        .iter()
        .any(|word| group.contains(word))
}

/// `package.module:function`: the file of the module.
fn script(manifest: &mut Manifest, value: &Value, line: u32) {
    let Some(target) = value.as_str() else { return };
    let module = target.split(':').next().unwrap_or_default().trim();
    let file = module.replace('.', "/");
    let files = ["", "src/"].iter().flat_map(|root| {
        [
            format!("{root}{file}.py"),
            format!("{root}{file}/__init__.py"),
        ]
    });
    manifest.entries.push(StatedEntry {
        files: files.collect(),
        kind: EntryKind::Program,
        line,
    });
}

/// A list of requirements that begins at a line.
struct Listed {
    line: u32,
    scope: DependencyScope,
}

impl Listed {
    fn add(&self, manifest: &mut Manifest, list: Option<&Value>, text: &str) {
        let items = list.and_then(Value::as_array).into_iter().flatten();
        for item in items.filter_map(Value::as_str) {
            let skip = usize::try_from(self.line).unwrap_or(1).saturating_sub(1);
            let own = numbered(text)
                .skip(skip)
                .find(|(_, line)| line.contains(item));
            let line = own.map_or(self.line, |(line, _)| line);
            one(manifest, item, self.scope, line);
        }
    }
}

/// One requirement as pip writes it: `name[extra]>=1,<2; marker`, `name @ address`.
fn one(manifest: &mut Manifest, item: &str, scope: DependencyScope, line: u32) {
    let item = item.split(';').next().unwrap_or_default().trim();
    let end = item.find(|c: char| !(c.is_ascii_alphanumeric() || "-_.".contains(c)));
    let (name, rest) = item
        .split_at_checked(end.unwrap_or(item.len()))
        .unwrap_or((item, ""));
    let rest = match rest.trim_start().strip_prefix('[') {
        Some(extra) => extra.split_once(']').map_or("", |(_, rest)| rest),
        None => rest,
    };
    let rest = rest.trim().trim_matches(['(', ')']);
    let requirement = match rest.strip_prefix('@') {
        Some(address) => Requirement::Address(address.trim().to_owned()),
        None => pip_requirement(rest),
    };
    manifest.depend(Asked {
        name,
        scope,
        requirement,
        line,
    });
}

fn pip_requirement(text: &str) -> Requirement {
    match text.strip_prefix("==") {
        Some(version) if !version.contains(['*', ',']) => {
            Requirement::Exact(version.trim_matches(['=', ' ']).to_owned())
        }
        Some(_) => Requirement::Range(text.to_owned()),
        None if text.is_empty() => Requirement::Any,
        None => Requirement::Range(text.to_owned()),
    }
}

fn poetry_table(manifest: &mut Manifest, poetry: &Table, places: &Places) {
    let name = poetry.get("name").and_then(Value::as_str);
    manifest.name = manifest.name.take().or(name.map(str::to_owned));
    poetry_list(
        manifest,
        poetry,
        places,
        PoetryList {
            above: &["tool.poetry"],
            scope: DependencyScope::Runtime,
        },
    );
    for (group, value) in entries_of(poetry.get("group")) {
        if let Some(inner) = value.as_table() {
            let above = ["tool.poetry.group", group.as_str()];
            let of = PoetryList {
                above: &above,
                scope: DependencyScope::Development,
            };
            poetry_list(manifest, inner, places, of);
        }
    }
    for (name, value) in entries_of(poetry.get("dev-dependencies")) {
        manifest.depend(Asked {
            name,
            scope: DependencyScope::Development,
            requirement: poetry_requirement(value),
            line: places.line(&["tool.poetry.dev-dependencies"], name),
        });
    }
    for (key, value) in entries_of(poetry.get("scripts")) {
        let line = places.line(&["tool.poetry.scripts"], key);
        script(manifest, value, line);
    }
}

/// Where a list of poetry stands, and what it is for.
#[derive(Clone, Copy)]
struct PoetryList<'a> {
    above: &'a [&'a str],
    scope: DependencyScope,
}

fn poetry_list(manifest: &mut Manifest, table: &Table, places: &Places, list: PoetryList<'_>) {
    let mut path = list.above.to_vec();
    path.push("dependencies");
    for (name, value) in entries_of(table.get("dependencies")) {
        let line = places.line(&path, name);
        let requirement = poetry_requirement(value);
        if name == "python" {
            if let Requirement::Range(text) | Requirement::Exact(text) = &requirement {
                manifest.language_version = manifest.state(line, text);
            }
            continue;
        }
        manifest.depend(Asked {
            name,
            scope: list.scope,
            requirement,
            line,
        });
    }
}

fn poetry_requirement(value: &Value) -> Requirement {
    match value {
        Value::String(text) => requirement(text),
        Value::Table(table) => {
            let text = |key: &str| table.get(key).and_then(Value::as_str);
            match (text("path"), text("git").or(text("url"))) {
                (Some(_), _) => Requirement::Local,
                (None, Some(address)) => Requirement::Address(address.to_owned()),
                (None, None) => requirement(text("version").unwrap_or_default()),
            }
        }
        Value::Integer(_)
        | Value::Float(_)
        | Value::Boolean(_)
        | Value::Datetime(_)
        | Value::Array(_) => Requirement::Any,
    }
}

pub(super) fn requirements(path: &RepoPath, text: &str) -> Manifest {
    let mut manifest = Manifest::new(path, Ecosystem::Python);
    let scope = match is_for_development(path.name()) {
        true => DependencyScope::Development,
        false => DependencyScope::Runtime,
    };
    for (line, full) in numbered(text) {
        let item = full.split(" #").next().unwrap_or_default().trim();
        let item = item.split(" --").next().unwrap_or_default();
        let item = item.trim_end_matches('\\').trim();
        // Options, comments, other files, addresses without a name.
        if item.is_empty()
            || item.starts_with(['-', '#', '.', '/'])
            || item.contains("://") && !item.contains('@')
        {
            continue;
        }
        one(&mut manifest, item, scope, line);
    }
    manifest
}

pub(super) fn pipfile(path: &RepoPath, text: &str) -> Manifest {
    let mut manifest = Manifest::new(path, Ecosystem::Python);
    let Ok(table) = text.parse::<Table>() else {
        manifest.understood = Understood::No;
        return manifest;
    };
    let places = Places::of(text);
    let kinds = [
        ("packages", DependencyScope::Runtime),
        ("dev-packages", DependencyScope::Development),
    ];
    for (key, scope) in kinds {
        for (name, value) in entries_of(table.get(key)) {
            manifest.depend(Asked {
                name,
                scope,
                requirement: pipenv_requirement(value),
                line: places.line(&[key], name),
            });
        }
    }
    manifest
}

/// A version of pipenv is written as pip writes it.
fn pipenv_requirement(value: &Value) -> Requirement {
    let requirement = poetry_requirement(value);
    if let Requirement::Range(text) = &requirement {
        return pip_requirement(text);
    }
    requirement
}

pub(super) fn setup_cfg(path: &RepoPath, text: &str) -> Manifest {
    let mut manifest = Manifest::new(path, Ecosystem::Python);
    let (mut section, mut key) = ("", "");
    for (line, full) in numbered(text) {
        let item = full.trim();
        if let Some(header) = item.strip_prefix('[') {
            (section, key) = (header.trim_end_matches(']'), "");
            continue;
        }
        let mut value = item;
        if !full.starts_with([' ', '\t'])
            && let Some((name, rest)) = item.split_once('=')
        {
            (key, value) = (name.trim(), rest.trim());
        }
        if value.is_empty() || value.starts_with('#') {
            continue;
        }
        match (section, key) {
            ("metadata", "name") => manifest.name = Some(value.to_owned()),
            ("options", "python_requires") => {
                manifest.language_version = manifest.state(line, value);
            }
            ("options", "install_requires") => {
                one(&mut manifest, value, DependencyScope::Runtime, line);
            }
            ("options.extras_require", _) => {
                one(&mut manifest, value, DependencyScope::Optional, line);
            }
            _ => {}
        }
    }
    manifest
}

/// `setup.py` is a program; only lists that are written out in it are read.
pub(super) fn setup_py(path: &RepoPath, text: &str) -> Manifest {
    let mut manifest = Manifest::new(path, Ecosystem::Python);
    let masked = mask(Style::Python, text);
    for (key, scope) in [
        ("install_requires", DependencyScope::Runtime),
        ("tests_require", DependencyScope::Development),
    ] {
        let Some(at) = masked.code.find(key) else {
            continue;
        };
        let rest = masked.code.get(at + key.len()..).unwrap_or_default();
        let open = rest.trim_start().strip_prefix('=').map(str::trim_start);
        if !open.is_some_and(|rest| rest.starts_with('[')) {
            continue;
        }
        let end = at + key.len() + rest.find(']').unwrap_or(rest.len());
        let list = masked.text.get(at..end).unwrap_or_default();
        let start = line_at(text, at);
        for (offset, line) in (0..).zip(list.lines()) {
            for item in strings_of(line) {
                one(&mut manifest, item, scope, start + offset);
            }
        }
    }
    for (key, is_name) in [("name", true), ("python_requires", false)] {
        let found = masked.code.match_indices(key).find_map(|(at, _)| {
            let rest = masked.code.get(at + key.len()..)?;
            let equals = rest
                .find('=')
                .filter(|gap| rest.get(..*gap).is_some_and(|gap| gap.trim().is_empty()))?;
            let before = masked.code.get(..at)?.chars().next_back();
            let alone = before.is_none_or(|c| !(c.is_alphanumeric() || c == '_'));
            let value = string_at(&masked.text, at + key.len() + equals + 1)?;
            alone.then(|| (line_at(text, at), value.to_owned()))
        });
        match found {
            Some((_, value)) if is_name => manifest.name = Some(value),
            Some((line, value)) => manifest.language_version = manifest.state(line, &value),
            None => {}
        }
    }
    manifest
}
