//! The one function that starts git.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, Signal};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, Command};

use super::call::{Answer, Call, Git, GitError, Input, Overflow};

const MAX_SAID: usize = 4096;
const GRACE: Duration = Duration::from_secs(2);

/// Stands before every command, and beats what a repository's own config says.
///
/// The private git dir makes most of these needless; refs are read and written in the repository's
/// own git dir, and there they count.
const SETTINGS: &[&str] = &[
    // Nothing of these executes.
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.sshCommand=ssh -oBatchMode=yes",
    "core.gitProxy=none",
    "core.askPass=",
    "core.pager=cat",
    "core.editor=false",
    "credential.helper=",
    "diff.external=",
    "gpg.program=false",
    "gpg.ssh.program=false",
    "gpg.x509.program=false",
    "commit.gpgSign=false",
    "tag.gpgSign=false",
    "push.gpgSign=false",
    "log.showSignature=false",
    "protocol.allow=never",
    "protocol.ext.allow=never",
    // What goes over the wire goes to the address that was agreed to, and to nobody between.
    "http.proxy=",
    "http.sslVerify=true",
    "http.followRedirects=false",
    "core.alternateRefsCommand=:",
    "submodule.recurse=false",
    "push.recurseSubmodules=no",
    "fetch.recurseSubmodules=no",
    "diff.ignoreSubmodules=all",
    "gc.auto=0",
    "maintenance.auto=false",
    // A tree is its bytes, on every machine.
    "core.attributesFile=/dev/null",
    "core.excludesFile=/dev/null",
    "core.autocrlf=false",
    "core.eol=lf",
    "core.safecrlf=false",
    "core.fileMode=true",
    "core.symlinks=true",
    "core.ignoreCase=false",
    "core.precomposeUnicode=false",
    "core.protectHFS=true",
    "core.protectNTFS=true",
    "core.sparseCheckout=false",
    "core.splitIndex=false",
    "core.untrackedCache=false",
    "core.quotePath=false",
    "i18n.commitEncoding=UTF-8",
    "i18n.logOutputEncoding=UTF-8",
    "push.followTags=false",
    "push.default=nothing",
    // Two comparisons run side by side already; the index can be made anew at any time.
    "core.preloadIndex=false",
    "index.skipHash=true",
    // Many files are written by as many helpers as there are cores.
    "checkout.workers=0",
    "checkout.thresholdForParallelism=1000",
    // An object that a fact names is on the disk before the fact is: everything is written out,
    // and one call at the end flushes (`Call::flushed`).
    "core.fsync=objects,reference",
];

