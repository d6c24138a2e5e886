//! Asks a program that listens: started and asked from inside the same walls, whose network nobody
//! else can reach.
//!
//! It stands in the place of the command: the last stage, already confined, starts the program,
//! asks it once over the loopback and tells the answer in the report. The program has no way to
//! that report.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::AsFd as _;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{DumpableBehavior, set_dumpable_behavior};
use serde::{Deserialize, Serialize};

use super::exec::{Broken, STAGE_FAILED, Stage, Task};
use super::http::{self, Answer, HttpRequest, PORT_PLACE, connect, free_port};
use super::report::Event;

/// How often a program that does not listen yet is asked again.
const AGAIN: Duration = Duration::from_millis(40);
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
        Some(word) => word.replace(PORT_PLACE, &number).into(),
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

fn ask(child: &mut Child, port: u16, (path, until): (&str, Instant)) -> io::Result<HttpAnswer> {
    let request = HttpRequest::get(path);
    loop {
        let answer = connect(port, until).and_then(|line| http::ask(line, &request, until));
        if let Some(Answer { status, body, .. }) = answer {
            return Ok(HttpAnswer::Answered { status, body });
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
