//! What a review looks at.

use gavel_domain::{DiscoveryAnswer, MemoryNote};

/// An idea with everything that is known about it.
#[derive(Debug, Clone, Copy)]
pub struct Topic<'a> {
    /// The idea, as it was typed.
    pub idea: &'a str,
    /// The answers of the discovery.
    pub answers: &'a [DiscoveryAnswer],
    /// What project memory says.
    pub memory: &'a [MemoryNote],
    /// Why the plan before this one did not work out; nothing for the first.
    pub trouble: Option<&'a str>,
}
