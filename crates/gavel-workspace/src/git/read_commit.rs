//! Reading commits by name: branches, parents, files, differences. Nothing here writes.
//!
//! Names that people type are compared with the list of branches and never handed to git, and file
//! content is read as stored: no filter, no attribute, no replacement object takes part.

use super::call::{Call, GitError, Plumbing};
use super::inspect::{ChangedFile, read_changes};
use super::object_id::{CommitId, TreeId};
use super::repository::Repository;
use crate::path::RepoPath;

/// The headers of a commit come first; nobody reads a longer message.
const MAX_COMMIT: usize = 1024 * 1024;

/// A branch of this repository or of a remote, as far as this clone knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BranchTip {
    /// Its full name: `refs/heads/…` or `refs/remotes/<remote>/…`.
    pub name: String,
    /// Where it points.
    pub commit: CommitId,
}

impl BranchTip {
    /// The branch as its own repository calls it.
    pub fn branch(&self) -> &str {
        if let Some(local) = self.name.strip_prefix("refs/heads/") {
            return local;
        }
        let remote = self.name.strip_prefix("refs/remotes/");
        let branch = remote.and_then(|remote| remote.split_once('/'));
        branch.map_or(self.name.as_str(), |(_, branch)| branch)
    }

    /// What people type: `gavel/build-1`, `origin/gavel/build-1`.
    pub fn short(&self) -> &str {
        let name = self.name.strip_prefix("refs/heads/");
        name.or_else(|| self.name.strip_prefix("refs/remotes/"))
            .unwrap_or(&self.name)
    }

    /// True for a branch of this repository.
    pub fn is_local(&self) -> bool {
        self.name.starts_with("refs/heads/")
    }
}

/// What a commit is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadCommit {
    /// Its files.
    pub tree: TreeId,
    /// The commits before it, as it names them; a shallow clone may lack them.
    pub parents: Vec<CommitId>,
}

/// What lies at a path of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileAt {
    /// A plain file.
    File(Vec<u8>),
    /// A plain file that is larger than was asked for.
    TooLarge,
    /// A folder, a symlink or a submodule.
    NotAFile,
    /// Nothing.
    Missing,
}

impl Repository {
    /// All branches, newest commit first.
    pub async fn branches(&self) -> Result<Vec<BranchTip>, GitError> {
        let call = Call::new(Plumbing::ForEachRef).args([
            "--sort=refname",
            "--sort=-committerdate",
            "--format=%(objecttype) %(objectname) %(refname)%(if)%(symref)%(then) symbolic%(end)",
            "refs/heads",
            "refs/remotes",
        ]);
        let answer = self.git().run(call).await?;
        let text = String::from_utf8_lossy(&answer.stdout);
        let mut branches = Vec::new();
        for line in text.lines() {
            let fields: Vec<&str> = line.split(' ').collect();
            match fields.as_slice() {
                ["commit", id, name] => branches.push(BranchTip {
                    name: (*name).to_owned(),
                    commit: id.parse().map_err(|_error| answer.garbled())?,
                }),
                // A symbolic one names another of the list.
                [_, _, _, "symbolic"] => {}
                [_, _, _] => {}
                _ => return Err(answer.garbled()),
            }
        }
        Ok(branches)
    }

    /// The full name of the branch that a remote calls its default, as it was when last fetched.
    pub async fn remote_default(&self, remote: &str) -> Result<Option<String>, GitError> {
        let call =
            Call::new(Plumbing::ForEachRef).args(["--format=%(refname) %(symref)", "refs/remotes"]);
        let answer = self.git().run(call).await?;
        let wanted = format!("refs/remotes/{remote}/HEAD");
        let text = String::from_utf8_lossy(&answer.stdout);
        let target = text.lines().find_map(|line| {
            let (name, target) = line.split_once(' ')?;
            (name == wanted && !target.is_empty()).then(|| target.to_owned())
        });
        Ok(target)
    }

