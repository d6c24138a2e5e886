//! `go.mod`, `go.work`, `Gemfile`, gem specifications, `composer.json`.

use gavel_rules::Ecosystem;
use gavel_workspace::RepoPath;
use serde_json::Value;

use super::{Asked, Manifest, Member, StatedEntry, Understood, requirement};
use crate::language::Style;
use crate::lines::{JsonKeys, numbered, strings_of, word};
use crate::mask::mask;
use crate::survey::{DependencyScope, EntryKind, Requirement};

pub(super) fn go_mod(path: &RepoPath, text: &str) -> Manifest {
    let mut manifest = Manifest::new(path, Ecosystem::Go);
    let mut block = "";
    for (line, full) in numbered(text) {
        let (item, comment) = full.split_once("//").unwrap_or((full, ""));
        let item = item.trim();
        let (verb, rest) = item.split_once(char::is_whitespace).unwrap_or((item, ""));
        let rest = rest.trim();
        if item == ")" {
            block = "";
        } else if rest == "(" {
            block = verb;
        } else if verb == "module" && block.is_empty() {
            manifest.name = Some(rest.trim_matches('"').to_owned());
        } else if verb == "go" && block.is_empty() {
            manifest.language_version = manifest.state(line, rest);
        } else if !item.is_empty()
            && (block == "require" || (block.is_empty() && verb == "require"))
        {
            let asked = if block.is_empty() { rest } else { item };
            let (name, version) = asked.split_once(' ').unwrap_or((asked, ""));
            manifest.depend(Asked {
                name,
                scope: match comment.contains("indirect") {
                    true => DependencyScope::Build,
                    false => DependencyScope::Runtime,
                },
                requirement: requirement(version),
                line,
            });
        }
    }
    if manifest.name.is_none() {
        manifest.understood = Understood::No;
    }
    // What others bring along is no choice of this project.
    manifest
        .dependencies
        .retain(|one| one.scope == DependencyScope::Runtime);
    manifest
}

pub(super) fn go_work(path: &RepoPath, text: &str) -> Manifest {
    let mut manifest = Manifest::new(path, Ecosystem::Go);
    let mut inside = false;
    for (line, full) in numbered(text) {
        let item = full.split("//").next().unwrap_or_default().trim();
        let one = item.strip_prefix("use").map(str::trim);
        let folder = match one {
            Some("(") => {
                inside = true;
                continue;
            }
            Some(folder) => folder,
            None if item == ")" => {
                inside = false;
                continue;
            }
            None if inside => item,
            None => continue,
        };
        if !folder.is_empty() {
            let pattern = folder.trim_start_matches("./").to_owned();
            manifest.members.push(Member { pattern, line });
        }
    }
    manifest
}

pub(super) fn gemfile(path: &RepoPath, text: &str) -> Manifest {
    let mut manifest = Manifest::new(path, Ecosystem::Ruby);
    let text = mask(Style::Ruby, text).text;
    let mut groups: Vec<DependencyScope> = Vec::new();
    for (line, full) in numbered(&text) {
        let item = full.trim();
        let verb = word(item);
        let development = [":development", ":test", "\"test\"", "\"development\""];
        let is_development = development.iter().any(|word| item.contains(word));
        let scope = match is_development {
            true => DependencyScope::Development,
            false => groups.last().copied().unwrap_or(DependencyScope::Runtime),
        };
        match verb {
            "end" => drop(groups.pop()),
            _ if item.ends_with(" do") || item.starts_with("if ") => groups.push(scope),
            "gem" => ruby_gem(&mut manifest, item, GemLine { line, scope }),
            "ruby" => {
                let version = strings_of(item).first().copied().unwrap_or_default();
                manifest.language_version = manifest.state(line, version);
            }
            _ => {}
        }
    }
    manifest
}

#[derive(Clone, Copy)]
struct GemLine {
    line: u32,
    scope: DependencyScope,
}

fn ruby_gem(manifest: &mut Manifest, item: &str, place: GemLine) {
    let strings = strings_of(item);
    let Some(name) = strings.first() else { return };
    let is_version =
        |text: &&&str| text.contains(|c: char| c.is_ascii_digit()) && !text.contains('/');
    let keyed =
        |key: &str| item.contains(&format!("{key}:")) || item.contains(&format!(":{key} =>"));
    let version: Vec<&str> = strings.iter().skip(1).filter(is_version).copied().collect();
    let requirement = if keyed("path") {
        Requirement::Local
    } else if keyed("git") || keyed("github") {
        Requirement::Address(strings.last().copied().unwrap_or_default().to_owned())
    } else {
        requirement(&version.join(", "))
    };
    manifest.depend(Asked {
        name,
        scope: place.scope,
        requirement,
        line: place.line,
    });
}

pub(super) fn gemspec(path: &RepoPath, text: &str) -> Manifest {
    let mut manifest = Manifest::new(path, Ecosystem::Ruby);
    let text = mask(Style::Ruby, text).text;
    for (line, full) in numbered(&text) {
        let item = full.trim();
        let Some((_, call)) = item.split_once('.') else {
            continue;
        };
        let value = || strings_of(call).first().map(|text| (*text).to_owned());
        let scope = match word(call) {
            "add_dependency" | "add_runtime_dependency" => DependencyScope::Runtime,
            "add_development_dependency" => DependencyScope::Development,
            "name" if manifest.name.is_none() => {
                manifest.name = value();
                continue;
            }
            "required_ruby_version" => {
                manifest.language_version = manifest.state(line, &value().unwrap_or_default());
                continue;
            }
            _ => continue,
        };
        ruby_gem(&mut manifest, call, GemLine { line, scope });
    }
    manifest
}

pub(super) fn composer(path: &RepoPath, text: &str) -> Manifest {
    let mut manifest = Manifest::new(path, Ecosystem::Php);
    let Ok(value) = serde_json::from_str::<Value>(text) else {
        manifest.understood = Understood::No;
        return manifest;
    };
    let keys = JsonKeys::of(text);
    manifest.name = value.get("name").and_then(Value::as_str).map(str::to_owned);
    let kinds = [
        ("require", DependencyScope::Runtime),
        ("require-dev", DependencyScope::Development),
    ];
    for (field, scope) in kinds {
        let start = keys.first(field);
        let table = value.get(field).and_then(Value::as_object);
        for (name, asked) in table.into_iter().flatten() {
            let asked = asked.as_str().unwrap_or_default();
            let line = keys.after(name, start);
            // PHP itself and its extensions are no packages.
            if name == "php" {
                manifest.language_version = manifest.state(line, asked);
            } else if name.contains('/') {
                let requirement = match asked.starts_with("dev-") {
                    true => Requirement::Any,
                    false => requirement(asked),
                };
                manifest.depend(Asked {
                    name,
                    scope,
                    requirement,
                    line,
                });
            }
        }
    }
    let programs = value.get("bin").and_then(Value::as_array);
    for file in programs.into_iter().flatten().filter_map(Value::as_str) {
        manifest.entries.push(StatedEntry {
            files: vec![file.to_owned()],
            kind: EntryKind::Program,
            line: keys.first("bin"),
        });
    }
    manifest
}
