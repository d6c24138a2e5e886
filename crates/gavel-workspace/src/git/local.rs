//! A bare repository on this machine as a remote: git starts programs there, so both ends of the
//! conversation run inside the sandbox, with hooks off.
//!
//! Settings that stand before a command (`-c`) do not reach the other end of a local transport: git
//! takes them out of its environment. So the other end is named by a command line of ours
//! (`--receive-pack`, `--upload-pack`), and both ends are children of one sandboxed git, which may
//! write that repository and nothing else, and has no network.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

use tokio_util::sync::CancellationToken;

use super::call::{Answer, Call, Git, GitError, Plumbing, Protocol};
use crate::command::{Argv, CommandError, CommandSpec, Commands};
use crate::sandbox::{Policy, Walls};

/// Folders of the kernel: what lies there changes with who looks.
const SYSTEM: [&str; 3] = ["/proc", "/dev", "/sys"];

/// Alternates of alternates: git itself stops at five.
const MAX_ALTERNATES: usize = 5;

/// Beats whatever the config of the other repository says. Nothing of these executes.
const OTHER_END: &[&str] = &[
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.alternateRefsCommand=:",
    "core.sshCommand=false",
    "core.gitProxy=false",
    "core.askPass=",
    "credential.helper=",
    "gpg.program=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "receive.autogc=false",
    "receive.updateServerInfo=false",
    "receive.denyCurrentBranch=refuse",
    "receive.denyDeletes=true",
    "receive.denyNonFastForwards=true",
    "uploadpack.packObjectsHook=",
    "protocol.allow=never",
    // The person named this very repository, whoever owns its files.
    "safe.directory=*",
];

/// A bare repository on this machine, by its real path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalRemote(PathBuf);

/// Why a path is no remote.
#[derive(Debug, thiserror::Error)]
pub enum LocalRemoteError {
    /// It lies where nothing is ever pushed.
    #[error("{} lies in {}, where nothing is ever pushed", .path.display(), .closed.display())]
    Closed {
        /// The path.
        path: PathBuf,
        /// The closed folder.
        closed: PathBuf,
    },
    /// It has `..` in it or is relative: name the folder itself.
    #[error("{} is not an absolute path without `..`", .path.display())]
    NotPlain {
        /// The path.
        path: PathBuf,
    },
    /// There is no bare repository.
    #[error("{} is no bare repository", .path.display())]
    NotBare {
        /// The path.
        path: PathBuf,
    },
    /// It cannot be looked at.
    #[error("{} cannot be looked at", .path.display())]
    Io {
        /// The path.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
}

impl LocalRemote {
    /// Finds the real path, and refuses what lies in, or around, a folder of the kernel or a closed
    /// one: what travels with a checkout or a run is never pushed to.
    pub fn open(path: &Path, closed: &[PathBuf]) -> Result<Self, LocalRemoteError> {
        let io = |source| LocalRemoteError::Io {
            path: path.to_owned(),
            source,
        };
        let plain = |part| matches!(part, Component::RootDir | Component::Normal(_));
        if !path.is_absolute() || !path.components().all(plain) {
            return Err(LocalRemoteError::NotPlain { path: path.into() });
        }
        let refuse = |closed: &Path| LocalRemoteError::Closed {
            path: path.to_owned(),
            closed: closed.to_owned(),
        };
        let kernel = |path: &Path| SYSTEM.iter().find(|folder| path.starts_with(folder));
        if let Some(folder) = kernel(path) {
            return Err(refuse(Path::new(folder)));
        }
        let real = path.canonicalize().map_err(io)?;
        if let Some(folder) = kernel(&real) {
            return Err(refuse(Path::new(folder)));
        }
        for folder in closed {
            let folder = folder
                .canonicalize()
                .unwrap_or_else(|_error| folder.clone());
            if real.starts_with(&folder) || folder.starts_with(&real) {
                return Err(refuse(&folder));
            }
        }
        let is_bare = real.join("HEAD").is_file()
            && real.join("objects").is_dir()
            && real.join("refs").is_dir()
            && real.join(".git").symlink_metadata().is_err();
        if !is_bare {
            return Err(LocalRemoteError::NotBare { path: path.into() });
        }
        Ok(Self(real))
    }

