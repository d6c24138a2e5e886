//! What a call of git is made of: the place it runs in, one plumbing command, its limits.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::commit::Author;
use super::object_id::ObjectFormat;
use super::turn::Turn;

const LOCAL_DEADLINE: Duration = Duration::from_secs(120);
const NETWORK_DEADLINE: Duration = Duration::from_secs(300);
const MAX_OUTPUT: usize = 64 * 1024 * 1024;

/// Why a call of git gave no result.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// The program could not be started: check that git is installed.
    #[error("git could not be started as {}: install git or name its path", .program.display())]
    NotStarted {
        /// The program that was tried.
        program: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// It said no.
    #[error("git {command} ended with {}: {said}", .code.map_or_else(|| "a signal".to_owned(), |c| format!("code {c}")))]
    Failed {
        /// The command.
        command: &'static str,
        /// Its exit code; `None` when a signal ended it.
        code: Option<i32>,
        /// The last of what it wrote to standard error.
        said: String,
    },
    /// The disk is full: make room, then try again.
    #[error(
        "no space left on device: git {command} cannot write below {}; make room there, then try again",
        .path.display()
    )]
    NoSpace {
        /// The command.
        command: &'static str,
        /// The folder on the disk with the least room.
        path: PathBuf,
    },
    /// It took too long and was ended.
    #[error("git {command} did not end within {} s", .after.as_secs())]
    TimedOut {
        /// The command.
        command: &'static str,
        /// How long it had.
        after: Duration,
    },
    /// Its answer is larger than anybody will read.
    #[error("git {command} wrote more than {limit} bytes")]
    TooMuchOutput {
        /// The command.
        command: &'static str,
        /// What was allowed.
        limit: usize,
    },
    /// Its answer could not be understood: another version of git than those we know.
    #[error("git {command} answered `{answer}`, which is not understood")]
    Garbled {
        /// The command.
        command: &'static str,
        /// The start of the answer.
        answer: String,
    },
    /// Another git of ours still works on this tree: try again later.
    #[error("another git still works on this tree ({})", .lock.display())]
    Busy {
        /// The lock that it holds.
        lock: PathBuf,
    },
    /// A file of ours beside the tree could not be used.
    #[error("{} could not be used", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
}

/// A git program and the places it works on; all absolute, nothing is ever discovered.
#[derive(Debug, Clone)]
pub(super) struct Git {
    pub(super) program: PathBuf,
    pub(super) git_dir: PathBuf,
    pub(super) work_tree: PathBuf,
    pub(super) index: PathBuf,
    pub(super) objects: Option<(PathBuf, ObjectFormat)>,
}

impl Git {
    /// Names the program, the git dir and the work tree, which are used as they are.
    ///
    /// The index is private to this value; it is only written by calls that hold a turn.
    pub(super) fn new(program: &Path, git_dir: &Path, work_tree: &Path, index: &Path) -> Self {
        Self {
            program: program.to_owned(),
            git_dir: git_dir.to_owned(),
            work_tree: work_tree.to_owned(),
            index: index.to_owned(),
            objects: None,
        }
    }

    /// Lets this git write its objects here, and read these and those that they borrow from.
    pub(super) fn with_objects(mut self, objects: PathBuf, format: ObjectFormat) -> Self {
        self.objects = Some((objects, format));
        self
    }

    /// The same places with another work tree and index.
    pub(super) fn for_tree(&self, work_tree: &Path, index: &Path) -> Self {
        let mut git = self.clone();
        work_tree.clone_into(&mut git.work_tree);
        index.clone_into(&mut git.index);
        git
    }
}

/// The commands that Gavel uses: builtins, which no alias can replace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Plumbing {
    CatFile,
    CheckoutIndex,
    CommitTree,
    Config,
    DiffFiles,
    DiffTree,
    ForEachRef,
    HashObject,
    Init,
    LsFiles,
    LsRemote,
    LsTree,
    Push,
    ReadTree,
    RevList,
    RevParse,
    SymbolicRef,
    UpdateIndex,
    UpdateRef,
    Version,
    WriteTree,
}

impl Plumbing {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::CatFile => "cat-file",
            Self::CheckoutIndex => "checkout-index",
            Self::CommitTree => "commit-tree",
            Self::Config => "config",
            Self::DiffFiles => "diff-files",
            Self::DiffTree => "diff-tree",
            Self::ForEachRef => "for-each-ref",
            Self::HashObject => "hash-object",
            Self::Init => "init",
            Self::LsFiles => "ls-files",
            Self::LsRemote => "ls-remote",
            Self::LsTree => "ls-tree",
            Self::Push => "push",
            Self::ReadTree => "read-tree",
            Self::RevList => "rev-list",
            Self::RevParse => "rev-parse",
            Self::SymbolicRef => "symbolic-ref",
            Self::UpdateIndex => "update-index",
            Self::UpdateRef => "update-ref",
            Self::Version => "version",
            Self::WriteTree => "write-tree",
        }
    }

    pub(super) const fn uses_network(self) -> bool {
        match self {
            Self::LsRemote | Self::Push => true,
            Self::CatFile
            | Self::CheckoutIndex
            | Self::CommitTree
            | Self::Config
            | Self::DiffFiles
            | Self::DiffTree
            | Self::ForEachRef
            | Self::HashObject
            | Self::Init
            | Self::LsFiles
            | Self::LsTree
            | Self::ReadTree
            | Self::RevList
            | Self::RevParse
            | Self::SymbolicRef
            | Self::UpdateIndex
            | Self::UpdateRef
            | Self::Version
            | Self::WriteTree => false,
        }
    }
}

