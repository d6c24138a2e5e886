//! Commands of a tree: whether one is a known test runner, and which files of the tree it starts.

use std::collections::BTreeSet;

use gavel_rules::{RunnerSetting, Selected};

use super::{TreeFiles, whole};

/// What only a shell understands; a command with any of it is not one runner alone.
const SHELL: [char; 12] = ['|', '&', ';', '<', '>', '$', '`', '(', ')', '\n', '\\', '!'];
/// Runners whose program comes with the dependencies.
const RUNNERS: [&str; 6] = ["vitest", "jest", "mocha", "ava", "tap", "jasmine"];
/// Options that change what is printed or how fast it goes, and load nothing.
const HARMLESS: [&str; 26] = [
    "run",
    "--test",
    "--run",
    "--coverage",
    "--verbose",
    "--ci",
    "--silent",
    "--runInBand",
    "-i",
    "--watch=false",
    "--watchAll=false",
    "--no-watch",
    "--no-color",
    "--color",
    "--colors",
    "--forceExit",
    "--detectOpenHandles",
    "--recursive",
    "--exit",
    "--experimental-test-coverage",
    "--reporter=verbose",
    "--reporter=default",
    "--reporter=dot",
    "--reporter=spec",
    "--test-reporter=spec",
    "--test-reporter=tap",
];
/// Programs that start what is named after them.
const STARTERS: [&str; 18] = [
    "sh", "bash", "dash", "zsh", "node", "nodejs", "deno", "bun", "tsx", "ts-node", "python",
    "python3", "perl", "ruby", "php", "env", "exec", "time",
];

/// True for a script that is one known runner, with options that load nothing.
pub(super) fn is_known_runner(script: &str) -> bool {
    let rest = arguments(script);
    rest.is_some_and(|words| {
        words
            .iter()
            .all(|word| is_harmless(word) || is_own_path(word))
    })
}

/// Which tests such a script asks for.
pub(super) fn selected(script: &str) -> Selected {
    let paths = arguments(script).unwrap_or_default().into_iter();
    let paths = paths.filter(|word| !is_harmless(word));
    let paths: BTreeSet<String> = paths
        .map(|path| path.trim_start_matches("./").to_owned())
        .collect();
    match paths.is_empty() {
        true => Selected::All,
        false => Selected::Below(paths),
    }
}

fn is_harmless(word: &str) -> bool {
    HARMLESS.contains(&word)
}

/// What follows a known runner, without quotes; none for other scripts.
fn arguments(script: &str) -> Option<Vec<&str>> {
    let script = script.trim();
    if script.contains(SHELL) {
        return None;
    }
    let words: Vec<&str> = script.split_whitespace().collect();
    let words = match words.as_slice() {
        ["npx", rest @ ..] => rest,
        all => all,
    };
    let rest = match words {
        ["node", "--test", rest @ ..] | ["bun", "test", rest @ ..] => rest,
        [program, rest @ ..] if RUNNERS.contains(program) => rest,
        _ => return None,
    };
    let plain = rest.iter().map(|word| word.trim_matches(['"', '\'']));
    Some(plain.collect())
}

/// True for a path that stays in the tree; tests are named so.
fn is_own_path(word: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-/*{},@".contains(c);
    !word.starts_with(['-', '/'])
        && word.chars().all(plain)
        && word.split('/').all(|part| part != "..")
}

/// The files of the tree that a command line starts.
pub(super) fn called(tree: &TreeFiles, line: &str) -> Vec<RunnerSetting> {
    let mut found = Vec::new();
    for command in line.split(['|', '&', ';', '\n', '(', ')']) {
        let mut words = command
            .split_whitespace()
            .map(|word| word.trim_matches(['"', '\'']))
            .filter(|word| !word.contains('='))
            .skip_while(|word| STARTERS.contains(word) || word.starts_with('-'));
        let Some(first) = words.next() else {
            continue;
        };
        let path = first.trim_start_matches("./");
        if tree.has(path) {
            found.extend(whole(tree, path, "what the tests are started with"));
        }
    }
    found
}
