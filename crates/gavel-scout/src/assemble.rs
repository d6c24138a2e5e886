//! Puts together what single files said.

mod entries;
mod stacks;
mod workspaces;

use std::collections::BTreeMap;

use gavel_rules::{Ecosystem, is_test_source};
use gavel_workspace::RepoPath;

use crate::folders::{FolderRole, Layer};
use crate::graph::{self, ImportGraph, ImportingFile, OwnPackage, Resolver};
use crate::language::Language;
use crate::lines::count;
use crate::manifest::Manifest;
use crate::reading::is_test_data;
use crate::scan::Seen;
use crate::survey::{
    ConfigSource, Evidence, Folder, Gap, GapReason, LanguageShare, LayerShare, Survey, Technology,
    TestCount,
};
use crate::technology::{self, TechnologyKind};
use crate::tree::SourceTree;

/// The most folders and settings that are listed.
const MOST_LISTED: usize = 400;

pub(crate) use stacks::folder_of;

/// Puts a survey together.
pub(crate) fn assemble(tree: &dyn SourceTree, seen: &[Seen<'_>]) -> Survey {
    let manifests: Vec<&Manifest> = seen
        .iter()
        .filter_map(|one| one.read.manifest.as_ref())
        .collect();
    let stacks = stacks::stacks(seen, &manifests);
    let tests = tests(seen);
    let folders = Folders::of(seen);
    Survey {
        files: count(tree.files().files.len() + tree.files().left_out),
        files_read: count(seen.iter().filter(|one| one.read.gap.is_none()).count()),
        languages: languages(seen),
        technologies: technologies(seen, &stacks, &tests),
        entry_points: entries::entry_points(seen, &manifests),
        folders: folders.folders,
        layers: folders.layers,
        imports: imports(tree, seen, &manifests),
        routes: seen
            .iter()
            .filter_map(program)
            .flat_map(|one| one.routes.clone())
            .collect(),
        models: seen
            .iter()
            .filter_map(program)
            .flat_map(|one| one.models.clone())
            .collect(),
        configuration: configuration(seen),
        workspaces: workspaces::workspaces(&manifests),
        gaps: gaps(tree, seen),
        stacks,
        tests,
    }
}

/// What a file says about the program itself; tests say nothing about it.
fn program<'a>(one: &Seen<'a>) -> Option<&'a crate::source::SourceFacts> {
    let path = one.file.path.as_str();
    let source = one.read.source.as_ref()?;
    (!is_test_source(path) && !is_test_data(path) && !is_example(path)).then_some(&source.facts)
}

/// True below folders that show how something is used: what lies there is no part of it.
fn is_example(path: &str) -> bool {
    let mut folders = path.split('/').rev().skip(1);
    folders.any(|folder| FolderRole::of_name(folder) == Some(FolderRole::Examples))
}