/// What every call finds in its environment; nothing of ours is inherited.
const ENVIRONMENT: &[(&str, &str)] = &[
    ("PATH", "/usr/local/bin:/usr/bin:/bin"),
    ("HOME", "/nonexistent"),
    ("XDG_CONFIG_HOME", "/nonexistent"),
    ("LC_ALL", "C"),
    ("TZ", "UTC"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_SYSTEM", "/dev/null"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("SSH_ASKPASS_REQUIRE", "never"),
    ("GIT_SSH_COMMAND", "ssh -oBatchMode=yes"),
    ("GIT_PAGER", "cat"),
    ("GIT_EDITOR", "false"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_GRAFT_FILE", "/dev/null"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_PROTOCOL_FROM_USER", "0"),
    ("GIT_ADVICE", "0"),
];

impl Git {
    /// Runs one command: absolute places, our settings, an empty environment, a deadline, a cap.
    pub(super) async fn run(&self, call: Call<'_>) -> Result<Answer, GitError> {
        let command = call.command.name();
        let mut child = self.start(&call)?;
        let mut watch = Watch(
            child
                .id()
                .and_then(|id| Pid::from_raw(i32::try_from(id).ok()?)),
        );
        let ended = tokio::time::timeout(call.deadline, converse(&mut child, &call)).await;
        let Ok(ended) = ended else {
            watch.end(&mut child).await;
            return Err(GitError::TimedOut {
                command,
                after: call.deadline,
            });
        };
        let heard = ended.map_err(|source| self.broken(source))?;
        if heard.cut {
            watch.end(&mut child).await;
            return match call.overflow {
                Overflow::Fail => Err(GitError::TooMuchOutput {
                    command,
                    limit: call.max_output,
                }),
                Overflow::Cut => Ok(Answer {
                    command,
                    code: 0,
                    stdout: heard.stdout,
                    cut: true,
                }),
            };
        }
        let status = child.wait().await.map_err(|source| self.broken(source))?;
        watch.0 = None;
        match status.code() {
            Some(code) if call.accepted.contains(&code) => Ok(Answer {
                command,
                code,
                stdout: heard.stdout,
                cut: false,
            }),
            code => {
                let said = last_of(&heard.stderr);
                let path = self.fullest();
                // Of a reference that it could not write git does not say why.
                let unsaid = said.contains("couldn't write") && room(&path) == 0;
                Err(if unsaid || is_full(&said) {
                    GitError::NoSpace { command, path }
                } else {
                    GitError::Failed {
                        command,
                        code,
                        said,
                    }
                })
            }
        }
    }

    /// Of the folders that a call writes to, the one on the disk with the least room.
    fn fullest(&self) -> PathBuf {
        let objects = self.objects.as_ref().map(|(objects, _)| objects);
        let index = self.index.parent().map(Path::to_owned);
        let folders = [
            Some(&self.git_dir),
            objects,
            Some(&self.work_tree),
            index.as_ref(),
        ];
        let folders = folders.into_iter().flatten();
        let fullest = folders.min_by_key(|folder| room(folder));
        fullest.unwrap_or(&self.git_dir).clone()
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "this is the one place that starts git; everything else goes through Git::run"
    )]
    fn start(&self, call: &Call<'_>) -> Result<Child, GitError> {
        let mut git = Command::new(&self.program);
        git.env_clear().envs(self.environment(call));
        git.args(self.arguments(call));
        git.current_dir(&self.work_tree).process_group(0);
        git.stdin(match &call.input {
            Input::Nothing => Stdio::null(),
            Input::Bytes(_) => Stdio::piped(),
            Input::Turn(turn) => Stdio::from(turn.share()?),
        });
        git.stdout(Stdio::piped()).stderr(Stdio::piped());
        git.spawn().map_err(|source| GitError::NotStarted {
            program: self.program.clone(),
            source,
        })
    }

    /// All arguments of a call, our settings first.
    pub(super) fn arguments(&self, call: &Call<'_>) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = vec!["--no-pager".into(), "--literal-pathspecs".into()];
        for setting in SETTINGS.iter().chain([&call.durability.setting()]) {
            arguments.extend(["-c".into(), setting.into()]);
        }
        arguments.push(option("--git-dir=", &self.git_dir));
        arguments.push(option("--work-tree=", &self.work_tree));
        arguments.push(call.command.name().into());
        arguments.extend(call.args.iter().cloned());
        arguments
    }

    /// The whole environment of a call.
    pub(super) fn environment(&self, call: &Call<'_>) -> Vec<(String, OsString)> {
        let mut variables: Vec<(String, OsString)> = ENVIRONMENT
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.into()))
            .collect();
        let mut set = |name: &str, value: OsString| variables.push((name.to_owned(), value));
        set("GIT_ALLOW_PROTOCOL", call.protocol.name().into());
        set("GIT_INDEX_FILE", self.index.clone().into());
        if let Some((objects, format)) = &self.objects {
            set("GIT_OBJECT_DIRECTORY", objects.into());
            // No attributes from the tree: they are data of whoever wrote the files.
            set("GIT_ATTR_SOURCE", format.empty_tree().into());
        }
        let (name, email, date) = match &call.signature {
            Some((author, date)) => (author.name(), author.email(), date.as_str()),
            None => ("Gavel", "gavel@localhost", "@0 +0000"),
        };
        for (key, value) in [("NAME", name), ("EMAIL", email), ("DATE", date)] {
            set(&format!("GIT_AUTHOR_{key}"), value.into());
            set(&format!("GIT_COMMITTER_{key}"), value.into());
        }
        variables
    }

    fn broken(&self, source: std::io::Error) -> GitError {
        GitError::Io {
            path: self.program.clone(),
            source,
        }
    }
}

