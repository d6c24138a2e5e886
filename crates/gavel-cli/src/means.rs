//! What commands of a build get on this machine: the sandbox, its places, the toolchains found.

use std::path::{Path, PathBuf};

use anyhow::anyhow;
use gavel_agent::CommandRoom;
use gavel_build::{Permissions, Workshop};
use gavel_workspace::{
    Commands, Limits, Places, Protected, SandboxDoor, Toolchains, WithoutSandbox,
};

use crate::context::Context;
use crate::environment;
use crate::exit::Exit;
use crate::failure::Failure;

impl Context {
    /// Opens the room in which the commands of one work tree run; beside the tree, since cache and
    /// temporary files belong to the build.
    pub(crate) async fn command_room(&self, work_tree: &Path) -> Result<CommandRoom, Failure> {
        let failed = |error: anyhow::Error| Failure::new(Exit::Failed, error);
        let beside = work_tree
            .parent()
            .ok_or_else(|| failed(anyhow!("a work tree has a parent")))?;
        let place = |name: &str| -> Result<PathBuf, Failure> {
            let folder = beside.join(name);
            let made = std::fs::create_dir_all(&folder).and_then(|()| folder.canonicalize());
            made.map_err(|error| failed(anyhow!("{}: {error}", folder.display())))
        };
        let workshop = self.workshop().await?;
        let tree = work_tree.file_name().unwrap_or_default().to_string_lossy();
        let places = Places {
            work_tree: place(&tree)?,
            cache: place("cache")?,
            temp: place("temp")?,
            protected: workshop.protected,
        };
        let lock = beside.join("command.lock");
        let (commands, limits) = (workshop.commands, workshop.limits);
        CommandRoom::open(commands, &places, &workshop.toolchains, lock, limits)
            .await
            .map_err(|error| Failure::new(Exit::Refused, error))
    }

    /// What commands of builds get on this machine.
    pub(crate) async fn workshop(&self) -> Result<Workshop, Failure> {
        let mut protected = Protected::default();
        if let Some(home) = environment::home() {
            protected = Protected::of_home(&home);
        }
        let door = environment::own_program().map_err(|error| Failure::new(Exit::Failed, error))?;
        let commands = Commands::detect(
            SandboxDoor(door),
            std::env::temp_dir(),
            WithoutSandbox::Refuse,
        )
        .await;
        let disk = self.settings()?.disk_bytes()?;
        let mut toolchains = toolchains();
        crate::registries::find(&self.settings()?.effective, &mut toolchains);
        Ok(Workshop {
            commands,
            toolchains,
            protected: crate::seal_keys::protect(protected.and_state(self.state())),
            limits: Limits::default().with_disk(disk),
            revealed: self.settings()?.revealed(),
            permissions: Permissions::default(),
        })
    }
}

/// True when commands of builds will find cargo.
pub(crate) fn has_cargo() -> bool {
    let own = toolchains().cargo_bin.map(|folder| folder.join("cargo"));
    let usual = ["/usr/local/bin/cargo", "/usr/bin/cargo"].map(PathBuf::from);
    own.into_iter().chain(usual).any(|file| file.is_file())
}

/// The Rust toolchain lies below the home; Node and Python usually belong to the system.
fn toolchains() -> Toolchains {
    let home = environment::home();
    let below_home = |name: &str| {
        let folder = home.as_ref()?.join(name);
        folder.is_dir().then_some(folder)
    };
    let set = |variable: &str| environment::variable(variable).map(PathBuf::from);
    Toolchains {
        rustup_home: set("RUSTUP_HOME").or_else(|| below_home(".rustup")),
        cargo_bin: set("CARGO_HOME")
            .map(|home| home.join("bin"))
            .or_else(|| below_home(".cargo/bin")),
        ..Toolchains::default()
    }
}
