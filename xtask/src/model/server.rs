//! The model server as a background process: started, asked, stopped by its recorded id.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use crate::exec::Exec;
use crate::say;

const PATIENCE: Duration = Duration::from_mins(2);
const PAUSE: Duration = Duration::from_millis(100);
const STOP: &str = "import os, signal, sys; os.kill(int(sys.argv[1]), signal.SIGTERM)";

/// Where a server's process id and log are kept.
#[derive(Debug)]
pub(super) struct Server {
    state: PathBuf,
    log: PathBuf,
}

/// What is remembered of a started server.
#[derive(Debug, Serialize, Deserialize)]
struct Started {
    pid: u32,
    port: u16,
}

impl Server {
    /// The server that this folder speaks of.
    pub(super) fn in_folder(folder: &Path) -> Self {
        Self {
            state: folder.join("server.json"),
            log: folder.join("server.log"),
        }
    }

    /// The base address, if the server answers.
    pub(super) fn address(&self) -> Option<String> {
        let started = self.started()?;
        let port = started.port;
        (is_ours(started.pid) && models(port).is_ok()).then(|| base(port))
    }

    /// Starts the server and waits until it lists its model.
    pub(super) fn start(
        &self,
        python: &Path,
        script: &Path,
        gguf: &Path,
        port: u16,
    ) -> Result<String> {
        if connect(port).is_ok() {
            bail!("port {port} is taken: choose another with --port");
        }
        let begun = Instant::now();
        let log = File::create(&self.log)
            .with_context(|| format!("cannot write {}", self.log.display()))?;
        let number = port.to_string();
        let mut command = Exec::new(python)
            .args([script, gguf])
            .args([number])
            .into_command();
        // A group of its own, so that Ctrl-C at the terminal does not reach it.
        command
            .process_group(0)
            .stdout(log.try_clone()?)
            .stderr(log);
        let mut child = command.spawn().context("cannot start the model server")?;
        let started = Started {
            pid: child.id(),
            port,
        };
        fs::write(&self.state, serde_json::to_string(&started)?)
            .with_context(|| format!("cannot write {}", self.state.display()))?;
        let listed = self.wait(&mut child, port)?;
        let took = begun.elapsed().as_secs_f64();
        say::note(&format!("up after {took:.1} s, serving {listed}"));
        Ok(base(port))
    }

    fn wait(&self, child: &mut Child, port: u16) -> Result<String> {
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            if let Ok(listed) = models(port) {
                return Ok(listed);
            }
            if let Some(status) = child.try_wait()? {
                bail!(
                    "the model server ended with {status}, see {}",
                    self.log.display()
                );
            }
            thread::sleep(PAUSE);
        }
        let log = self.log.display();
        bail!("the model server does not answer after {PATIENCE:?}, see {log}")
    }

    /// Stops the server; false if none was up.
    pub(super) fn stop(&self) -> Result<bool> {
        let Some(started) = self.started().filter(|started| is_ours(started.pid)) else {
            return Ok(false);
        };
        let pid = started.pid.to_string();
        Exec::new("python3").args(["-c", STOP, &pid]).run()?;
        let begun = Instant::now();
        while is_ours(started.pid) {
            if begun.elapsed() > PATIENCE {
                bail!("process {pid} does not end");
            }
            thread::sleep(PAUSE);
        }
        fs::remove_file(&self.state)?;
        Ok(true)
    }

    fn started(&self) -> Option<Started> {
        let text = fs::read_to_string(&self.state).ok()?;
        serde_json::from_str(&text).ok()
    }
}

/// True if the process runs our script: a process id may have been given to somebody else.
fn is_ours(pid: u32) -> bool {
    let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&line).contains("serve.py")
}

fn base(port: u16) -> String {
    format!("http://127.0.0.1:{port}/v1")
}

fn connect(port: u16) -> std::io::Result<TcpStream> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    TcpStream::connect_timeout(&address, Duration::from_secs(2))
}

/// Asks for the list of models; the id of the first.
fn models(port: u16) -> Result<String> {
    let mut stream = connect(port)?;
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    write!(
        stream,
        "GET /v1/models HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
    )?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    if !answer.starts_with("HTTP/1.1 200") {
        bail!("not ready: {}", answer.lines().next().unwrap_or_default());
    }
    first_id(&answer).context("the list of models names none")
}

fn first_id(answer: &str) -> Option<String> {
    let (_, body) = answer.split_once("\r\n\r\n")?;
    let start = body.find('{')?;
    let end = body.rfind('}')?;
    let body: serde_json::Value = serde_json::from_str(body.get(start..=end)?).ok()?;
    let id = body.pointer("/data/0/id")?.as_str()?;
    Some(id.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_model_is_read_from_plain_and_chunked_answers() {
        let body = "{\"data\":[{\"id\":\"small\"}]}";
        let plain = format!("HTTP/1.1 200 OK\r\n\r\n{body}");
        let chunked = format!("HTTP/1.1 200 OK\r\n\r\n19\r\n{body}\r\n0\r\n\r\n");
        assert_eq!(first_id(&plain).as_deref(), Some("small"));
        assert_eq!(first_id(&chunked).as_deref(), Some("small"));
        assert_eq!(first_id("HTTP/1.1 200 OK\r\n\r\n{\"data\":[]}"), None);
    }

    #[test]
    fn a_stranger_is_not_ours() {
        assert!(!is_ours(std::process::id()));
    }
}
