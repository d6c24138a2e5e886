//! What one command may touch: plain data, composed from facts that the caller gives.
//!
//! Nothing here reads the environment or the file system. A path that is not listed is out of
//! reach, so "never readable" means "never at or below a listed folder": [`Policy::compose`]
//! refuses lists that would break that for the protected places.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::profile_env;
use crate::Registries;
use crate::git::recorded_objects;

/// What kind of work a command does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// Fetches dependencies with the recipe's package manager: the registries can be reached, through
    /// a proxy of ours and nothing else. Nothing of the project may run.
    Install,
    /// Builds and runs code of the project: no network.
    Run,
}

/// Upper bounds of one command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Wall time in milliseconds; past it everything is killed.
    pub wall_ms: u64,
    /// Bytes of output that are kept, half of them from the head and half from the tail.
    pub kept_output: usize,
    /// Bytes of output past which the command is killed.
    pub output_flood: u64,
    /// Processes and threads alive at once.
    pub tasks: u64,
    /// Resident memory of all processes together.
    pub memory_bytes: u64,
    /// Address space of each process. Off by default: V8 and Go reserve far more than they use.
    pub address_space: Option<u64>,
    /// Size of each written file.
    pub file_bytes: u64,
    /// What the command may add to the folders that it can write, all together.
    pub disk_bytes: u64,
    /// What these folders may hold.
    pub disk_total: u64,
    /// Open files of each process.
    pub open_files: u64,
}

impl Limits {
    const DISK: u64 = 10 * 1024 * 1024 * 1024;

    /// Lets a command add so many bytes to the disk, and a build have twice as many.
    #[must_use]
    pub const fn with_disk(mut self, bytes: u64) -> Self {
        self.disk_bytes = bytes;
        self.disk_total = bytes.saturating_mul(2);
        self
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            wall_ms: 10 * 60 * 1000,
            kept_output: 48 * 1024,
            output_flood: 256 * 1024 * 1024,
            tasks: 2048,
            memory_bytes: 12 * 1024 * 1024 * 1024,
            address_space: None,
            file_bytes: 4 * 1024 * 1024 * 1024,
            // A large build folder fits.
            disk_bytes: Self::DISK,
            disk_total: 2 * Self::DISK,
            open_files: 4096,
        }
    }
}

/// Places that no policy may open.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Protected {
    /// Folders that are closed themselves while single folders in them may be opened: the home
    /// (toolchains live in it), Gavel's state (work trees live in it).
    pub holders: Vec<PathBuf>,
    /// Files and folders of which nothing may be opened: credentials, keys, agent sockets.
    pub sealed: Vec<PathBuf>,
}

/// Files and folders of a home that hold credentials or talk to agents.
const SEALED_IN_HOME: [&str; 17] = [
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".config",
    ".docker",
    ".kube",
    ".netrc",
    ".git-credentials",
    ".gitconfig",
    ".npmrc",
    ".yarnrc.yml",
    ".pypirc",
    ".password-store",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".local/share/gavel/keys",
];

/// Sockets whose owner would do outside what the sandbox forbids inside.
const SYSTEM_SOCKETS: [&str; 6] = [
    "/run/docker.sock",
    "/var/run/docker.sock",
    "/run/containerd",
    "/run/podman",
    "/run/dbus",
    "/run/user",
];

impl Protected {
    /// The usual places of a person: the home, its credentials, and the system's sockets.
    pub fn of_home(home: &Path) -> Self {
        Self {
            holders: vec![home.to_owned()],
            sealed: SEALED_IN_HOME
                .iter()
                .map(|name| home.join(name))
                .chain(SYSTEM_SOCKETS.iter().map(PathBuf::from))
                .collect(),
        }
    }

    /// Adds Gavel's state folder, in which only work trees and caches may be opened.
    #[must_use]
    pub fn and_state(mut self, state: impl Into<PathBuf>) -> Self {
        self.holders.push(state.into());
        self
    }

    /// Adds a place of which nothing may be opened, such as the seal keys or an agent's socket.
    #[must_use]
    pub fn and_sealed(mut self, path: impl Into<PathBuf>) -> Self {
        self.sealed.push(path.into());
        self
    }
}

/// Where one project's commands work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// The work tree, read and written, and the directory that commands start in.
    pub work_tree: PathBuf,
    /// The project's own cache: `HOME` and the package caches point into it.
    pub cache: PathBuf,
    /// The project's own temporary folder.
    pub temp: PathBuf,
    /// What must stay out of reach.
    pub protected: Protected,
}

