//! What the commands that bring a project's dependencies reached, and what they were refused.

use serde::{Deserialize, Serialize};

use crate::{Digest, Speaker};

/// One command that fetched or prepared dependencies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstallStep {
    /// The command's words; paths below the folder of the build are told from there.
    pub command: String,
    /// Its exit code; `None` when a signal or a limit ended it.
    pub exit: Option<i32>,
    /// It had no network, so that it could run code of the project.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub offline: bool,
    /// It had the whole network of the machine, which a person agreed to: nothing says whom it talked to.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub open: bool,
    /// The hosts that it talked to, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<HostTraffic>,
    /// The hosts that it was refused, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<HostRefused>,
    /// The scripts of dependencies that it ran, when one of them was refused a host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scripts: Option<InstallScripts>,
    /// Why nobody can be asked to allow scripts of dependencies a host, when one of them was refused one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scripts_unasked: Option<ScriptsUnasked>,
}

/// Why scripts of dependencies cannot be told apart, so that no answer about them could be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum ScriptsUnasked {
    /// The dependencies are more files than are compared.
    TooManyFiles {
        /// How many are compared.
        most: u64,
    },
    /// They are larger than what is compared.
    TooManyBytes {
        /// How much is compared.
        most: u64,
    },
    /// Something among them cannot be compared: a pipe, or a name that is no text.
    NotComparable,
    /// The package manager lays them out so that its scripts cannot be run apart from the project.
    OtherManager,
}

/// Scripts that come with dependencies.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct InstallScripts {
    /// The digest of everything that they can load.
    pub digest: Digest,
    /// The packages that have such scripts, as `name@version`.
    pub packages: Vec<String>,
}

/// What went to and came from one host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostTraffic {
    /// Its name or address.
    pub host: String,
    /// The port.
    pub port: u16,
    /// Bytes that went to it.
    pub sent: u64,
    /// Bytes that came from it.
    pub received: u64,
}

/// A host that a step asked for in vain: it was refused, or is allowed and did not answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostRefused {
    /// Its name or address, as it was asked for.
    pub host: String,
    /// The port.
    pub port: u16,
    /// Why.
    pub reason: HostRefusal,
    /// How often it was asked for.
    pub times: u32,
}

/// Why an install step did not talk to a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HostRefusal {
    /// None of the person's package managers is configured for it.
    NotAllowed,
    /// Its name leads to this machine or a private network, and the person did not name it.
    PrivateAddress,
    /// Something else than fetching was asked for.
    NotAFetch,
    /// The step used up its connections or bytes.
    LimitReached,
    /// It is allowed, and did not answer.
    Unreachable,
}

/// What steps that bring dependencies want and may not have without a person's word.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "wants", rename_all = "snake_case")]
pub enum InstallRequest {
    /// To fetch from a host that none of the person's package managers is configured for.
    Host {
        /// Its name or address.
        host: String,
        /// The port.
        port: u16,
    },
    /// Scripts of dependencies want to talk to a host.
    ScriptHost {
        /// The scripts.
        scripts: InstallScripts,
        /// Its name or address.
        host: String,
        /// The port.
        port: u16,
    },
    /// To fetch with the whole network of this machine, which has no other for commands.
    OpenNetwork,
}

/// It was decided whether steps that bring dependencies may have what they want.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstallDecided {
    /// What.
    #[serde(flatten)]
    pub request: InstallRequest,
    /// The git dir of the repository for which it was decided: an answer counts for it alone.
    pub repository: String,
    /// Whether they may.
    pub allowed: bool,
    /// Who said so; the engine where nobody was there to be asked.
    pub by: Speaker,
}
