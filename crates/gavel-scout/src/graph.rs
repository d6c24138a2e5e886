//! The import graph: which file an import means, which modules import which, and where they go in circles.

mod cycles;
mod resolve;

use std::collections::{BTreeMap, BTreeSet};

use gavel_rules::Ecosystem;
use gavel_workspace::RepoPath;
use serde::{Deserialize, Serialize};

use crate::imports::{Import, ImportKind};
use crate::language::Language;
use crate::survey::Evidence;

pub(crate) use resolve::{Meaning, Resolver};

/// The most groups that the module map shows.
const MOST_GROUPS: usize = 24;

/// Which module imports which.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportGraph {
    /// Files whose imports were followed.
    pub files: u32,
    /// Imports that lead to a file of the repository.
    pub inside: u32,
    /// Imports that lead out of it: packages and the standard library.
    pub outside: u32,
    /// Folders or packages, as the map shows them.
    pub groups: Vec<ModuleGroup>,
    /// Imports between groups.
    pub edges: Vec<GroupEdge>,
    /// Files that import each other in a circle.
    pub cycles: Vec<Cycle>,
    /// Imports of files that are not there.
    pub dead: Vec<DeadImport>,
}

/// Files that the map shows as one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModuleGroup {
    /// The folder.
    pub name: String,
    /// Files in it.
    pub files: u32,
}

/// Imports from one group to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupEdge {
    /// Which group imports.
    pub from: u32,
    /// Which one it imports.
    pub to: u32,
    /// How many imports.
    pub imports: u32,
    /// The first of them.
    pub evidence: Evidence,
}

/// Files that import each other in a circle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cycle {
    /// The language.
    pub language: Language,
    /// The files, in the order of names.
    pub files: Vec<RepoPath>,
    /// An import that is part of the circle.
    pub evidence: Evidence,
}

/// An import of a file that is not there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeadImport {
    /// What is imported.
    pub target: String,
    /// Where.
    pub evidence: Evidence,
}

/// A file with what it imports.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ImportingFile<'a> {
    pub(crate) path: &'a RepoPath,
    pub(crate) language: Language,
    pub(crate) imports: &'a [Import],
}

/// A package of the repository itself: what its name means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OwnPackage {
    pub(crate) name: String,
    pub(crate) ecosystem: Ecosystem,
    /// The folder of its manifest, without a slash at its end; empty for the root.
    pub(crate) folder: String,
}

/// An import that leads to a file of the repository.
struct Edge {
    from: usize,
    to: usize,
    line: u32,
    counts_for_cycles: bool,
}

