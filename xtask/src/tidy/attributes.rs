//! Lints are never switched off silently, and no test is skipped.

use super::Finding;
use super::tree::Tree;

const BANNED: [(&str, &str); 3] = [
    ("allow(", "write #[expect(lint, reason = \"…\")]"),
    ("ignore", "a test that does not run is no test"),
    ("should_panic", "assert on the error instead"),
];

/// Looks at every attribute.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let lines = tree.rust().flat_map(|(path, text)| {
        let lines = text.lines().zip(1..);
        lines.map(move |(line, number)| (path, number, line.trim()))
    });
    lines
        .filter_map(|(path, number, line)| {
            let inner = line
                .strip_prefix("#[")
                .or_else(|| line.strip_prefix("#!["))?;
            let (banned, remedy) = BANNED.iter().find(|(banned, _)| names(inner, banned))?;
            Some(format!("{path}:{number}: `{banned}`: {remedy}"))
        })
        .collect()
}

/// True for `#[allow(…)]` and for `#[cfg_attr(…, allow(…))]`.
fn names(attribute: &str, banned: &str) -> bool {
    let conditional = attribute.strip_prefix("cfg_attr(");
    attribute.starts_with(banned)
        || conditional.is_some_and(|inner| inner.contains(&format!(", {banned}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(line: &str) -> usize {
        check(&Tree::of(&[("a.rs", line)])).len()
    }

    #[test]
    fn silent_switches_are_found() {
        assert_eq!(findings("#[allow(dead_code)]"), 1);
        assert_eq!(findings("  #![allow(dead_code)]"), 1);
        assert_eq!(findings("#[cfg_attr(test, allow(dead_code))]"), 1);
        assert_eq!(findings("#[ignore = \"slow\"]"), 1);
        assert_eq!(findings("#[should_panic]"), 1);
        assert_eq!(findings("#[expect(dead_code, reason = \"allow(\")]"), 0);
        assert_eq!(findings("let text = \"#[allow(x)]\";"), 0);
    }
}
