//! Projects for Node: whose lock file there is, and what the test script calls.

use crate::{Argv, ArgvError};

/// The package manager of a Node project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NodeManager {
    /// What comes with Node.
    Npm,
    /// `pnpm-lock.yaml`.
    Pnpm,
    /// `yarn.lock`.
    Yarn,
    /// `bun.lock` or `bun.lockb`.
    Bun,
}

/// How a Node project's dependencies are fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NodeInstall {
    /// It has none.
    Nothing,
    /// By its lock file.
    Locked,
    /// By ranges.
    Ranges,
}

/// A runner that names its tests only when it is asked to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ScriptRunner {
    /// Another one, or the script does not say it plainly.
    Unknown,
    /// jest.
    Jest,
    /// vitest.
    Vitest,
}

impl NodeManager {
    /// The program.
    pub const fn program(self) -> &'static str {
        match self {
            Self::Npm => "npm",
            Self::Pnpm => "pnpm",
            Self::Yarn => "yarn",
            Self::Bun => "bun",
        }
    }

    /// The command that runs a script of the project.
    pub(super) fn script(self, name: &str, rest: &[&str]) -> Result<Argv, ArgvError> {
        let mut words = match (self, name) {
            (Self::Npm, "test") => vec!["npm", "test"],
            (_, _) => vec![self.program(), "run", name],
        };
        match (self, rest) {
            (_, []) => {}
            // The others hand everything on, and would hand this on too.
            (Self::Npm, _) => words.push("--"),
            (Self::Pnpm | Self::Yarn | Self::Bun, _) => {}
        }
        words.extend(rest);
        Argv::new(words)
    }
}

impl ScriptRunner {
    /// Finds the runner that gets what is added to a script's command line: its last command.
    pub(super) fn of_script(script: &str) -> Self {
        let last = script.rsplit(['&', '|', ';']).next().unwrap_or(script);
        let mut words = last.split_whitespace().filter(|word| !is_before(word));
        let program = words.next().unwrap_or_default();
        let told = words.any(|word| word.starts_with("--reporter") || word == "--json");
        match program.rsplit('/').next() {
            Some("jest" | "jest.js") if !told => Self::Jest,
            Some("vitest" | "vitest.mjs") if !told => Self::Vitest,
            Some(_) | None => Self::Unknown,
        }
    }

    const fn asked_for_names(self) -> &'static [&'static str] {
        match self {
            Self::Unknown => &[],
            Self::Jest => &["--verbose"],
            Self::Vitest => &["--reporter=verbose"],
        }
    }
}

/// What stands before a program and is none itself: settings, and programs that start others.
fn is_before(word: &str) -> bool {
    let starter = matches!(word, "npx" | "cross-env" | "node" | "exec");
    let option = word.starts_with("--") && !word.starts_with("--reporter") && word != "--json";
    starter || option || word.contains('=') && !word.starts_with('-')
}

pub(super) fn test_script(manager: NodeManager, runner: ScriptRunner) -> Result<Argv, ArgvError> {
    manager.script("test", runner.asked_for_names())
}
