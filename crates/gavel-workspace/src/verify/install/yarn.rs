//! Yarn, both kinds. What the newer kind loads from a tree's `.yarnrc.yml` (`yarnPath`, `plugins`) is
//! left alone by giving the file another name; the settings that shape the result are copied.

use super::{Step, Tree, node};
use crate::ArgvError;

/// The name under which the copied settings lie in the home of install steps.
pub(super) const RC: &str = ".gavel-yarnrc.yml";

/// Settings that say how packages are laid out, and nothing else.
const COPIED: [&str; 8] = [
    "nodeLinker:",
    "nmMode:",
    "nmHoistingLimits:",
    "compressionLevel:",
    "checksumBehavior:",
    "pnpMode:",
    "pnpEnableEsmLoader:",
    "pnpFallbackMode:",
];

pub(super) fn steps(tree: &Tree, locked: bool) -> Result<Vec<Step>, ArgvError> {
    if is_classic(tree) {
        let lock = match locked {
            true => "--frozen-lockfile",
            false => "--no-lockfile",
        };
        let cache = format!("--cache-folder={}", tree.in_cache("yarn-classic"));
        let words = [
            "yarn",
            "install",
            lock,
            "--ignore-scripts",
            "--non-interactive",
            &cache,
        ];
        // Its folder is laid out like npm's, which can run the scripts alone.
        return Ok(vec![Step::fetch(words)?, node::rebuild()?]);
    }
    let lock = match locked {
        true => "--immutable",
        false => "--no-immutable",
    };
    let fetch = Step::fetch(["yarn", "install", lock, "--mode=skip-build"])?;
    let build = Step::build(["yarn", "rebuild"])?.with("YARN_ENABLE_NETWORK", "false");
    Ok(vec![fetch.with("YARN_RC_FILENAME", RC), build])
}

/// Single lines of the tree's settings; what spans lines is left out.
pub(super) fn settings(tree: &Tree) -> String {
    let text = tree.settings(".yarnrc.yml").unwrap_or_default();
    let mut kept = String::new();
    for line in text.lines() {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_: \"'".contains(c);
        if COPIED.iter().any(|name| line.starts_with(name)) && line.chars().all(plain) {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

/// True for the older kind.
pub(super) fn is_classic(tree: &Tree) -> bool {
    let lock = tree.text("yarn.lock").unwrap_or_default();
    let is_newer = lock.contains("__metadata:") || tree.settings(".yarnrc.yml").is_some();
    lock.contains("# yarn lockfile v1") || !is_newer
}
