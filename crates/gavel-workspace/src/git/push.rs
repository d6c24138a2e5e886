//! Publishing a build branch: that branch only, never by force, never a default branch.

use std::fmt;

use super::branch::{BranchError, BuildBranch, is_default};
use super::call::{Answer, Call, GitError, Plumbing};
use super::local::{LocalRemote, LocalTransport, LocalTransportError};
use super::object_id::CommitId;
use super::remote::RemoteUrl;
use super::worktree::WorkTree;
use crate::command::Commands;

/// Where a branch goes.
#[derive(Debug, Clone)]
pub enum Remote {
    /// To a server. A path on this machine is refused here.
    Network(RemoteUrl),
    /// To a bare repository on this machine; git talks to it inside the walls of these commands.
    Local {
        /// The repository.
        repository: LocalRemote,
        /// What confines both ends.
        commands: Commands,
    },
}

impl fmt::Display for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Network(url) => url.fmt(f),
            Self::Local { repository, .. } => repository.path().display().fmt(f),
        }
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
        remote: String,
    },
    /// The remote does not say what its default branch is; so nothing is pushed.
    #[error("{remote} does not say which branch is its default: set its HEAD first")]
    UnknownDefault {
        /// The remote.
        remote: String,
    },
    /// The remote has other commits on the branch.
    #[error("{remote} has other commits on {branch}, and nothing is pushed by force")]
    Rejected {
        /// The remote.
        remote: String,
        /// The branch.
        branch: String,
    },
    /// The remote has its own reasons.
    #[error("{remote} does not take {branch} {why}")]
    RefusedThere {
        /// The remote.
        remote: String,
        /// The branch.
        branch: String,
        /// What it said, in brackets.
        why: String,
    },
    /// A path on this machine is pushed to as a repository of this machine, or not at all.
    #[error("{remote} is a path on this machine, not a server")]
    NotAServer {
        /// The path.
        remote: String,
    },
    /// Git could not talk to a repository on this machine.
    #[error("git could not reach {remote}")]
    Local {
        /// The repository.
        remote: String,
        /// What stood in the way.
        #[source]
        source: LocalTransportError,
    },
    /// Git did not do it.
    #[error("git could not reach {remote}")]
    Git {
        /// The remote.
        remote: String,
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
        remote: &Remote,
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
        let shown = remote.to_string();
        match &state.default {
            Some(default) if default.eq_ignore_ascii_case(&branch.full_name()) => {
                return Err(is_default(branch, &format!("HEAD of {remote}")).into());
            }
            Some(_) => {}
            None if state.branches == 0 => return Err(PushError::EmptyRemote { remote: shown }),
            None => return Err(PushError::UnknownDefault { remote: shown }),
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
            ])
            .accept(&[0, 1]);
        let refs = [format!("{commit}:{}", branch.full_name())];
        let answer = self.talk(remote, call, &refs).await?;
        if answer.code == 0 {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&answer.stdout);
        let branch = branch.to_string();
        Err(match said.split_once("[remote rejected]") {
            Some((_, why)) => PushError::RefusedThere {
                remote: shown,
                branch,
                why: why.lines().next().unwrap_or_default().trim().to_owned(),
            },
            None => PushError::Rejected {
                remote: shown,
                branch,
            },
        })
    }

    /// The commit that a remote has on a build branch: what a resumed push looks for.
    pub async fn pushed(
        &self,
        branch: &BuildBranch,
        remote: &Remote,
    ) -> Result<Option<CommitId>, PushError> {
        Ok(self.remote_state(branch, remote).await?.tip)
    }

    async fn remote_state(
        &self,
        branch: &BuildBranch,
        remote: &Remote,
    ) -> Result<RemoteState, PushError> {
        let call = Call::new(Plumbing::LsRemote).args(["--quiet", "--symref"]);
        let refs = ["HEAD", "refs/heads/*"].map(str::to_owned);
        let answer = self.talk(remote, call, &refs).await?;
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

    /// The one way to talk to a remote: the address as it is, over its own protocol and no other, with
    /// the private config, so that nothing in the repository says where it goes or what it starts.
    async fn talk(
        &self,
        remote: &Remote,
        call: Call<'_>,
        refs: &[String],
    ) -> Result<Answer, PushError> {
        match remote {
            Remote::Network(url) => {
                let Some((address, protocol)) = url.over_network() else {
                    let remote = remote.to_string();
                    return Err(PushError::NotAServer { remote });
                };
                let call = call.over(protocol).arg("--").arg(address).args(refs);
                let answer = self.inside.run(call).await;
                answer.map_err(|source| failed(remote, source))
            }
            Remote::Local {
                repository,
                commands,
            } => {
                let transport = LocalTransport {
                    git: &self.inside,
                    remote: repository,
                    commands,
                    home: self.private.home(),
                };
                let answer = transport.run(call, refs).await;
                answer.map_err(|source| PushError::Local {
                    remote: remote.to_string(),
                    source,
                })
            }
        }
    }
}

fn failed(remote: &Remote, source: GitError) -> PushError {
    PushError::Git {
        remote: remote.to_string(),
        source,
    }
}
