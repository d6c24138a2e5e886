//! Clippy does not merge its files: each crate-level `clippy.toml` repeats the shared lines.

use anyhow::{Context, Result};
use toml::{Table, Value};

use super::Finding;
use super::tree::Tree;

const ROOT: &str = "clippy.toml";

/// Compares every copy with the root file; a copy may only add to lists.
pub(super) fn check(tree: &Tree) -> Result<Vec<Finding>> {
    let shared: Table = tree.text(ROOT)?.parse().context(ROOT)?;
    let mut findings = Vec::new();
    for (path, text) in tree
        .files()
        .filter(|(path, _)| path.ends_with("/clippy.toml"))
    {
        let copy: Table = text.parse().with_context(|| path.to_owned())?;
        for (key, value) in &shared {
            if !covers(copy.get(key), value) {
                findings.push(format!("{path}: `{key}` differs from the root {ROOT}"));
            }
        }
    }
    Ok(findings)
}

fn covers(copy: Option<&Value>, shared: &Value) -> bool {
    match (copy, shared) {
        (Some(Value::Array(copy)), Value::Array(shared)) => {
            shared.iter().all(|entry| copy.contains(entry))
        }
        (copy, shared) => copy == Some(shared),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(copy: &str) -> Vec<Finding> {
        let root = "max = 5\nbanned = [\"a\", { path = \"b\", reason = \"c\" }]\n";
        check(&Tree::of(&[
            ("clippy.toml", root),
            ("crates/x/clippy.toml", copy),
        ]))
        .unwrap()
    }

    #[test]
    fn a_copy_may_add_and_never_drop() {
        let more =
            "max = 5\nbanned = [\"z\", \"a\", { path = \"b\", reason = \"c\" }]\nown = true\n";
        assert_eq!(findings(more), Vec::<Finding>::new());
        assert_eq!(findings("max = 6\nbanned = [\"a\"]\n").len(), 2);
        assert_eq!(findings("").len(), 2);
    }
}
