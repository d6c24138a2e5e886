//! What the commands that bring a project's dependencies reached, and what they were refused.

use serde::{Deserialize, Serialize};

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
    /// The hosts that it talked to, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<HostTraffic>,
    /// The hosts that it was refused, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<HostRefused>,
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

/// A host that was refused.
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

/// Why an install step may not talk to a host.
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
}
