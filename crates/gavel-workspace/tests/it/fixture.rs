//! Real repositories in temporary folders.
#![expect(
    clippy::unwrap_used,
    reason = "a fixture that cannot be made ends its test"
)]

use std::fs;
use std::path::{Path, PathBuf};

use gavel_domain::{RunId, Timestamp};
use gavel_workspace::{
    Author, BranchPrefix, BuildBranch, Commands, CommitId, LocalRemote, Remote, TreeId,
    WithoutSandbox, WorkTree, WorkTreePlace,
};

use crate::room::door;

pub(crate) const RUN: &str = "01890a5d-ac96-774b-bcce-b302099a8057";

/// A repository with a checkout, and a place for a work tree beside it.
pub(crate) struct Fixture {
    pub(crate) temp: tempfile::TempDir,
}

impl Fixture {
    /// A repository with one commit: `a.txt`, `src/lib.rs` and a `.gitignore`.
    pub(crate) fn new() -> Self {
        let this = Self::unborn();
        this.put("a.txt", "one\n");
        this.put("src/lib.rs", "pub fn one() {}\n");
        this.put(".gitignore", "target/\n*.log\n");
        this.git(&["add", "-A"]);
        this.git(&["commit", "-qm", "first"]);
        this
    }

    /// A repository without a commit.
    pub(crate) fn unborn() -> Self {
        let this = Self {
            temp: tempfile::tempdir().unwrap(),
        };
        fs::create_dir(this.checkout()).unwrap();
        this.git(&["init", "-q", "-b", "main"]);
        this
    }

    pub(crate) fn checkout(&self) -> PathBuf {
        self.path("checkout")
    }

    pub(crate) fn git_dir(&self) -> PathBuf {
        self.path("checkout/.git")
    }

    /// A path in the temporary folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.temp.path().canonicalize().unwrap().join(name)
    }

    /// Writes a file in the checkout.
    pub(crate) fn put(&self, name: &str, text: impl AsRef<[u8]>) {
        put(&self.checkout(), name, text);
    }

    /// Runs git as a user would, in the checkout.
    pub(crate) fn git(&self, args: &[&str]) -> String {
        user_git(&self.checkout(), args)
    }

    /// Runs git in the private git dir of the work tree, which has what was recorded.
    pub(crate) fn recorded(&self, args: &[&str]) -> String {
        user_git(&self.path("trees/build.gavel/git"), args)
    }

    pub(crate) fn place(&self) -> WorkTreePlace {
        WorkTreePlace {
            git: git_program(),
            repository: self.git_dir(),
            folder: self.path("trees/build"),
        }
    }

    pub(crate) async fn open(&self) -> WorkTree {
        WorkTree::open(&self.place(), run()).await.unwrap()
    }

    /// A work tree that holds the checkout's last commit.
    pub(crate) async fn filled(&self) -> WorkTree {
        let tree = self.open().await;
        tree.restore(&self.head_tree()).await.unwrap();
        tree
    }

    /// A bare repository in the temporary folder, as a remote that a person allowed.
    pub(crate) async fn local_remote(&self, name: &str) -> Remote {
        let scratch = self.path("");
        Remote::Local {
            repository: LocalRemote::open(&self.path(name), &[]).unwrap(),
            commands: Commands::detect(door(), scratch, WithoutSandbox::Refuse).await,
        }
    }

    pub(crate) fn head(&self) -> CommitId {
        self.git(&["rev-parse", "HEAD"]).parse().unwrap()
    }

    pub(crate) fn head_tree(&self) -> TreeId {
        self.git(&["rev-parse", "HEAD^{tree}"]).parse().unwrap()
    }
}

pub(crate) fn run() -> RunId {
    RUN.parse().unwrap()
}

pub(crate) fn author() -> Author {
    Author::new("Gavel", "gavel@example.org").unwrap()
}

pub(crate) fn moment() -> Timestamp {
    "2026-11-15T12:00:00Z".parse().unwrap()
}

pub(crate) fn branch(id: &str) -> BuildBranch {
    BranchPrefix::default().build(id).unwrap()
}

/// Git as it is found on this machine.
pub(crate) fn git_program() -> PathBuf {
    ["/usr/bin/git", "/usr/local/bin/git"]
        .into_iter()
        .map(PathBuf::from)
        .find(|path| path.exists())
        .unwrap()
}

pub(crate) fn put(root: &Path, name: &str, text: impl AsRef<[u8]>) {
    let path = root.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

pub(crate) fn text(root: &Path, name: &str) -> String {
    fs::read_to_string(root.join(name)).unwrap()
}

/// Runs git as a user would, with a config of its own.
pub(crate) fn user_git(folder: &Path, args: &[&str]) -> String {
    let output = try_user_git(folder, args);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {args:?}: {said}");
    String::from_utf8_lossy(&output.stdout)
        .trim_end_matches('\n')
        .to_owned()
}

/// Runs git as a user would, whatever comes of it.
#[expect(clippy::disallowed_methods, reason = "the user's git is not Gavel's")]
pub(crate) fn try_user_git(folder: &Path, args: &[&str]) -> std::process::Output {
    std::process::Command::new(git_program())
        .current_dir(folder)
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("HOME", folder)
        .envs([
            ("GIT_AUTHOR_NAME", "A"),
            ("GIT_AUTHOR_EMAIL", "a@example.org"),
        ])
        .envs([
            ("GIT_COMMITTER_NAME", "A"),
            ("GIT_COMMITTER_EMAIL", "a@example.org"),
        ])
        .args(["-c", "protocol.file.allow=always"])
        .args(args)
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap()
}
