//! Trees by their entries: which file has which content, and trees with some entries replaced.

use super::call::{Call, Git, GitError, Plumbing};
use super::object_id::TreeId;
use super::turn::{remove_if_there, with_suffix};
use super::worktree::{WorkTree, WorkTreeError};

/// The most that is read of all texts together.
const MAX_TEXTS: usize = 64 * 1024 * 1024;

/// A file of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeEntry {
    /// Its path.
    pub path: String,
    /// Its mode as git writes it: `100644`, `100755`, `120000` for a symlink, `160000` for a submodule.
    pub mode: String,
    /// The id of its content.
    pub id: String,
}

impl TreeEntry {
    /// True for a symlink.
    pub fn is_link(&self) -> bool {
        self.mode == "120000"
    }
}

/// What an entry of a tree becomes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryChange {
    /// It is no more.
    Remove {
        /// Its path.
        path: String,
    },
    /// It is this entry.
    Put(TreeEntry),
    /// It is a plain file with this content.
    Write {
        /// Its path.
        path: String,
        /// Its content.
        content: Vec<u8>,
    },
}

impl WorkTree {
    /// All entries of a tree whose names are UTF-8, in the order of names.
    pub async fn entries_of(&self, tree: &TreeId) -> Result<Vec<TreeEntry>, GitError> {
        let call = Call::new(Plumbing::LsTree)
            .args(["-r", "-z", "--full-tree"])
            .arg(tree.as_str());
        let answer = self.inside.run(call).await?;
        let lines = answer.stdout.split(|byte| *byte == 0);
        let mut entries = Vec::new();
        for line in lines.filter(|line| !line.is_empty()) {
            let Ok(line) = str::from_utf8(line) else {
                continue;
            };
            let (meta, path) = line.split_once('\t').ok_or_else(|| answer.garbled())?;
            let fields: Vec<&str> = meta.split(' ').collect();
            let [mode, _, id] = fields.as_slice() else {
                return Err(answer.garbled());
            };
            entries.push(TreeEntry {
                path: path.to_owned(),
                mode: (*mode).to_owned(),
                id: (*id).to_owned(),
            });
        }
        Ok(entries)
    }

    /// The contents of these objects, in their order, read in one call.
    pub async fn contents_of(&self, ids: &[&str]) -> Result<Vec<Vec<u8>>, GitError> {
        contents(&self.inside, ids).await
    }

    /// Makes a tree in which some entries are others, without looking at the work tree.
    pub async fn tree_changing(
        &self,
        tree: &TreeId,
        changes: &[EntryChange],
    ) -> Result<TreeId, WorkTreeError> {
        let turn = self.turn().await?;
        let index = with_suffix(&self.private.index(), ".changing");
        let clear = || -> Result<(), GitError> {
            remove_if_there(&index)?;
            remove_if_there(&with_suffix(&index, ".lock"))
        };
        clear()?;
        let git = self.inside.for_tree(&self.private.void(), &index);
        let read = Call::new(Plumbing::ReadTree).arg(tree.as_str());
        git.run(read.in_turn(&turn)).await?;
        for change in changes {
            let call = Call::new(Plumbing::UpdateIndex);
            let call = match change {
                EntryChange::Remove { path } => call.args(["--force-remove", "--"]).arg(path),
                EntryChange::Put(TreeEntry { path, mode, id }) => call
                    .args(["--add", "--replace", "--cacheinfo"])
                    .arg(format!("{mode},{id},{path}")),
                EntryChange::Write { path, content } => {
                    let store = Call::new(Plumbing::HashObject)
                        .args(["-w", "--stdin", "--no-filters"])
                        .input(content);
                    let stored = self.inside.run(store).await?;
                    call.args(["--add", "--replace", "--cacheinfo"])
                        .arg(format!("100644,{},{path}", stored.line()?))
                }
            };
            git.run(call.in_turn(&turn)).await?;
        }
        let write = Call::new(Plumbing::WriteTree).flushed_once().in_turn(&turn);
        let written = git.run(write).await?;
        clear()?;
        Ok(written.id()?)
    }
}

/// The contents of these objects, in their order, read in one call.
pub(super) async fn contents(git: &Git, ids: &[&str]) -> Result<Vec<Vec<u8>>, GitError> {
    let mut asked = ids.join("\n");
    asked.push('\n');
    let call = Call::new(Plumbing::CatFile)
        .arg("--batch")
        .input(asked.as_bytes())
        .cut_at(MAX_TEXTS);
    let answer = git.run(call).await?;
    let mut rest = answer.stdout.as_slice();
    let mut contents = Vec::with_capacity(ids.len());
    for _ in ids {
        let read = || {
            let end = rest.iter().position(|byte| *byte == b'\n')?;
            let (head, after) = rest.split_at_checked(end)?;
            let size = str::from_utf8(head).ok()?.rsplit(' ').next()?;
            let (content, after) = after.get(1..)?.split_at_checked(size.parse().ok()?)?;
            Some((content, after.get(1..)?))
        };
        let (content, after) = read().ok_or_else(|| answer.garbled())?;
        contents.push(content.to_vec());
        rest = after;
    }
    Ok(contents)
}
