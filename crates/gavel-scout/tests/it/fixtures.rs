//! What scout says of each repository is what its labels say: nothing is missing, nothing is invented.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use gavel_scout::{ConfigSource, DiskTree, Limits, Scan, Technology, scan_deep};
use serde::Deserialize;

/// What a person wrote down about a repository.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Labels {
    languages: Vec<String>,
    technologies: BTreeSet<String>,
    versions: BTreeSet<String>,
    entry_points: BTreeSet<String>,
    layers: Vec<String>,
    routes: BTreeSet<String>,
    models: BTreeSet<String>,
    workspaces: BTreeSet<String>,
    variables: BTreeSet<String>,
    findings: BTreeSet<String>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/repositories")
}

/// Writes the files of a fixture: each begins with `-- path --`.
pub(crate) fn unpack(text: &str, into: &Path) {
    let mut file: Option<PathBuf> = None;
    let mut content = String::new();
    let save = |file: &Option<PathBuf>, content: &mut String| {
        if let Some(path) = file {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, std::mem::take(content)).unwrap();
        }
    };
    for line in text.lines() {
        let name = line
            .strip_prefix("-- ")
            .and_then(|rest| rest.strip_suffix(" --"));
        if let Some(name) = name {
            save(&file, &mut content);
            file = Some(into.join(name));
        } else {
            content.push_str(line);
            content.push('\n');
        }
    }
    save(&file, &mut content);
}

pub(crate) fn scan(name: &str) -> Scan {
    let place = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(folder().join(format!("{name}.txt"))).unwrap();
    unpack(&text, place.path());
    let limits = Limits::default();
    scan_deep(
        &DiskTree::open(place.path(), limits.files).unwrap(),
        &limits,
    )
}

fn technology(one: &Technology) -> String {
    let kind = serde_json::to_value(one.kind).unwrap();
    let version = one
        .version
        .as_ref()
        .map_or(String::new(), |version| format!(" {version}"));
    format!("{} {}{version}", kind.as_str().unwrap(), one.name)
}

/// What scout says, in the words of the labels.
fn said(scan: &Scan) -> Labels {
    let survey = &scan.survey;
    let dependencies = survey.stacks.iter().flat_map(|stack| &stack.dependencies);
    let versions =
        dependencies.filter_map(|one| Some(format!("{} {}", one.name, one.version.as_ref()?.text)));
    let variables = survey
        .configuration
        .iter()
        .filter_map(|source| match source {
            ConfigSource::Variable { name, .. } => Some(name.clone()),
            ConfigSource::File { .. } => None,
        });
    Labels {
        languages: survey
            .languages
            .iter()
            .map(|share| share.language.name().to_owned())
            .collect(),
        technologies: survey.technologies.iter().map(technology).collect(),
        versions: versions.collect(),
        entry_points: survey
            .entry_points
            .iter()
            .map(|entry| entry.path.to_string())
            .collect(),
        layers: survey
            .layers
            .iter()
            .map(|share| share.layer.name().to_lowercase())
            .collect(),
        routes: survey
            .routes
            .iter()
            .map(|route| format!("{} {}", route.method, route.address))
            .collect(),
        models: survey
            .models
            .iter()
            .map(|model| model.name.clone())
            .collect(),
        workspaces: survey
            .workspaces
            .iter()
            .map(|one| one.folder.clone())
            .collect(),
        variables: variables.collect(),
        findings: scan
            .findings
            .iter()
            .map(|finding| finding.check.code().to_owned())
            .collect(),
    }
}

fn agrees(name: &str) {
    let labels = std::fs::read_to_string(folder().join(format!("{name}.toml"))).unwrap();
    let wanted: Labels = toml::from_str(&labels).unwrap();
    let scan = scan(name);
    assert_eq!(
        format!("{:#?}", said(&scan)),
        format!("{wanted:#?}"),
        "{name}"
    );
}

#[test]
fn rust() {
    agrees("rust");
}

#[test]
fn node() {
    agrees("node");
}

#[test]
fn python() {
    agrees("python");
}

#[test]
fn go() {
    agrees("go");
}

#[test]
fn java() {
    agrees("java");
}

#[test]
fn dotnet() {
    agrees("dotnet");
}

#[test]
fn php() {
    agrees("php");
}

#[test]
fn ruby() {
    agrees("ruby");
}

#[test]
fn a_workspace_of_node_packages() {
    agrees("monorepo-node");
}

#[test]
fn a_workspace_of_crates_beside_a_python_service() {
    agrees("monorepo-mixed");
}

#[test]
fn every_fixture_has_a_test() {
    let names = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    let count = names
        .filter(|name| name.to_string_lossy().ends_with(".txt"))
        .count();
    assert_eq!(count, 10);
}

#[test]
fn evidence_is_the_line_that_says_it() {
    let scan = scan("node");
    let stack = &scan.survey.stacks[0];
    let express = stack
        .dependencies
        .iter()
        .find(|one| one.name == "express")
        .unwrap();
    assert_eq!(express.declared.to_string(), "package.json:8");
    let version = express.version.as_ref().unwrap();
    assert_eq!(version.evidence.to_string(), "package-lock.json:16");
    let stripe = scan
        .findings
        .iter()
        .find(|one| one.check.code() == "S010")
        .unwrap();
    assert_eq!(
        stripe.evidence.as_ref().unwrap().to_string(),
        "package.json:11"
    );
}
