//! Git as a tool of ours, not as the user configured it.
//!
//! **Git never discovers.** Everything that reads or writes file content runs in a *private git
//! dir* that Gavel writes itself: its config, attributes and excludes are ours, so that nothing in
//! a repository (filters, textconv, hooks, aliases, fsmonitor, remotes, includes) can make git
//! execute anything. What is recorded lies in its own object folder, which borrows from the repository's;
//! the repository gets what is committed. Its own git dir is otherwise used for refs alone.

mod add_file;
mod branch;
mod call;
mod checkout;
mod commit;
mod entries;
mod git_dir;
mod history;
mod inspect;
mod local;
mod object_id;
mod private_dir;
mod publish_objects;
mod push;
mod read_commit;
mod remote;
mod repository;
mod runner;
mod scan;
mod stamps;
mod texts;
mod too_large;
mod turn;
mod uncommitted;
mod version;
mod worktree;

pub use branch::{BranchError, BranchPrefix, BuildBranch};
pub use call::GitError;
pub use checkout::Checkout;
pub use commit::{Author, CommitError, CommitMessage, MessageError, NewCommit, StepMark};
pub use entries::{EntryChange, TreeEntry};
pub use git_dir::{Unsound, UnsoundKind, own_git_dir};
pub use inspect::{ChangeKind, ChangedFile, Diff, LogEntry};
pub use local::{LocalRemote, LocalRemoteError, LocalTransportError};
pub use object_id::{CommitId, ObjectIdError, TreeId};
pub(crate) use private_dir::recorded_objects;
pub use push::{PushError, Remote};
pub use read_commit::{BranchTip, FileAt, ReadCommit};
pub use remote::{RemoteError, RemoteUrl};
pub use repository::{
    HeadState, Layout, Refused, Repository, RepositoryClass, RepositoryError, listed_settings,
};
pub use texts::{TextAt, TreeText};
pub use too_large::{LargeFile, TakenBack, is_gavels_own};
pub use version::GitVersion;
pub use worktree::{WorkTree, WorkTreeError, WorkTreePlace};
