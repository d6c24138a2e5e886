//! Which walls this machine can put around a command, found by trying.

use std::fmt;

use gavel_domain::SandboxLevel;
use serde::{Deserialize, Serialize};

use super::report::Walls;

/// The oldest Landlock interface that bounds signals and abstract sockets.
const SCOPES: u8 = 6;

/// Something that the walls in force leave open; `gavel doctor` shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Gap {
    /// Modes and times of the user's own files can be changed, though not their content.
    FileModes,
    /// Names and arguments of other processes can be read, though not their environment.
    ProcessNames,
    /// Other processes of the user can be sent signals.
    Signals,
    /// When the supervisor itself is killed from outside, only the command's first process dies
    /// with it; what that started lives on, and the lock does not tell.
    SupervisorKilled,
    /// Segments of System V shared memory that no process has mapped do not count as memory.
    SharedSegments,
    /// Files in `/dev/shm` do not count as memory, and nothing bounds them.
    SharedFiles,
    /// Memory that the kernel holds for a command does not count: pipes, sockets, page tables.
    KernelMemory,
    /// A command takes what processor time and disk speed there are, until its time is over.
    Speed,
    /// Nothing is bounded but time, memory, output and the number of processes.
    Everything,
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::FileModes => "modes and times of your files",
            Self::ProcessNames => "names of other processes",
            Self::Signals => "signals to other processes",
            Self::SupervisorKilled => "processes whose supervisor is killed",
            Self::SharedSegments => "System V shared memory beyond the memory limit",
            Self::SharedFiles => "files in /dev/shm beyond the memory limit",
            Self::KernelMemory => {
                "memory that the kernel holds for a command (pipes, sockets, page tables)"
            }
            Self::Speed => "processor time and disk speed while a command runs",
            Self::Everything => "everything",
        })
    }
}

/// The walls in force and what they leave open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confinement {
    /// What is put around a command.
    pub walls: Walls,
    /// The Landlock interface in force; 0 without Landlock.
    pub landlock_abi: u8,
    /// Why stronger walls were not possible, one line each.
    pub because: Vec<String>,
}

impl Confinement {
    /// No walls, with the reasons.
    pub const fn absent(because: Vec<String>) -> Self {
        Self {
            walls: Walls::Absent,
            landlock_abi: 0,
            because,
        }
    }

    /// The level as facts record it.
    pub const fn level(&self) -> SandboxLevel {
        match self.walls {
            Walls::Namespaces | Walls::Landlock => SandboxLevel::Landlock,
            Walls::Bubblewrap => SandboxLevel::Bubblewrap,
            Walls::Absent => SandboxLevel::None,
        }
    }

    /// What stays open.
    pub fn gaps(&self) -> Vec<Gap> {
        let mut gaps = match self.walls {
            Walls::Namespaces => Vec::new(),
            Walls::Bubblewrap => vec![Gap::SharedSegments, Gap::SharedFiles],
            Walls::Landlock => vec![
                Gap::FileModes,
                Gap::ProcessNames,
                Gap::SupervisorKilled,
                Gap::SharedSegments,
            ],
            Walls::Absent => return vec![Gap::Everything],
        };
        if self.walls == Walls::Landlock && self.landlock_abi < SCOPES {
            gaps.push(Gap::Signals);
        }
        // No wall here bounds these: that takes a group of the kernel's, which is seldom ours to make.
        gaps.extend([Gap::KernelMemory, Gap::Speed]);
        gaps
    }
}

impl fmt::Display for Confinement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let abi = self.landlock_abi;
        match self.walls {
            Walls::Namespaces => write!(f, "namespaces, landlock (ABI {abi}), seccomp"),
            Walls::Landlock => write!(f, "landlock (ABI {abi}), seccomp"),
            Walls::Bubblewrap => write!(f, "bubblewrap, landlock (ABI {abi}), seccomp"),
            Walls::Absent => write!(f, "none"),
        }
    }
}
