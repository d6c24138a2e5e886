//! Faults: failures as facts, typed by what the caller does next.

use serde::{Deserialize, Serialize};

use crate::BlobRef;

/// What went wrong, by the caller's next move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultClass {
    /// Too many requests; wait and try again.
    RateLimited,
    /// The other side is overloaded; wait and try again.
    Overloaded,
    /// The connection failed or was cut; try again.
    Network,
    /// The reply was malformed or empty; trying again may help.
    BadReply,
    /// The reply was cut at its maximum; a shorter one may be asked for.
    ReplyTooLong,
    /// The other side took too long; trying again may help.
    Timeout,
    /// A key is missing or wrong; a person must act.
    Unauthorized,
    /// The request is larger than the model takes.
    ContextTooLong,
    /// The provider or a policy of ours said no.
    Refused,
    /// The other side knows no model of that name; a person must name another.
    UnknownModel,
    /// Nothing that serves models is at the address; a person must correct it.
    WrongAddress,
    /// A thing that was named does not exist or has another form.
    Invalid,
    /// An effect on this machine (git, a command, a file) did not succeed.
    Failed,
    /// Somebody else moved what was to be changed; a person must look.
    Moved,
}

impl FaultClass {
    /// True when the same request may succeed later without anybody's help.
    pub const fn may_pass(self) -> bool {
        match self {
            Self::RateLimited
            | Self::Overloaded
            | Self::Network
            | Self::BadReply
            | Self::ReplyTooLong
            | Self::Timeout => true,
            Self::Unauthorized
            | Self::ContextTooLong
            | Self::Refused
            | Self::UnknownModel
            | Self::WrongAddress
            | Self::Invalid
            | Self::Failed
            | Self::Moved => false,
        }
    }
}

/// Whether the provider may have charged for a failed call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Billed {
    /// Certainly not: nothing was processed.
    No,
    /// Unknown, so it is booked in full.
    Unknown,
}

/// A failure as it is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// What kind of failure.
    pub class: FaultClass,
    /// How long the other side asked to wait, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// What it said, as a blob.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<BlobRef>,
}
