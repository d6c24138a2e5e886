//! `[verify]` of a project's `gavel.toml`: commands that a person names.
//!
//! Agents cannot write that file. Its commands run in the sandbox like all others.

use serde::Deserialize;

use super::smoke::Smoke;
use crate::Argv;

/// How long a program may take until it answers, unless its table says otherwise.
const READY_MS: u64 = 20_000;
/// The longest that it may be given.
const MAX_READY_MS: u64 = 300_000;

/// What `[verify]` says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VerifySettings {
    /// What fetches the dependencies; only with `test`.
    pub install: Vec<Argv>,
    /// What runs the tests, in place of what the files at the root suggest.
    pub test: Option<Argv>,
    /// What is tried out once the tests have run.
    pub smoke: Vec<Smoke>,
    /// What examples start, in place of what the manifests name.
    pub program: Option<Argv>,
}

/// A `[verify]` that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VerifySettingsError {
    /// The file is not TOML, or a key is unknown or of another kind.
    #[error("gavel.toml, [verify]: {detail}")]
    Unreadable {
        /// What the reader said.
        detail: String,
    },
    /// Fetching belongs to a test command.
    #[error(
        "gavel.toml, [verify]: `install` needs a `test` beside it, for example [\"make\", \"test\"]"
    )]
    InstallAlone,
    /// It must be one kind of smoke run.
    #[error(
        "gavel.toml, [[verify.smoke]] number {number}: name either a `command`, or a `start` that \
         listens on $PORT"
    )]
    OneOfTwo {
        /// Counted from one.
        number: usize,
    },
    /// A key belongs to the other kind of smoke run.
    #[error("gavel.toml, [[verify.smoke]] number {number}: `{key}` does not go with `{with}`")]
    OtherKind {
        /// Counted from one.
        number: usize,
        /// The key.
        key: &'static str,
        /// What it cannot go with.
        with: &'static str,
    },
    /// A path that cannot be asked for.
    #[error(
        "gavel.toml, [[verify.smoke]] number {number}: `path` must begin with / and hold no blanks"
    )]
    Path {
        /// Counted from one.
        number: usize,
    },
    /// A status that no server gives.
    #[error("gavel.toml, [[verify.smoke]] number {number}: `status` must be from 100 to 599")]
    Status {
        /// Counted from one.
        number: usize,
    },
    /// A time that is no time.
    #[error(
        "gavel.toml, [[verify.smoke]] number {number}: `ready_ms` must be from 1 to {MAX_READY_MS}"
    )]
    Ready {
        /// Counted from one.
        number: usize,
    },
}

#[derive(Deserialize)]
struct File {
    verify: Option<Table>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    #[serde(default)]
    install: Vec<Argv>,
    test: Option<Argv>,
    #[serde(default)]
    smoke: Vec<SmokeTable>,
    program: Option<Argv>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SmokeTable {
    command: Option<Argv>,
    start: Option<Argv>,
    exit: Option<i32>,
    path: Option<String>,
    status: Option<u16>,
    expect: Option<String>,
    ready_ms: Option<u64>,
}

impl VerifySettings {
    /// Reads the text of a `gavel.toml`; `None` when it says nothing about verifying.
    pub fn read(text: &str) -> Result<Option<Self>, VerifySettingsError> {
        let file: File = toml::from_str(text).map_err(|error| VerifySettingsError::Unreadable {
            detail: error.to_string().trim_end().to_owned(),
        })?;
        let Some(table) = file.verify else {
            return Ok(None);
        };
        if table.test.is_none() && !table.install.is_empty() {
            return Err(VerifySettingsError::InstallAlone);
        }
        let smoke = (1..).zip(table.smoke);
        let smoke = smoke.map(|(number, table)| table.read(number));
        Ok(Some(Self {
            install: table.install,
            test: table.test,
            smoke: smoke.collect::<Result<_, _>>()?,
            program: table.program,
        }))
    }
}

impl SmokeTable {
    fn read(self, number: usize) -> Result<Smoke, VerifySettingsError> {
        let unfit = |key, with| Err(VerifySettingsError::OtherKind { number, key, with });
        match (self.command, self.start) {
            (Some(argv), None) => {
                if self.path.is_some() {
                    return unfit("path", "command");
                }
                if self.status.is_some() {
                    return unfit("status", "command");
                }
                if self.ready_ms.is_some() {
                    return unfit("ready_ms", "command");
                }
                Ok(Smoke::Cli {
                    argv,
                    exit: self.exit.unwrap_or(0),
                    expect: self.expect,
                })
            }
            (None, Some(start)) => {
                if self.exit.is_some() {
                    return unfit("exit", "start");
                }
                let path = self.path.unwrap_or_else(|| "/".to_owned());
                let blank = |c: char| c.is_whitespace() || c.is_control();
                if !path.starts_with('/') || path.contains(blank) {
                    return Err(VerifySettingsError::Path { number });
                }
                let status = self.status.unwrap_or(200);
                if !(100..600).contains(&status) {
                    return Err(VerifySettingsError::Status { number });
                }
                let ready_ms = self.ready_ms.unwrap_or(READY_MS);
                if !(1..=MAX_READY_MS).contains(&ready_ms) {
                    return Err(VerifySettingsError::Ready { number });
                }
                Ok(Smoke::Http {
                    start,
                    path,
                    status,
                    expect: self.expect,
                    ready_ms,
                })
            }
            (Some(_), Some(_)) | (None, None) => Err(VerifySettingsError::OneOfTwo { number }),
        }
    }
}
