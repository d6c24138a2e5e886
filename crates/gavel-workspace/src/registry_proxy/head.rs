//! Reads the head of a request to a proxy.

use std::io;

use gavel_rules::Destination;
use tokio::io::{AsyncRead, AsyncReadExt};

/// No honest head is longer.
const LONGEST: usize = 32 * 1024;

/// A request as the proxy understands it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Request {
    /// A tunnel, for HTTPS.
    Tunnel {
        /// Where to.
        to: Destination,
        /// What came after the head already.
        rest: Vec<u8>,
    },
    /// A plain request, to be passed on.
    Plain {
        /// Where to.
        to: Destination,
        /// True for `GET` and `HEAD`.
        is_fetch: bool,
        /// The head as the host gets it when it is asked itself.
        direct: Vec<u8>,
        /// The head as another proxy gets it.
        forwarded: Vec<u8>,
        /// What came after the head already.
        rest: Vec<u8>,
    },
    /// Nothing that this proxy does.
    Unfit,
}

/// Reads one head; `Unfit` when it is none or too long.
pub(super) async fn read(client: &mut (impl AsyncRead + Unpin)) -> io::Result<Request> {
    let mut bytes = Vec::new();
    loop {
        if let Some(end) = find_end(&bytes) {
            let rest = bytes.split_off(end);
            return Ok(parse(&bytes, rest).unwrap_or(Request::Unfit));
        }
        if bytes.len() > LONGEST || client.read_buf(&mut bytes).await? == 0 {
            return Ok(Request::Unfit);
        }
    }
}

fn find_end(bytes: &[u8]) -> Option<usize> {
    let at = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
    Some(at + 4)
}

fn parse(head: &[u8], rest: Vec<u8>) -> Option<Request> {
    let text = std::str::from_utf8(head).ok()?;
    let (first, headers) = text.split_once("\r\n")?;
    let mut words = first.split(' ');
    let (method, target, version) = (words.next()?, words.next()?, words.next()?);
    if words.next().is_some() || !matches!(version, "HTTP/1.1" | "HTTP/1.0") {
        return None;
    }
    if method == "CONNECT" {
        // A tunnel must name its port.
        target.rsplit_once(':')?;
        let to = Destination::parse(target, 443)?;
        return Some(Request::Tunnel { to, rest });
    }
    let to = Destination::of_url(target).filter(|_| target.starts_with("http://"))?;
    let after_scheme = target.strip_prefix("http://")?;
    let path = after_scheme
        .find(['/', '?'])
        .and_then(|at| after_scheme.get(at..))
        .unwrap_or("/");
    let slash = if path.starts_with('/') { "" } else { "/" };
    let kept = kept_headers(headers)?;
    let host = to.to_string();
    let write = |target: String| {
        let head = format!(
            "{method} {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{kept}\r\n"
        );
        head.into_bytes()
    };
    Some(Request::Plain {
        is_fetch: matches!(method, "GET" | "HEAD"),
        direct: write(format!("{slash}{path}")),
        forwarded: write(format!("http://{host}{slash}{path}")),
        to,
        rest,
    })
}

/// The headers that go on: not those about this connection, and not the host, which the target names.
fn kept_headers(headers: &str) -> Option<String> {
    const OURS: [&str; 7] = [
        "host",
        "connection",
        "proxy-connection",
        "proxy-authorization",
        "keep-alive",
        "te",
        "upgrade",
    ];
    let mut kept = String::new();
    for line in headers.split("\r\n").filter(|line| !line.is_empty()) {
        let (name, _) = line.split_once(':')?;
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
        if name.is_empty() || !name.chars().all(plain) || line.contains(['\r', '\n', '\0']) {
            return None;
        }
        if !OURS.contains(&name.to_ascii_lowercase().as_str()) {
            kept.push_str(line);
            kept.push_str("\r\n");
        }
    }
    Some(kept)
}

#[cfg(test)]
#[path = "head_tests.rs"]
mod tests;
