//! Looking at what a run made: differences and commits.

use gavel_domain::Timestamp;

use super::branch::BuildBranch;
use super::call::{Answer, Call, GitError, Plumbing};
use super::object_id::{CommitId, TreeId};
use super::repository::Repository;
use super::worktree::WorkTree;
use crate::path::{RepoPath, TreeName};

/// A difference as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diff {
    /// A unified diff, at most as many bytes as asked for; bytes that are not UTF-8 are replaced.
    pub text: String,
    /// True when the rest was left out.
    pub cut: bool,
}

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChangeKind {
    /// It is new.
    Added,
    /// Its content or mode changed.
    Modified,
    /// It is gone.
    Removed,
    /// It became a symlink, or stopped being one.
    Retyped,
}

/// A changed file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedFile {
    /// What happened.
    pub kind: ChangeKind,
    /// Its name.
    pub name: TreeName,
}

/// A commit of a branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogEntry {
    /// The commit.
    pub commit: CommitId,
    /// Its files.
    pub tree: TreeId,
    /// Who made it.
    pub author: String,
    /// When, by its committer.
    pub at: Timestamp,
    /// The first line of its message.
    pub subject: String,
}

/// The call whose output is a unified diff; files may follow.
fn patch<'a>(from: &'a str, to: &'a str) -> Call<'a> {
    Call::new(Plumbing::DiffTree)
        .args([
            "-r",
            "-p",
            "--no-color",
            "--no-ext-diff",
            "--no-textconv",
            "--no-renames",
        ])
        .args([from, to, "--"])
}

impl Diff {
    fn of(answer: &Answer) -> Self {
        let text = String::from_utf8_lossy(&answer.stdout);
        // A letter that was cut in half is left out, not replaced.
        let text = if answer.cut {
            text.trim_end_matches('\u{fffd}')
        } else {
            text.as_ref()
        };
        Self {
            text: text.to_owned(),
            cut: answer.cut,
        }
    }
}

impl Repository {
    /// The difference between two commits as text, cut at a size.
    pub async fn diff(
        &self,
        from: &CommitId,
        to: &CommitId,
        max_bytes: usize,
    ) -> Result<Diff, GitError> {
        let call = patch(from.as_str(), to.as_str()).cut_at(max_bytes);
        Ok(Diff::of(&self.git().run(call).await?))
    }
}

impl WorkTree {
    /// The difference between two trees as text, cut at a size.
    pub async fn diff(
        &self,
        from: &TreeId,
        to: &TreeId,
        max_bytes: usize,
    ) -> Result<Diff, GitError> {
        self.diff_of(from, to, &[], max_bytes).await
    }

    /// The same of these files alone; of all when there are none.
    pub async fn diff_of(
        &self,
        from: &TreeId,
        to: &TreeId,
        files: &[&RepoPath],
        max_bytes: usize,
    ) -> Result<Diff, GitError> {
        let call = patch(from.as_str(), to.as_str())
            .args(files.iter().map(|file| file.as_str()))
            .cut_at(max_bytes);
        Ok(Diff::of(&self.inside.run(call).await?))
    }

    /// The files that differ between two trees, in the order of names.
    pub async fn changed_files(
        &self,
        from: &TreeId,
        to: &TreeId,
    ) -> Result<Vec<ChangedFile>, GitError> {
        let call = Call::new(Plumbing::DiffTree)
            .args(["-r", "-z", "--name-status", "--no-renames", "--no-ext-diff"])
            .args([from.as_str(), to.as_str()]);
        let answer = self.inside.run(call).await?;
        read_changes(&answer)
    }

    /// All files of a tree, in the order of names.
    pub async fn files_of(&self, tree: &TreeId) -> Result<Vec<TreeName>, GitError> {
        let names = self.names_of(tree).await?;
        let names = names.split(|byte| *byte == 0);
        Ok(names
            .filter(|name| !name.is_empty())
            .map(TreeName::from_bytes)
            .collect())
    }

    /// The names of all files of a tree, each with a NUL after it.
    pub(super) async fn names_of(&self, tree: &TreeId) -> Result<Vec<u8>, GitError> {
        let call = Call::new(Plumbing::LsTree)
            .args(["-r", "-z", "--name-only", "--full-tree"])
            .arg(tree.as_str());
        Ok(self.inside.run(call).await?.stdout)
    }

    /// The latest commits of a build branch, newest first; empty when it does not exist.
    pub async fn log(&self, branch: &BuildBranch, max: u32) -> Result<Vec<LogEntry>, GitError> {
        let Some(tip) = self.tip(branch).await? else {
            return Ok(Vec::new());
        };
        let call = Call::new(Plumbing::RevList)
            .args(["--first-parent", "--no-commit-header"])
            .arg("--format=%H%x00%T%x00%an%x00%ct%x00%s")
            .args([&format!("--max-count={max}"), tip.as_str()]);
        let answer = self.inside.run(call).await?;
        let text = String::from_utf8_lossy(&answer.stdout);
        text.lines().map(|line| read_entry(line, &answer)).collect()
    }
}

/// Reads what `diff-tree -z --name-status` answered.
pub(super) fn read_changes(answer: &Answer) -> Result<Vec<ChangedFile>, GitError> {
    let mut fields = answer.stdout.split(|byte| *byte == 0);
    let mut files = Vec::new();
    while let Some(letter) = fields.next() {
        let kind = match letter {
            b"" => break,
            b"A" => ChangeKind::Added,
            b"M" => ChangeKind::Modified,
            b"D" => ChangeKind::Removed,
            b"T" => ChangeKind::Retyped,
            _ => return Err(answer.garbled()),
        };
        let name = fields.next().ok_or_else(|| answer.garbled())?;
        files.push(ChangedFile {
            kind,
            name: TreeName::from_bytes(name),
        });
    }
    Ok(files)
}

fn read_entry(line: &str, answer: &Answer) -> Result<LogEntry, GitError> {
    let read = || {
        let mut fields = line.splitn(5, '\0');
        Some(LogEntry {
            commit: fields.next()?.parse().ok()?,
            tree: fields.next()?.parse().ok()?,
            author: fields.next()?.to_owned(),
            at: Timestamp::from_second(fields.next()?.parse().ok()?).ok()?,
            subject: fields.next()?.to_owned(),
        })
    };
    read().ok_or_else(|| answer.garbled())
}
