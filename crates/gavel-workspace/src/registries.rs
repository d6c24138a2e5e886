//! What a person's package managers are configured for: which hosts install steps may reach, and
//! the settings that lead them there. Nothing in here comes from a project.

mod person;

use gavel_domain::Digest;
use gavel_rules::{Destination, InstallReach};

pub use self::person::{PersonRegistries, registries_of};

/// What install steps may reach; by default nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Registries {
    /// The hosts.
    pub reach: InstallReach,
    /// Hosts that scripts of dependencies may talk to, by a person's answer.
    pub scripts: Vec<ScriptHosts>,
    /// A proxy through which this machine reaches the world.
    pub upstream: Option<Upstream>,
    /// What holds where commands have no network of their own.
    pub open_network: OpenNetwork,
    /// What commands of a project's `[verify] install` get.
    pub project_commands: ProjectCommands,
    /// Lines for npm's configuration: registries by scope.
    pub npm: Vec<String>,
    /// Cargo's registries and source replacements, as the text of a configuration.
    pub cargo: String,
    /// Maven's mirrors.
    pub maven: Vec<MavenMirror>,
    /// The proxies that Go takes modules from, as `GOPROXY` names them; empty for the public one.
    pub go: String,
}

/// A host for scripts of dependencies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptHosts {
    /// The digest of everything that these scripts can load.
    pub scripts: Digest,
    /// The host.
    pub host: Destination,
}

/// A proxy of the person's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upstream {
    /// Where it listens.
    pub proxy: Destination,
    /// Hosts that are reached without it: whole names, or domains that begin with a dot.
    pub except: Vec<String>,
}

/// A mirror as Maven's settings name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MavenMirror {
    /// Which repositories it stands for.
    pub of: String,
    /// Its address.
    pub url: String,
}

/// May an install step run where its network cannot be walled in?
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum OpenNetwork {
    /// No.
    #[default]
    Refused,
    /// The person agreed to it.
    Agreed,
}

/// What the install commands that a project's `gavel.toml` names may reach. They are the project's
/// own, so that they may run anything of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum ProjectCommands {
    /// Nothing.
    #[default]
    Offline,
    /// The registries: the person agreed to it.
    Registries,
}

impl Upstream {
    /// True when this host is reached through the proxy.
    pub(crate) fn serves(&self, host: &str) -> bool {
        !self.except.iter().any(|except| {
            let domain = except.trim_start_matches('.');
            except == "*"
                || host == domain
                || host
                    .strip_suffix(domain)
                    .is_some_and(|before| before.ends_with('.'))
        })
    }
}
