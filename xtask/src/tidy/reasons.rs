//! Every dependency of the workspace has its reason written down.

use anyhow::{Context, Result};

use super::Finding;
use super::tree::Tree;

const DOCUMENT: &str = "docs/decisions/0002-dependencies.md";

/// Compares `[workspace.dependencies]` with the document.
pub(super) fn check(tree: &Tree) -> Result<Vec<Finding>> {
    let manifest: toml::Table = tree.text("Cargo.toml")?.parse().context("Cargo.toml")?;
    let reasons = tree.text(DOCUMENT)?;
    let dependencies = manifest
        .get("workspace")
        .and_then(|workspace| workspace.get("dependencies"))
        .and_then(toml::Value::as_table)
        .context("Cargo.toml has no [workspace.dependencies]")?;
    let strangers = dependencies
        .iter()
        .filter(|(_, entry)| entry.get("path").is_none());
    let unexplained = strangers.filter(|(name, _)| !reasons.contains(&format!("`{name}`")));
    Ok(unexplained
        .map(|(name, _)| format!("{name} has no reason in {DOCUMENT}"))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dependency_without_a_reason_is_found() {
        let manifest = "[workspace.dependencies]\nown = { path = \"x\" }\na = \"1\"\nb = \"1\"\n";
        let tree = Tree::of(&[("Cargo.toml", manifest), (DOCUMENT, "| `a` | x |")]);
        let findings = check(&tree).unwrap();
        assert_eq!(findings.len(), 1);
        assert!(findings[0].starts_with("b has no reason"));
    }
}
