//! `*.csproj`, `*.fsproj`, `*.sln`, central package versions.

use gavel_rules::Ecosystem;
use gavel_workspace::RepoPath;

use super::xml::{elements, groups};
use super::{Asked, Manifest, Member, Understood, requirement};
use crate::lines::{numbered, strings_of};
use crate::survey::{DependencyScope, Requirement};

pub(super) fn project(path: &RepoPath, text: &str) -> Manifest {
    let mut manifest = Manifest::new(path, Ecosystem::DotNet);
    let all = elements(text);
    if !all.iter().any(|element| element.name == "Project") {
        manifest.understood = Understood::No;
        return manifest;
    }
    let is_project = path.name().ends_with("proj");
    if is_project {
        let stem = path
            .name()
            .rsplit_once('.')
            .map(|(stem, _)| stem.to_owned());
        manifest.name = stem;
    }
    let target = [
        "TargetFramework",
        "TargetFrameworks",
        "TargetFrameworkVersion",
    ];
    if let Some(found) = all.iter().find(|one| target.contains(&one.name.as_str())) {
        manifest.language_version = manifest.state(found.line, &found.text);
    }
    if let Some(sdk) = all.iter().find(|one| one.name == "Project")
        && let Some(name) = sdk.attribute("Sdk")
        && is_project
    {
        manifest.depend(Asked {
            name,
            scope: DependencyScope::Build,
            requirement: Requirement::Elsewhere,
            line: sdk.line,
        });
    }
    for (outer, inner) in groups(&all, "PackageReference") {
        let Some(name) = outer.attribute("Include") else {
            continue;
        };
        let nested = inner.iter().find(|one| one.name == "Version");
        let nested = nested.map(|one| one.text.as_str());
        let version = outer.attribute("Version").or(nested);
        let test = ["xunit", "nunit", "mstest", "Test.Sdk", "coverlet", "Moq"];
        manifest.depend(Asked {
            name,
            scope: match test
                .iter()
                .any(|word| name.to_lowercase().contains(&word.to_lowercase()))
            {
                true => DependencyScope::Development,
                false => DependencyScope::Runtime,
            },
            requirement: version.map_or(Requirement::Elsewhere, nuget),
            line: outer.line,
        });
    }
    // Central versions: what the projects only name.
    for (outer, _) in groups(&all, "PackageVersion") {
        if let Some(name) = outer.attribute("Include") {
            manifest.depend(Asked {
                name,
                scope: DependencyScope::Runtime,
                requirement: outer.attribute("Version").map_or(Requirement::Any, nuget),
                line: outer.line,
            });
        }
    }
    manifest
}

fn nuget(text: &str) -> Requirement {
    match text
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
    {
        Some(exact) if !exact.contains(',') => Requirement::Exact(exact.to_owned()),
        Some(_) => Requirement::Range(text.to_owned()),
        None if text.contains("$(") => Requirement::Elsewhere,
        None => requirement(text),
    }
}

/// `Project("{kind}") = "Name", "folder\Name.csproj", "{id}"`.
pub(super) fn solution(path: &RepoPath, text: &str) -> Manifest {
    let mut manifest = Manifest::new(path, Ecosystem::DotNet);
    for (line, full) in numbered(text) {
        if !full.trim_start().starts_with("Project(") {
            continue;
        }
        let file = strings_of(full)
            .into_iter()
            .find(|text| text.ends_with("proj"));
        if let Some(file) = file {
            let file = file.replace('\\', "/");
            let folder = file.rsplit_once('/').map_or(".", |(folder, _)| folder);
            manifest.members.push(Member {
                pattern: folder.to_owned(),
                line,
            });
        }
    }
    manifest
}
