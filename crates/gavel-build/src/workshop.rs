//! Where the commands of a build run.

use gavel_workspace::{Commands, Protected, Toolchains};

/// What commands get on this machine: the sandbox, the toolchains, what they must never read.
#[derive(Debug, Clone)]
pub struct Workshop {
    /// Runs commands inside the strongest walls that there are.
    pub commands: Commands,
    /// The toolchains that were found.
    pub toolchains: Toolchains,
    /// What no command may read.
    pub protected: Protected,
}
