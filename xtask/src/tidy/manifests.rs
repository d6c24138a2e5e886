//! Manifests: every crate inherits the lints, and only the binary's crate has features.

use anyhow::{Context, Result};

use super::Finding;
use super::packages::{Package, Packages};
use super::tree::Tree;

const BINARY: &str = "gavel-cli";
const INHERITED: [&str; 5] = ["version", "edition", "rust-version", "license", "publish"];

/// Checks every member's manifest.
pub(super) fn check(tree: &Tree, packages: &Packages) -> Result<Vec<Finding>> {
    let mut findings: Vec<Finding> = packages.packages.iter().filter_map(features).collect();
    let members = tree
        .files()
        .filter(|(path, _)| path.ends_with("/Cargo.toml"));
    for (path, text) in members {
        let manifest: toml::Table = text.parse().with_context(|| path.to_owned())?;
        // A workspace of its own, as the fuzz targets are, has nothing to inherit from.
        if !manifest.contains_key("workspace") {
            findings.extend(inheritance(path, &manifest));
        }
    }
    Ok(findings)
}

fn features(package: &Package) -> Option<Finding> {
    let own = package
        .features
        .keys()
        .filter(|name| *name != "default")
        .count();
    (own > 0 && package.name != BINARY).then(|| {
        format!(
            "{} has cargo features; they live on {BINARY} alone",
            package.name
        )
    })
}

fn inheritance(path: &str, manifest: &toml::Table) -> Vec<Finding> {
    let inherits = |table: Option<&toml::Value>| {
        table.and_then(|table| table.get("workspace")) == Some(&toml::Value::Boolean(true))
    };
    let mut findings = Vec::new();
    if !inherits(manifest.get("lints")) {
        findings.push(format!(
            "{path} does not inherit the lints: [lints] workspace = true"
        ));
    }
    let package = manifest.get("package");
    let own = INHERITED
        .iter()
        .filter(|key| !inherits(package.and_then(|package| package.get(**key))));
    findings.extend(own.map(|key| format!("{path}: write {key}.workspace = true")));
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "\
[package]
name = \"x\"
version.workspace = true
edition.workspace = true
rust-version.workspace = true
license.workspace = true
publish.workspace = true
[lints]
workspace = true
";

    fn findings(manifest: &str) -> Vec<Finding> {
        let tree = Tree::of(&[("crates/x/Cargo.toml", manifest)]);
        check(&tree, &Packages::default()).unwrap()
    }

    #[test]
    fn lints_and_fields_are_inherited() {
        assert_eq!(findings(GOOD), Vec::<Finding>::new());
        let loose = GOOD.replace("workspace = true\n[lints]", "workspace = false\n[lints]");
        assert_eq!(
            findings(&loose),
            ["crates/x/Cargo.toml: write publish.workspace = true"]
        );
        let (unlinted, _) = GOOD.split_once("[lints]").unwrap();
        assert_eq!(findings(unlinted).len(), 1);
        assert_eq!(findings("[package]\nname = \"x\"\n").len(), 6);
        let apart = "[package]\nname = \"x\"\n[workspace]\n";
        assert_eq!(findings(apart), Vec::<Finding>::new());
    }

    #[test]
    fn features_live_on_the_binary() {
        let package = |name: &str| Package {
            name: name.to_owned(),
            features: [("fast".to_owned(), Vec::new())].into(),
            ..Package::default()
        };
        assert!(features(&package("gavel-store")).is_some());
        assert!(features(&package("gavel-cli")).is_none());
    }
}
