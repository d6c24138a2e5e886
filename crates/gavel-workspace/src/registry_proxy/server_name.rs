//! Which host a tunnel is really for: the name that its TLS begins with.
//!
//! A request for a tunnel names one host, and the TLS in it may ask the same machine for another: large
//! machines serve the sites of many.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt};

/// No honest beginning is longer.
const LONGEST: usize = 32 * 1024;
const HANDSHAKE: u8 = 22;
const CLIENT_HELLO: u8 = 1;
const SERVER_NAME: u16 = 0;
const HOST_NAME: u8 = 0;

/// What a tunnel begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Beginning {
    /// TLS for this host; `None` when it names none.
    Tls(Option<String>),
    /// Something else.
    Plain,
    /// TLS that cannot be read.
    Unread,
}

/// Reads from a client until its tunnel's beginning is known; what was read is in `bytes`.
pub(super) async fn read(
    client: &mut (impl AsyncRead + Unpin),
    bytes: &mut Vec<u8>,
) -> io::Result<Beginning> {
    loop {
        match bytes.first() {
            Some(&HANDSHAKE) => {}
            Some(_) => return Ok(Beginning::Plain),
            None => {
                if client.read_buf(bytes).await? == 0 {
                    return Ok(Beginning::Plain);
                }
                continue;
            }
        }
        match hello(bytes) {
            Hello::Whole(message) => {
                return Ok(named(&message).map_or(Beginning::Unread, Beginning::Tls));
            }
            Hello::Broken => return Ok(Beginning::Unread),
            Hello::Part => {}
        }
        if bytes.len() > LONGEST || client.read_buf(bytes).await? == 0 {
            return Ok(Beginning::Unread);
        }
    }
}

enum Hello {
    /// The message, put together from its records.
    Whole(Vec<u8>),
    /// More is to come.
    Part,
    /// It is no such message.
    Broken,
}

/// Puts the first message of the handshake together.
fn hello(bytes: &[u8]) -> Hello {
    let mut message = Vec::new();
    let mut left = bytes;
    loop {
        if let [kind, a, b, c, ..] = message.as_slice() {
            let length = usize::from(*a) << 16 | usize::from(*b) << 8 | usize::from(*c);
            if *kind != CLIENT_HELLO {
                return Hello::Broken;
            }
            if let Some(whole) = message.get(4..4 + length) {
                return Hello::Whole(whole.to_vec());
            }
        }
        let [kind, _, _, high, low, rest @ ..] = left else {
            return Hello::Part;
        };
        if *kind != HANDSHAKE {
            return Hello::Broken;
        }
        let length = usize::from(u16::from_be_bytes([*high, *low]));
        let Some((record, after)) = rest.split_at_checked(length) else {
            return Hello::Part;
        };
        message.extend_from_slice(record);
        left = after;
    }
}

/// The host that a message names: `None` when it cannot be read, `Some(None)` when it names none.
fn named(message: &[u8]) -> Option<Option<String>> {
    // Version and random bytes.
    let rest = message.get(34..)?;
    let (_session, rest) = take(rest, 1)?;
    let (_ciphers, rest) = take(rest, 2)?;
    let (_compression, rest) = take(rest, 1)?;
    if rest.is_empty() {
        return Some(None);
    }
    let (mut extensions, _) = take(rest, 2)?;
    let mut found = None;
    while let [high, low, rest @ ..] = extensions {
        let (body, after) = take(rest, 2)?;
        if u16::from_be_bytes([*high, *low]) == SERVER_NAME {
            // A second one could be the one that counts.
            if found.is_some() {
                return None;
            }
            found = Some(only_name(body)?);
        }
        extensions = after;
    }
    extensions.is_empty().then_some(found)
}

/// The single host name of the extension.
fn only_name(body: &[u8]) -> Option<String> {
    let (list, after) = take(body, 2)?;
    let [HOST_NAME, rest @ ..] = list else {
        return None;
    };
    let (name, more) = take(rest, 2)?;
    if !after.is_empty() || !more.is_empty() {
        return None;
    }
    let name = std::str::from_utf8(name).ok()?;
    Some(name.trim_end_matches('.').to_ascii_lowercase())
}

/// What a length of one or two bytes goes before, and what follows it.
fn take(bytes: &[u8], width: usize) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_at_checked(width)?;
    let length = length
        .iter()
        .fold(0_usize, |sum, byte| sum << 8 | usize::from(*byte));
    rest.split_at_checked(length)
}

#[cfg(test)]
#[path = "server_name_tests.rs"]
pub(super) mod tests;
