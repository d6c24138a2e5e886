//! Leases: one driver per run.

use std::fmt;

use gavel_domain::{Epoch, RunId, Timestamp};
use serde::{Deserialize, Serialize};

/// Who holds a lease, for the message that a second driver gets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// Process id.
    pub pid: u32,
    /// Host name.
    pub host: String,
    /// Since when.
    pub since: Timestamp,
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "process {} on {} since {}",
            self.pid, self.host, self.since
        )
    }
}

/// What keeps a lease alive; dropping it, or the death of the process, frees the run.
pub trait LeaseGuard: fmt::Debug + Send + Sync {}

/// The right to write to one run.
#[derive(Debug)]
pub struct Lease {
    /// The run.
    pub run: RunId,
    /// The epoch that every commit is checked against.
    pub epoch: Epoch,
    /// The lock.
    pub guard: Box<dyn LeaseGuard>,
}
