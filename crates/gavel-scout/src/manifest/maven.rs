//! `pom.xml`.

use std::collections::HashMap;

use gavel_rules::Ecosystem;
use gavel_workspace::RepoPath;

use super::xml::{Element, elements, groups};
use super::{Asked, Manifest, Member, Understood, requirement};
use crate::survey::{DependencyScope, Requirement};

pub(super) fn pom(path: &RepoPath, text: &str) -> Manifest {
    let mut manifest = Manifest::new(path, Ecosystem::Maven);
    let all = elements(text);
    if !all.iter().any(|element| element.name == "project") {
        manifest.understood = Understood::No;
        return manifest;
    }
    let properties: HashMap<&str, &Element> = all
        .iter()
        .filter(|element| element.is_in("properties"))
        .map(|element| (element.name.as_str(), element))
        .collect();
    let mut own = all.iter().filter(|one| one.above == ["project"]);
    let name = own.find(|one| one.name == "artifactId");
    manifest.name = name.map(|one| one.text.clone());
    let java = [
        "maven.compiler.release",
        "java.version",
        "maven.compiler.source",
    ];
    if let Some(version) = java.iter().find_map(|key| properties.get(key)) {
        manifest.language_version = manifest.state(version.line, &version.text);
    }
    manifest.members.extend(
        all.iter()
            .filter(|element| element.name == "module" && element.is_in("modules"))
            .map(|element| Member {
                pattern: element.text.clone(),
                line: element.line,
            }),
    );
    for kind in ["parent", "dependency"] {
        for (outer, inner) in groups(&all, kind) {
            dependency(&mut manifest, &properties, &Group { outer, inner });
        }
    }
    manifest
}

struct Group<'a> {
    outer: &'a Element,
    inner: Vec<&'a Element>,
}

fn dependency(manifest: &mut Manifest, properties: &HashMap<&str, &Element>, group: &Group<'_>) {
    // What is managed is only asked for where a dependency without a version names it.
    if group
        .outer
        .above
        .iter()
        .any(|name| name == "dependencyManagement" || name == "plugin")
    {
        return;
    }
    let of = |name: &str| {
        let found = group.inner.iter().find(|one| one.name == name);
        found.map(|one| one.text.as_str())
    };
    let (Some(owner), Some(artifact)) = (of("groupId"), of("artifactId")) else {
        return;
    };
    let version = of("version").unwrap_or_default();
    let key = version
        .strip_prefix("${")
        .and_then(|rest| rest.strip_suffix('}'));
    let version = match key {
        Some(key) => properties.get(key).map_or("", |found| found.text.as_str()),
        None => version,
    };
    manifest.depend(Asked {
        name: &format!("{owner}:{artifact}"),
        scope: match of("scope") {
            Some("test") => DependencyScope::Development,
            Some("provided") => DependencyScope::Build,
            Some(_) | None => DependencyScope::Runtime,
        },
        requirement: match version {
            "" => Requirement::Elsewhere,
            "LATEST" | "RELEASE" => Requirement::Any,
            version => requirement(version),
        },
        line: group.outer.line,
    });
}
