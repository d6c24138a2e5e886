//! `build.gradle`, `settings.gradle`, version catalogues: programs, of which only what is written out is read.

use gavel_rules::Ecosystem;
use gavel_workspace::RepoPath;
use toml::{Table, Value};

use super::rust::Places;
use super::{Asked, Manifest, Member, Understood, requirement};
use crate::language::Style;
use crate::lines::{numbered, strings_of, word};
use crate::mask::mask;
use crate::survey::{DependencyScope, Requirement};

fn scope_of(configuration: &str) -> Option<DependencyScope> {
    Some(match configuration {
        "implementation" | "api" | "compile" | "runtimeOnly" | "runtime" | "kapt" | "ksp" => {
            DependencyScope::Runtime
        }
        "compileOnly" | "annotationProcessor" | "developmentOnly" | "classpath" => {
            DependencyScope::Build
        }
        name if name.starts_with("test") || name.starts_with("androidTest") => {
            DependencyScope::Development
        }
        _ => return None,
    })
}

pub(super) fn build(path: &RepoPath, text: &str) -> Manifest {
    let mut manifest = Manifest::new(path, Ecosystem::Gradle);
    let text = mask(Style::Slashes, text).text;
    for (line, full) in numbered(&text) {
        let item = full.trim();
        let configuration = word(item);
        let strings = strings_of(item);
        if let Some(scope) = scope_of(configuration) {
            for asked in artifacts(item, &strings) {
                let (name, requirement) = asked;
                manifest.depend(Asked {
                    name: &name,
                    scope,
                    requirement,
                    line,
                });
            }
        }
        plugin(&mut manifest, item, line);
        if [
            "sourceCompatibility",
            "languageVersion",
            "jvmToolchain",
            "jvmTarget",
        ]
        .iter()
        .any(|key| item.contains(key))
        {
            let digits: String = item
                .chars()
                .skip_while(|c| !c.is_ascii_digit())
                .take_while(|c| c.is_ascii_digit() || matches!(c, '.' | '_'))
                .collect();
            manifest.language_version = manifest
                .language_version
                .take()
                .or(manifest.state(line, &digits));
        }
    }
    manifest
}

/// `group:name:version`, or the three under their names.
fn artifacts(item: &str, strings: &[&str]) -> Vec<(String, Requirement)> {
    if item.contains("project(") {
        return Vec::new();
    }
    let named: Vec<&str> = ["group:", "name:", "version:"]
        .iter()
        .filter_map(|key| {
            let (_, rest) = item.split_once(key)?;
            strings_of(rest).first().copied()
        })
        .collect();
    if let [group, name, rest @ ..] = named.as_slice() {
        let version = rest.first().copied().unwrap_or_default();
        return vec![(format!("{group}:{name}"), gradle_requirement(version))];
    }
    let artifacts = strings.iter().filter_map(|text| {
        let mut parts = text.split(':');
        let (group, name) = (parts.next()?, parts.next()?);
        let version = parts.next().unwrap_or_default();
        let whole = !group.contains([' ', '$', '/']) && !name.is_empty();
        whole.then(|| (format!("{group}:{name}"), gradle_requirement(version)))
    });
    artifacts.collect()
}

fn gradle_requirement(version: &str) -> Requirement {
    match version {
        "" => Requirement::Elsewhere,
        text if text.starts_with('$') => Requirement::Elsewhere,
        "+" | "latest.release" => Requirement::Any,
        text if text.ends_with('+') => Requirement::Range(text.to_owned()),
        text => requirement(text),
    }
}

/// `id("org.springframework.boot") version "3.2.0"`, `kotlin("jvm") version "2.0.0"`.
fn plugin(manifest: &mut Manifest, item: &str, line: u32) {
    let strings = strings_of(item);
    let name = match (word(item), strings.first()) {
        ("id", Some(name)) => (*name).to_owned(),
        ("kotlin", Some(name)) => format!("org.jetbrains.kotlin.{name}"),
        _ => return,
    };
    let version = item
        .split_once("version")
        .and_then(|(_, rest)| strings_of(rest).first().copied());
    manifest.depend(Asked {
        name: &name,
        scope: DependencyScope::Build,
        requirement: gradle_requirement(version.unwrap_or_default()),
        line,
    });
}

pub(super) fn settings(path: &RepoPath, text: &str) -> Manifest {
    let mut manifest = Manifest::new(path, Ecosystem::Gradle);
    let text = mask(Style::Slashes, text).text;
    let mut inside = false;
    for (line, full) in numbered(&text) {
        let item = full.trim();
        let begins = word(item) == "include";
        // The list goes on where the line before ends with a comma.
        if begins || inside {
            manifest
                .members
                .extend(strings_of(item).into_iter().map(|name| Member {
                    pattern: name.trim_start_matches(':').replace(':', "/"),
                    line,
                }));
            inside = item.ends_with(',') || item.ends_with('(');
        }
        if item.starts_with("rootProject.name") {
            manifest.name = strings_of(item).first().map(|name| (*name).to_owned());
        }
    }
    manifest
}

pub(super) fn catalogue(path: &RepoPath, text: &str) -> Manifest {
    let mut manifest = Manifest::new(path, Ecosystem::Gradle);
    let Ok(table) = text.parse::<Table>() else {
        manifest.understood = Understood::No;
        return manifest;
    };
    let places = Places::of(text);
    let versions = table.get("versions").and_then(Value::as_table);
    let version_of = |value: &Value| -> String {
        let own = value.get("version").and_then(Value::as_str);
        let key = value
            .get("version")
            .and_then(|version| version.get("ref")?.as_str());
        let named = key.and_then(|key| versions?.get(key)?.as_str());
        own.or(named).unwrap_or_default().to_owned()
    };
    let libraries = table.get("libraries").and_then(Value::as_table);
    for (key, value) in libraries.into_iter().flatten() {
        let text = |key: &str| value.get(key).and_then(Value::as_str);
        let (name, version) = match (value.as_str(), text("module")) {
            (Some(short), _) => {
                let (name, version) = short.rsplit_once(':').unwrap_or((short, ""));
                (name.to_owned(), version.to_owned())
            }
            (None, Some(module)) => (module.to_owned(), version_of(value)),
            (None, None) => {
                let part = |key: &str| text(key).unwrap_or_default();
                (
                    format!("{}:{}", part("group"), part("name")),
                    version_of(value),
                )
            }
        };
        manifest.depend(Asked {
            name: &name,
            scope: DependencyScope::Runtime,
            requirement: gradle_requirement(&version),
            line: places.line(&["libraries"], key),
        });
    }
    manifest
}