    /// The real path.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

/// Why git could not talk to a repository on this machine.
#[derive(Debug, thiserror::Error)]
pub enum LocalTransportError {
    /// Nothing here can confine the other end.
    #[error("commands cannot be confined on this machine, so no path is pushed to ({})", because.join("; "))]
    NoSandbox {
        /// Why not.
        because: Vec<String>,
    },
    /// A path cannot be handed to a command.
    #[error("{} is not UTF-8", .path.display())]
    NotUtf8 {
        /// The path.
        path: PathBuf,
    },
    /// The sandbox did not do it.
    #[error("the sandbox around git failed")]
    Sandbox(#[from] CommandError),
    /// Git did not do it.
    #[error(transparent)]
    Git(#[from] GitError),
}

/// Git and the repository on this machine that it talks to.
#[derive(Debug)]
pub(super) struct LocalTransport<'a> {
    /// The git that talks; its git dir and objects are read.
    pub(super) git: &'a Git,
    pub(super) remote: &'a LocalRemote,
    pub(super) commands: &'a Commands,
    /// A folder of ours, for the lock and for temporary files.
    pub(super) home: &'a Path,
}

impl LocalTransport<'_> {
    /// Makes one call with the remote as its address; `refs` stand after it.
    pub(super) async fn run(
        &self,
        call: Call<'_>,
        refs: &[String],
    ) -> Result<Answer, LocalTransportError> {
        let confinement = self.commands.confinement();
        if confinement.walls == Walls::Absent {
            return Err(LocalTransportError::NoSandbox {
                because: confinement.because.clone(),
            });
        }
        let scratch = self.scratch()?;
        let program = if call.command == Plumbing::Push {
            "receive-pack"
        } else {
            "upload-pack"
        };
        let accepted = call.accepted;
        let name = call.command.name();
        let call = call
            .over(Protocol::File)
            .arg(format!("--{program}={}", self.other_end(program)?))
            .arg("--")
            .arg(self.remote.path())
            .args(refs);
        let git = self.git.for_tree(&scratch, &scratch.join("index"));
        let mut argv = vec![text(&git.program)?];
        for argument in git.arguments(&call) {
            argv.push(text(Path::new(&argument))?);
        }
        let mut env = BTreeMap::new();
        for (variable, value) in git.environment(&call) {
            env.insert(variable, text(Path::new(&value))?);
        }
        let policy = Policy::of_local_transport(env, self.read(), self.remote.path(), &scratch);
        let spec = CommandSpec {
            argv: Argv::new(argv).map_err(|error| CommandError::NotStarted {
                program: "git".to_owned(),
                detail: error.to_string(),
            })?,
            policy,
            lock: self.home.join("push.lock"),
            cancel: CancellationToken::new(),
        };
        let limit = spec.policy.limits.kept_output;
        let outcome = self.commands.run(&spec).await?;
        let said = outcome.output.text;
        match outcome.exit.code() {
            _ if outcome.output.cut_bytes > 0 => Err(GitError::TooMuchOutput {
                command: name,
                limit,
            }
            .into()),
            Some(code) if accepted.contains(&code) => Ok(Answer {
                command: name,
                code,
                stdout: said.into_bytes(),
                cut: false,
            }),
            code => Err(GitError::Failed {
                command: name,
                code,
                said: said.trim().replace('\n', "; "),
            }
            .into()),
        }
    }

    fn scratch(&self) -> Result<PathBuf, GitError> {
        let path = self.home.join("push");
        let made = fs::create_dir_all(&path).and_then(|()| path.canonicalize());
        made.map_err(|source| GitError::Io { path, source })
    }

    /// The command line of the other end, for the shell through which git starts it.
    fn other_end(&self, program: &str) -> Result<String, LocalTransportError> {
        let git = text(&self.git.program)?;
        let mut line = format!("'{}'", git.replace('\'', "'\\''"));
        for setting in OTHER_END {
            line.push_str(" -c '");
            line.push_str(setting);
            line.push('\'');
        }
        line.push(' ');
        line.push_str(program);
        Ok(line)
    }

    /// What git reads besides the system: its private git dir, the objects of both sides.
    fn read(&self) -> Vec<PathBuf> {
        let mut folders = vec![self.git.git_dir.clone()];
        // The list of cut-off commits is a link into the repository.
        folders.extend(fs::read_link(self.git.git_dir.join("shallow")));
        if let Some((objects, _)) = &self.git.objects {
            add_objects(objects, &mut folders, 0);
        }
        let theirs = self.remote.path().join("objects");
        for alternate in alternates(&theirs) {
            add_objects(&alternate, &mut folders, 1);
        }
        folders
    }
}

fn add_objects(objects: &Path, folders: &mut Vec<PathBuf>, depth: usize) {
    if depth > MAX_ALTERNATES || !objects.is_dir() || folders.iter().any(|known| known == objects) {
        return;
    }
    folders.push(objects.to_owned());
    for alternate in alternates(objects) {
        add_objects(&alternate, folders, depth + 1);
    }
}

/// The object folders that an object folder borrows from. The list may be a stranger's, and what it
/// names is shown to git: nothing but the objects of a repository.
fn alternates(objects: &Path) -> Vec<PathBuf> {
    let text = fs::read_to_string(objects.join("info/alternates")).unwrap_or_default();
    let lines = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    let real = lines.filter_map(|line| objects.join(line).canonicalize().ok());
    let of_repository = |folder: &PathBuf| {
        let above = folder.parent().filter(|_| folder.ends_with("objects"));
        above.is_some_and(|above| above.join("HEAD").is_file() && above.join("refs").is_dir())
    };
    real.filter(of_repository).collect()
}

fn text(path: &Path) -> Result<String, LocalTransportError> {
    let text = path.to_str().map(str::to_owned);
    text.ok_or_else(|| LocalTransportError::NotUtf8 { path: path.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_objects_of_repositories_are_borrowed_from() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        for folder in [
            "a/objects/info",
            "a/refs",
            "b/objects",
            "b/refs",
            "c/objects",
        ] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        fs::write(root.join("b/HEAD"), "ref: refs/heads/main\n").unwrap();
        let list = format!(
            "# theirs\n/\n/etc\n../../b/objects\n{}\n/none\n",
            root.join("c/objects").display()
        );
        fs::write(root.join("a/objects/info/alternates"), list).unwrap();
        assert_eq!(
            alternates(&root.join("a/objects")),
            [root.join("b/objects")]
        );
        assert!(alternates(&root.join("b/objects")).is_empty());
    }
}
