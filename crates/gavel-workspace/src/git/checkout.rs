//! Fresh checkouts: the files of one commit in an empty folder, for the verification that counts.

use std::fs;
use std::path::{Path, PathBuf};

use super::call::{Call, GitError, Plumbing};
use super::object_id::{CommitId, TreeId};
use super::turn::{remove_if_there, with_suffix};
use super::worktree::{WorkTree, WorkTreeError, bad_place};

/// The files of a commit and nothing else: no git folder, no ignored file, no build output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkout {
    /// The folder.
    pub folder: PathBuf,
    /// The commit.
    pub commit: CommitId,
    /// Its tree.
    pub tree: TreeId,
}

impl WorkTree {
    /// Writes the files of a commit into a folder that is missing or empty.
    pub async fn fresh_checkout(
        &self,
        commit: &CommitId,
        folder: &Path,
    ) -> Result<Checkout, WorkTreeError> {
        if !folder.is_absolute() {
            return Err(bad_place(folder, "it must be absolute"));
        }
        if folder.starts_with(self.folder()) {
            return Err(bad_place(folder, "it lies inside the work tree"));
        }
        let io = |source| GitError::Io {
            path: folder.to_owned(),
            source,
        };
        fs::create_dir_all(folder).map_err(io)?;
        if fs::read_dir(folder).map_err(io)?.next().is_some() {
            return Err(bad_place(folder, "it is not empty"));
        }
        let tree = self.tree_of(commit).await?;
        let turn = self.turn().await?;
        let index = with_suffix(&self.private.index(), ".checkout");
        remove_if_there(&index)?;
        remove_if_there(&with_suffix(&index, ".lock"))?;
        let call = Call::new(Plumbing::ReadTree).args(["--reset", "-u", tree.as_str()]);
        self.inside
            .for_tree(folder, &index)
            .run(call.in_turn(&turn))
            .await?;
        remove_if_there(&index)?;
        Ok(Checkout {
            folder: folder.to_owned(),
            commit: commit.clone(),
            tree,
        })
    }
}
