//! Every dependency's licence is on the list in `deny.toml`.

use anyhow::{Context, Result};
use serde::Deserialize;

use super::Finding;
use super::packages::{Package, Packages};
use super::spdx;
use super::tree::Tree;

const LIST: &str = "deny.toml";

#[derive(Debug, Deserialize)]
struct Deny {
    licenses: Licenses,
}

#[derive(Debug, Deserialize)]
struct Licenses {
    allow: Vec<String>,
}

/// Evaluates each package's licence expression.
pub(super) fn check(tree: &Tree, packages: &Packages) -> Result<Vec<Finding>> {
    let deny: Deny = toml::from_str(tree.text(LIST)?).context(LIST)?;
    let allow = deny.licenses.allow;
    Ok(packages
        .packages
        .iter()
        .filter_map(|package| judge(package, &allow))
        .collect())
}

fn judge(package: &Package, allow: &[String]) -> Option<Finding> {
    let Package { name, version, .. } = package;
    let Some(licence) = &package.license else {
        return Some(format!("{name} {version} names no licence"));
    };
    match spdx::holds(licence, allow) {
        Some(true) => None,
        Some(false) => Some(format!(
            "{name} {version}: `{licence}` is not allowed by {LIST}"
        )),
        None => Some(format!(
            "{name} {version}: `{licence}` is not an expression we can read"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(licence: Option<&str>) -> usize {
        let package = Package {
            name: "x".to_owned(),
            license: licence.map(str::to_owned),
            ..Package::default()
        };
        let tree = Tree::of(&[(LIST, "[licenses]\nallow = [\"MIT\"]\n")]);
        check(
            &tree,
            &Packages {
                packages: vec![package],
            },
        )
        .unwrap()
        .len()
    }

    #[test]
    fn other_missing_and_unreadable_licences_are_found() {
        assert_eq!(findings(Some("MIT OR GPL-3.0")), 0);
        assert_eq!(findings(Some("GPL-3.0")), 1);
        assert_eq!(findings(Some("MIT AND (")), 1);
        assert_eq!(findings(None), 1);
    }
}
