//! Files that are modules of tests: another file declares them behind `#[cfg(test)]`.

use std::collections::BTreeSet;

use tree_sitter::Node;

use crate::path::{RepoDir, RepoPath};
use crate::syntax::{SourceLanguage, parse};

use super::super::draft::children;
use super::attributes::says_test;

/// The files of modules that a source file declares. A module has two possible files, and a folder; all of
/// them are named, whether they are there or not.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in super::super) struct DeclaredModules {
    /// Only there in tests.
    pub(in super::super) for_tests: BTreeSet<RepoPath>,
    /// There in the product.
    pub(in super::super) for_product: BTreeSet<RepoPath>,
}

/// Whom a module is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Tests,
    Product,
}

impl DeclaredModules {
    /// Adds what a source file declares.
    pub(in super::super) fn add(&mut self, file: &RepoPath, source: &str) {
        // Most files declare no modules; they need not be parsed.
        if !source.contains("mod ") {
            return;
        }
        if let (Ok(tree), Some(folder)) = (parse(SourceLanguage::Rust, source), module_folder(file))
        {
            let of_paths = file.folder();
            let within = Within {
                source,
                folder,
                of_paths,
                purpose: Purpose::Product,
                depth: 0,
            };
            self.add_below(tree.root_node(), &within);
        }
    }

    /// The files that are modules of tests and nothing else: whoever declares a module of the product for
    /// tests too does not get it out of the way.
    pub(in super::super) fn only_for_tests(&self) -> BTreeSet<&RepoPath> {
        self.for_tests.difference(&self.for_product).collect()
    }

    fn add_below(&mut self, node: Node<'_>, within: &Within<'_>) {
        let mut attributes: Vec<&str> = Vec::new();
        for node in children(node) {
            match node.kind() {
                "attribute_item" => attributes.push(within.text(node)),
                "line_comment" | "block_comment" => {}
                "mod_item" => self.add_module(node, &std::mem::take(&mut attributes), within),
                _ => attributes.clear(),
            }
        }
    }

    fn add_module(&mut self, node: Node<'_>, attributes: &[&str], within: &Within<'_>) {
        let name = node.child_by_field_name("name");
        let name = name.map_or("", |name| within.text(name));
        let purpose = match attributes.iter().any(|attribute| says_test(attribute)) {
            true => Purpose::Tests,
            false => within.purpose,
        };
        if let Some(body) = node.child_by_field_name("body") {
            if let Ok(folder) = within.folder.join(name)
                && within.depth < MAX_DEPTH
            {
                let below = Within {
                    source: within.source,
                    of_paths: RepoDir::from(folder.clone()),
                    folder: RepoDir::from(folder),
                    purpose,
                    depth: within.depth + 1,
                };
                self.add_below(body, &below);
            }
            return;
        }
        let files: Vec<_> = match attributes.iter().find_map(|attribute| path_of(attribute)) {
            Some(path) => join(&within.of_paths, path).into_iter().collect(),
            None => {
                let names = ["", ".rs", "/mod.rs"].map(|end| format!("{name}{end}"));
                let files = names.iter().map(|name| within.folder.join(name));
                files.flatten().collect()
            }
        };
        match purpose {
            Purpose::Tests => self.for_tests.extend(files),
            Purpose::Product => self.for_product.extend(files),
        }
    }
}

/// How deep inline modules are looked into.
const MAX_DEPTH: usize = 20;

/// Where declarations are read.
struct Within<'a> {
    source: &'a str,
    /// Where the files of modules are.
    folder: RepoDir,
    /// Where `#[path]` begins.
    of_paths: RepoDir,
    purpose: Purpose,
    depth: usize,
}

impl Within<'_> {
    fn text(&self, node: Node<'_>) -> &str {
        self.source.get(node.byte_range()).unwrap_or_default()
    }
}

/// A path as it stands in `#[path]`, which may lead upwards.
fn join(folder: &RepoDir, path: &str) -> Option<RepoPath> {
    let mut segments: Vec<&str> = folder
        .path()
        .into_iter()
        .flat_map(RepoPath::segments)
        .collect();
    for segment in path.split('/') {
        match segment {
            "." | "" => {}
            ".." => {
                segments.pop()?;
            }
            _ => segments.push(segment),
        }
    }
    RepoPath::new(segments.join("/")).ok()
}

/// The text of `#[path = "…"]`.
fn path_of(attribute: &str) -> Option<&str> {
    let inner = attribute.strip_prefix("#[")?.trim_start();
    let value = inner.strip_prefix("path")?.trim_start().strip_prefix('=')?;
    value.split('"').nth(1)
}

/// The folder in which the modules of a file lie.
fn module_folder(file: &RepoPath) -> Option<RepoDir> {
    match file.name() {
        "lib.rs" | "main.rs" | "mod.rs" => Some(file.folder()),
        name => {
            let stem = name.strip_suffix(".rs")?;
            file.folder().join(stem).ok().map(RepoDir::from)
        }
    }
}

#[cfg(test)]
#[path = "test_modules_tests.rs"]
mod tests;