    /// Reads a commit; `None` when this clone does not have it.
    pub async fn read_commit(&self, commit: &CommitId) -> Result<Option<ReadCommit>, GitError> {
        let asked = format!("{commit}\n");
        let call = Call::new(Plumbing::CatFile)
            .arg("--batch")
            .input(asked.as_bytes())
            .cut_at(MAX_COMMIT);
        let answer = self.git().run(call).await?;
        let text = String::from_utf8_lossy(&answer.stdout);
        let mut lines = text.lines();
        let found = lines.next().unwrap_or_default();
        if found.ends_with(" missing") {
            return Ok(None);
        }
        if !found.starts_with(&format!("{commit} commit ")) {
            return Err(answer.garbled());
        }
        let mut tree = None;
        let mut parents = Vec::new();
        for line in lines.take_while(|line| !line.is_empty()) {
            match line.split_once(' ') {
                Some(("tree", id)) => tree = id.parse().ok(),
                Some(("parent", id)) => {
                    parents.push(id.parse().map_err(|_error| answer.garbled())?);
                }
                // Author, committer, signatures and whatever comes.
                Some(_) | None => {}
            }
        }
        let tree = tree.ok_or_else(|| answer.garbled())?;
        Ok(Some(ReadCommit { tree, parents }))
    }

    /// What lies at a path of a commit; nothing larger than `max` bytes is read.
    pub async fn file_at(
        &self,
        commit: &CommitId,
        path: &RepoPath,
        max: usize,
    ) -> Result<FileAt, GitError> {
        let call = Call::new(Plumbing::LsTree)
            .args(["-z", "--full-tree", commit.as_str(), "--"])
            .arg(path.as_str());
        let answer = self.git().run(call).await?;
        let entry = answer.stdout.split(|byte| *byte == 0).next();
        let entry = String::from_utf8_lossy(entry.unwrap_or_default());
        if entry.is_empty() {
            return Ok(FileAt::Missing);
        }
        let (meta, name) = entry.split_once('\t').ok_or_else(|| answer.garbled())?;
        let fields: Vec<&str> = meta.split(' ').collect();
        let id = match fields.as_slice() {
            ["100644" | "100755", "blob", id] if name == path.as_str() => *id,
            [_, _, _] => return Ok(FileAt::NotAFile),
            _ => return Err(answer.garbled()),
        };
        let call = Call::new(Plumbing::CatFile).args(["blob", id]).cut_at(max);
        let content = self.git().run(call).await?;
        if content.cut {
            return Ok(FileAt::TooLarge);
        }
        Ok(FileAt::File(content.stdout))
    }

    /// The files that differ between two trees; submodules count.
    pub async fn changed_between(
        &self,
        from: &TreeId,
        to: &TreeId,
    ) -> Result<Vec<ChangedFile>, GitError> {
        let call = Call::new(Plumbing::DiffTree)
            .args(["-r", "-z", "--name-status", "--no-renames", "--no-ext-diff"])
            .arg("--ignore-submodules=none")
            .args([from.as_str(), to.as_str()]);
        read_changes(&self.git().run(call).await?)
    }

    /// The newest commit on the first-parent line of `tip` that changed something at or below a
    /// path.
    pub async fn last_change(
        &self,
        tip: &CommitId,
        path: &RepoPath,
    ) -> Result<Option<CommitId>, GitError> {
        let call = Call::new(Plumbing::RevList)
            .args(["--first-parent", "--max-count=1", tip.as_str(), "--"])
            .arg(path.as_str());
        let answer = self.git().run(call).await?;
        if answer.line()?.is_empty() {
            return Ok(None);
        }
        answer.id().map(Some)
    }

    /// The first lines of the last commits up to `tip`, newest first, on the first-parent line.
    pub async fn last_subjects(&self, tip: &CommitId, max: u32) -> Result<Vec<String>, GitError> {
        let call = Call::new(Plumbing::RevList)
            .args(["--first-parent", "--no-commit-header", "--format=%s"])
            .args([&format!("--max-count={max}"), tip.as_str()]);
        let answer = self.git().run(call).await?;
        let text = String::from_utf8_lossy(&answer.stdout);
        Ok(text.lines().map(str::to_owned).collect())
    }

    /// How many commits `tip` has that `base` does not.
    pub async fn commits_since(&self, base: &CommitId, tip: &CommitId) -> Result<u64, GitError> {
        let call = Call::new(Plumbing::RevList)
            .arg("--count")
            .arg(format!("{base}..{tip}"));
        self.git().run(call).await?.id()
    }
}
