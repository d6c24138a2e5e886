//! A repository, a work tree and a brief for toy runs.

use std::path::{Path, PathBuf};
use std::process::Command;

use gavel_models::ModelId;
use gavel_run::toy::ToyBrief;

/// A small repository with one commit, and places for a toy run beside it.
#[derive(Debug)]
pub struct ToyBed {
    folder: PathBuf,
    base: String,
}

impl ToyBed {
    /// Makes the repository below this folder.
    pub fn new(folder: &Path) -> Self {
        let checkout = folder.join("checkout");
        std::fs::create_dir_all(&checkout).unwrap();
        std::fs::write(checkout.join("README.md"), "# Toy\n").unwrap();
        git(&checkout, &["init", "--quiet", "--initial-branch=main"]);
        git(&checkout, &["add", "."]);
        git(&checkout, &["commit", "--quiet", "-m", "Begin"]);
        let base = git(&checkout, &["rev-parse", "HEAD"]);
        Self {
            folder: folder.to_owned(),
            base,
        }
    }

    /// What a toy run is given.
    pub fn brief(&self, model: ModelId, drafts: u32) -> ToyBrief {
        ToyBrief {
            git: git_program(),
            repository: self.folder.join("checkout/.git"),
            folder: self.folder.join("worktree"),
            base: self.base.clone(),
            letters: self.letters(),
            model,
            drafts,
            at_once: true,
        }
    }

    /// The file that gets one line.
    pub fn letters(&self) -> PathBuf {
        self.folder.join("letters.txt")
    }

    /// The checkout that no run may touch.
    pub fn checkout(&self) -> PathBuf {
        self.folder.join("checkout")
    }

    /// What the branch's commits say: `tree subject`, newest first.
    pub fn log(&self, branch: &str) -> String {
        git(&self.checkout(), &["log", "--format=%T %s", branch])
    }

    /// How the checkout differs from its commit, and where its branch stands: nothing of it moves.
    pub fn checkout_state(&self) -> String {
        let status = git(&self.checkout(), &["status", "--porcelain"]);
        let main = git(&self.checkout(), &["rev-parse", "main"]);
        format!("{status}{main}")
    }
}

/// Runs git as a test's own tool and returns its trimmed output.
#[expect(
    clippy::disallowed_methods,
    reason = "tests make and look at repositories themselves"
)]
pub fn git(folder: &Path, args: &[&str]) -> String {
    let output = Command::new(git_program())
        .args(["-c", "user.name=Test", "-c", "user.email=test@localhost"])
        .args([
            "-c",
            "commit.gpgSign=false",
            "-c",
            "init.defaultBranch=main",
        ])
        .args(args)
        .current_dir(folder)
        .env_clear()
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_AUTHOR_DATE", "2026-11-01T00:00:00Z")
        .env("GIT_COMMITTER_DATE", "2026-11-01T00:00:00Z")
        .env("HOME", folder)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "git {args:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// The git program of this machine.
#[expect(
    clippy::disallowed_methods,
    reason = "tests look at the machine they run on"
)]
pub fn git_program() -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .map(|dir| dir.join("git"))
        .find(|file| file.is_file())
        .unwrap()
}
