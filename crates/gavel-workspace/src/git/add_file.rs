//! A tree with one file more, made without looking at the work tree.

use super::call::{Call, GitError, Plumbing};
use super::object_id::TreeId;
use super::turn::{remove_if_there, with_suffix};
use super::worktree::{WorkTree, WorkTreeError};
use crate::path::RepoPath;

impl WorkTree {
    /// Puts a plain file into a tree and returns the tree that this makes.
    ///
    /// The folder is not touched, and no `.gitignore` has a say: restore the tree to have the file
    /// in the folder. The object lives as long as something names it.
    pub async fn tree_with_file(
        &self,
        tree: &TreeId,
        path: &RepoPath,
        content: &[u8],
    ) -> Result<TreeId, WorkTreeError> {
        let call = Call::new(Plumbing::HashObject)
            .args(["-w", "--stdin", "--no-filters"])
            .input(content);
        let stored = self.inside.run(call).await?;
        let object = stored.line()?;
        let turn = self.turn().await?;
        let index = with_suffix(&self.private.index(), ".adding");
        let clear = || -> Result<(), GitError> {
            remove_if_there(&index)?;
            remove_if_there(&with_suffix(&index, ".lock"))
        };
        clear()?;
        let git = self.inside.for_tree(&self.private.void(), &index);
        let read = Call::new(Plumbing::ReadTree).arg(tree.as_str());
        git.run(read.in_turn(&turn)).await?;
        let add = Call::new(Plumbing::UpdateIndex)
            .args(["--add", "--replace", "--cacheinfo"])
            .arg(format!("100644,{object},{path}"));
        git.run(add.in_turn(&turn)).await?;
        let write = Call::new(Plumbing::WriteTree).flushed_once();
        let written = git.run(write.in_turn(&turn)).await?;
        clear()?;
        Ok(written.id()?)
    }
}
