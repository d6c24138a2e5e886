//! Build branches: the only branches that Gavel writes.

use std::fmt;

use super::call::{Call, GitError, Plumbing};
use super::worktree::WorkTree;

const MAX_BYTES: usize = 200;

/// Names that are a project's trunk by habit, whatever a repository says.
const TRUNKS: &[&str] = &[
    "main",
    "master",
    "trunk",
    "develop",
    "development",
    "default",
    "release",
    "production",
    "prod",
    "stable",
    "head",
    "heads",
    "origin",
    "refs",
    "remotes",
    "tags",
];

/// Why a branch may not be written.
#[derive(Debug, thiserror::Error)]
pub enum BranchError {
    /// The text is not a name that we write.
    #[error("`{shown}` is not a build branch: {problem}")]
    NotABuildBranch {
        /// The text, shortened.
        shown: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A repository or remote takes this branch for its main line.
    #[error("`{branch}` is a default branch ({said_by}), which Gavel never writes")]
    Default {
        /// The branch.
        branch: String,
        /// Who says so.
        said_by: String,
    },
    /// A person has it checked out: writing it would change that checkout under them.
    #[error("`{branch}` is checked out at {place}: switch that checkout to another branch")]
    CheckedOut {
        /// The branch.
        branch: String,
        /// Where.
        place: String,
    },
    /// Git could not say; so it is refused.
    #[error("it could not be checked whether the branch may be written")]
    Git(#[from] GitError),
}

/// What all build branches of a project begin with, for example `gavel/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BranchPrefix(String);

impl Default for BranchPrefix {
    fn default() -> Self {
        Self("gavel/".to_owned())
    }
}

impl BranchPrefix {
    /// Parses a prefix: plain segments, a `/` at the end, not a trunk's name.
    pub fn new(text: &str) -> Result<Self, BranchError> {
        let Some(inner) = text.strip_suffix('/') else {
            return Err(not_ours(text, "the prefix of build branches ends in `/`"));
        };
        check_segments(text, inner)?;
        Ok(Self(text.to_owned()))
    }

    /// The branch of a build: `<prefix>build-<id>`.
    pub fn build(&self, id: &str) -> Result<BuildBranch, BranchError> {
        BuildBranch::new(self, &format!("{}build-{id}", self.0))
    }
}

/// A branch that may be written: its short name, under the project's prefix.
///
/// Lower-case letters, digits, `.`, `_` and `-` only, so that no spelling (`refs/heads/…`, `HEAD`,
/// `+main`, `a:b`, `@`, `Main`) can name anything else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuildBranch(String);

impl BuildBranch {
    /// Parses a short name such as `gavel/build-1`.
    pub fn new(prefix: &BranchPrefix, text: &str) -> Result<Self, BranchError> {
        let Some(rest) = text.strip_prefix(&prefix.0) else {
            return Err(not_ours(
                text,
                "it does not begin with the prefix of build branches",
            ));
        };
        if text.len() > MAX_BYTES {
            return Err(not_ours(text, "it is longer than 200 bytes"));
        }
        check_segments(text, rest)?;
        Ok(Self(text.to_owned()))
    }

    /// The short name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// `refs/heads/…`.
    pub(super) fn full_name(&self) -> String {
        format!("refs/heads/{}", self.0)
    }
}

impl fmt::Display for BuildBranch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn check_segments(text: &str, segments: &str) -> Result<(), BranchError> {
    for segment in segments.split('/') {
        let plain =
            |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'.' | b'_' | b'-');
        if segment.is_empty() || !segment.bytes().all(plain) {
            return Err(not_ours(
                text,
                "segments are made of a-z, 0-9, `.`, `_` and `-`",
            ));
        }
        if segment.starts_with(['.', '-']) || segment.ends_with('.') || segment.contains("..") {
            return Err(not_ours(
                text,
                "dots and dashes must stand between other characters",
            ));
        }
        if std::path::Path::new(segment)
            .extension()
            .is_some_and(|e| e == "lock")
        {
            return Err(not_ours(
                text,
                "git keeps names that end in `.lock` for itself",
            ));
        }
        if TRUNKS.contains(&segment) {
            return Err(not_ours(text, "a segment is the name of a trunk"));
        }
    }
    Ok(())
}

fn not_ours(text: &str, problem: &'static str) -> BranchError {
    let shown = text.chars().take(80).collect();
    BranchError::NotABuildBranch { shown, problem }
}

impl WorkTree {
    /// Refuses a branch that the repository takes for its main line, or that is checked out.
    pub(super) async fn refuse_protected(&self, branch: &BuildBranch) -> Result<(), BranchError> {
        let call =
            Call::new(Plumbing::ForEachRef).args(["--format=%(refname) %(symref)", "refs/remotes"]);
        let answer = self.refs.run(call).await?;
        for line in String::from_utf8_lossy(&answer.stdout).lines() {
            let Some((name, target)) = line.split_once(' ') else {
                continue;
            };
            let remote = name
                .strip_suffix("/HEAD")
                .map(|remote| format!("{remote}/"));
            let points_to = remote.and_then(|remote| target.strip_prefix(&remote));
            if points_to.is_some_and(|short| short.eq_ignore_ascii_case(branch.as_str())) {
                return Err(is_default(branch, name));
            }
        }
        let call = Call::new(Plumbing::Config)
            .arg("--file")
            .arg(self.refs.git_dir.join("config"))
            .args(["--no-includes", "--get", "init.defaultBranch"])
            .accept(&[0, 1]);
        let said = self.refs.run(call).await?;
        if said.line()?.eq_ignore_ascii_case(branch.as_str()) {
            return Err(is_default(branch, "init.defaultBranch"));
        }
        self.refuse_checked_out(branch).await
    }

    async fn refuse_checked_out(&self, branch: &BuildBranch) -> Result<(), BranchError> {
        let call =
            Call::new(Plumbing::ForEachRef).args(["--format=%(worktreepath)", &branch.full_name()]);
        let answer = self.refs.run(call).await?;
        let place = answer.line()?;
        if !place.is_empty() {
            let (branch, place) = (branch.to_string(), place.to_owned());
            return Err(BranchError::CheckedOut { branch, place });
        }
        // A branch that HEAD names before it has a commit is checked out nowhere, and the main line.
        let call = Call::new(Plumbing::SymbolicRef)
            .args(["--quiet", "HEAD"])
            .accept(&[0, 1]);
        let head = self.refs.run(call).await?;
        if head.line()?.eq_ignore_ascii_case(&branch.full_name()) {
            return Err(is_default(branch, "HEAD of the repository"));
        }
        Ok(())
    }
}

pub(super) fn is_default(branch: &BuildBranch, said_by: &str) -> BranchError {
    BranchError::Default {
        branch: branch.to_string(),
        said_by: said_by.to_owned(),
    }
}
