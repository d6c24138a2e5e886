//! Where the commands of a build run.

use std::path::{Path, PathBuf};

use crate::{HiddenFiles, Permissions};
use gavel_agent::{CommandRoom, RoomError};
use gavel_workspace::{Commands, Limits, Places, Protected, Toolchains};

/// What commands get on this machine: the sandbox, the toolchains, what they must never read.
#[derive(Debug, Clone)]
pub struct Workshop {
    /// Runs commands inside the strongest walls that there are.
    pub commands: Commands,
    /// The toolchains that were found.
    pub toolchains: Toolchains,
    /// What no command may read.
    pub protected: Protected,
    /// The bounds of each command.
    pub limits: Limits,
    /// Credential files that commands may read, by the person's own settings.
    pub revealed: Vec<String>,
    /// What a person allowed for this run.
    pub permissions: Permissions,
}

impl Workshop {
    /// Opens the room in which the commands of one tree run; cache, temporary files and the lock
    /// of its commands lie in the folder beside it.
    pub async fn room(&self, work_tree: &Path, beside: &Path) -> Result<CommandRoom, RoomError> {
        let places = Places {
            work_tree: made(work_tree)?,
            cache: made(&beside.join("cache"))?,
            temp: made(&beside.join("temp"))?,
            protected: self.protected.clone(),
        };
        let commands = self.commands.clone();
        let (mut toolchains, limits) = (self.toolchains.clone(), self.limits.clone());
        self.permissions.extend(&mut toolchains.registries);
        let room =
            CommandRoom::open(commands, &places, &toolchains, lock_of(beside), limits).await?;
        Ok(room.with_disk_cap(self.permissions.disk().clone()))
    }
}

impl HiddenFiles {
    /// A room for the commands of agents.
    pub fn for_agents(&self, room: CommandRoom) -> CommandRoom {
        room.hiding(self.from_agents.clone())
    }

    /// A room for a verification.
    pub(crate) fn for_tests(&self, room: CommandRoom) -> CommandRoom {
        room.hiding(self.from_tests.clone())
    }
}

/// The lock of the commands that run beside this folder.
pub(crate) fn lock_of(beside: &Path) -> PathBuf {
    beside.join("command.lock")
}

/// A policy takes real names only.
fn made(folder: &Path) -> Result<PathBuf, RoomError> {
    let made = std::fs::create_dir_all(folder).and_then(|()| folder.canonicalize());
    made.map_err(|source| RoomError::Folder {
        path: folder.to_owned(),
        source,
    })
}