/// Programs that were found on this machine, outside the system's folders.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Toolchains {
    /// Folders put before the system's on `PATH`; each must be readable by a folder below.
    pub path: Vec<PathBuf>,
    /// Folders that hold programs and libraries, and single files that these read, such as a cargo
    /// configuration above the work tree: without namespaces cargo finds it and must read it.
    pub folders: Vec<PathBuf>,
    /// Where rustup lives. Only its `toolchains` and `settings.toml` are opened.
    pub rustup_home: Option<PathBuf>,
    /// The folder of the `cargo` and `rustc` programs, usually `~/.cargo/bin`.
    pub cargo_bin: Option<PathBuf>,
    /// Plain settings that programs need, such as a registry mirror. Never secrets.
    pub env: BTreeMap<String, String>,
    /// What the person's package managers are configured for.
    pub registries: Registries,
}

/// What one command may touch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Policy {
    /// With or without network.
    pub profile: Profile,
    /// There is a proxy of ours in its network, which reaches the registries below.
    pub proxied: bool,
    /// Files and folders that can be read and executed; missing ones are skipped.
    pub read_only: Vec<PathBuf>,
    /// Folders that can also be written; each must exist under its real name.
    pub read_write: Vec<PathBuf>,
    /// A writable folder that stands for `/tmp` where the sandbox can arrange that.
    pub temp: PathBuf,
    /// The project's own cache.
    pub cache: PathBuf,
    /// What install steps write and commands of the project can only read: their home among it.
    pub fetch: PathBuf,
    /// What install steps may reach. It stays with Gavel.
    #[serde(skip)]
    pub registries: Registries,
    /// Listed folders that can also be seen at another place, where the sandbox can arrange that.
    pub also_at: Vec<AlsoAt>,
    /// Writable folders that keep nothing of what is written. Only own namespaces can do that, see
    /// [`Walls::own_layers`](super::Walls::own_layers).
    pub layers: Vec<Layer>,
    /// Folders that the command cannot write and that count for its build: what is recorded of its work
    /// tree. A missing one holds nothing.
    #[serde(default)]
    pub counted: Vec<PathBuf>,
    /// Where the command starts.
    pub cwd: PathBuf,
    /// The whole environment of the command.
    pub env: BTreeMap<String, String>,
    /// Its bounds.
    pub limits: Limits,
}

/// A folder at a second place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AlsoAt {
    /// The folder, which is listed itself.
    pub folder: PathBuf,
    /// Where it can be seen, too: not below anything that is listed.
    pub at: PathBuf,
}

/// A writable folder whose changes go elsewhere: whoever works in it sees them, the folder never does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layer {
    /// The folder, which is listed as writable.
    pub folder: PathBuf,
    /// An empty folder that takes the changes. The command cannot see it.
    pub changes: PathBuf,
}

impl Layer {
    /// What is written, inside of the folder that takes the changes.
    pub(crate) fn upper(&self) -> PathBuf {
        self.changes.join("upper")
    }

    /// What the kernel needs beside it.
    pub(crate) fn scratch(&self) -> PathBuf {
        self.changes.join("scratch")
    }
}

/// A policy that would open too much, or that cannot be written down.
#[derive(Debug, thiserror::Error)]
pub enum PolicyError {
    /// Opening this path would open a protected one; leave it out.
    #[error("opening {path} would open {protected}, which must stay out of reach")]
    OpensProtected {
        /// The path on the list.
        path: PathBuf,
        /// The protected place.
        protected: PathBuf,
    },
    /// The path is relative or has `.` or `..` in it; resolve it first.
    #[error("{path} is not an absolute path without dots; resolve it first")]
    NotAbsolute {
        /// The path.
        path: PathBuf,
    },
    /// The path cannot be an environment value or a JSON string.
    #[error("{path} is not UTF-8; move the project to a path that is")]
    NotUtf8 {
        /// The path.
        path: PathBuf,
    },
    /// The variable would change what other programs load or run; leave it out.
    #[error("the environment variable {name} is not allowed in a sandbox")]
    ForbiddenVariable {
        /// Its name.
        name: String,
    },
}

/// What every program needs of a system: programs, libraries, and public configuration.
///
/// `/etc` is listed file by file, since a root user could read `/etc/shadow` and private keys.
const SYSTEM: [&str; 54] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix/store",
    "/etc/alpine-release",
    "/etc/alternatives",
    "/etc/arch-release",
    "/etc/bash.bashrc",
    "/etc/ca-certificates",
    "/etc/ca-certificates.conf",
    "/etc/crypto-policies",
    "/etc/debian_version",
    "/etc/fedora-release",
    "/etc/fonts",
    "/etc/gai.conf",
    "/etc/group",
    "/etc/host.conf",
    "/etc/hosts",
    "/etc/inputrc",
    "/etc/java-11-openjdk",
    "/etc/java-17-openjdk",
    "/etc/java-21-openjdk",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/ld.so.preload",
    "/etc/locale.alias",
    "/etc/localtime",
    "/etc/lsb-release",
    "/etc/machine-info",
    "/etc/magic",
    "/etc/maven",
    "/etc/mime.types",
    "/etc/nsswitch.conf",
    "/etc/os-release",
    "/etc/passwd",
    "/etc/pki/tls/certs",
    "/etc/pki/ca-trust",
    "/etc/protocols",
    "/etc/redhat-release",
    "/etc/resolv.conf",
    "/etc/services",
    "/etc/shells",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/etc/system-release",
    "/etc/terminfo",
    "/etc/timezone",
    "/etc/xdg",
    "/proc",
];

