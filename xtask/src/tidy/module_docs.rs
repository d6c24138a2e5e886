//! Every module file says at its top what it is for.

use super::Finding;
use super::tree::{Tree, is_test_file};

/// Looks for `//!` on the first line.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let files = tree.rust().filter(|(path, _)| !is_test_file(path));
    let bare = files.filter(|(_, text)| !text.starts_with("//! "));
    bare.map(|(path, _)| format!("{path} does not say what it is for: start it with `//!`"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_a_first_sentence_is_found() {
        let tree = Tree::of(&[
            ("a/src/bad.rs", "use std::fmt;\n"),
            ("a/src/good.rs", "//! Keys.\n"),
            ("a/src/good_tests.rs", "use super::*;\n"),
        ]);
        let findings = check(&tree);
        assert_eq!(findings.len(), 1);
        assert!(findings[0].contains("a/src/bad.rs"));
    }
}
