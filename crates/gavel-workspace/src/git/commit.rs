//! Commits by plumbing: no hooks, no clock, the same inputs give the same commit.

use gavel_domain::{Key, RunId, Timestamp};

use super::branch::{BranchError, BuildBranch};
use super::call::{Call, GitError, Plumbing};
use super::object_id::{CommitId, TreeId};
use super::worktree::WorkTree;

const TRAILER: &str = "Gavel-Step";

/// Who a commit is by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Author {
    name: String,
    email: String,
}

/// Why a text cannot be part of a commit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MessageError {
    /// Nothing was written.
    #[error("the {what} is empty")]
    Empty {
        /// Name, e-mail or message.
        what: &'static str,
    },
    /// A character that git would drop or misread.
    #[error("the {what} contains the character U+{code:04X}, which git cannot keep there")]
    Character {
        /// Name, e-mail or message.
        what: &'static str,
        /// The character.
        code: u32,
    },
}

impl Author {
    /// Parses a name and an e-mail address: neither empty, no `<`, `>` or control characters.
    pub fn new(name: &str, email: &str) -> Result<Self, MessageError> {
        for (what, text) in [("name", name), ("e-mail address", email)] {
            if text.trim().is_empty() {
                return Err(MessageError::Empty { what });
            }
            let bad = text
                .chars()
                .find(|c| matches!(c, '<' | '>') || c.is_control());
            if let Some(bad) = bad {
                return Err(MessageError::Character {
                    what,
                    code: u32::from(bad),
                });
            }
        }
        Ok(Self {
            name: name.trim().to_owned(),
            email: email.trim().to_owned(),
        })
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The e-mail address.
    pub fn email(&self) -> &str {
        &self.email
    }
}

/// The step that makes a commit: `<run>/<key>`, written as a trailer, looked for on resume.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepMark(String);

impl StepMark {
    /// Marks a step of a run.
    pub fn new(run: RunId, key: &Key) -> Self {
        Self(format!("{run}/{key}"))
    }

    fn trailer(&self) -> String {
        format!("{TRAILER}: {}", self.0)
    }
}

/// A message that ends in the trailer of its step, and in that one only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitMessage {
    text: String,
    mark: StepMark,
}

impl CommitMessage {
    /// Takes a text and marks it.
    ///
    /// Lines of the text that look like such a trailer are indented: a text written by a model
    /// must not pass for the mark of another step.
    pub fn new(text: &str, mark: StepMark) -> Result<Self, MessageError> {
        let what = "message";
        if text.trim().is_empty() {
            return Err(MessageError::Empty { what });
        }
        let bad = text
            .chars()
            .find(|c| c.is_control() && !matches!(c, '\n' | '\t' | '\r'));
        if let Some(bad) = bad {
            return Err(MessageError::Character {
                what,
                code: u32::from(bad),
            });
        }
        let mut lines = String::new();
        for line in text.trim().lines() {
            let line = line.trim_end();
            if starts_like_trailer(line) {
                lines.push_str("  ");
            }
            lines.push_str(line);
            lines.push('\n');
        }
        Ok(Self {
            text: format!("{lines}\n{}\n", mark.trailer()),
            mark,
        })
    }

    /// The whole message.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The step.
    pub const fn mark(&self) -> &StepMark {
        &self.mark
    }
}

fn starts_like_trailer(line: &str) -> bool {
    let head: String = line.chars().take("gavel-".len()).collect();
    head.eq_ignore_ascii_case("gavel-")
}

/// A commit to be made.
#[derive(Debug)]
pub struct NewCommit<'a> {
    /// The branch that it becomes the tip of.
    pub branch: &'a BuildBranch,
    /// The files.
    pub tree: &'a TreeId,
    /// The tip that the branch must have, or start from if it does not exist yet.
    pub parent: &'a CommitId,
    /// The message.
    pub message: &'a CommitMessage,
    /// The author and committer.
    pub author: &'a Author,
    /// The moment, from a fact; whole seconds count.
    pub at: Timestamp,
}

/// Why a commit was not made.
#[derive(Debug, thiserror::Error)]
pub enum CommitError {
    /// The branch may not be written.
    #[error("the branch may not be written")]
    Branch(#[from] BranchError),
    /// Somebody else moved the branch: look at it, then decide again.
    #[error("the branch {branch} is at {found}, not at {expected}: somebody else moved it")]
    Moved {
        /// The branch.
        branch: String,
        /// The parent that was named.
        expected: CommitId,
        /// Where it is.
        found: CommitId,
    },
    /// Git did not do it.
    #[error(transparent)]
    Git(#[from] GitError),
}

impl WorkTree {
    /// Makes a commit and moves its branch to it; doing it again changes nothing.
    pub async fn commit(&self, new: &NewCommit<'_>) -> Result<CommitId, CommitError> {
        self.refuse_protected(new.branch).await?;
        let call = Call::new(Plumbing::CommitTree)
            .args([new.tree.as_str(), "-p", new.parent.as_str()])
            .input(new.message.as_str().as_bytes())
            .signed(new.author, format!("@{} +0000", new.at.as_second()));
        let commit: CommitId = self.inside.run(call).await?.id()?;
        let expected = match self.tip(new.branch).await? {
            Some(tip) if tip == commit => return Ok(commit),
            Some(tip) if tip == *new.parent => tip.as_str().to_owned(),
            None => self.format().zero().to_owned(),
            Some(found) => {
                let (branch, expected) = (new.branch.to_string(), new.parent.clone());
                return Err(CommitError::Moved {
                    branch,
                    expected,
                    found,
                });
            }
        };
        self.publish_objects(new, &commit).await?;
        let call = Call::new(Plumbing::UpdateRef)
            .args(["--no-deref", "-m", "gavel: commit"])
            .args([&new.branch.full_name(), commit.as_str(), &expected]);
        self.refs.run(call.flushed()).await?;
        Ok(commit)
    }

    /// The commit that a build branch points to; `None` when it does not exist.
    pub async fn tip(&self, branch: &BuildBranch) -> Result<Option<CommitId>, GitError> {
        let call = Call::new(Plumbing::RevParse)
            .args(["--verify", "--quiet"])
            .arg(format!("{}^{{commit}}", branch.full_name()))
            .accept(&[0, 1]);
        let answer = self.refs.run(call).await?;
        if answer.code == 0 {
            answer.id().map(Some)
        } else {
            Ok(None)
        }
    }

    /// Looks for the commit of a step on a branch, among its latest `depth` commits.
    ///
    /// Only the last paragraph of a message counts.
    pub async fn find_commit(
        &self,
        branch: &BuildBranch,
        mark: &StepMark,
        depth: u32,
    ) -> Result<Option<CommitId>, GitError> {
        let Some(tip) = self.tip(branch).await? else {
            return Ok(None);
        };
        let call = Call::new(Plumbing::RevList)
            .args([
                "--first-parent",
                "--no-commit-header",
                "--format=%H%x00%B%x00",
            ])
            .arg(format!("--max-count={depth}"))
            .arg(tip.as_str());
        let answer = self.inside.run(call).await?;
        let text = String::from_utf8_lossy(&answer.stdout);
        let mut fields = text.split('\0').map(str::trim);
        while let (Some(id), Some(message)) = (fields.next(), fields.next()) {
            let last = message.rsplit("\n\n").next().unwrap_or_default();
            if last.lines().any(|line| line == mark.trailer()) {
                return id.parse().map(Some).map_err(|_error| answer.garbled());
            }
        }
        Ok(None)
    }
}
