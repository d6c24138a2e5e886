//! Publishing a build branch: that branch only, never by force, never a default branch.

use std::fmt;

use super::branch::{BranchError, BuildBranch, is_default};
use super::call::{Call, GitError, Plumbing};
use super::object_id::CommitId;
use super::worktree::WorkTree;

/// Where a branch can be pushed to.
///
/// `https`, `http`, `ssh`, `user@host:path` and absolute local paths only: no helper (`ext::…`)
/// that executes something, no option, no name of a remote whose config would be read. A password
/// in it is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct RemoteUrl(String);

/// Why a text is no place to push to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RemoteError {
    /// It would be read as an option, or is split by control characters or blanks.
    #[error("the remote's address is empty, begins with `-`, or contains blanks")]
    Malformed,
    /// It names a helper program or a protocol that is not allowed.
    #[error("only https, http, ssh and absolute paths are allowed for a remote")]
    Protocol,
}

impl RemoteUrl {
    /// Parses an address.
    pub fn new(text: &str) -> Result<Self, RemoteError> {
        let odd = |c: char| c.is_control() || c.is_whitespace();
        if text.is_empty() || text.starts_with('-') || text.contains(odd) {
            return Err(RemoteError::Malformed);
        }
        // `name::address` starts the program git-remote-name.
        if text.contains("::") {
            return Err(RemoteError::Protocol);
        }
        let allowed = match text.split_once("://") {
            Some((scheme @ ("https" | "http" | "ssh"), rest)) => {
                let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
                !scheme.is_empty() && !host.is_empty() && !host.starts_with(['-', '/'])
            }
            Some(("file", rest)) => rest.starts_with('/'),
            Some(_) => false,
            None => text.starts_with('/') || is_short_ssh(text),
        };
        if allowed {
            Ok(Self(text.to_owned()))
        } else {
            Err(RemoteError::Protocol)
        }
    }
}

/// `user@host:path`.
fn is_short_ssh(text: &str) -> bool {
    let Some((host, path)) = text.split_once(':') else {
        return false;
    };
    let name = host.rsplit_once('@').map_or(host, |(_, name)| name);
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    !path.is_empty()
        && !path.starts_with('-')
        && !name.is_empty()
        && !name.starts_with('-')
        && name.chars().all(plain)
        && !host.contains('/')
}

impl fmt::Display for RemoteUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0.split_once("://"), self.0.rsplit_once('@')) {
            (Some((scheme, _)), Some((_, rest))) => write!(f, "{scheme}://***@{rest}"),
            _ => f.write_str(&self.0),
        }
    }
}

impl fmt::Debug for RemoteUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Why a branch was not pushed.
#[derive(Debug, thiserror::Error)]
pub enum PushError {
    /// The branch may not be written.
    #[error("the branch may not be pushed")]
    Branch(#[from] BranchError),
    /// The branch here is not at the commit that was to be pushed.
    #[error("the branch {branch} is not at {commit}: somebody else moved it")]
    Moved {
        /// The branch.
        branch: String,
        /// What was to be pushed.
        commit: CommitId,
    },
    /// The first branch of an empty remote becomes its default branch.
    #[error("{remote} has no branch yet: push its default branch yourself first")]
    EmptyRemote {
        /// The remote.
        remote: RemoteUrl,
    },
    /// The remote does not say what its default branch is; so nothing is pushed.
    #[error("{remote} does not say which branch is its default: set its HEAD first")]
    UnknownDefault {
        /// The remote.
        remote: RemoteUrl,
    },
    /// The remote has other commits on the branch.
    #[error("{remote} has other commits on {branch}, and nothing is pushed by force")]
    Rejected {
        /// The remote.
        remote: RemoteUrl,
        /// The branch.
        branch: String,
    },
    /// Git did not do it.
    #[error("git could not reach {remote}")]
    Git {
        /// The remote.
        remote: RemoteUrl,
        /// What git said.
        #[source]
        source: GitError,
    },
}

/// What a remote says about itself.
#[derive(Debug, Default)]
struct RemoteState {
    default: Option<String>,
    branches: usize,
    tip: Option<CommitId>,
}

impl WorkTree {
    /// Pushes a commit as a build branch; pushing it again changes nothing.
    pub async fn push(
        &self,
        branch: &BuildBranch,
        commit: &CommitId,
        remote: &RemoteUrl,
    ) -> Result<(), PushError> {
        self.refuse_protected(branch).await?;
        let tip = self
            .tip(branch)
            .await
            .map_err(|source| failed(remote, source))?;
        if tip.as_ref() != Some(commit) {
            let (branch, commit) = (branch.to_string(), commit.clone());
            return Err(PushError::Moved { branch, commit });
        }
        let state = self.remote_state(branch, remote).await?;
        match &state.default {
            Some(default) if default.eq_ignore_ascii_case(&branch.full_name()) => {
                return Err(is_default(branch, &format!("HEAD of {remote}")).into());
            }
            Some(_) => {}
            None if state.branches == 0 => {
                return Err(PushError::EmptyRemote {
                    remote: remote.clone(),
                });
            }
            None => {
                return Err(PushError::UnknownDefault {
                    remote: remote.clone(),
                });
            }
        }
        if state.tip.as_ref() == Some(commit) {
            return Ok(());
        }
        let call = Call::new(Plumbing::Push)
            .args([
                "--porcelain",
                "--no-verify",
                "--no-follow-tags",
                "--no-signed",
            ])
            .args([
                "--no-force-with-lease",
                "--no-mirror",
                "--no-recurse-submodules",
                "--",
            ])
            .arg(&remote.0)
            .arg(format!("{commit}:{}", branch.full_name()))
            .accept(&[0, 1]);
        let answer = self
            .inside
            .run(call)
            .await
            .map_err(|source| failed(remote, source))?;
        if answer.code == 0 {
            return Ok(());
        }
        Err(PushError::Rejected {
            remote: remote.clone(),
            branch: branch.to_string(),
        })
    }

    /// The commit that a remote has on a build branch: what a resumed push looks for.
    pub async fn pushed(
        &self,
        branch: &BuildBranch,
        remote: &RemoteUrl,
    ) -> Result<Option<CommitId>, PushError> {
        Ok(self.remote_state(branch, remote).await?.tip)
    }

    async fn remote_state(
        &self,
        branch: &BuildBranch,
        remote: &RemoteUrl,
    ) -> Result<RemoteState, PushError> {
        let call = Call::new(Plumbing::LsRemote).args([
            "--quiet",
            "--symref",
            "--",
            &remote.0,
            "HEAD",
            "refs/heads/*",
        ]);
        let answer = self
            .inside
            .run(call)
            .await
            .map_err(|source| failed(remote, source))?;
        let mut state = RemoteState::default();
        for line in String::from_utf8_lossy(&answer.stdout).lines() {
            let Some((value, name)) = line.split_once('\t') else {
                return Err(failed(remote, answer.garbled()));
            };
            if name == "HEAD" {
                if let Some(target) = value.strip_prefix("ref: ") {
                    state.default = Some(target.to_owned());
                }
            } else {
                state.branches += 1;
                if name == branch.full_name() {
                    state.tip = value.parse().ok();
                }
            }
        }
        Ok(state)
    }
}

fn failed(remote: &RemoteUrl, source: GitError) -> PushError {
    PushError::Git {
        remote: remote.clone(),
        source,
    }
}