const SYSTEM_PATH: [&str; 6] = [
    "/usr/local/sbin",
    "/usr/local/bin",
    "/usr/sbin",
    "/usr/bin",
    "/sbin",
    "/bin",
];

impl Policy {
    /// Composes the policy of a project's commands, and refuses one that opens a protected place.
    pub fn compose(
        places: &Places,
        toolchains: &Toolchains,
        profile: Profile,
        limits: Limits,
    ) -> Result<Self, PolicyError> {
        let mut read_only: Vec<PathBuf> = SYSTEM.iter().map(PathBuf::from).collect();
        read_only.extend(toolchains.folders.iter().cloned());
        read_only.extend(toolchains.cargo_bin.clone());
        if let Some(rustup) = &toolchains.rustup_home {
            read_only.extend([rustup.join("toolchains"), rustup.join("settings.toml")]);
        }
        let read_write = vec![
            places.work_tree.clone(),
            places.cache.clone(),
            places.temp.clone(),
        ];
        let fetch = beside(&places.cache);
        for path in read_only.iter().chain(&read_write).chain([&fetch]) {
            check(path, &places.protected)?;
        }
        utf8(&fetch)?;
        let policy = Self {
            profile,
            proxied: false,
            env: environment(places, toolchains)?,
            read_only,
            read_write,
            temp: places.temp.clone(),
            cache: places.cache.clone(),
            fetch,
            registries: toolchains.registries.clone(),
            also_at: Vec::new(),
            layers: Vec::new(),
            counted: vec![recorded_objects(&places.work_tree)],
            cwd: places.work_tree.clone(),
            limits,
        };
        Ok(policy.for_profile(profile))
    }

    /// What git may touch while it talks to a repository on this machine: the system's programs, the
    /// objects that it reads, and that repository alone to write. No network.
    pub(crate) fn of_local_transport(
        env: BTreeMap<String, String>,
        read: Vec<PathBuf>,
        repository: &Path,
        scratch: &Path,
    ) -> Self {
        let mut read_only: Vec<PathBuf> = SYSTEM.iter().map(PathBuf::from).collect();
        read_only.extend(read);
        Self {
            profile: Profile::Run,
            proxied: false,
            read_only,
            read_write: vec![repository.to_owned(), scratch.to_owned()],
            temp: scratch.to_owned(),
            cache: scratch.to_owned(),
            fetch: scratch.to_owned(),
            registries: Registries::default(),
            also_at: Vec::new(),
            layers: Vec::new(),
            counted: Vec::new(),
            cwd: scratch.to_owned(),
            env,
            limits: Limits {
                wall_ms: 5 * 60 * 1000,
                kept_output: 16 * 1024 * 1024,
                tasks: 256,
                // The repository is a person's: how large it is already is their affair.
                disk_total: u64::MAX,
                ..Limits::default()
            },
        }
    }

    /// The same for the other profile; package managers are told whether there is a network.
    ///
    /// What fetched writes in [`Self::fetch`], what runs cannot change.
    #[must_use]
    pub fn for_profile(mut self, profile: Profile) -> Self {
        self.profile = profile;
        self.proxied = profile == Profile::Install;
        for (name, value) in profile_env::settings(profile, &self.cache, &self.fetch) {
            match value {
                Some(value) => self.env.insert(name.to_owned(), value),
                None => self.env.remove(name),
            };
        }
        let Self {
            read_only,
            read_write,
            fetch,
            ..
        } = &mut self;
        let (closed, open) = match profile {
            Profile::Run => (read_write, read_only),
            Profile::Install => (read_only, read_write),
        };
        closed.retain(|path| path != fetch);
        if !open.contains(fetch) {
            open.push(fetch.clone());
        }
        self
    }

    /// The folders below the cache that the environment names; they are made before a command runs.
    pub(crate) fn named_folders(&self) -> impl Iterator<Item = &Path> {
        const FOLDERS: [&str; 5] = [
            "HOME",
            "CARGO_HOME",
            "XDG_CACHE_HOME",
            "npm_config_cache",
            "PIP_CACHE_DIR",
        ];
        FOLDERS
            .into_iter()
            .filter_map(|name| self.env.get(name))
            .map(Path::new)
            .filter(|path| self.read_write.iter().any(|root| path.starts_with(root)))
    }
}

