//! The test script of a `package.json`: which runner it calls, and with what.
//!
//! A script that says something which is not known here has no adapter.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::{Argv, ArgvError};

/// A test script whose last command is a known runner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TestScript {
    pub(super) runner: Runner,
    /// Something else comes before it, in the script or in `pretest`.
    pub(super) prepares: bool,
}

/// The runner of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Runner {
    Node(NodeCommand),
    Jest(JestCommand),
}

/// `node --test`, with its options.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct NodeCommand {
    pub(super) env: BTreeMap<String, String>,
    options: Vec<String>,
    /// What the script says after `node`, for a shell that finds the files. Nothing in it but names,
    /// quotes and patterns of names.
    rest: String,
}

/// jest or vitest, with its options.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct JestCommand {
    pub(super) program: JestLike,
    pub(super) env: BTreeMap<String, String>,
    pub(super) options: Vec<String>,
    /// What says which files there are; only for all of them.
    pub(super) files: Vec<String>,
}

/// Two runners that report in the same form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum JestLike {
    Jest,
    Vitest,
}

/// Options of node that have their value in the next word.
const NODE_VALUES: [&str; 7] = [
    "--import",
    "--require",
    "-r",
    "--loader",
    "--experimental-loader",
    "--conditions",
    "-C",
];
/// The same of jest and vitest.
const JEST_VALUES: [&str; 12] = [
    "--config",
    "-c",
    "--env",
    "--environment",
    "--root",
    "--rootDir",
    "--dir",
    "--project",
    "--selectProjects",
    "--testTimeout",
    "--maxWorkers",
    "-w",
];
/// Options of jest and vitest that change nothing about one test, and are left out.
const JEST_SHOWN: [&str; 15] = [
    "--run",
    "--watch=false",
    "--watchAll=false",
    "--no-watch",
    "--ci",
    "--verbose",
    "--silent",
    "--coverage",
    "--colors",
    "--color",
    "--no-color",
    "--passWithNoTests",
    "--runInBand",
    "-i",
    "--no-cache",
];
/// Options without a value that are kept.
const JEST_KEPT: [&str; 5] = [
    "--globals",
    "--forceExit",
    "--detectOpenHandles",
    "--no-file-parallelism",
    "--typecheck",
];

impl TestScript {
    /// Reads the script; `None` when there is none or its runner is not known.
    pub(super) fn read(manifest: &str) -> Option<Self> {
        let manifest: Value = serde_json::from_str(manifest).ok()?;
        let script = |name: &str| {
            let scripts = manifest.get("scripts")?;
            scripts.get(name)?.as_str()
        };
        let whole = script("test")?;
        let (before, last) = match whole.rsplit_once("&&") {
            Some((before, last)) => (Some(before), last.trim()),
            None => (None, whole.trim()),
        };
        Some(Self {
            runner: Runner::read(last)?,
            prepares: before.is_some() || script("pretest").is_some(),
        })
    }
}

impl Runner {
    fn read(command: &str) -> Option<Self> {
        // Only quotes, and patterns of names.
        if command.contains([
            '$', '`', '|', '&', ';', '<', '>', '(', ')', '\n', '\\', '~', '#',
        ]) {
            return None;
        }
        let (env, command) = assignments(command)?;
        let (program, rest) = command.split_once(' ').unwrap_or((command, ""));
        let (program, rest) = match program {
            "npx" | "exec" => rest.trim().split_once(' ').unwrap_or((rest.trim(), "")),
            _ => (program, rest),
        };
        let words = match rest.trim() {
            "" => Vec::new(),
            rest => Vec::from(Argv::parse(&format!("x {rest}")).ok()?).split_off(1),
        };
        match program.rsplit('/').next()? {
            "node" if program == "node" => NodeCommand::read(env, &words, rest).map(Self::Node),
            "jest" | "jest.js" => JestCommand::read(JestLike::Jest, env, words).map(Self::Jest),
            "vitest" | "vitest.mjs" => {
                JestCommand::read(JestLike::Vitest, env, words).map(Self::Jest)
            }
            _ => None,
        }
    }
}

