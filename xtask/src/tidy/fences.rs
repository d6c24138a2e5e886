//! Fences: which crate may use which dependency. "The only SQL" is a fact about manifests.

use super::Finding;
use super::packages::{Dependency, Package, Packages};

/// A dependency, and the only crates that may use it outside tests.
const FENCED: [(&str, &[&str]); 8] = [
    ("sqlx", &["gavel-store"]),
    ("reqwest", &["gavel-models"]),
    ("bpe-openai", &["gavel-models"]),
    ("landlock", &["gavel-workspace"]),
    ("seccompiler", &["gavel-workspace"]),
    ("tree-sitter", &["gavel-workspace"]),
    ("clap", &["gavel-cli"]),
    ("anyhow", &["gavel-cli", "xtask"]),
];

/// Crates without IO, clock and randomness, and everything that they may use.
const PURE: [&str; 2] = ["gavel-domain", "gavel-rules"];
const FIT_FOR_PURE: [&str; 9] = [
    "blake3",
    "gavel-domain",
    "globset",
    "jiff",
    "schemars",
    "serde",
    "serde_json",
    "thiserror",
    "uuid",
];

/// Checks every dependency that is compiled into the product.
pub(super) fn check(packages: &Packages) -> Vec<Finding> {
    let used = packages.packages.iter().flat_map(|package| {
        let real = package.dependencies.iter();
        let real = real.filter(|dependency| dependency.kind.as_deref() != Some("dev"));
        real.filter_map(move |dependency| judge(package, dependency))
    });
    used.collect()
}

fn judge(package: &Package, dependency: &Dependency) -> Option<Finding> {
    let (user, name) = (package.name.as_str(), dependency.name.as_str());
    if PURE.contains(&user) && !FIT_FOR_PURE.contains(&name) {
        return Some(format!("{user} is pure and must not use {name}"));
    }
    let (_, rooms) = FENCED.iter().find(|(fenced, _)| *fenced == name)?;
    (!rooms.contains(&user)).then(|| format!("{user} uses {name}; only {} may", rooms.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(user: &str, name: &str, kind: Option<&str>) -> usize {
        let dependency = Dependency {
            name: name.to_owned(),
            kind: kind.map(str::to_owned),
            path: None,
        };
        let package = Package {
            name: user.to_owned(),
            dependencies: vec![dependency],
            ..Package::default()
        };
        check(&Packages {
            packages: vec![package],
        })
        .len()
    }

    #[test]
    fn fenced_dependencies_stay_in_their_room() {
        assert_eq!(findings("gavel-store", "sqlx", None), 0);
        assert_eq!(findings("gavel-run", "sqlx", None), 1);
        assert_eq!(findings("gavel-run", "sqlx", Some("dev")), 0);
        assert_eq!(findings("gavel-rules", "tokio", None), 1);
        assert_eq!(findings("gavel-rules", "serde", None), 0);
    }
}
