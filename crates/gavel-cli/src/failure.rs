//! Failures on their way to a person: what, and what to do now. Every error of a library becomes
//! an exit code here and nowhere else.

mod memory;

use std::io::ErrorKind;
use std::path::Path;

use gavel_deliberation::RecordError;
use gavel_domain::{FaultClass, RunId};
use gavel_models::ProbeError;
use gavel_run::{MailError, RunError};
use gavel_store::{OpenError, ReadError};
use gavel_view::ReportError;
use gavel_workspace::GitError;

use crate::exit::Exit;

/// Less room than a store needs to be opened, in bytes.
const LITTLE: u64 = 256 * 1024;

/// There is no git, without which nothing goes on.
pub(crate) const GIT_MISSING: &str = "git_missing";

/// A failed command.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    pub(crate) error: anyhow::Error,
    pub(crate) hint: Option<String>,
    /// A word that programs branch on, finer than the exit code.
    pub(crate) reason: Option<&'static str>,
}

impl Failure {
    pub(crate) fn new(exit: Exit, error: impl Into<anyhow::Error>) -> Self {
        Self {
            exit,
            error: error.into(),
            hint: None,
            reason: None,
        }
    }

    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, anyhow::Error::msg(message.into()))
    }

    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        Self {
            hint: Some(hint.into()),
            ..self
        }
    }

    /// The same with a word for programs.
    pub(crate) fn because(self, reason: &'static str) -> Self {
        Self {
            reason: Some(reason),
            ..self
        }
    }

    /// The word of the failure for programs: that of the exit code, unless a program has to be installed
    /// first, which no other failure is like.
    pub(crate) fn code(&self) -> &'static str {
        match self.reason {
            Some(GIT_MISSING) => GIT_MISSING,
            Some(_) | None => self.exit.word(),
        }
    }

    /// True when damage in the store is behind it.
    pub(crate) fn is_damage(&self) -> bool {
        self.error.chain().any(|cause| {
            let run = cause.downcast_ref::<RunError>();
            let report = cause.downcast_ref::<ReportError>();
            let record = cause.downcast_ref::<RecordError>();
            gavel_store::is_damage(cause)
                || run.is_some_and(RunError::is_damage)
                || matches!(report, Some(ReportError::Damaged { .. }))
                || matches!(record, Some(RecordError::Damaged { .. }))
        })
    }

    /// The same, unless a disk without room is behind it: that has a code of its own, since nothing is
    /// wrong that room would not mend.
    pub(crate) fn or_full_disk(self) -> Self {
        if self.exit != Exit::Failed || !self.error.chain().any(is_full_disk) {
            return self;
        }
        Self {
            exit: Exit::Waiting,
            hint: Some("the disk is full: make room there, then try again".to_owned()),
            reason: Some("disk_full"),
            ..self
        }
    }

    /// The whole chain of causes in one line.
    pub(crate) fn message(&self) -> String {
        format!("{:#}", self.error)
    }
}

