//! Finds the strongest walls of this machine by putting them up once.

use std::path::PathBuf;

use super::{Commands, SandboxDoor, WithoutSandbox};
use crate::sandbox::{Confinement, Limits, Places, Policy, Profile, Toolchains, Walls};

impl Commands {
    /// Tries the walls from the strongest to the weakest and keeps the first that stand.
    ///
    /// Later commands get exactly these; when they cannot be put up any more, the command fails
    /// instead of running with less.
    pub async fn detect(
        door: SandboxDoor,
        scratch: PathBuf,
        without_sandbox: WithoutSandbox,
    ) -> Self {
        let mut because = Vec::new();
        for walls in [Walls::Namespaces, Walls::Bubblewrap, Walls::Landlock] {
            let trial = Self::new(door.clone(), trial(walls), without_sandbox);
            match trial.try_in(scratch.clone()).await {
                Ok(landlock_abi) => {
                    let confinement = Confinement {
                        walls,
                        landlock_abi,
                        because,
                    };
                    return Self::new(door, confinement, without_sandbox);
                }
                Err(error) => because.push(error),
            }
        }
        Self::new(door, Confinement::absent(because), without_sandbox)
    }

    async fn try_in(&self, scratch: PathBuf) -> Result<u8, String> {
        let folder = tempfile::Builder::new()
            .prefix("sandbox-trial-")
            .tempdir_in(&scratch)
            .map_err(|error| format!("{}: {error}", scratch.display()))?;
        let real = folder.path().canonicalize();
        let real = real.map_err(|error| format!("{}: {error}", scratch.display()))?;
        let places = Places {
            work_tree: real.join("tree"),
            cache: real.join("cache"),
            temp: real.join("temp"),
            protected: crate::sandbox::Protected::default(),
        };
        let limits = Limits {
            wall_ms: 10_000,
            ..Limits::default()
        };
        let tools = Toolchains::default();
        let policy = Policy::compose(&places, &tools, Profile::Run, limits);
        let policy = policy.map_err(|error| error.to_string())?;
        let tried = self.attempt(policy, real.join("lock")).await;
        tried.map_err(|error| error.to_string())
    }
}

const fn trial(walls: Walls) -> Confinement {
    Confinement {
        walls,
        landlock_abi: 0,
        because: Vec::new(),
    }
}