fn languages(seen: &[Seen<'_>]) -> Vec<LanguageShare> {
    let mut all: BTreeMap<Language, LanguageShare> = BTreeMap::new();
    for source in seen.iter().filter_map(|one| one.read.source.as_ref()) {
        let language = source.language;
        let share = all.entry(language).or_insert(LanguageShare {
            language,
            files: 0,
            lines: 0,
        });
        share.files += 1;
        share.lines += source.facts.lines;
    }
    let mut all: Vec<LanguageShare> = all.into_values().collect();
    all.sort_by(|a, b| b.lines.cmp(&a.lines).then(a.language.cmp(&b.language)));
    all
}

fn tests(seen: &[Seen<'_>]) -> Vec<TestCount> {
    let mut all: BTreeMap<Language, TestCount> = BTreeMap::new();
    for one in seen {
        let Some(source) = &one.read.source else {
            continue;
        };
        // Rust keeps tests beside the code; elsewhere the name of the file says it.
        let is_test = is_test_source(one.file.path.as_str()) || source.language == Language::Rust;
        if source.facts.tests == 0 || !is_test {
            continue;
        }
        let language = source.language;
        let known = all.entry(language).or_insert(TestCount {
            language,
            files: 0,
            tests: 0,
        });
        known.files += 1;
        known.tests += source.facts.tests;
    }
    all.into_values().collect()
}

fn technologies(
    seen: &[Seen<'_>],
    stacks: &[crate::survey::Stack],
    tests: &[TestCount],
) -> Vec<Technology> {
    let mut all = Vec::new();
    for stack in stacks
        .iter()
        .filter(|stack| !is_example(stack.manifest.as_str()))
    {
        for found in technology::of_stack(stack) {
            technology::add(&mut all, found);
        }
        if let Some(kit) = technology::built_in_tests(stack.ecosystem)
            && tests.iter().any(|count| kit.language == count.language)
        {
            let (kit, evidence) = (kit.name, Evidence::file(&stack.manifest));
            technology::add(
                &mut all,
                technology::technology(TechnologyKind::TestKit, kit, evidence),
            );
        }
    }
    for one in seen {
        let path = &one.file.path;
        if one.read.gap == Some(GapReason::NotOurs)
            || is_test_data(path.as_str())
            || is_example(path.as_str())
        {
            continue;
        }
        for found in technology::of_file(path)
            .into_iter()
            .chain(one.read.services.iter().cloned())
        {
            technology::add(&mut all, found);
        }
    }
    for found in seen.iter().flat_map(by_import) {
        technology::add(&mut all, found);
    }
    all.sort_by(|a, b| (a.kind, &a.name).cmp(&(b.kind, &b.name)));
    all
}

/// What comes with the language itself shows in imports alone.
fn by_import(one: &Seen<'_>) -> Vec<Technology> {
    let Some(source) = &one.read.source else {
        return Vec::new();
    };
    let path = one.file.path.as_str();
    if is_example(path) {
        return Vec::new();
    }
    let is_test = is_test_source(path);
    let meaning = |target: &str| match (source.language, target) {
        (Language::Python, "unittest") if is_test => Some((TechnologyKind::TestKit, "unittest")),
        (Language::Python, "sqlite3") if !is_test => Some((TechnologyKind::Database, "SQLite")),
        (Language::JavaScript | Language::TypeScript, "node:test") => {
            Some((TechnologyKind::TestKit, "node:test"))
        }
        (Language::JavaScript | Language::TypeScript, "node:sqlite") => {
            Some((TechnologyKind::Database, "SQLite"))
        }
        (_, _) => None,
    };
    let hits = source.facts.imports.iter().filter_map(|import| {
        let (kind, name) = meaning(&import.target)?;
        let evidence = Evidence::line(&one.file.path, import.line);
        Some(technology::technology(kind, name, evidence))
    });
    hits.collect()
}

struct Folders {
    folders: Vec<Folder>,
    layers: Vec<LayerShare>,
}

impl Folders {
    fn of(seen: &[Seen<'_>]) -> Self {
        let mut folders: BTreeMap<&str, Folder> = BTreeMap::new();
        let mut layers: BTreeMap<Layer, LayerShare> = BTreeMap::new();
        for one in seen
            .iter()
            .filter(|one| one.read.gap != Some(GapReason::NotOurs))
        {
            let path = one.file.path.as_str();
            let lines = one
                .read
                .source
                .as_ref()
                .map_or(0, |source| source.facts.lines);
            let mut roles: Vec<FolderRole> = Vec::new();
            for (at, _) in path.match_indices('/') {
                let folder = path.get(..at).unwrap_or_default();
                let name = folder.rsplit('/').next().unwrap_or(folder);
                let Some(role) = FolderRole::of_name(name) else {
                    continue;
                };
                // A folder inside one of the same role says nothing new.
                if roles.contains(&role) {
                    continue;
                }
                roles.push(role);
                let known = folders.entry(folder).or_insert_with(|| Folder {
                    path: folder.to_owned(),
                    role,
                    files: 0,
                    lines: 0,
                });
                known.files += 1;
                known.lines += lines;
            }
            let is_test = is_test_source(path) || roles.contains(&FolderRole::Tests);
            let layer = roles.iter().rev().find_map(|role| role.layer());
            if let Some(layer) = layer.filter(|_| lines > 0 && !is_test && !is_example(path)) {
                let share = layers.entry(layer).or_insert(LayerShare {
                    layer,
                    files: 0,
                    lines: 0,
                });
                share.files += 1;
                share.lines += lines;
            }
        }
        let folders = folders.into_values().take(MOST_LISTED).collect();
        Self {
            folders,
            layers: layers.into_values().collect(),
        }
    }
}

fn imports(tree: &dyn SourceTree, seen: &[Seen<'_>], manifests: &[&Manifest]) -> ImportGraph {
    let files: Vec<ImportingFile<'_>> = seen
        .iter()
        .filter_map(|one| {
            let source = one.read.source.as_ref()?;
            let wanted = source.language.imports_are_followed()
                && !is_test_data_of_others(one.file.path.as_str());
            wanted.then_some(ImportingFile {
                path: &one.file.path,
                language: source.language,
                imports: &source.facts.imports,
            })
        })
        .collect();
    let packages: Vec<OwnPackage> = manifests
        .iter()
        .filter_map(|manifest| {
            Some(OwnPackage {
                name: manifest
                    .name
                    .clone()
                    .or_else(|| (manifest.ecosystem == Ecosystem::Python).then(String::new))?,
                ecosystem: manifest.ecosystem,
                folder: folder_of(manifest.path.as_str()).to_owned(),
            })
        })
        .collect();
    let exists = |path: &RepoPath| tree.exists(path);
    let all = seen.iter().map(|one| &one.file.path);
    graph::build(&files, &Resolver::new(all, &packages, &exists))
}

/// Code that tests read as data may import what it likes.
fn is_test_data_of_others(path: &str) -> bool {
    let folders = ["testdata", "fixtures", "__fixtures__", "golden"];
    path.split('/').any(|part| folders.contains(&part))
}

fn configuration(seen: &[Seen<'_>]) -> Vec<ConfigSource> {
    let mut variables: BTreeMap<&str, Evidence> = BTreeMap::new();
    let mut all = Vec::new();
    for one in seen {
        let path = &one.file.path;
        for variable in program(one).into_iter().flat_map(|facts| &facts.variables) {
            let seen = || Evidence::line(path, variable.line);
            variables.entry(variable.name.as_str()).or_insert_with(seen);
        }
        let ours = one.read.gap != Some(GapReason::NotOurs) && !is_test_data(path.as_str());
        if ours && is_config_file(path) {
            all.push(ConfigSource::File { path: path.clone() });
        }
    }
    let variables = variables
        .into_iter()
        .map(|(name, evidence)| ConfigSource::Variable {
            name: name.to_owned(),
            evidence,
        });
    all.extend(variables);
    all.truncate(MOST_LISTED);
    all
}

/// Settings of the program, not of the tools that build it.
fn is_config_file(path: &RepoPath) -> bool {
    let name = path.name();
    let is_data = [
        ".yml",
        ".yaml",
        ".json",
        ".toml",
        ".ini",
        ".properties",
        ".conf",
    ]
    .iter()
    .any(|ending| name.ends_with(ending));
    let folder = folder_of(path.as_str())
        .rsplit('/')
        .next()
        .unwrap_or_default();
    let in_config = matches!(folder, "config" | "configs" | "conf" | "settings");
    let stem = name.split('.').next().unwrap_or(name);
    name.starts_with(".env")
        || (is_data
            && (in_config || matches!(stem, "config" | "settings" | "appsettings" | "application")))
        || name == "settings.py"
}

fn gaps(tree: &dyn SourceTree, seen: &[Seen<'_>]) -> Vec<Gap> {
    let mut all: BTreeMap<GapReason, Gap> = BTreeMap::new();
    let mut add = |reason: GapReason, files: usize, first: Option<&RepoPath>| {
        if files == 0 {
            return;
        }
        let gap = all.entry(reason).or_insert_with(|| Gap {
            reason,
            files: 0,
            first: first.map(ToString::to_string),
        });
        gap.files += count(files);
    };
    for one in seen {
        let path = Some(&one.file.path);
        if let Some(reason) = one.read.gap {
            add(reason, 1, path);
        }
        let manifest = one.read.manifest.as_ref();
        if manifest.is_some_and(|manifest| manifest.understood == crate::manifest::Understood::No) {
            add(GapReason::NotUnderstood, 1, path);
        }
        if one.read.syntax_skipped {
            add(GapReason::SyntaxCap, 1, path);
        }
        let source = one.read.source.as_ref();
        if source.is_some_and(|one| one.language.is_code() && !one.language.imports_are_followed())
        {
            add(GapReason::ImportsNotFollowed, 1, path);
        }
    }
    let list = tree.files();
    add(GapReason::TooMany, list.left_out, None);
    add(GapReason::Symlink, list.symlinks, None);
    add(GapReason::Unaddressable, list.unaddressable, None);
    all.into_values().collect()
}
