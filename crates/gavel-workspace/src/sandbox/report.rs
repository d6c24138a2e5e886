//! What the processes of a sandbox tell Gavel: JSON lines in the lock file.
//!
//! The file is the supervisor's standard error, so the lock and the report are one descriptor that
//! never reaches the command.

use std::io::Write;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use gavel_rules::examples::StepSeen;

use super::policy::Policy;
use super::probe::{HttpAnswer, HttpProbe};

/// What holds the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Walls {
    /// Own mount, process and network namespaces, Landlock and seccomp.
    Namespaces,
    /// Landlock and seccomp alone.
    Landlock,
    /// Bubblewrap's namespaces, and seccomp.
    Bubblewrap,
    /// Only limits and the supervisor's care for orphans.
    Absent,
}

impl Walls {
    /// True when the command sees a file tree of its own, without anything that is not listed.
    pub(crate) const fn own_files(self) -> bool {
        match self {
            Self::Namespaces | Self::Bubblewrap => true,
            Self::Landlock | Self::Absent => false,
        }
    }

    /// True when folders can be put under layers, as far as the kernel lets us.
    pub(crate) const fn own_layers(self) -> bool {
        match self {
            Self::Namespaces => true,
            Self::Bubblewrap | Self::Landlock | Self::Absent => false,
        }
    }

    /// True when the command has a network of its own, with nothing in it but itself and, for profile
    /// `install`, the proxy.
    pub(crate) const fn own_network(self) -> bool {
        self.own_files()
    }
}

/// What the supervisor is asked to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Order {
    /// What to put around the command; never less than this, or it does not start.
    pub(crate) walls: Walls,
    /// What the command may touch.
    pub(crate) policy: Policy,
    /// The command listens, and is asked this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) probe: Option<HttpProbe>,
    /// The file that says what is done with the command, see `session.rs`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) session: Option<PathBuf>,
}

/// One line of the report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(crate) enum Event {
    /// The walls stand; the command is started next.
    Confined {
        /// The Landlock ABI in force; 0 without Landlock.
        landlock_abi: u8,
    },
    /// The walls could not be put up; nothing was started.
    NotConfined {
        /// What was being done.
        stage: String,
        /// What the system said.
        detail: String,
    },
    /// The program could not be started.
    NotStarted {
        /// What the system said.
        detail: String,
        /// True when there is no such program.
        missing: bool,
    },
    /// The command's first process ended.
    Exited {
        /// Its exit code, when it had one.
        code: Option<i32>,
        /// The signal that ended it.
        signal: Option<i32>,
    },
    /// The command was asked.
    Probed {
        /// What came of it.
        #[serde(flatten)]
        answer: HttpAnswer,
    },
    /// A step of a session is over.
    Stepped {
        /// What was seen of it.
        seen: StepSeen,
    },
    /// Nothing of the command is alive any more.
    Ended {
        /// Why it ended.
        why: Ending,
        /// How many processes the supervisor itself had to kill; a process namespace ends the rest.
        killed: u64,
    },
}

/// Why the supervisor ended a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// Its first process ended by itself.
    Exited,
    /// Its time was over.
    Deadline,
    /// Gavel let go of it: a cancel, or Gavel died.
    Released,
    /// It had more processes and threads than allowed.
    Tasks,
    /// It used more memory than allowed.
    Memory,
    /// It wrote more to the disk than allowed.
    Disk,
}

impl Event {
    /// Adds the line to the report.
    ///
    /// A report that cannot be written is found by the reader: it misses the line.
    pub(crate) fn tell(&self, mut report: impl Write) {
        if let Ok(mut line) = serde_json::to_vec(self) {
            line.push(b'\n');
            report.write_all(&line).ok();
        }
    }

    /// Reads a report; lines that are no events (a panic's text) come back as the second part.
    pub(crate) fn read_all(report: &str) -> (Vec<Self>, String) {
        let mut events = Vec::new();
        let mut noise = String::new();
        for line in report.lines() {
            match serde_json::from_str(line) {
                Ok(event) => events.push(event),
                Err(_) if noise.len() < 2000 => {
                    noise.push_str(line);
                    noise.push('\n');
                }
                Err(_) => {}
            }
        }
        (events, noise)
    }
}