/// The one way on which a call may talk to another repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Protocol {
    /// None: the call stays in its own.
    None,
    Https,
    Http,
    Ssh,
    /// To a path on this machine; only ever inside the sandbox.
    File,
}

impl Protocol {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Https => "https",
            Self::Http => "http",
            Self::Ssh => "ssh",
            Self::File => "file",
        }
    }
}

/// What happens to output beyond the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Overflow {
    Fail,
    Cut,
}

/// How far what a call writes gets before it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Durability {
    /// Handed to the disk, in order.
    WrittenOut,
    /// On the disk, with everything that was written out before.
    Flushed,
    /// The same, with one flush for all objects that the call writes.
    FlushedOnce,
}

impl Durability {
    pub(super) const fn setting(self) -> &'static str {
        match self {
            Self::WrittenOut => "core.fsyncMethod=writeout-only",
            Self::Flushed => "core.fsyncMethod=fsync",
            Self::FlushedOnce => "core.fsyncMethod=batch",
        }
    }
}

/// What a call reads on its standard input.
#[derive(Debug)]
pub(super) enum Input<'a> {
    Nothing,
    Bytes(&'a [u8]),
    /// The held lock, so that it stays locked while git lives, even if this process dies.
    Turn(&'a Turn),
}

/// One call: a command, its arguments (never through a shell), its input and its limits.
#[derive(Debug)]
pub(super) struct Call<'a> {
    pub(super) command: Plumbing,
    pub(super) args: Vec<OsString>,
    pub(super) input: Input<'a>,
    pub(super) accepted: &'static [i32],
    pub(super) max_output: usize,
    pub(super) overflow: Overflow,
    pub(super) durability: Durability,
    pub(super) deadline: Duration,
    pub(super) signature: Option<(&'a Author, String)>,
    pub(super) protocol: Protocol,
}

impl<'a> Call<'a> {
    pub(super) fn new(command: Plumbing) -> Self {
        Self {
            command,
            args: Vec::new(),
            input: Input::Nothing,
            accepted: &[0],
            max_output: MAX_OUTPUT,
            overflow: Overflow::Fail,
            durability: Durability::WrittenOut,
            deadline: if command.uses_network() {
                NETWORK_DEADLINE
            } else {
                LOCAL_DEADLINE
            },
            signature: None,
            protocol: Protocol::None,
        }
    }

    /// May talk to another repository on this way.
    pub(super) const fn over(mut self, protocol: Protocol) -> Self {
        self.protocol = protocol;
        self
    }

    pub(super) fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    pub(super) fn args<I: Into<OsString>>(mut self, args: impl IntoIterator<Item = I>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Takes exit codes other than 0 as answers.
    pub(super) const fn accept(mut self, codes: &'static [i32]) -> Self {
        self.accepted = codes;
        self
    }

    pub(super) const fn input(mut self, bytes: &'a [u8]) -> Self {
        self.input = Input::Bytes(bytes);
        self
    }

    /// Ends only when what it wrote, and all that was written out before, is on the disk.
    pub(super) const fn flushed(mut self) -> Self {
        self.durability = Durability::Flushed;
        self
    }

    /// The same for a call that may write many objects.
    pub(super) const fn flushed_once(mut self) -> Self {
        self.durability = Durability::FlushedOnce;
        self
    }

    /// Waits no longer than this.
    pub(super) const fn within(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// Works inside a turn; what was written into the turn is git's input.
    pub(super) const fn in_turn(mut self, turn: &'a Turn) -> Self {
        self.input = Input::Turn(turn);
        self
    }

    /// Cuts the output at a size instead of failing.
    pub(super) const fn cut_at(mut self, bytes: usize) -> Self {
        self.max_output = bytes;
        self.overflow = Overflow::Cut;
        self
    }

    /// Signs what is made as that author, at that moment (`@seconds +0000`).
    pub(super) fn signed(mut self, author: &'a Author, date: String) -> Self {
        self.signature = Some((author, date));
        self
    }
}

/// What git answered.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) command: &'static str,
    pub(super) code: i32,
    pub(super) stdout: Vec<u8>,
    pub(super) cut: bool,
}

impl Answer {
    /// The answer as one line without its end.
    pub(super) fn line(&self) -> Result<&str, GitError> {
        let text = std::str::from_utf8(&self.stdout).map_err(|_error| self.garbled())?;
        Ok(text.trim_end_matches('\n'))
    }

    /// The answer as an id.
    pub(super) fn id<T: std::str::FromStr>(&self) -> Result<T, GitError> {
        self.line()?.parse().map_err(|_error| self.garbled())
    }

    pub(super) fn garbled(&self) -> GitError {
        let answer = String::from_utf8_lossy(&self.stdout)
            .chars()
            .take(200)
            .collect();
        GitError::Garbled {
            command: self.command,
            answer,
        }
    }
}