/// A neighbour of the cache: nothing that runs in the cache can reach or replace it.
fn beside(cache: &Path) -> PathBuf {
    let mut name = cache.file_name().unwrap_or_default().to_owned();
    name.push("-fetched");
    cache.with_file_name(name)
}

fn check(path: &Path, protected: &Protected) -> Result<(), PolicyError> {
    let plain = path
        .components()
        .all(|part| matches!(part, Component::RootDir | Component::Normal(_)));
    if !path.is_absolute() || !plain {
        return Err(PolicyError::NotAbsolute { path: path.into() });
    }
    let above = |place: &&PathBuf| place.starts_with(path);
    let above_or_within = |place: &&PathBuf| above(place) || path.starts_with(place);
    let opened = protected.holders.iter().find(above);
    match opened.or_else(|| protected.sealed.iter().find(above_or_within)) {
        None => Ok(()),
        Some(place) => Err(PolicyError::OpensProtected {
            path: path.into(),
            protected: place.clone(),
        }),
    }
}

fn environment(
    places: &Places,
    toolchains: &Toolchains,
) -> Result<BTreeMap<String, String>, PolicyError> {
    let mut env = BTreeMap::new();
    for (name, value) in &toolchains.env {
        if !is_harmless(name) {
            return Err(PolicyError::ForbiddenVariable { name: name.clone() });
        }
        env.insert(name.clone(), value.clone());
    }
    let mut set = |name: &str, value: &str| env.insert(name.to_owned(), value.to_owned());
    for (name, value) in [
        ("LANG", "C.UTF-8"),
        ("TERM", "dumb"),
        ("NO_COLOR", "1"),
        ("CI", "1"),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("PYTHONDONTWRITEBYTECODE", "1"),
        // Without namespaces pip finds the system's file, may not read it, and gives up.
        ("PIP_CONFIG_FILE", "/dev/null"),
        ("PIP_DISABLE_PIP_VERSION_CHECK", "1"),
        ("CARGO_TERM_COLOR", "never"),
        ("CARGO_INCREMENTAL", "0"),
        ("npm_config_update_notifier", "false"),
        ("npm_config_fund", "false"),
        ("npm_config_audit", "false"),
        // A registry that is down is said to be, and not asked for minutes.
        ("npm_config_fetch_retry_mintimeout", "1000"),
        ("npm_config_fetch_retry_maxtimeout", "5000"),
    ] {
        set(name, value);
    }
    for (name, folder) in [
        ("CARGO_HOME", "cargo"),
        ("GOPATH", "go"),
        ("NUGET_PACKAGES", "nuget"),
        ("YARN_GLOBAL_FOLDER", "yarn"),
        ("XDG_CACHE_HOME", "xdg"),
        ("npm_config_cache", "npm"),
        ("PIP_CACHE_DIR", "pip"),
    ] {
        set(name, utf8(&places.cache.join(folder))?);
    }
    set("TMPDIR", utf8(&places.temp)?);
    if let Some(rustup) = &toolchains.rustup_home {
        set("RUSTUP_HOME", utf8(rustup)?);
        set("RUSTUP_AUTO_INSTALL", "0");
    }
    let mut path = Vec::new();
    for folder in toolchains.path.iter().chain(&toolchains.cargo_bin) {
        path.push(utf8(folder)?.to_owned());
    }
    path.extend(SYSTEM_PATH.map(str::to_owned));
    set("PATH", &path.join(":"));
    Ok(env)
}

/// Refuses names that make the loader, a shell or an interpreter run something of its own.
fn is_harmless(name: &str) -> bool {
    const LOADERS: [&str; 12] = [
        "BASH_ENV",
        "ENV",
        "IFS",
        "NODE_OPTIONS",
        "PYTHONSTARTUP",
        "PYTHONINSPECT",
        "PERL5OPT",
        "RUBYOPT",
        "RUSTC_WRAPPER",
        "RUSTC_WORKSPACE_WRAPPER",
        "SSH_AUTH_SOCK",
        "GPG_AGENT_INFO",
    ];
    let shaped = !name.is_empty()
        && !name.starts_with(|first: char| first.is_ascii_digit())
        && name
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    shaped && !name.starts_with("LD_") && !name.starts_with("GIT_") && !LOADERS.contains(&name)
}

fn utf8(path: &Path) -> Result<&str, PolicyError> {
    path.to_str()
        .ok_or_else(|| PolicyError::NotUtf8 { path: path.into() })
}

#[cfg(test)]
#[path = "policy_tests.rs"]
mod tests;
