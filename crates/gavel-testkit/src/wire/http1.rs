//! As much HTTP/1.1 as the clients speak.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The largest head taken.
const MAX_HEAD: usize = 64 * 1024;

/// The largest body read; the server's own cap, which it reports, is far below.
const MAX_BODY: usize = 64 * 1024 * 1024;

/// A request as it came.
#[derive(Debug, Clone)]
pub(super) struct Incoming {
    pub(super) client: u16,
    pub(super) method: String,
    pub(super) path: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

impl Incoming {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(header, _)| header == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// Reads the next request; `None` when the client is done or speaks something else.
pub(super) async fn read(stream: &mut TcpStream) -> Option<Incoming> {
    let mut bytes = Vec::new();
    let head_end = loop {
        if let Some(at) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break at;
        }
        if bytes.len() > MAX_HEAD || stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8(bytes.get(..head_end)?.to_vec()).ok()?;
    let mut lines = head.lines();
    let mut first = lines.next()?.split(' ');
    let (method, path) = (first.next()?.to_owned(), first.next()?.to_owned());
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_lowercase(), value.trim().to_owned()))
        .collect();
    let mut incoming = Incoming {
        client: stream.peer_addr().ok()?.port(),
        method,
        path,
        headers,
        body: bytes.split_off(head_end + 4),
    };
    let length: usize = match incoming.header("content-length") {
        Some(text) => text.parse().ok()?,
        None => 0,
    };
    if length > MAX_BODY {
        return None;
    }
    while incoming.body.len() < length {
        if stream.read_buf(&mut incoming.body).await.ok()? == 0 {
            return None;
        }
    }
    Some(incoming)
}

/// Writes a whole reply.
pub(super) async fn write_whole(
    stream: &mut TcpStream,
    status: u16,
    headers: &[(String, String)],
    body: &[u8],
) -> std::io::Result<()> {
    let mut head = format!(
        "HTTP/1.1 {status} Fake\r\ncontent-length: {}\r\n",
        body.len()
    );
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(body).await?;
    stream.flush().await
}

/// Begins a chunked reply.
pub(super) async fn begin(stream: &mut TcpStream, content_type: &str) -> std::io::Result<()> {
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\ncache-control: no-cache\r\n\
         transfer-encoding: chunked\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await?;
    stream.flush().await
}

/// Writes one chunk; an empty one would end the reply and is left out.
pub(super) async fn chunk(stream: &mut TcpStream, bytes: &[u8]) -> std::io::Result<()> {
    if bytes.is_empty() {
        return Ok(());
    }
    let mut framed = format!("{:x}\r\n", bytes.len()).into_bytes();
    framed.extend_from_slice(bytes);
    framed.extend_from_slice(b"\r\n");
    stream.write_all(&framed).await?;
    stream.flush().await
}

/// Ends a chunked reply.
pub(super) async fn end(stream: &mut TcpStream) -> std::io::Result<()> {
    stream.write_all(b"0\r\n\r\n").await?;
    stream.flush().await
}

/// Waits until the client has gone.
pub(super) async fn gone(stream: &mut TcpStream) {
    let mut byte = [0];
    // Nothing is due from the client while a reply is under way: whatever comes is its end.
    drop(stream.read(&mut byte).await);
}
