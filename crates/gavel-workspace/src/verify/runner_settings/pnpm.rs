//! `pnpm-workspace.yaml`: newer releases read all their settings there.

use gavel_rules::{RunnerChoice, RunnerSetting};

use super::TreeFiles;

const FILE: &str = "pnpm-workspace.yaml";
/// Keys that start, load and replace nothing.
const HARMLESS: [&str; 8] = [
    "packages",
    "onlyBuiltDependencies",
    "ignoredBuiltDependencies",
    "autoInstallPeers",
    "strictPeerDependencies",
    "saveExact",
    "savePrefix",
    "minimumReleaseAge",
];
/// Keys that list versions; they replace a package only by an address.
const VERSIONS: [&str; 2] = ["catalog", "catalogs"];
const ADDRESSES: [&str; 7] = ["file:", "link:", "git", "npm:", "workspace:", "http", "./"];

pub(super) fn settings(tree: &TreeFiles) -> Vec<RunnerSetting> {
    let text = tree.text(FILE).unwrap_or_default();
    let has_address = ADDRESSES.iter().any(|address| text.contains(address));
    let mut found = Vec::new();
    for line in text.lines() {
        let is_inner = line.starts_with([' ', '\t', '-', '#']) || line.trim().is_empty();
        let key = line.split(':').next().unwrap_or_default();
        let key = key.trim().trim_matches(['"', '\'']);
        let is_harmless = HARMLESS.contains(&key) || (VERSIONS.contains(&key) && !has_address);
        if !is_inner && !is_harmless {
            // What belongs to a key stands on the lines below it.
            found.push(RunnerSetting::new(FILE, key, text, RunnerChoice::Other));
        }
    }
    found
}
