//! Which targets libtest drives, by their manifest and their root file.

use toml::{Table, Value};
use tree_sitter::Parser;

use super::messages::Target;

/// A package's `Cargo.toml`, as far as it says who runs its tests.
#[derive(Debug)]
pub(super) struct Manifest(Table);

impl Manifest {
    /// `None` when it cannot be read.
    pub(super) fn read(text: &str) -> Option<Self> {
        let table: Table = text.parse().ok()?;
        (!table.is_empty()).then_some(Self(table))
    }

    /// False where the target says `harness = false`. Targets that cargo finds by itself have no entry,
    /// and libtest.
    pub(super) fn has_harness(&self, target: &Target) -> bool {
        const LISTS: [&str; 4] = ["bin", "test", "bench", "example"];
        let Some(list) = LISTS.into_iter().find(|list| target.is(list)) else {
            return self.0.get("lib").is_none_or(is_harness);
        };
        let entries = self.0.get(list).and_then(Value::as_array);
        let named = |entry: &&Value| {
            let name = entry.get("name").and_then(Value::as_str);
            name.is_none_or(|name| name == target.name)
        };
        entries.is_none_or(|entries| entries.iter().filter(named).all(is_harness))
    }
}

fn is_harness(entry: &Value) -> bool {
    entry
        .get("harness")
        .is_none_or(|on| on.as_bool() == Some(true))
}

/// Attributes of a crate that put another `main` into the place of libtest's.
const OTHER_MAINS: [&str; 3] = ["no_main", "test_runner", "reexport_test_harness_main"];

/// True when the root file of a test target has a `main` that is not libtest's, or cannot be read.
pub(super) fn has_main_of_its_own(root: &str) -> bool {
    let mut parser = Parser::new();
    let language = tree_sitter_rust::LANGUAGE.into();
    if parser.set_language(&language).is_err() {
        return true;
    }
    let Some(tree) = parser.parse(root, None) else {
        return true;
    };
    let top = tree.root_node();
    let mut cursor = top.walk();
    top.children(&mut cursor)
        .filter(|node| node.kind() == "inner_attribute_item")
        .filter_map(|node| root.get(node.byte_range()))
        .any(|text| {
            let text: String = text.split_whitespace().collect();
            let off_in_tests = text.starts_with("#![cfg_attr(not(test),");
            !off_in_tests && OTHER_MAINS.iter().any(|word| text.contains(word))
        })
}

#[cfg(test)]
#[path = "harness_tests.rs"]
mod tests;
