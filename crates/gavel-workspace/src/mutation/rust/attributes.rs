//! Attributes of Rust items: which belong to tests, which lints would refuse planted code.

use std::sync::LazyLock;

use regex::Regex;
use tree_sitter::{Node, Tree};

use super::super::draft::{Drafts, children};

/// The attributes that stand before an item.
fn attributes<'t>(node: Node<'t>) -> impl Iterator<Item = Node<'t>> {
    let mut before = node.prev_named_sibling();
    std::iter::from_fn(move || {
        loop {
            let here = before?;
            before = here.prev_named_sibling();
            match here.kind() {
                "attribute_item" => return Some(here),
                "line_comment" | "block_comment" => {}
                _ => return None,
            }
        }
    })
}

/// True for an item that is only there in tests, or is one.
pub(super) fn is_test(node: Node<'_>, drafts: &Drafts<'_>) -> bool {
    if !node.kind().ends_with("_item") && !node.kind().ends_with("_statement") {
        return false;
    }
    let inner = node.child_by_field_name("body").into_iter();
    let inner = inner.flat_map(children);
    let inner = inner.filter(|child| child.kind() == "inner_attribute_item");
    attributes(node)
        .chain(inner)
        .any(|attribute| says_test(drafts.text(attribute)))
}

/// True for `#[test]`, `#[tokio::test]`, `#[cfg(test)]` and the like; not for `#[cfg(not(test))]`.
pub(super) fn says_test(attribute: &str) -> bool {
    let word: String = attribute.split_whitespace().collect();
    let word = word
        .trim_start_matches("#!")
        .trim_start_matches('#')
        .trim_start_matches('[')
        .trim_end_matches(']');
    let (path, arguments) = match word.split_once(['(', '=']) {
        Some((path, arguments)) => (path, arguments.trim_end_matches(')')),
        None => (word, ""),
    };
    match path {
        "cfg" => cfg_is_test(arguments),
        _ => matches!(
            path.rsplit("::").next(),
            Some("test" | "bench" | "rstest" | "test_case" | "proptest" | "quickcheck")
        ),
    }
}

/// True when the condition can only hold in tests: `test`, or `test` as one of `all(…)`.
fn cfg_is_test(condition: &str) -> bool {
    match condition.strip_prefix("all(") {
        Some(all) => all
            .trim_end_matches(')')
            .split(',')
            .any(|part| part == "test"),
        None => condition == "test",
    }
}

/// True when the function carries `#[mutants::skip]`, or a type, trait or module around it does.
pub(super) fn marks_skip(node: Node<'_>, drafts: &Drafts<'_>) -> bool {
    let mut here = Some(node);
    while let Some(item) = here {
        let marked = attributes(item).any(|attribute| {
            let text: String = drafts.text(attribute).split_whitespace().collect();
            text.contains("mutants::skip")
        });
        if marked {
            return true;
        }
        here = item.parent();
    }
    false
}

/// Lints that are denied or forbidden in a file, as replacements of the same length in lines: planted
/// code is not written to please them.
pub(in super::super) fn without_denied_lints(
    tree: &Tree,
    source: &str,
) -> Vec<(std::ops::Range<usize>, String)> {
    static WHOLE: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"^#!?\s*\[\s*(deny|forbid)\b").ok());
    static PART: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"\b(deny|forbid)(\s*\()").ok());
    let (Some(whole), Some(part)) = (WHOLE.as_ref(), PART.as_ref()) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut waiting = vec![tree.root_node()];
    while let Some(node) = waiting.pop() {
        if matches!(node.kind(), "attribute_item" | "inner_attribute_item") {
            let text = source.get(node.byte_range()).unwrap_or_default();
            let replaced = if whole.is_match(text) {
                // Allowing what the manifest forbids would be an error; saying nothing is none.
                text.chars().filter(|letter| *letter == '\n').collect()
            } else {
                part.replace_all(text, "allow$2").into_owned()
            };
            if replaced != text {
                found.push((node.byte_range(), replaced));
            }
        } else {
            waiting.extend(children(node));
        }
    }
    found
}

#[cfg(test)]
#[path = "attributes_tests.rs"]
mod tests;
