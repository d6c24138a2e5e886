//! One question to a web server on the loopback, and its answer.

use std::io::{Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

use gavel_domain::HttpMethod;
use serde::{Deserialize, Serialize};

/// Stands for the port in an argument.
pub(super) const PORT_PLACE: &str = "{port}";
/// The most that is read of an answer.
const MAX_ANSWER: usize = 256 * 1024;
/// The most that is told of its body.
const MAX_BODY: usize = 64 * 1024;

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct HttpRequest {
    /// The method.
    pub(crate) method: HttpMethod,
    /// What is asked for, for example `/health`.
    pub(crate) path: String,
    /// What is sent along.
    pub(crate) body: Option<HttpBody>,
}

/// What a request carries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct HttpBody {
    /// What it is, for example `application/json`.
    pub(crate) content_type: String,
    /// The text.
    pub(crate) text: String,
}

/// What came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) status: u16,
    /// The beginning of the body.
    pub(super) body: String,
    /// There was more of it.
    pub(super) cut: bool,
}

impl HttpRequest {
    /// Asks for a path.
    pub(super) fn get(path: &str) -> Self {
        Self {
            method: HttpMethod::Get,
            path: path.to_owned(),
            body: None,
        }
    }

    fn text(&self, address: SocketAddr) -> String {
        let Self { method, path, body } = self;
        let mut head = format!(
            "{} {path} HTTP/1.0\r\nHost: {address}\r\nAccept: */*\r\n",
            method.word()
        );
        if let Some(HttpBody { content_type, text }) = body {
            let length = text.len();
            head += &format!("Content-Type: {content_type}\r\nContent-Length: {length}\r\n");
        }
        let body = body.as_ref().map_or("", |body| &body.text);
        format!("{head}\r\n{body}")
    }
}

/// A port that nobody has; in a network of its own that is any.
pub(super) fn free_port() -> std::io::Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    Ok(listener.local_addr()?.port())
}

/// The line to whoever listens on the port; `None` when nobody does.
pub(super) fn connect(port: u16, until: Instant) -> Option<TcpStream> {
    let hosts: [IpAddr; 2] = [Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()];
    hosts.into_iter().find_map(|host| {
        let stream = TcpStream::connect_timeout(&SocketAddr::new(host, port), left(until)).ok()?;
        stream.set_read_timeout(Some(left(until))).ok()?;
        stream.set_write_timeout(Some(left(until))).ok()?;
        Some(stream)
    })
}

fn left(until: Instant) -> Duration {
    let left = until.saturating_duration_since(Instant::now());
    left.max(Duration::from_millis(1))
}

/// Asks once; `None` when nobody answered like a web server.
pub(super) fn ask(mut stream: TcpStream, request: &HttpRequest, until: Instant) -> Option<Answer> {
    let address = stream.peer_addr().ok()?;
    // The older version: the server closes when it is done, and sends no chunks.
    stream.write_all(request.text(address).as_bytes()).ok()?;
    let mut answer = Vec::new();
    let mut piece = [0; 8 * 1024];
    // A server that keeps the line open, or breaks it, has still said what it said.
    while answer.len() < MAX_ANSWER && !is_whole(&answer, request.method) && Instant::now() < until
    {
        match stream.read(&mut piece) {
            Ok(0) | Err(_) => break,
            Ok(count) => answer.extend_from_slice(piece.get(..count).unwrap_or_default()),
        }
    }
    read(&answer)
}

/// True when the answer says how long it is, and all of it came.
fn is_whole(answer: &[u8], method: HttpMethod) -> bool {
    let Some(end) = answer.windows(4).position(|four| four == b"\r\n\r\n") else {
        return false;
    };
    if method == HttpMethod::Head {
        return true;
    }
    let head = String::from_utf8_lossy(answer.get(..end).unwrap_or_default()).into_owned();
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        let is_length = name.trim().eq_ignore_ascii_case("content-length");
        is_length.then(|| value.trim().parse::<usize>().ok())?
    });
    length.is_some_and(|length| answer.len() >= (end + 4).saturating_add(length))
}

/// `HTTP/1.1 200 OK`, headers, an empty line, and the body.
fn read(answer: &[u8]) -> Option<Answer> {
    let text = String::from_utf8_lossy(answer);
    let (head, body) = text.split_once("\r\n\r\n")?;
    let mut words = head.lines().next()?.split(' ');
    words.next().filter(|word| word.starts_with("HTTP/1."))?;
    let status = words.next()?.parse().ok()?;
    let end = body.floor_char_boundary(MAX_BODY);
    Some(Answer {
        status,
        body: body.get(..end).unwrap_or_default().to_owned(),
        cut: end < body.len() || answer.len() >= MAX_ANSWER,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_web_server_answers() {
        let full = b"HTTP/1.0 404 Not Found\r\nA: b\r\n\r\nno such page";
        let answer = Answer {
            status: 404,
            body: "no such page".to_owned(),
            cut: false,
        };
        assert_eq!(read(full), Some(answer));
        for other in [
            "",
            "HTTP/1.1 200 OK\r\n",
            "SSH-2.0-x\r\n\r\n",
            "HTTP/1.1 ok\r\n\r\n",
        ] {
            assert_eq!(read(other.as_bytes()), None, "{other}");
        }
    }

    #[test]
    fn a_long_answer_is_cut_and_says_so() {
        let long = format!("HTTP/1.0 200 OK\r\n\r\n{}", "ä".repeat(MAX_BODY));
        let answer = read(long.as_bytes()).unwrap();
        assert_eq!((answer.body.len(), answer.cut), (MAX_BODY, true));
    }

    #[test]
    fn an_answer_is_whole_when_it_says_so() {
        for (answer, method, whole) in [
            (
                "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc",
                HttpMethod::Get,
                true,
            ),
            (
                "HTTP/1.1 204 No Content\r\ncontent-length:0\r\n\r\n",
                HttpMethod::Delete,
                true,
            ),
            (
                "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab",
                HttpMethod::Get,
                false,
            ),
            (
                "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n",
                HttpMethod::Head,
                true,
            ),
            (
                "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n",
                HttpMethod::Get,
                false,
            ),
            ("HTTP/1.0 200 OK\r\n\r\nabc", HttpMethod::Get, false),
            (
                "HTTP/1.0 200 OK\r\nContent-Length: many\r\n\r\nabc",
                HttpMethod::Get,
                false,
            ),
        ] {
            assert_eq!(is_whole(answer.as_bytes(), method), whole, "{answer}");
        }
    }

    #[test]
    fn a_request_says_what_it_carries() {
        let request = HttpRequest {
            method: HttpMethod::Post,
            path: "/items".to_owned(),
            body: Some(HttpBody {
                content_type: "application/json".to_owned(),
                text: "{}".to_owned(),
            }),
        };
        let address = SocketAddr::new(Ipv4Addr::LOCALHOST.into(), 80);
        let wanted = "POST /items HTTP/1.0\r\nHost: 127.0.0.1:80\r\nAccept: */*\r\n\
            Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";
        assert_eq!(request.text(address), wanted);
    }
}
