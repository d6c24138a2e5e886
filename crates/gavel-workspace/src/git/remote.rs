//! Addresses of remotes: which can be pushed to, how they compare, and how they are shown.

use std::fmt;
use std::path::{Path, PathBuf};

use super::call::Protocol;

/// Longer addresses are nobody's: people read them before they agree.
const MAX_BYTES: usize = 1024;

/// Where a branch can be pushed to.
///
/// `https`, `http`, `ssh`, `user@host:path` and absolute local paths only: no helper (`ext::…`)
/// that executes something, no option, no name of a remote whose config would be read. A password
/// in it is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct RemoteUrl {
    text: String,
    form: Form,
}

/// How an address is spelled.
#[derive(Clone, PartialEq, Eq)]
enum Form {
    /// `scheme://…`; the address without user and password, and whether there were any.
    Url {
        protocol: Protocol,
        address: String,
        has_user: bool,
    },
    /// `user@host:path`.
    ShortSsh,
    /// A path on this machine.
    Path(PathBuf),
}

/// Why a text is no place to push to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RemoteError {
    /// It would be read as an option, or is split by control characters or blanks.
    #[error("the remote's address is empty or very long, begins with `-`, or contains blanks")]
    Malformed,
    /// It names a helper program, a protocol that is not allowed, or a host that is none.
    #[error("only https, http, ssh and absolute paths are allowed for a remote")]
    Protocol,
}

impl RemoteUrl {
    /// Parses an address.
    pub fn new(text: &str) -> Result<Self, RemoteError> {
        let odd = |c: char| c.is_control() || c.is_whitespace() || c == '\\';
        let fits = !text.is_empty() && text.len() <= MAX_BYTES;
        if !fits || text.starts_with('-') || text.contains(odd) {
            return Err(RemoteError::Malformed);
        }
        // `name::address` starts the program git-remote-name.
        if text.contains("::") {
            return Err(RemoteError::Protocol);
        }
        let form = match text.split_once("://") {
            Some(("https", rest)) => url(Protocol::Https, rest),
            Some(("http", rest)) => url(Protocol::Http, rest),
            Some(("ssh", rest)) => url(Protocol::Ssh, rest),
            // Git would decode it first: nobody spells a path that way but to hide it.
            Some(("file", rest)) if rest.starts_with('/') && !rest.contains('%') => {
                Some(Form::Path(rest.into()))
            }
            Some(_) => None,
            None if text.starts_with('/') => Some(Form::Path(text.into())),
            None => is_short_ssh(text).then_some(Form::ShortSsh),
        };
        let form = form.ok_or(RemoteError::Protocol)?;
        // Letters that look like others would show another address than the one that is used.
        if !text.is_ascii() && !matches!(form, Form::Path(_)) {
            return Err(RemoteError::Malformed);
        }
        let text = text.to_owned();
        Ok(Self { text, form })
    }

    /// The address without user and password: what a person agrees to.
    pub fn address(&self) -> &str {
        match &self.form {
            Form::Url { address, .. } => address,
            Form::ShortSsh | Form::Path(_) => &self.text,
        }
    }

    /// The path, where it is one on this machine; as it was spelled.
    pub fn local_path(&self) -> Option<&Path> {
        match &self.form {
            Form::Path(path) => Some(path),
            Form::Url { .. } | Form::ShortSsh => None,
        }
    }

    /// The whole address, for git alone, and the way to it; `None` for a path.
    pub(super) fn over_network(&self) -> Option<(&str, Protocol)> {
        match &self.form {
            Form::Url { protocol, .. } => Some((&self.text, *protocol)),
            Form::ShortSsh => Some((&self.text, Protocol::Ssh)),
            Form::Path(_) => None,
        }
    }
}

/// Takes an address apart at its one `@` before the first `/`. Whatever two programs could read as two
/// different hosts is refused: what is shown is where it goes.
fn url(protocol: Protocol, rest: &str) -> Option<Form> {
    let (authority, path) = rest.split_once('/')?;
    let (user, host) = match authority.split_once('@') {
        Some((user, host)) => (Some(user), host),
        None => (None, authority),
    };
    // Git decodes the whole of an ssh address before it looks for the host.
    let fits = |user: &str| {
        !user.starts_with('-')
            && !user.contains(['?', '#'])
            && (protocol != Protocol::Ssh || !user.contains('%'))
    };
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if !name.ends_with(':') => (name, port),
        Some(_) | None => (host, "0"),
    };
    let is_port = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    if !is_host(name) || !is_port || user.is_some_and(|user| !fits(user)) {
        return None;
    }
    // Whose account it is decides where a path leads over ssh.
    let account = user.filter(|_| protocol == Protocol::Ssh);
    let account = account.and_then(|user| user.split(':').next());
    let account = account.map(|name| format!("{name}@")).unwrap_or_default();
    Some(Form::Url {
        protocol,
        address: format!("{}://{account}{host}/{path}", protocol.name()),
        has_user: user.is_some(),
    })
}

/// `user@host:path`.
fn is_short_ssh(text: &str) -> bool {
    let Some((host, path)) = text.split_once(':') else {
        return false;
    };
    let (user, name) = host.split_once('@').unwrap_or(("git", host));
    !path.is_empty() && !path.starts_with('-') && is_host(name) && is_host(user)
}

/// Letters that mean the same to everybody who reads a name.
fn is_host(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    !name.is_empty() && !name.starts_with('-') && name.chars().all(plain)
}

impl fmt::Display for RemoteUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.form {
            Form::Url {
                address,
                has_user: true,
                ..
            } => {
                let (scheme, rest) = address.split_once("://").unwrap_or(("", address));
                write!(f, "{scheme}://***@{rest}")
            }
            Form::Url { address, .. } => f.write_str(address),
            Form::ShortSsh | Form::Path(_) => f.write_str(&self.text),
        }
    }
}

impl fmt::Debug for RemoteUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
