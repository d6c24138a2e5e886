//! Drivers are deterministic: above `gavel-run`, nothing waits for whichever comes first.

use super::Finding;
use super::tree::{Tree, is_test_file};

/// Crates whose code runs between steps. Surfaces only watch, so they may race.
const DRIVERS: [&str; 8] = [
    "gavel-agent",
    "gavel-build",
    "gavel-contracts",
    "gavel-deliberation",
    "gavel-memory",
    "gavel-product",
    "gavel-recipes",
    "gavel-scout",
];
const RACES: [&str; 4] = [
    "select!",
    "FuturesUnordered",
    "join_next",
    "buffer_unordered",
];

/// Looks at the code of drivers.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let drivers = tree.rust().filter(|(path, _)| {
        let mut parts = path.split('/');
        parts.next() == Some("crates")
            && parts.next().is_some_and(|name| DRIVERS.contains(&name))
            && !is_test_file(path)
    });
    let mut findings = Vec::new();
    for (path, text) in drivers {
        for (line, number) in text.lines().zip(1..) {
            let code = line.split("//").next().unwrap_or_default();
            if let Some(race) = RACES.iter().find(|race| code.contains(**race)) {
                let remedy = "use run.all, which answers in key order";
                findings.push(format!("{path}:{number}: `{race}` races; {remedy}"));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_race_in_a_driver_is_found() {
        let race = "tokio::select! {\n";
        let found = |path: &str, text: &str| check(&Tree::of(&[(path, text)])).len();
        assert_eq!(found("crates/gavel-agent/src/turn.rs", race), 1);
        assert_eq!(
            found("crates/gavel-agent/src/turn.rs", "// no select! here"),
            0
        );
        assert_eq!(found("crates/gavel-agent/src/turn_tests.rs", race), 0);
        assert_eq!(found("crates/gavel-run/src/step.rs", race), 0);
    }
}
