//! Why a call failed, typed by what the caller does next.

use std::time::Duration;

use gavel_domain::{Billed, FaultClass};

/// A failed call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", shown(kind, message))]
pub struct CallError {
    /// What kind of failure.
    pub kind: CallErrorKind,
    /// Whether it may have been charged.
    pub billed: Billed,
    /// What the provider said, cut to 2,000 characters; empty when it said nothing.
    pub message: String,
}

/// The built-in rules are no provider, and say for themselves what they cannot do.
const RULES: &str = "the offline rules";

fn shown(kind: &CallErrorKind, message: &str) -> String {
    if message.is_empty() {
        kind.to_string()
    } else if *kind == CallErrorKind::Refused && message.starts_with(RULES) {
        message.to_owned()
    } else {
        format!("{kind}: {message}")
    }
}

/// The kinds of failure.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallErrorKind {
    /// Wait and try again.
    #[error("rate limited")]
    RateLimited {
        /// How long the provider asked to wait.
        after: Option<Duration>,
    },
    /// Wait and try again.
    #[error("the provider is overloaded")]
    Overloaded {
        /// How long the provider asked to wait.
        after: Option<Duration>,
    },
    /// Check the key.
    #[error("the provider refused the key")]
    Unauthorized,
    /// Name another model.
    #[error("the provider knows no such model")]
    UnknownModel,
    /// Correct the address.
    #[error("no models are served at this address")]
    WrongAddress,
    /// Send less.
    #[error("the request is longer than the model takes")]
    ContextTooLong,
    /// Ask something else: the provider will not answer this request.
    #[error("the provider refused the request")]
    Refused,
    /// Try again, or use another model.
    #[error("bad reply ({0})")]
    BadReply(BadReply),
    /// Check the connection, or try again.
    #[error("network trouble")]
    Network,
    /// Try again, or allow more time.
    #[error("no {0} in time")]
    Deadline(DeadlineKind),
}

/// What was wrong with a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum BadReply {
    /// The stream ended in the middle.
    #[error("the stream was cut")]
    Cut,
    /// Bytes that are no UTF-8.
    #[error("not UTF-8")]
    NotUtf8,
    /// An event that is not what the wire promises.
    #[error("malformed event")]
    Malformed,
    /// Tool arguments that are no JSON object.
    #[error("tool arguments are not a JSON object")]
    ToolArguments,
    /// A tool that was not offered.
    #[error("a tool that was not offered")]
    UnknownTool,
    /// No tool call, although the request demanded one.
    #[error("no tool call although one was required")]
    NoToolCall,
    /// No usage was reported.
    #[error("no usage reported")]
    NoUsage,
    /// Neither text nor a tool call.
    #[error("empty reply")]
    Empty,
    /// The instruction came back instead of an answer.
    #[error("the instruction was echoed")]
    Echo,
    /// The output went past the maximum that was asked for.
    #[error("longer than the maximum")]
    TooLong,
}

/// Which deadline passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum DeadlineKind {
    /// The connection.
    #[error("connection")]
    Connect,
    /// The first byte of the reply.
    #[error("first byte")]
    FirstByte,
    /// The next byte of the reply.
    #[error("further byte")]
    Idle,
    /// The whole reply.
    #[error("complete reply")]
    Total,
}

/// The most characters kept of what a provider said.
const MAX_MESSAGE: usize = 2000;

/// A reply that cannot be used. The provider worked for it, so it may have been charged.
pub(crate) fn bad_reply(problem: BadReply, message: &str) -> CallError {
    CallError::new(CallErrorKind::BadReply(problem), Billed::Unknown, message)
}

/// A request that no wire can carry; nothing was sent.
pub(crate) fn unsendable(what: &str) -> CallError {
    CallError::new(CallErrorKind::Refused, Billed::No, what)
}

impl CallError {
    /// An error with as much of the message as is kept.
    pub fn new(kind: CallErrorKind, billed: Billed, message: &str) -> Self {
        Self {
            kind,
            billed,
            message: message.chars().take(MAX_MESSAGE).collect(),
        }
    }

    /// The class under which the failure is recorded.
    pub const fn class(&self) -> FaultClass {
        match &self.kind {
            CallErrorKind::RateLimited { .. } => FaultClass::RateLimited,
            CallErrorKind::Overloaded { .. } => FaultClass::Overloaded,
            CallErrorKind::Unauthorized => FaultClass::Unauthorized,
            CallErrorKind::UnknownModel => FaultClass::UnknownModel,
            CallErrorKind::WrongAddress => FaultClass::WrongAddress,
            CallErrorKind::ContextTooLong => FaultClass::ContextTooLong,
            CallErrorKind::Refused => FaultClass::Refused,
            CallErrorKind::BadReply(BadReply::TooLong) => FaultClass::ReplyTooLong,
            CallErrorKind::BadReply(_) => FaultClass::BadReply,
            CallErrorKind::Network => FaultClass::Network,
            CallErrorKind::Deadline(_) => FaultClass::Timeout,
        }
    }

    /// How long the provider asked to wait.
    pub const fn retry_after(&self) -> Option<Duration> {
        match &self.kind {
            CallErrorKind::RateLimited { after } | CallErrorKind::Overloaded { after } => *after,
            CallErrorKind::Unauthorized
            | CallErrorKind::UnknownModel
            | CallErrorKind::WrongAddress
            | CallErrorKind::ContextTooLong
            | CallErrorKind::Refused
            | CallErrorKind::BadReply(_)
            | CallErrorKind::Network
            | CallErrorKind::Deadline(_) => None,
        }
    }
}
