//! Smoke runs: the product is tried out once, as its recipe says.

use std::path::PathBuf;

use tokio_util::sync::CancellationToken;

use super::toolchain::resolved_command;
use crate::{
    Argv, CommandError, CommandOutcome, CommandSpec, Commands, Exit, HttpAnswer, HttpProbe, Policy,
    Profile,
};

/// How long the sandbox itself may take beyond the program.
const SPARE_MS: u64 = 15_000;
/// How much of an answer is kept.
const EXCERPT: usize = 2_000;

/// One thing that is tried out, in the sandbox and without network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Smoke {
    /// A command is run to its end.
    Cli {
        /// The command.
        argv: Argv,
        /// The exit code that it must have.
        exit: i32,
        /// What its output must hold.
        expect: Option<String>,
    },
    /// A program is started and asked once.
    Http {
        /// The program. It listens on the port that the variable `PORT` names; `{port}` in an
        /// argument stands for the same number.
        start: Argv,
        /// What is asked for, for example `/health`.
        path: String,
        /// The status that the answer must have.
        status: u16,
        /// What the answer must hold.
        expect: Option<String>,
        /// How long it may take from the start to the answer.
        ready_ms: u64,
    },
}

/// Where a smoke run happens.
#[derive(Debug, Clone)]
pub struct SmokePlan {
    /// What the program may touch.
    pub policy: Policy,
    /// The lock of the commands, see [`CommandSpec::lock`].
    pub lock: PathBuf,
    /// Cancelling it ends the run.
    pub cancel: CancellationToken,
}

/// A smoke run that came to an end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SmokeSeen {
    /// What was asked: `GET /health`, or the command's words.
    pub request: String,
    /// True when it came to what the recipe says.
    pub passed: bool,
    /// What came, in one sentence.
    pub said: String,
    /// The status of the answer; `None` for a command, and without an answer.
    pub status: Option<u16>,
    /// The beginning of the answer, or of what the command printed.
    pub excerpt: String,
    /// The exit code, when the program ended by itself.
    pub exit: Option<i32>,
    /// The command as the recipe names it.
    pub argv: Argv,
    /// What the program did meanwhile.
    pub outcome: CommandOutcome,
}

impl Smoke {
    /// What is asked, as evidence names it.
    pub fn request(&self) -> String {
        match self {
            Self::Cli { argv, .. } => argv.words().join(" "),
            Self::Http { path, .. } => format!("GET {path}"),
        }
    }
}

/// Tries one thing out.
pub async fn smoke(
    commands: &Commands,
    plan: &SmokePlan,
    smoke: &Smoke,
) -> Result<SmokeSeen, CommandError> {
    let named = match smoke {
        Smoke::Cli { argv, .. } => argv.clone(),
        Smoke::Http { start, .. } => start.clone(),
    };
    let policy = plan.policy.clone().for_profile(Profile::Run);
    let (argv, policy) = resolved_command(&named, policy)?;
    let mut spec = CommandSpec {
        argv,
        policy,
        lock: plan.lock.clone(),
        cancel: plan.cancel.clone(),
    };
    match smoke {
        Smoke::Cli { exit, expect, .. } => {
            let outcome = commands.run(&spec).await?;
            Ok(of_command(
                smoke,
                named,
                outcome,
                (*exit, expect.as_deref()),
            ))
        }
        Smoke::Http {
            path,
            status,
            expect,
            ready_ms,
            ..
        } => {
            spec.policy.limits.wall_ms = ready_ms.saturating_add(SPARE_MS);
            let probe = HttpProbe {
                path: path.clone(),
                ready_ms: *ready_ms,
            };
            let (outcome, answer) = commands.probe(&spec, &probe).await?;
            let wanted = (*status, expect.as_deref(), *ready_ms);
            Ok(of_answer(smoke, named, (outcome, answer), wanted))
        }
    }
}

fn of_command(
    smoke: &Smoke,
    argv: Argv,
    outcome: CommandOutcome,
    (wanted, expect): (i32, Option<&str>),
) -> SmokeSeen {
    let holds = expect.is_none_or(|text| outcome.output.text.contains(text));
    let passed = outcome.exit == Exit::Code(wanted) && holds;
    let said = match outcome.exit {
        Exit::Code(code) if code != wanted => {
            format!("it ended with exit code {code}, and {wanted} was expected")
        }
        Exit::Code(_) if !holds => {
            format!("its output does not hold `{}`", expect.unwrap_or_default())
        }
        Exit::Code(code) => format!("it ended with exit code {code}, as expected"),
        Exit::Signal(number) => format!("signal {number} ended it"),
        Exit::Deadline => "its time was over".to_owned(),
        Exit::Tasks | Exit::Memory | Exit::Flood | Exit::Disk { .. } => {
            "it reached a limit".to_owned()
        }
    };
    SmokeSeen {
        request: smoke.request(),
        passed,
        said,
        status: None,
        excerpt: beginning(&outcome.output.text),
        exit: outcome.exit.code(),
        argv,
        outcome,
    }
}

fn of_answer(
    smoke: &Smoke,
    argv: Argv,
    (outcome, answer): (CommandOutcome, HttpAnswer),
    (wanted, expect, ready_ms): (u16, Option<&str>, u64),
) -> SmokeSeen {
    let holds = |body: &str| expect.is_none_or(|text| body.contains(text));
    let (passed, said) = match &answer {
        HttpAnswer::Answered { status, body } => {
            let (right, held) = (*status == wanted, holds(body));
            let said = match (right, held) {
                (false, _) => format!("it answered {status}, and {wanted} was expected"),
                (true, false) => format!(
                    "it answered {status}, and the answer does not hold `{}`",
                    expect.unwrap_or_default()
                ),
                (true, true) => format!("it answered {status}, as expected"),
            };
            (right && held, said)
        }
        HttpAnswer::Ended { code: Some(code) } => {
            let said = format!("the program ended with exit code {code} before it answered");
            (false, said)
        }
        HttpAnswer::Ended { code: None } => (
            false,
            "a signal ended the program before it answered".to_owned(),
        ),
        HttpAnswer::Silent => {
            let said = format!("nothing answered on the port that PORT names within {ready_ms} ms");
            (false, said)
        }
    };
    let (status, exit, excerpt) = match answer {
        HttpAnswer::Answered { status, body } => (Some(status), None, body),
        HttpAnswer::Ended { code } => (None, code, String::new()),
        HttpAnswer::Silent => (None, None, String::new()),
    };
    SmokeSeen {
        request: smoke.request(),
        passed,
        said,
        status,
        excerpt: beginning(&excerpt),
        exit,
        argv,
        outcome,
    }
}

fn beginning(text: &str) -> String {
    let end = text.floor_char_boundary(EXCERPT);
    text.get(..end).unwrap_or_default().to_owned()
}