fn is_full_disk(cause: &(dyn std::error::Error + 'static)) -> bool {
    let full = [ErrorKind::StorageFull, ErrorKind::QuotaExceeded];
    let io = cause.downcast_ref::<std::io::Error>();
    let git = cause.downcast_ref::<GitError>();
    let store = cause.downcast_ref::<OpenError>();
    // SQLite cannot tell why a file beside its own could not be made.
    let no_room = |path: &Path| {
        let found = path
            .parent()
            .and_then(|folder| rustix::fs::statvfs(folder).ok());
        found.is_some_and(|found| found.f_bavail.saturating_mul(found.f_frsize) < LITTLE)
    };
    io.is_some_and(|error| full.contains(&error.kind()))
        || matches!(git, Some(GitError::NoSpace { .. }))
        || matches!(store, Some(OpenError::Unavailable { path, .. }) if no_room(path))
        || gavel_store::is_full(cause)
}

/// What was told of one run among others; nothing when it is damaged, which is said.
pub(crate) fn unless_damaged<T>(
    run: RunId,
    told: Result<T, Failure>,
) -> Result<Option<T>, Failure> {
    match told {
        Ok(told) => Ok(Some(told)),
        Err(failure) if failure.is_damage() => {
            gavel_store::tell_left_out(run, &failure.message());
            Ok(None)
        }
        Err(failure) => Err(failure),
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        let (exit, hint) = match &error {
            RunError::Failed(step) => (exit_of(step.fault.class), None),
            RunError::Stopped(_) | RunError::Cut => {
                (Exit::Interrupted, Some("gavel resume goes on"))
            }
            RunError::Moved { .. } | RunError::Held(_) => (
                Exit::Conflict,
                Some("gavel status shows it, gavel watch follows it"),
            ),
            RunError::StoreLost { .. } => (
                Exit::Failed,
                Some("free some space or repair the disk, then gavel resume"),
            ),
            RunError::Unread(_) | RunError::Damaged { .. } => {
                (Exit::Failed, Some("gavel doctor tells more"))
            }
            RunError::NoRun(_) => (Exit::Usage, Some("gavel status lists all runs")),
            RunError::BlobGone { .. } | RunError::Brief { .. } | RunError::Over { .. } => {
                (Exit::Failed, None)
            }
            RunError::Machine { .. } => {
                (Exit::Waiting, Some("mend that, then gavel resume goes on"))
            }
            RunError::NoModel(_) => (
                Exit::Provider,
                Some("gavel models list shows what is there"),
            ),
            RunError::Bug(_) => (
                Exit::Bug,
                Some("please report this, with gavel replay --json"),
            ),
        };
        Self {
            exit,
            error: error.into(),
            hint: hint.map(str::to_owned),
            reason: None,
        }
    }
}

const fn exit_of(class: FaultClass) -> Exit {
    match class {
        FaultClass::RateLimited
        | FaultClass::Overloaded
        | FaultClass::Network
        | FaultClass::BadReply
        | FaultClass::ReplyTooLong
        | FaultClass::Timeout
        | FaultClass::Unauthorized
        | FaultClass::UnknownModel
        | FaultClass::WrongAddress => Exit::Provider,
        FaultClass::Refused => Exit::Refused,
        FaultClass::Moved => Exit::Conflict,
        FaultClass::ContextTooLong | FaultClass::Invalid | FaultClass::Failed => Exit::Failed,
    }
}

impl From<MailError> for Failure {
    fn from(error: MailError) -> Self {
        let exit = match error {
            MailError::Run(error) => return error.into(),
            MailError::AnsweredBefore { .. } => Exit::Conflict,
            MailError::Unfit(gavel_rules::AnswerProblem::PersonOnly) => Exit::Refused,
            MailError::Unfit(_) | MailError::NotOpen { .. } => Exit::Usage,
            MailError::Refused { .. } => Exit::Refused,
            MailError::Over { .. } => Exit::Conflict,
        };
        Self::new(exit, error)
    }
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Self {
        let exit = match error {
            OpenError::NewerStore { .. } | OpenError::InUse { .. } => Exit::Conflict,
            OpenError::NetworkFileSystem { .. } => Exit::Refused,
            OpenError::Damaged { .. } | OpenError::Unavailable { .. } => Exit::Failed,
        };
        Self::new(exit, error)
    }
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        Self::new(Exit::Failed, error).hint("gavel doctor tells more")
    }
}

impl From<ReportError> for Failure {
    fn from(error: ReportError) -> Self {
        let (exit, hint) = match &error {
            ReportError::NoRun(_) => (Exit::Usage, "gavel status lists all runs"),
            ReportError::Newer { .. } => {
                (Exit::Conflict, "gavel watch shows the facts as they are")
            }
            ReportError::Damaged { .. }
            | ReportError::Scanner(_)
            | ReportError::Unread { .. }
            | ReportError::Ledger { .. } => (Exit::Failed, "gavel doctor tells more"),
        };
        Self::new(exit, error).hint(hint)
    }
}

impl From<ProbeError> for Failure {
    fn from(error: ProbeError) -> Self {
        let exit = match error {
            ProbeError::NotConfigured(_) => Exit::Usage,
            ProbeError::Call { .. } | ProbeError::KeyUnset { .. } => Exit::Provider,
        };
        Self::new(exit, error).hint("gavel models list shows the configured providers")
    }
}