/// Builds the graph of these files.
pub(crate) fn build(files: &[ImportingFile<'_>], resolver: &Resolver<'_>) -> ImportGraph {
    let numbers: BTreeMap<&str, usize> = files
        .iter()
        .map(|file| file.path.as_str())
        .zip(0..)
        .collect();
    let mut graph = ImportGraph {
        files: crate::lines::count(files.len()),
        ..ImportGraph::default()
    };
    let mut edges = Vec::new();
    for (from, file) in files.iter().enumerate() {
        for import in file.imports {
            match resolver.meaning(file, import) {
                Meaning::File(to) => {
                    graph.inside += 1;
                    if let Some(to) = numbers.get(to.as_str()).copied()
                        && to != from
                    {
                        edges.push(Edge {
                            from,
                            to,
                            line: import.line,
                            counts_for_cycles: counts_for_cycles(file, files.get(to), import),
                        });
                    }
                }
                Meaning::Inside => graph.inside += 1,
                Meaning::Outside => graph.outside += 1,
                Meaning::Nothing => graph.dead.push(DeadImport {
                    target: import.target.clone(),
                    evidence: Evidence::line(file.path, import.line),
                }),
            }
        }
    }
    graph.cycles = cycles::find(files, &edges);
    group(&mut graph, files, &edges);
    graph
}

/// A module and what stands below it import each other by design; neither does a late import turn in circles.
fn counts_for_cycles(
    from: &ImportingFile<'_>,
    to: Option<&ImportingFile<'_>>,
    import: &Import,
) -> bool {
    let Some(to) = to else { return false };
    let (a, b) = (module_folder(from.path), module_folder(to.path));
    let below = |inner: &str, outer: &str| {
        inner
            .strip_prefix(outer)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            || outer.is_empty()
    };
    let is_tree = matches!(from.language, Language::Rust | Language::Python);
    import.kind == ImportKind::Eager && !(is_tree && (below(&a, &b) || below(&b, &a)))
}

/// The folder that a module stands for: `a/b.rs`, `a/b/mod.rs` and `a/b/__init__.py` are all `a/b`.
fn module_folder(path: &RepoPath) -> String {
    let text = path.as_str();
    let (folder, name) = text.rsplit_once('/').unwrap_or(("", text));
    match name {
        "mod.rs" | "lib.rs" | "main.rs" | "__init__.py" => folder.to_owned(),
        _ => text
            .rsplit_once('.')
            .map_or(text, |(stem, _)| stem)
            .to_owned(),
    }
}

/// Groups files by folder, so deep that the map stays readable.
fn group(graph: &mut ImportGraph, files: &[ImportingFile<'_>], edges: &[Edge]) {
    let common = common_folders(files);
    let name_at = |depth: usize, path: &RepoPath| -> String {
        let folders: Vec<&str> = path.as_str().split('/').collect();
        let folders = folders
            .split_last()
            .map(|(_, folders)| folders)
            .unwrap_or_default();
        let kept = folders
            .get(..folders.len().min(common + depth))
            .unwrap_or_default();
        if kept.is_empty() {
            ".".to_owned()
        } else {
            kept.join("/")
        }
    };
    let groups_at = |depth: usize| -> BTreeSet<String> {
        files.iter().map(|file| name_at(depth, file.path)).collect()
    };
    let depth = (1..=4)
        .take_while(|depth| groups_at(*depth).len() <= MOST_GROUPS)
        .last()
        .unwrap_or(1);
    let mut sizes: BTreeMap<String, u32> = BTreeMap::new();
    for file in files {
        *sizes.entry(name_at(depth, file.path)).or_default() += 1;
    }
    let mut kept: Vec<(String, u32)> = sizes.into_iter().collect();
    // Even the topmost folders may be too many: then the largest are shown.
    kept.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    kept.truncate(MOST_GROUPS);
    kept.sort();
    let numbers: BTreeMap<&str, usize> = kept
        .iter()
        .map(|(name, _)| name.as_str())
        .zip(0..)
        .collect();
    let mut found: BTreeMap<(usize, usize), GroupEdge> = BTreeMap::new();
    for edge in edges {
        let (Some(from), Some(to)) = (files.get(edge.from), files.get(edge.to)) else {
            continue;
        };
        let number =
            |file: &ImportingFile<'_>| numbers.get(name_at(depth, file.path).as_str()).copied();
        let (Some(a), Some(b)) = (number(from), number(to)) else {
            continue;
        };
        if a == b {
            continue;
        }
        let known = found.entry((a, b)).or_insert_with(|| GroupEdge {
            from: crate::lines::count(a),
            to: crate::lines::count(b),
            imports: 0,
            evidence: Evidence::line(from.path, edge.line),
        });
        known.imports += 1;
    }
    graph.edges = found.into_values().collect();
    let groups = kept.into_iter();
    graph.groups = groups
        .map(|(name, files)| ModuleGroup { name, files })
        .collect();
}

/// How many folders all files have in common.
fn common_folders(files: &[ImportingFile<'_>]) -> usize {
    let mut all = files.iter().map(|file| {
        let folders: Vec<&str> = file.path.as_str().split('/').collect();
        let length = folders.len() - 1;
        folders.into_iter().take(length).collect::<Vec<_>>()
    });
    let Some(first) = all.next() else { return 0 };
    all.fold(first.len(), |common, folders| {
        let same = first.iter().zip(&folders).take_while(|(a, b)| a == b);
        same.count().min(common)
    })
}

#[cfg(test)]
#[path = "graph_tests.rs"]
mod tests;