/// Ends git with a signal that lets it remove its lock files, also when the caller is dropped.
struct Watch(Option<Pid>);

impl Watch {
    async fn end(&mut self, child: &mut Child) {
        let Some(pid) = self.0.take() else { return };
        signal(pid, Signal::TERM);
        if tokio::time::timeout(GRACE, child.wait()).await.is_err() {
            signal(pid, Signal::KILL);
            if let Err(error) = child.wait().await {
                tracing::warn!(%error, "a killed git was not reaped");
            }
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if let Some(pid) = self.0 {
            signal(pid, Signal::TERM);
        }
    }
}

fn signal(group: Pid, signal: Signal) {
    if let Err(error) = rustix::process::kill_process_group(group, signal) {
        tracing::debug!(%error, "git had ended before it was signalled");
    }
}

struct Heard {
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    cut: bool,
}

async fn converse(child: &mut Child, call: &Call<'_>) -> std::io::Result<Heard> {
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let say = async {
        if let (Some(mut stdin), Input::Bytes(bytes)) = (stdin, &call.input) {
            match stdin.write_all(bytes).await {
                // It stopped reading: its exit code tells why.
                Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => {}
                other => other?,
            }
        }
        Ok::<_, std::io::Error>(())
    };
    // The pipe is closed at the cap: git then ends by itself, and so does its standard error.
    let hear = read_capped(stdout, call.max_output);
    let ((), (stdout, cut), stderr) = tokio::try_join!(say, hear, read_last(stderr))?;
    Ok(Heard {
        stdout,
        stderr,
        cut,
    })
}

async fn read_capped(
    source: Option<impl AsyncRead + Unpin>,
    limit: usize,
) -> std::io::Result<(Vec<u8>, bool)> {
    let mut bytes = Vec::new();
    if let Some(source) = source {
        let mut source = source.take(limit as u64 + 1);
        source.read_to_end(&mut bytes).await?;
    }
    let cut = bytes.len() > limit;
    bytes.truncate(limit);
    Ok((bytes, cut))
}

async fn read_last(source: Option<impl AsyncRead + Unpin>) -> std::io::Result<Vec<u8>> {
    let mut last = Vec::new();
    if let Some(mut source) = source {
        let mut chunk = [0; 1024];
        loop {
            let count = source.read(&mut chunk).await?;
            if count == 0 {
                break;
            }
            last.extend(chunk.iter().take(count));
            let surplus = last.len().saturating_sub(MAX_SAID);
            last.drain(..surplus);
        }
    }
    Ok(last)
}

/// How many bytes the disk under a folder has left.
fn room(folder: &Path) -> u64 {
    rustix::fs::statvfs(folder).map_or(u64::MAX, |disk| {
        // A disk may have bytes left and no more files.
        match disk.f_favail {
            0 if disk.f_files > 0 => 0,
            _ => disk.f_bavail.saturating_mul(disk.f_frsize),
        }
    })
}

/// As the system says it with `LC_ALL=C`, whichever part of git repeats it.
fn is_full(said: &str) -> bool {
    ["No space left on device", "Disk quota exceeded"]
        .iter()
        .any(|words| said.contains(words))
}

fn last_of(stderr: &[u8]) -> String {
    String::from_utf8_lossy(stderr).trim().replace('\n', "; ")
}

fn option(name: &str, path: &Path) -> OsString {
    let mut option = OsString::from(name);
    option.push(path);
    option
}
