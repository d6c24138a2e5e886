//! Makefiles that can be asked to test, what their rules for that call, and what they include.

use gavel_rules::RunnerSetting;

use super::{TreeFiles, command, name_of, whole};
use crate::verify::detect;

/// What GNU make looks for, in its order.
pub(super) const MAKEFILES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];
const TARGETS: [&str; 3] = ["test", "check", "smoke"];
const INCLUDES: [&str; 3] = ["include ", "-include ", "sinclude "];
/// Characters of a name that only make can turn into the names of files.
const COMPUTED: [char; 5] = ['$', '*', '?', '[', '~'];
/// How names of files end that are written to be included.
const FRAGMENTS: [&str; 5] = [".mk", ".mak", ".make", ".inc", ".d"];

pub(super) fn settings(tree: &TreeFiles) -> Vec<RunnerSetting> {
    let mut found = Vec::new();
    for path in MAKEFILES {
        let Some(text) = tree.text(path) else {
            continue;
        };
        if !TARGETS.iter().any(|name| detect::has_target(text, name)) {
            continue;
        }
        found.extend(whole(tree, path, "its targets"));
        found.extend(included(tree, text));
        let recipes = text.lines().filter_map(|line| line.strip_prefix('\t'));
        let recipes = recipes.map(|line| line.trim_start_matches(['@', '-', '+']));
        for line in recipes {
            found.extend(command::called(tree, line));
        }
    }
    found
}

/// What a makefile includes. Where it computes a name, every file counts that could be meant.
fn included(tree: &TreeFiles, text: &str) -> Vec<RunnerSetting> {
    const NAME: &str = "what make includes";
    let joined = text.replace("\\\n", " ");
    let mut found = Vec::new();
    let mut is_computed = false;
    for line in joined.lines() {
        let mut words = INCLUDES.iter();
        let files = words.find_map(|word| line.trim().strip_prefix(word));
        let files = files.unwrap_or_default();
        is_computed |= files.contains(COMPUTED);
        for file in files.split_whitespace() {
            found.extend(whole(tree, file.trim_start_matches("./"), NAME));
        }
        // Functions of make that read text as rules.
        is_computed |= ["$(eval", "${eval", "$(file <", "$(guile"]
            .iter()
            .any(|function| line.contains(function));
    }
    if is_computed {
        let paths = tree.entries.keys().filter(|path| is_fragment(path));
        found.extend(paths.filter_map(|path| whole(tree, path, NAME)));
    }
    found
}

fn is_fragment(path: &str) -> bool {
    let name = name_of(path);
    let is_other = !MAKEFILES.contains(&path);
    let is_makefile = name.to_ascii_lowercase().starts_with("makefile") || name == "GNUmakefile";
    is_other && (is_makefile || FRAGMENTS.iter().any(|end| name.ends_with(end)))
}
