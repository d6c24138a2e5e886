//! The work tree of a build: recorded as a git tree, and made equal to one again.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use gavel_domain::RunId;
use tokio::sync::Mutex;

use super::call::{Call, Git, GitError, Plumbing};
use super::checkout::Filled;
use super::git_dir::{Unsound, check_git_dir};
use super::object_id::{CommitId, ObjectFormat, TreeId};
use super::private_dir::PrivateDir;
use super::scan::{self, Changes};
use super::too_large::{LargeFile, RecordLimits};
use super::turn::{Turn, remove_if_there};

/// How often a restore compares again: a restored `.gitignore` can uncover files.
const RESTORE_ROUNDS: u32 = 4;

/// How long a comparison may take: a million files need some seconds.
const SCAN_PATIENCE: Duration = Duration::from_secs(60);

/// Up to this many files whose time stamps prove nothing are simply read at each comparison.
const FEW_FILES: usize = 64;

/// Why a work tree could not be recorded or restored.
#[derive(Debug, thiserror::Error)]
pub enum WorkTreeError {
    /// A place is not absolute, or the repository is not where it was said to be.
    #[error("{} cannot be used for a work tree: {problem}", .path.display())]
    BadPlace {
        /// The place.
        path: PathBuf,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// Something else stands in the place of a file or folder of the repository's git dir.
    #[error(transparent)]
    Unsound(#[from] Unsound),
    /// The tree was never restored, so there is nothing to compare with: restore first.
    #[error("the work tree {} was never filled: restore a tree first", .path.display())]
    NeverRestored {
        /// The folder.
        path: PathBuf,
    },
    /// Something keeps changing the folder: end it, then restore again.
    #[error("the work tree became {found} instead of {wanted}: something else writes into it")]
    Unequal {
        /// The tree to restore.
        wanted: TreeId,
        /// The tree that was found after restoring.
        found: TreeId,
    },
    /// Files are too large to be recorded: remove them, or put them where the tree ignores them.
    #[error("{} is too large to be recorded: remove it, or put it into an ignored folder", listed(.files))]
    TooLarge {
        /// The files.
        files: Vec<LargeFile>,
    },
    /// Git did not do it.
    #[error(transparent)]
    Git(#[from] GitError),
}

fn listed(files: &[LargeFile]) -> String {
    let first: Vec<_> = files.iter().take(3).map(ToString::to_string).collect();
    first.join(", ")
}

/// Where a work tree lies and what it belongs to.
#[derive(Debug, Clone)]
pub struct WorkTreePlace {
    /// The git program, absolute; looked up once by the caller.
    pub git: PathBuf,
    /// The repository's git dir, absolute (of a linked work tree: the common one).
    pub repository: PathBuf,
    /// The folder of the work tree, absolute; made if it is missing. Its parent also holds
    /// `<folder>.gavel`, with private files.
    pub folder: PathBuf,
}

/// One work tree of one run.
///
/// Recorded are all files and symlinks that the tree's own `.gitignore` files (and a short list of
/// build folders) do not exclude, and every file that the restored tree holds, ignored or not;
/// byte for byte, with the executable bit. Ignored files (`target/`, `node_modules/`) and empty
/// folders are no part of the state: they are neither recorded nor removed. A `.git` in the tree
/// is never read. Calls take turns, across processes.
#[derive(Debug)]
pub struct WorkTree {
    pub(super) inside: Git,
    pub(super) refs: Git,
    pub(super) private: PrivateDir,
    folder: PathBuf,
    run: RunId,
    patience: Duration,
    pub(super) limits: RecordLimits,
    memory: Arc<Mutex<Memory>>,
    /// The checkout that is used again.
    pub(super) filled: Mutex<Option<Filled>>,
}

/// What becomes of files that are too large to be recorded.
#[derive(Debug, Clone, Copy)]
enum Large {
    /// The tree is to be recorded: it cannot.
    Refuse,
    /// The tree is to be made equal to another: they go anyway.
    TakeBack,
}

/// What this value knows about its index, to spare calls.
#[derive(Debug, Default)]
struct Memory {
    /// The tree that the index holds.
    index: Option<TreeId>,
    /// True when the index was written after many files at once, within the same second: then
    /// equal time stamps prove nothing, and git reads these files at every comparison.
    settled: bool,
    /// Files whose next change could hide behind equal time stamps; they are read again.
    suspects: BTreeSet<Vec<u8>>,
}

impl WorkTree {
    /// Opens the work tree of a run; makes its folder and private files if they are missing.
    pub async fn open(place: &WorkTreePlace, run: RunId) -> Result<Self, WorkTreeError> {
        let WorkTreePlace {
            git,
            repository,
            folder,
        } = place;
        for path in [git, repository, folder] {
            if !path.is_absolute() {
                return Err(bad_place(path, "it must be absolute"));
            }
        }
        if !repository.join("objects").is_dir() {
            return Err(bad_place(repository, "it is no git dir: it has no objects"));
        }
        check_git_dir(repository, repository)?;
        // The git dir of a checkout is named `.git`; whatever lies beside it is the user's.
        let checkout = repository.parent().filter(|_| repository.ends_with(".git"));
        if folder.starts_with(checkout.unwrap_or(repository)) {
            return Err(bad_place(folder, "it lies inside the repository"));
        }
        let made = fs::create_dir_all(folder);
        made.map_err(|source| GitError::Io {
            path: folder.clone(),
            source,
        })?;
        let private = PrivateDir::prepare(git, repository, folder).await?;
        let inside = Git::new(git, &private.git_dir(), folder, &private.index())
            .with_objects(private.objects(), private.format());
        let refs = Git::new(git, repository, &private.void(), &private.index());
        let memory = Arc::default();
        Ok(Self {
            inside,
            refs,
            private,
            folder: folder.clone(),
            run,
            patience: SCAN_PATIENCE,
            limits: RecordLimits::default(),
            memory,
            filled: Mutex::default(),
        })
    }

    /// The folder with the files.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Records the files as they are. The tree lives as long as the private files of this work tree;
    /// the repository gets what is committed, and nothing else.
    pub async fn snapshot(&self) -> Result<TreeId, WorkTreeError> {
        let mut memory = self.memory.lock().await;
        let turn = self.turn().await?;
        if !self.private.index().exists() {
            return Err(WorkTreeError::NeverRestored {
                path: self.folder.clone(),
            });
        }
        self.take_in(&turn, &mut memory, Large::Refuse).await
    }

    /// Makes the files equal to a recorded tree; ignored files stay as they are.
    ///
    /// Costs one comparison when nothing changed.
    pub async fn restore(&self, tree: &TreeId) -> Result<(), WorkTreeError> {
        let mut memory = self.memory.lock().await;
        let turn = self.turn().await?;
        let mut found = match self.take_in(&turn, &mut memory, Large::TakeBack).await {
            // The index may be damaged; it only spares time, so a new one is made.
            Err(WorkTreeError::Git(GitError::Failed { .. })) => {
                memory.index = None;
                remove_if_there(&self.private.index())?;
                self.take_in(&turn, &mut memory, Large::TakeBack).await?
            }
            taken => taken?,
        };
        for _ in 0..RESTORE_ROUNDS {
            if found == *tree {
                return Ok(());
            }
            memory.index = None;
            memory.settled = false;
            let call = Call::new(Plumbing::ReadTree).args(["--reset", "-u", tree.as_str()]);
            self.inside.run(call.in_turn(&turn)).await?;
            found = self.take_in(&turn, &mut memory, Large::TakeBack).await?;
        }
        if found == *tree {
            return Ok(());
        }
        Err(WorkTreeError::Unequal {
            wanted: tree.clone(),
            found,
        })
    }

    /// The tree of a commit.
    pub async fn tree_of(&self, commit: &CommitId) -> Result<TreeId, WorkTreeError> {
        let call = Call::new(Plumbing::RevParse).args(["--verify", "--quiet"]);
        let answer = self
            .inside
            .run(call.arg(format!("{commit}^{{tree}}")))
            .await?;
        Ok(answer.id()?)
    }

    /// Keeps the commit that recorded trees borrow from in the repository, whatever becomes of its
    /// branch: under `refs/gavel/<run>`, unless that keeps something already.
    pub async fn keep_base(&self, base: &CommitId) -> Result<(), WorkTreeError> {
        let call = Call::new(Plumbing::RevParse)
            .args(["--verify", "--quiet"])
            .arg(self.keeping_ref())
            .accept(&[0, 1]);
        if self.refs.run(call).await?.code == 0 {
            return Ok(());
        }
        let call = Call::new(Plumbing::UpdateRef).args([
            "--no-deref",
            &self.keeping_ref(),
            base.as_str(),
            self.format().zero(),
        ]);
        self.refs.run(call).await?;
        Ok(())
    }

    /// Lets go of what was kept in the repository: removes `refs/gavel/<run>`.
    pub async fn forget(&self) -> Result<(), WorkTreeError> {
        let call = Call::new(Plumbing::UpdateRef)
            .arg("-d")
            .arg(self.keeping_ref());
        self.refs.run(call).await?;
        Ok(())
    }

    pub(super) async fn turn(&self) -> Result<Turn, GitError> {
        Turn::take(&self.private.lock(), &self.private.index()).await
    }

    pub(super) const fn format(&self) -> ObjectFormat {
        self.private.format()
    }

    /// Brings the index up to the files and returns its tree.
    async fn take_in(
        &self,
        turn: &Turn,
        memory: &mut Memory,
        large: Large,
    ) -> Result<TreeId, WorkTreeError> {
        self.settle(turn, memory).await?;
        let mut changes = self.scan(turn).await?;
        let mut with_nested = changes.clone();
        self.take_in_nested(&mut with_nested);
        let files = self.too_large(turn, &with_nested).await?;
        match (files.is_empty(), large) {
            (true, _) => {}
            (false, Large::Refuse) => return Err(WorkTreeError::TooLarge { files }),
            (false, Large::TakeBack) => {
                self.take_back(turn, &files).await?;
                changes = self.scan(turn).await?;
            }
        }
        if !changes.nested.is_empty() {
            let files = scan::files_of_nested(&self.folder, &changes.nested);
            if !files.is_empty() {
                changes.added.extend(files);
                self.update_index(turn, &changes, memory).await?;
                changes = self.scan(turn).await?;
            }
        }
        let suspects = std::mem::take(&mut memory.suspects);
        if !suspects.is_empty() {
            // Git skips what looks unchanged; what is not in the index is always read.
            let forgotten = Changes {
                removed: suspects.clone(),
                ..Changes::default()
            };
            self.update_index(turn, &forgotten, memory).await?;
            let kept = suspects
                .into_iter()
                .filter(|name| !changes.removed.contains(name));
            changes.added.extend(kept);
        }
        if !changes.is_empty() {
            self.update_index(turn, &changes, memory).await?;
        }
        if let Some(tree) = &memory.index {
            return Ok(tree.clone());
        }
        let call = Call::new(Plumbing::WriteTree).flushed_once();
        let tree: TreeId = self.inside.run(call.in_turn(turn)).await?.id()?;
        memory.index = Some(tree.clone());
        Ok(tree)
    }

    /// Compares; a `.gitignore` that cannot be read to its end is removed, and is no rule.
    pub(super) async fn scan(&self, turn: &Turn) -> Result<Changes, GitError> {
        match scan::scan(&self.inside, turn, self.patience).await {
            Err(error @ GitError::TimedOut { .. }) => {
                if scan::remove_endless_rules(&self.folder) == 0 {
                    return Err(error);
                }
                scan::scan(&self.inside, turn, self.patience).await
            }
            scanned => scanned,
        }
    }

    async fn update_index(
        &self,
        turn: &Turn,
        changes: &Changes,
        memory: &mut Memory,
    ) -> Result<(), GitError> {
        memory.index = None;
        memory.settled &= changes.len() <= FEW_FILES;
        // First what goes: a file may have become a folder.
        for (names, how) in [
            (&changes.removed, &["--force-remove"] as &[&str]),
            (&changes.added, &["--add", "--remove", "--replace"]),
        ] {
            if names.is_empty() {
                continue;
            }
            turn.write_input(&zero_terminated(names))?;
            let call = Call::new(Plumbing::UpdateIndex)
                .args(how)
                .args(["-z", "--stdin"]);
            self.inside.run(call.in_turn(turn)).await?;
        }
        memory
            .suspects
            .extend(scan::suspects(&self.folder, &changes.added));
        Ok(())
    }

    /// Writes the index anew, once, in a later second than the files: from then on time stamps
    /// tell changed from unchanged, and a comparison reads no content.
    async fn settle(&self, turn: &Turn, memory: &mut Memory) -> Result<(), GitError> {
        if memory.settled || !is_from_an_earlier_second(&self.private.index()) {
            return Ok(());
        }
        let call = Call::new(Plumbing::UpdateIndex)
            .args(["-q", "--refresh", "--force-write-index"])
            .accept(&[0, 1])
            .in_turn(turn);
        self.inside.run(call).await?;
        memory.settled = true;
        Ok(())
    }

    fn keeping_ref(&self) -> String {
        format!("refs/gavel/{}", self.run)
    }
}

pub(super) fn bad_place(path: &Path, problem: &'static str) -> WorkTreeError {
    WorkTreeError::BadPlace {
        path: path.to_owned(),
        problem,
    }
}

fn zero_terminated<'a>(names: impl IntoIterator<Item = &'a Vec<u8>>) -> Vec<u8> {
    let mut list = Vec::new();
    for name in names {
        list.extend_from_slice(name);
        list.push(0);
    }
    list
}

/// Git compares whole seconds; a second is safe to leave once the clock is in the next.
fn is_from_an_earlier_second(index: &Path) -> bool {
    let written = index.metadata().and_then(|found| found.modified());
    let age = written
        .ok()
        .and_then(|at| SystemTime::now().duration_since(at).ok());
    age.is_some_and(|age| age >= Duration::from_secs(1))
}

#[cfg(test)]
#[path = "worktree_tests.rs"]
mod tests;