/// `NAME=value` before a program, by itself or after `cross-env`.
fn assignments(command: &str) -> Option<(BTreeMap<String, String>, &str)> {
    let mut env = BTreeMap::new();
    let mut rest = command.trim_start();
    loop {
        let (word, after) = rest.split_once(' ').unwrap_or((rest, ""));
        match word.split_once('=') {
            // Values in quotes may hold spaces, and are too seldom to be worth it.
            Some((_, value)) if value.contains(['\'', '"']) => return None,
            Some((name, value)) if !name.starts_with('-') => {
                if !is_plain(name, value) {
                    return None;
                }
                env.insert(name.to_owned(), value.to_owned());
            }
            Some(_) | None if word == "cross-env" => {}
            Some(_) | None => return Some((env, rest)),
        }
        rest = after.trim_start();
    }
}

/// False for a variable that puts other programs or other code into a runner's process.
fn is_plain(name: &str, value: &str) -> bool {
    const CHOOSERS: [&str; 5] = ["PATH", "NODE_PATH", "BASH_ENV", "ENV", "IFS"];
    let named = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let loads = name == "NODE_OPTIONS"
        && ["import", "require", "loader", "-r"]
            .iter()
            .any(|word| value.contains(word));
    named && !name.starts_with("LD_") && !CHOOSERS.contains(&name) && !loads
}

impl NodeCommand {
    fn read(env: BTreeMap<String, String>, words: &[String], rest: &str) -> Option<Self> {
        let mut options = Vec::new();
        let mut tests = false;
        let mut words = words.iter();
        while let Some(word) = words.next() {
            if word == "--test" {
                tests = true;
            } else if word.starts_with("--test-reporter") || word == "--watch" {
                return None;
            } else if NODE_VALUES.contains(&word.as_str()) {
                options.extend([word.clone(), words.next()?.clone()]);
            } else if word.starts_with('-') {
                options.push(word.clone());
            } else if !tests {
                // A program of the tree, which gets what follows.
                return None;
            }
        }
        tests.then(|| Self {
            env,
            options,
            rest: rest.trim().to_owned(),
        })
    }

    /// All tests, with these words before what the script says.
    pub(super) fn with_everything(&self, words: &[String]) -> Result<Argv, ArgvError> {
        if self.rest.is_empty() {
            return self.with_options(words);
        }
        // No word of ours is read by the shell; the script's own were when its runner was found.
        let shell = format!("exec \"$@\" {}", self.rest);
        let head = ["sh", "-c", &shell, "sh", "node"].map(str::to_owned);
        Argv::new(head.into_iter().chain(words.iter().cloned()))
    }

    /// The options of the script, and these words.
    pub(super) fn with_options(&self, words: &[String]) -> Result<Argv, ArgvError> {
        let head = std::iter::once("node".to_owned()).chain(self.options.iter().cloned());
        Argv::new(head.chain(words.iter().cloned()))
    }
}

impl JestCommand {
    fn read(program: JestLike, env: BTreeMap<String, String>, words: Vec<String>) -> Option<Self> {
        let (mut options, mut files) = (Vec::new(), Vec::new());
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            let name = word.split_once('=').map_or(word.as_str(), |(name, _)| name);
            let is_coverage = word.starts_with("--coverage");
            if JEST_SHOWN.contains(&word.as_str()) || is_coverage {
            } else if word.contains('=') && JEST_VALUES.contains(&name) {
                options.push(word);
            } else if JEST_VALUES.contains(&word.as_str()) {
                let value = words.next()?;
                options.extend([word, value]);
            } else if JEST_KEPT.contains(&word.as_str()) {
                options.push(word);
            } else if word.starts_with('-') {
                return None;
            } else if program == JestLike::Jest || word != "run" || !files.is_empty() {
                files.push(word);
            }
        }
        Some(Self {
            program,
            env,
            options,
            files,
        })
    }
}

/// A regular expression that matches this text alone, in JavaScript and Go.
pub(super) fn escaped(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' => pattern.push_str("\\n"),
            '\r' => pattern.push_str("\\r"),
            '\u{2028}' => pattern.push_str("\\u2028"),
            '\u{2029}' => pattern.push_str("\\u2029"),
            _ => {
                if "\\^$.*+?()[]{}|/".contains(letter) {
                    pattern.push('\\');
                }
                pattern.push(letter);
            }
        }
    }
    pattern
}

#[cfg(test)]
#[path = "script_tests.rs"]
mod tests;
