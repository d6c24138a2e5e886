//! Which layers a file belongs to: those whose glob covers it, and those that make it their own.

use std::collections::{BTreeMap, BTreeSet};

use gavel_domain::ContractKind;
use globset::GlobSet;

use super::code::Code;
use super::entry::is_entry_point;
use super::language::Language;
use super::report::{BindingRule, BindingSeverity, Collector, Spot, Verdict};
use super::rust_items::{Taken, taken_files, without_tests};
use super::tree::{FileText, Tree, TreeFile, folder_of, is_set_aside, is_test, name_of, resolve};
use crate::finding::quote;

/// The layers of each file, by their place in the contract.
#[derive(Debug, Default)]
pub(super) struct Coverage<'a> {
    pub(super) layers: BTreeMap<&'a str, BTreeSet<usize>>,
    /// Files that are Rust although nothing but an `include!` says so.
    pub(super) included: BTreeSet<&'a str>,
    /// Rust files that code of the product takes in, whatever their path looks like.
    pub(super) compiled: BTreeSet<&'a str>,
}

impl<'a> Coverage<'a> {
    /// Finds the layers of all files.
    pub(super) fn of(globs: &[GlobSet], tree: &Tree<'a>, collector: &mut Collector) -> Self {
        let mut coverage = Self::default();
        for file in tree.files() {
            let layers = covering(globs, &file);
            if !layers.is_empty() {
                coverage.layers.insert(file.path, layers);
            }
        }
        let own: BTreeSet<&str> = coverage.layers.keys().copied().collect();
        let all_taken = all_taken(tree, collector);
        // A file that is taken in may take in others itself.
        let mut waiting: Vec<&str> = own.iter().copied().collect();
        while let Some(path) = waiting.pop() {
            let layers = coverage.layers.get(path).cloned().unwrap_or_default();
            for taken in all_taken.get(path).into_iter().flatten() {
                let target = taken.path;
                match taken.by {
                    // A module in a layer of its own is not its parent's.
                    TakenBy::RootModule => continue,
                    TakenBy::Module if own.contains(target) => continue,
                    TakenBy::Module => {}
                    TakenBy::Include => drop(coverage.included.insert(target)),
                }
                let theirs = coverage.layers.entry(target).or_default();
                let before = theirs.len();
                theirs.extend(&layers);
                if theirs.len() > before {
                    waiting.push(target);
                }
            }
        }
        coverage.compiled = compiled(tree, &all_taken);
        coverage
    }
}

/// Follows what the product's own files take in.
fn compiled<'a>(tree: &Tree<'a>, all_taken: &AllTaken<'a>) -> BTreeSet<&'a str> {
    let is_own = |path: &&str| !is_test(path) && !is_set_aside(path);
    let mut waiting: Vec<&str> = tree.texts().map(|(path, _)| path).filter(is_own).collect();
    let mut compiled = BTreeSet::new();
    while let Some(path) = waiting.pop() {
        for taken in all_taken.get(path).into_iter().flatten() {
            if !taken.for_tests && compiled.insert(taken.path) {
                waiting.push(taken.path);
            }
        }
    }
    compiled
}

fn covering(globs: &[GlobSet], file: &TreeFile<'_>) -> BTreeSet<usize> {
    let covers = |glob: &GlobSet| match file.text {
        // Behind a link there may be a whole folder of the layer.
        FileText::Unread(_) => {
            glob.is_match(file.path) || glob.is_match(format!("{}/x", file.path))
        }
        FileText::Text(_) => glob.is_match(file.path),
    };
    let numbered = globs.iter().enumerate();
    numbered
        .filter(|(_, glob)| covers(glob))
        .map(|(number, _)| number)
        .collect()
}

/// How a file is taken in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TakenBy {
    /// `mod name;` from a root of a crate, which names all modules and has none.
    RootModule,
    /// `mod name;` from any other module.
    Module,
    /// By its path.
    Include,
}

/// A file of the tree that another one takes in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct TakenFile<'a> {
    path: &'a str,
    by: TakenBy,
    /// True when only tests are compiled with it.
    for_tests: bool,
}

/// The files that each Rust file takes in.
type AllTaken<'a> = BTreeMap<&'a str, Vec<TakenFile<'a>>>;

fn all_taken<'a>(tree: &Tree<'a>, collector: &mut Collector) -> AllTaken<'a> {
    let mut all = BTreeMap::new();
    for (path, text) in tree.texts() {
        if !name_of(path).ends_with(".rs") {
            continue;
        }
        let tokens = Code::of(&[Language::Rust], path, text).tokens();
        let by_product = taken_files(&without_tests(&tokens));
        let mut of_file = Vec::new();
        for taken in taken_files(&tokens) {
            let for_tests = !by_product.contains(&taken);
            let file = |path, by| TakenFile {
                path,
                by,
                for_tests,
            };
            match taken {
                Taken::Module { name, .. } => {
                    let by = if is_entry_point(path) {
                        TakenBy::RootModule
                    } else {
                        TakenBy::Module
                    };
                    let found = module_files(path, &name).into_iter();
                    let found = found.filter_map(|file| tree.get(&file));
                    of_file.extend(found.map(|found| file(found.path, by)));
                }
                Taken::File { path: target, line } => {
                    let spot = Spot::new(path, line);
                    let found = resolve_in(tree, &target, spot, collector);
                    of_file.extend(found.map(|found| file(found, TakenBy::Include)));
                }
                Taken::Unclear { line } => {
                    let message = "the name of what is included is put together when it is \
                        compiled, so that no rule sees that code";
                    let verdict = outside(BindingSeverity::Warning);
                    collector.add(verdict, Spot::new(path, line), message);
                }
            }
        }
        all.insert(path, of_file);
    }
    all
}

const fn outside(severity: BindingSeverity) -> Verdict {
    Verdict {
        rule: BindingRule::IncludeOutside,
        severity,
        contract: ContractKind::Boundaries,
    }
}

/// The file of the tree that a path in the code names; one outside the tree is a finding.
fn resolve_in<'a>(
    tree: &Tree<'a>,
    target: &str,
    spot: Spot<'_>,
    collector: &mut Collector,
) -> Option<&'a str> {
    let found = resolve(folder_of(spot.file), target);
    let found = found.and_then(|path| tree.get(&path));
    if found.is_none() {
        let message = format!(
            "code is taken from {}, which is no file of the tree; keep all code in the tree",
            quote(target)
        );
        collector.add(outside(BindingSeverity::Error), spot, message);
    }
    found.map(|file| file.path)
}

/// Where the file of a module may lie.
fn module_files(path: &str, name: &str) -> [String; 2] {
    let folder = folder_of(path);
    let stem = name_of(path).strip_suffix(".rs").unwrap_or_default();
    let is_folder = stem == "mod" || is_entry_point(path);
    let parts = [folder, if is_folder { "" } else { stem }];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    let folder = parts.join("/");
    [
        format!("{folder}/{name}.rs"),
        format!("{folder}/{name}/mod.rs"),
    ]
}
