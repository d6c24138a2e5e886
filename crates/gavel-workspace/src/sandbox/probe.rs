//! Asks a program that listens: started and asked from inside the same walls, whose network nobody
//! else can reach.
//!
//! It stands in the place of the command: the last stage, already confined, starts the program,
//! asks it once over the loopback and tells the answer in the report. The program has no way to
//! that report.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsFd as _;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{DumpableBehavior, set_dumpable_behavior};
use serde::{Deserialize, Serialize};

use super::exec::{Broken, STAGE_FAILED, Stage, Task};
use super::report::Event;

/// Stands for the port in an argument.
const PLACE: &str = "{port}";
/// How often a program that does not listen yet is asked again.
const AGAIN: Duration = Duration::from_millis(40);
/// The most that is read of an answer.
const MAX_ANSWER: usize = 256 * 1024;
/// The most that is told of its body.
const MAX_BODY: usize = 64 * 1024;

/// What a program that listens is asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HttpProbe {
    /// What is asked for, for example `/health`.
    pub path: String,
    /// How long it may take from the start to the answer, in milliseconds.
    pub ready_ms: u64,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum HttpAnswer {
    /// It answered.
    Answered {
        /// The status.
        status: u16,
        /// The beginning of the body.
        body: String,
    },
    /// It ended before it answered.
    Ended {
        /// Its exit code; `None` when a signal ended it.
        code: Option<i32>,
    },
    /// The time was over.
    Silent,
}

/// Starts the program, asks it, tells the answer, and ends it.
pub(crate) fn run(
    task: &Task,
    (program, arguments): (&OsStr, &[OsString]),
    probe: &HttpProbe,
) -> Result<ExitCode, Broken> {
    const STAGE: &str = "preparing to ask";
    // The report is open here, and the program has the same user.
    set_dumpable_behavior(DumpableBehavior::NotDumpable).stage(STAGE)?;
    let port = free_port().stage(STAGE)?;
    let until = Instant::now() + Duration::from_millis(probe.ready_ms);
    let number = port.to_string();
    let with_port = |word: &OsString| match word.to_str() {
        Some(word) => word.replace(PLACE, &number).into(),
        None => word.clone(),
    };
    let output = io::stdout().as_fd().try_clone_to_owned().stage(STAGE)?;
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the sandbox: the confined process starts the program that it asks"
    )]
    let started = Command::new(program)
        .args(arguments.iter().map(with_port))
        .env_clear()
        .envs(&task.order.policy.env)
        .env("PORT", &number)
        .current_dir(&task.order.policy.cwd)
        .stderr(Stdio::from(output))
        .spawn();
    let mut child = match started {
        Ok(child) => child,
        Err(error) => {
            Event::NotStarted {
                missing: error.kind() == io::ErrorKind::NotFound,
                detail: error.to_string(),
            }
            .tell(io::stderr());
            return Ok(ExitCode::from(STAGE_FAILED));
        }
    };
    let answer = ask(&mut child, port, (&probe.path, until)).stage("asking the program")?;
    Event::Probed { answer }.tell(io::stderr());
    // Whatever it started itself ends with the sandbox.
    child.kill().ok();
    child.wait().stage("ending the program")?;
    Ok(ExitCode::SUCCESS)
}

/// A port that nobody has; in a network of its own that is any.
fn free_port() -> io::Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    Ok(listener.local_addr()?.port())
}

fn ask(child: &mut Child, port: u16, (path, until): (&str, Instant)) -> io::Result<HttpAnswer> {
    let hosts: [IpAddr; 2] = [Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()];
    loop {
        for host in hosts {
            if let Some((status, body)) = get(SocketAddr::new(host, port), path, until) {
                return Ok(HttpAnswer::Answered { status, body });
            }
        }
        if let Some(status) = child.try_wait()? {
            let code = status.code();
            return Ok(HttpAnswer::Ended { code });
        }
        if Instant::now() >= until {
            return Ok(HttpAnswer::Silent);
        }
        std::thread::sleep(AGAIN);
    }
}

/// One question; `None` when nobody answered it like a web server.
fn get(address: SocketAddr, path: &str, until: Instant) -> Option<(u16, String)> {
    let left = until.saturating_duration_since(Instant::now());
    let left = left.max(Duration::from_millis(1));
    let mut stream = TcpStream::connect_timeout(&address, left).ok()?;
    stream.set_read_timeout(Some(left)).ok()?;
    stream.set_write_timeout(Some(left)).ok()?;
    // The older version: the server closes when it is done, and sends no chunks.
    let question = format!("GET {path} HTTP/1.0\r\nHost: {address}\r\nAccept: */*\r\n\r\n");
    stream.write_all(question.as_bytes()).ok()?;
    let mut answer = Vec::new();
    let mut piece = [0; 8 * 1024];
    // A server that keeps the line open, or breaks it, has still said what it said.
    while answer.len() < MAX_ANSWER && !is_whole(&answer) {
        match stream.read(&mut piece) {
            Ok(0) | Err(_) => break,
            Ok(count) => answer.extend_from_slice(piece.get(..count).unwrap_or_default()),
        }
    }
    read(&answer)
}

/// True when the answer says how long it is, and all of it came.
fn is_whole(answer: &[u8]) -> bool {
    let Some(end) = answer.windows(4).position(|four| four == b"\r\n\r\n") else {
        return false;
    };
    let head = String::from_utf8_lossy(answer.get(..end).unwrap_or_default()).into_owned();
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        let is_length = name.trim().eq_ignore_ascii_case("content-length");
        is_length.then(|| value.trim().parse::<usize>().ok())?
    });
    length.is_some_and(|length| answer.len() >= (end + 4).saturating_add(length))
}

/// `HTTP/1.1 200 OK`, headers, an empty line, and the body.
fn read(answer: &[u8]) -> Option<(u16, String)> {
    let text = String::from_utf8_lossy(answer);
    let (head, body) = text.split_once("\r\n\r\n")?;
    let mut words = head.lines().next()?.split(' ');
    words.next().filter(|word| word.starts_with("HTTP/1."))?;
    let status = words.next()?.parse().ok()?;
    let end = body.floor_char_boundary(MAX_BODY);
    Some((status, body.get(..end).unwrap_or_default().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_web_server_answers() {
        let full = b"HTTP/1.0 404 Not Found\r\nA: b\r\n\r\nno such page";
        assert_eq!(read(full), Some((404, "no such page".to_owned())));
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
    fn an_answer_is_whole_when_it_says_so() {
        for (answer, whole) in [
            ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", true),
            ("HTTP/1.1 204 No Content\r\ncontent-length:0\r\n\r\n", true),
            ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab", false),
            ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n", false),
            ("HTTP/1.0 200 OK\r\n\r\nabc", false),
            ("HTTP/1.0 200 OK\r\nContent-Length: many\r\n\r\nabc", false),
        ] {
            assert_eq!(is_whole(answer.as_bytes()), whole, "{answer}");
        }
    }
}
