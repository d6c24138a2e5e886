//! A small web server on loopback: a package registry for tests, or somebody who must see nothing.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up must stop")]

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// Answers by path until the test ends.
pub(crate) struct Web {
    port: u16,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Web {
    /// Serves what `page` gives for a path; `None` is "not found".
    pub(crate) fn start(page: impl Fn(&str) -> Option<Vec<u8>> + Send + 'static) -> Self {
        Self::start_at(move |path, _| page(path))
    }

    /// The same, with pages that name the server's own address.
    pub(crate) fn start_at(page: impl Fn(&str, &str) -> Option<Vec<u8>> + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let seen = Arc::clone(&asked);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                // Somebody who says nothing was here, too.
                let path = path_of(&stream).unwrap_or_default();
                seen.lock().unwrap().push(path.clone());
                answer(stream, page(&path, &format!("http://127.0.0.1:{port}"))).ok();
            }
        });
        Self { port, asked }
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The paths that were asked for, one for each connection.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

fn path_of(stream: &TcpStream) -> Option<String> {
    let mut lines = BufReader::new(stream).lines();
    let first = lines.next()?.ok()?;
    for line in lines.map_while(Result::ok) {
        if line.is_empty() {
            break;
        }
    }
    first.split(' ').nth(1).map(str::to_owned)
}

fn answer(mut stream: TcpStream, page: Option<Vec<u8>>) -> std::io::Result<()> {
    let (status, body) = match page {
        Some(body) => ("200 OK", body),
        None => ("404 Not Found", Vec::new()),
    };
    let kind = match body.first() {
        Some(b'{') => "application/json",
        Some(b'<') => "text/html",
        Some(_) | None => "application/octet-stream",
    };
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    )?;
    stream.write_all(&body)
}
