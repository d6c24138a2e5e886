//! Fresh checkouts: the files of one commit in a folder, for the verification that counts.
//!
//! Making and removing many files is slow: some file systems search long for an inode after many were
//! freed. So a folder that was filled here before is used again: everything in it that is not exactly
//! as it was written is removed first, and git writes what is missing or differs.

use std::fs;
use std::path::{Path, PathBuf};

use super::call::{Call, GitError, Plumbing};
use super::entries::TreeEntry;
use super::object_id::{CommitId, TreeId};
use super::stamps::{Cleared, Stamps};
use super::turn::{Turn, remove_if_there, with_suffix};
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

/// A folder that was filled, and how it was then.
#[derive(Debug)]
pub(super) struct Filled {
    folder: PathBuf,
    stamps: Stamps,
}

impl WorkTree {
    /// Removes what was written into a checkout since this value filled it.
    ///
    /// False when it did not, or cannot tell: then the folder must be removed before it is filled.
    pub async fn clear_checkout(&self, folder: &Path) -> bool {
        let mut filled = self.filled.lock().await;
        let Some(before) = filled.take().filter(|filled| filled.folder == folder) else {
            return false;
        };
        let clear = move || Ok((before.stamps.clear(&before.folder)?, before));
        match blocking(folder, clear).await {
            Ok((Cleared::Unchanged, before)) => {
                *filled = Some(before);
                true
            }
            Ok((Cleared::Unsure, _)) | Err(_) => false,
        }
    }

    /// Files of a tree that hold something else in a checkout which this value filled with it; those
    /// that were only touched are not among them. `None` when it cannot tell.
    pub async fn rewritten_files(
        &self,
        tree: &TreeId,
        folder: &Path,
    ) -> Result<Option<Vec<String>>, WorkTreeError> {
        let changed = {
            let filled = self.filled.lock().await;
            let Some(filled) = filled.as_ref().filter(|filled| filled.folder == folder) else {
                return Ok(None);
            };
            filled.stamps.changed(folder)
        };
        if changed.is_empty() {
            return Ok(Some(Vec::new()));
        }
        let entries = self.entries_of(tree).await?;
        let is_changed = |entry: &&TreeEntry| {
            let name = entry.path.as_bytes();
            changed
                .binary_search_by(|one| one.as_slice().cmp(name))
                .is_ok()
        };
        let entries: Vec<&TreeEntry> = entries.iter().filter(is_changed).collect();
        let ids: Vec<&str> = entries.iter().map(|entry| entry.id.as_str()).collect();
        let contents = self.contents_of(&ids).await?;
        let differs = |(entry, content): &(&TreeEntry, Vec<u8>)| {
            let path = folder.join(&entry.path);
            let now = if entry.is_link() {
                fs::read_link(path).map(|target| target.into_os_string().into_encoded_bytes())
            } else {
                fs::read(path)
            };
            now.map_or(true, |now| now != *content)
        };
        let rewritten = entries.into_iter().zip(contents).filter(differs);
        Ok(Some(
            rewritten.map(|(entry, _)| entry.path.clone()).collect(),
        ))
    }

    /// Makes a folder hold the files of a commit and nothing else.
    ///
    /// The folder is missing, empty, or was filled by this value before; then nothing that was
    /// written into it since is left.
    pub async fn fresh_checkout(
        &self,
        commit: &CommitId,
        folder: &Path,
    ) -> Result<Checkout, WorkTreeError> {
        let tree = self.tree_of(commit).await?;
        self.write_tree_into(&tree, folder).await?;
        Ok(Checkout {
            folder: folder.to_owned(),
            commit: commit.clone(),
            tree,
        })
    }

    /// The same for a tree that needs no commit.
    pub async fn write_tree_into(&self, tree: &TreeId, folder: &Path) -> Result<(), WorkTreeError> {
        if !folder.is_absolute() {
            return Err(bad_place(folder, "it must be absolute"));
        }
        if folder.starts_with(self.folder()) {
            return Err(bad_place(folder, "it lies inside the work tree"));
        }
        let mut filled = self.filled.lock().await;
        let before = filled.take().filter(|filled| filled.folder == folder);
        let turn = self.turn().await?;
        let stamps = match before {
            Some(before) => self.refill(&turn, tree, before).await?,
            None => self.fill(&turn, tree, folder).await?,
        };
        *filled = stamps.map(|stamps| Filled {
            folder: folder.to_owned(),
            stamps,
        });
        Ok(())
    }

    /// Fills an empty folder.
    async fn fill(
        &self,
        turn: &Turn,
        tree: &TreeId,
        folder: &Path,
    ) -> Result<Option<Stamps>, WorkTreeError> {
        fs::create_dir_all(folder).map_err(io(folder))?;
        if fs::read_dir(folder).map_err(io(folder))?.next().is_some() {
            return Err(bad_place(folder, "it is not empty"));
        }
        remove_if_there(&self.checkout_index())?;
        self.write_files(turn, tree, folder).await?;
        stamped(folder).await
    }

    /// Fills a folder again; anew when not everything in it is accounted for.
    async fn refill(
        &self,
        turn: &Turn,
        tree: &TreeId,
        before: Filled,
    ) -> Result<Option<Stamps>, WorkTreeError> {
        let Filled { folder, stamps } = before;
        let place = folder.clone();
        let cleared = blocking(&folder, move || stamps.clear(&place)).await;
        if matches!(cleared, Ok(Cleared::Unchanged))
            && self.write_files(turn, tree, &folder).await.is_ok()
        {
            let stamps = stamped(&folder).await?;
            let names = self.names_of(tree).await?;
            if stamps.as_ref().is_some_and(|all| all.are_exactly(&names)) {
                return Ok(stamps);
            }
        }
        let place = folder.clone();
        let remove = move || match crate::remove_tree(&place) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
            removed => removed,
        };
        blocking(&folder, remove).await?;
        self.fill(turn, tree, &folder).await
    }

    async fn write_files(
        &self,
        turn: &Turn,
        tree: &TreeId,
        folder: &Path,
    ) -> Result<(), WorkTreeError> {
        let index = self.checkout_index();
        remove_if_there(&with_suffix(&index, ".lock"))?;
        let call = Call::new(Plumbing::ReadTree).args(["--reset", "-u", tree.as_str()]);
        let git = self.inside.for_tree(folder, &index);
        git.run(call.in_turn(turn)).await?;
        Ok(())
    }

    fn checkout_index(&self) -> PathBuf {
        with_suffix(&self.private.index(), ".checkout")
    }
}

async fn stamped(folder: &Path) -> Result<Option<Stamps>, WorkTreeError> {
    let place = folder.to_owned();
    blocking(folder, move || Stamps::take(&place)).await
}

/// Does something that blocks with a folder.
async fn blocking<T: Send + 'static>(
    folder: &Path,
    work: impl FnOnce() -> std::io::Result<T> + Send + 'static,
) -> Result<T, WorkTreeError> {
    let done = tokio::task::spawn_blocking(work).await;
    let done = done.unwrap_or_else(|lost| Err(std::io::Error::other(lost)));
    Ok(done.map_err(io(folder))?)
}

fn io(path: &Path) -> impl Fn(std::io::Error) -> GitError {
    move |source| GitError::Io {
        path: path.to_owned(),
        source,
    }
}
