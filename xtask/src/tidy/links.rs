//! Links between our documents lead somewhere.

use super::Finding;
use super::tree::Tree;

/// Follows every relative link in Markdown files.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let documents = tree.files().filter(|(path, _)| path.ends_with(".md"));
    let mut findings = Vec::new();
    for (path, text) in documents {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        for target in targets(text) {
            if !leads_somewhere(tree, &resolve(folder, target)) {
                findings.push(format!("{path}: the link to {target} leads nowhere"));
            }
        }
    }
    findings
}

/// What stands in `](…)`, without anchors and without addresses outside.
fn targets(text: &str) -> impl Iterator<Item = &str> {
    let targets = text.split("](").skip(1);
    let targets = targets.filter_map(|rest| rest.split(')').next());
    let targets = targets.map(|target| target.split('#').next().unwrap_or_default());
    targets.filter(|target| !target.is_empty() && !target.contains("://"))
}

fn resolve(folder: &str, target: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            name => parts.push(name),
        }
    }
    parts.join("/")
}

fn leads_somewhere(tree: &Tree, path: &str) -> bool {
    let inside = format!("{path}/");
    tree.files()
        .any(|(file, _)| file == path || file.starts_with(&inside))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_link_is_found() {
        let text = "[a](style.md#x) [b](../README.md) [c](decisions) [d](https://example.com/x)";
        let tree = Tree::of(&[
            ("README.md", "[gone](docs/gone.md)"),
            ("docs/a.md", text),
            ("docs/style.md", ""),
            ("docs/decisions/1.md", ""),
        ]);
        let findings = check(&tree);
        assert_eq!(findings.len(), 1);
        assert!(findings[0].contains("docs/gone.md"));
    }
}
