//! What to do about a pattern. Which comes first is a rule: what leaks secrets, then what costs little and
//! risks little.

use serde::{Deserialize, Serialize};

use super::patterns::{Pattern, PatternKind};
use super::rank;
use crate::finding::Check;

/// Low, medium, high: of effort, risk or priority.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Low.
    Low,
    /// Medium.
    Medium,
    /// High.
    High,
}

impl Level {
    /// The word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// Something to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// What it answers.
    #[serde(flatten)]
    pub kind: PatternKind,
    /// What is.
    pub from: String,
    /// What should be.
    pub to: String,
    /// How much work it is.
    pub effort: Level,
    /// How much it may break.
    pub risk: Level,
    /// How soon it should be done.
    pub priority: Level,
    /// True when a tool or an agent can do it without deciding anything.
    pub automatable: bool,
    /// The steps.
    pub steps: Vec<String>,
}

/// What is known of a kind of task.
struct Recipe {
    to: &'static str,
    effort: Level,
    risk: Level,
    automatable: bool,
    steps: &'static [&'static str],
}

pub(super) fn tasks(patterns: &[Pattern]) -> Vec<Task> {
    let mut ordered: Vec<(u8, Task)> = patterns
        .iter()
        .map(|pattern| (rank(pattern.severity), task(pattern)))
        .collect();
    ordered.sort_by(|(a, left), (b, right)| {
        (right.priority, a, left.effort, left.kind).cmp(&(
            left.priority,
            b,
            right.effort,
            right.kind,
        ))
    });
    ordered.into_iter().map(|(_, task)| task).collect()
}

fn task(pattern: &Pattern) -> Task {
    let recipe = recipe(pattern.kind);
    // More places are more work.
    let effort = match pattern.count {
        50.. => Level::High,
        10.. => recipe.effort.max(Level::Medium),
        _ => recipe.effort,
    };
    let first = pattern.evidence.first();
    let mut steps: Vec<String> = recipe.steps.iter().map(|step| (*step).to_owned()).collect();
    if let Some(evidence) = first {
        steps.insert(0, format!("begin at {evidence}"));
    }
    Task {
        kind: pattern.kind,
        from: pattern.detail.clone(),
        to: recipe.to.to_owned(),
        effort,
        risk: recipe.risk,
        priority: priority(pattern.kind, effort, recipe.risk),
        automatable: recipe.automatable,
        steps,
    }
}

fn priority(kind: PatternKind, effort: Level, risk: Level) -> Level {
    let security = matches!(
        kind,
        PatternKind::Check(
            Check::Secret | Check::CredentialFile | Check::Syntax | Check::UnreadableManifest
        )
    );
    match (effort, risk) {
        _ if security => Level::High,
        (Level::Low, Level::Low) => Level::High,
        (Level::Low | Level::Medium, _) => Level::Medium,
        (Level::High, _) => Level::Low,
    }
}

const fn recipe(kind: PatternKind) -> Recipe {
    match kind {
        PatternKind::Check(check) => recipe_of_check(check),
        PatternKind::SeveralVersions => Recipe {
            to: "one version of each package",
            effort: Level::Medium,
            risk: Level::Medium,
            automatable: true,
            steps: &[
                "raise the older ones one at a time",
                "run the tests after each",
            ],
        },
        PatternKind::PlainScript => Recipe {
            to: "TypeScript, file by file",
            effort: Level::High,
            risk: Level::Medium,
            automatable: false,
            steps: &[
                "add tsconfig.json with allowJs",
                "rename leaf modules first",
                "turn on strict at the end",
            ],
        },
        PatternKind::NoLinter => Recipe {
            to: "a linter and a formatter in CI",
            effort: Level::Low,
            risk: Level::Low,
            automatable: true,
            steps: &[
                "add the usual one of the language",
                "lay out all files in one commit",
                "let CI refuse what it refuses",
            ],
        },
        PatternKind::NoContainer => Recipe {
            to: "an image that CI builds",
            effort: Level::Low,
            risk: Level::Low,
            automatable: true,
            steps: &[
                "write a Dockerfile that builds from the lock file",
                "start it in CI and ask one route",
            ],
        },
    }
}

const fn recipe_of_check(check: Check) -> Recipe {
    macro_rules! recipe {
        ($effort:ident $risk:ident $automatable:literal $to:literal $steps:expr) => {
            Recipe {
                to: $to,
                effort: Level::$effort,
                risk: Level::$risk,
                automatable: $automatable,
                steps: &$steps,
            }
        };
    }
    match check {
        Check::Syntax => {
            recipe!(Low Low false "code that parses" ["mend it", "let CI parse every file"])
        }
        Check::Secret => recipe!(Medium High false "no secret in any file"
            ["make new ones and revoke the old ones", "read them from the environment", "take them out of the history"]),
        Check::CredentialFile => recipe!(Low Medium false "credential files that git ignores"
            ["add them to .gitignore", "make new credentials if they were ever committed"]),
        Check::UnpinnedDependency => recipe!(Low Low true "dependencies that state their versions"
            ["take the versions in use", "state them in the manifest", "run the tests"]),
        Check::MissingLockFile => recipe!(Low Low true "a lock file for each manifest"
            ["let the package manager write it", "commit it", "install from it in CI"]),
        Check::UnreadableManifest => {
            recipe!(Low Medium false "manifests that can be read" ["mend the file"])
        }
        Check::MissingTests => recipe!(High Low false "tests of what matters most"
            ["choose the entry points and routes that people rely on", "write one test for each", "run them in CI"]),
        Check::MissingCi => recipe!(Low Low true "CI that builds and tests each push"
            ["add a workflow", "build", "test", "refuse what fails"]),
        Check::MissingReadme => {
            recipe!(Low Low true "a README" ["say what it is", "how it is built, run and tested"])
        }
        Check::MissingLicence => {
            recipe!(Low Low false "a licence" ["let the owner choose", "add the LICENSE file"])
        }
        Check::MissingEnvExample => recipe!(Low Low true "an example of the environment"
            ["list every variable that code reads", "write .env.example without values"]),
        Check::GiantFile => recipe!(Medium Medium false "files that can be read at a time"
            ["find what changes together", "move it into a file of its own", "keep the tests green"]),
        Check::OpenMarks => recipe!(Medium Low false "open work in the issue tracker"
            ["do what is small", "open an issue for the rest"]),
        Check::DeadImport => recipe!(Low Low false "imports that lead somewhere"
            ["add the file, or take the import out"]),
        Check::CyclicImport => recipe!(Medium Medium false "imports in one direction"
            ["move what both need into a file of its own", "let a rule in CI keep it"]),
        Check::BuildOutput => recipe!(Low Low true "build output that git ignores"
            ["add the folder to .gitignore", "take it out of git's index"]),
    }
}
