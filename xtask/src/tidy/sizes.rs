//! File sizes: 600 lines, 900 for a test file, and a list of excused files that may only shrink.

use super::Finding;
use super::tree::{Tree, is_test_file};

/// Files that were too long when the rule came, with the length they had. Lower the number when a
/// file gets shorter, drop the line when it fits; add nothing.
pub(super) const EXCUSED: [(&str, usize); 0] = [];

const LIMIT: usize = 600;
const TEST_LIMIT: usize = 900;

/// Measures every Rust file.
pub(super) fn check(tree: &Tree, excused: &[(&str, usize)]) -> Vec<Finding> {
    let measured = tree.rust().filter_map(|(path, text)| {
        let lines = text.lines().count();
        let excuse = excused.iter().find(|(name, _)| *name == path);
        judge(path, lines, excuse.map(|&(_, length)| length))
    });
    let gone = excused.iter().filter(|(name, _)| tree.text(name).is_err());
    let gone = gone.map(|(name, _)| format!("{name} is excused and does not exist"));
    measured.chain(gone).collect()
}

fn judge(path: &str, lines: usize, excuse: Option<usize>) -> Option<Finding> {
    let limit = if is_test_file(path) {
        TEST_LIMIT
    } else {
        LIMIT
    };
    match excuse {
        None => (lines > limit)
            .then(|| format!("{path} has {lines} lines, at most {limit} fit: split it by verb")),
        Some(_) if lines <= limit => Some(format!("{path} fits now: drop its excuse")),
        Some(length) if lines != length => Some(format!(
            "{path} has {lines} lines and is excused for {length}"
        )),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_files_are_found() {
        let long = "x\n".repeat(601);
        let tree = Tree::of(&[("a/src/x.rs", &long), ("a/src/x_tests.rs", &long)]);
        let findings = check(&tree, &[]);
        assert_eq!(findings.len(), 1);
        assert!(findings[0].starts_with("a/src/x.rs has 601"));
        assert_eq!(check(&tree, &[("a/src/x.rs", 601)]), Vec::<Finding>::new());
    }

    #[test]
    fn excuses_only_shrink() {
        assert!(judge("x.rs", 700, Some(650)).is_some());
        assert!(judge("x.rs", 640, Some(650)).is_some());
        assert!(judge("x.rs", 600, Some(650)).is_some());
        assert!(judge("x.rs", 650, Some(650)).is_none());
        assert_eq!(check(&Tree::default(), &[("gone.rs", 700)]).len(), 1);
    }
}
